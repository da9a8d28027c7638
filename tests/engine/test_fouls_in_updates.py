"""A learner that fails in its update forfeits in that round, against every adversary."""

import pytest

from arena import play


class FailsInRound:
    def __init__(self, number):
        self.number, self.round = number, 0

    def predict(self, x):
        return 0.25

    def update(self, x, y):
        self.round += 1
        if self.round == self.number:
            raise RuntimeError("no more")


@pytest.mark.parametrize("number", [1, 7])
@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=8)"])
def test_the_round_of_the_update_is_the_round_of_the_forfeit(adversary, number):
    run = play(FailsInRound(number), adversary, rounds=10)
    assert run.ended == "forfeit"
    assert (run.forfeit.side, run.forfeit.round, run.rounds) == ("learner", number, number - 1)
    assert "no more" in run.forfeit.reason
