"""A demand is about the given game alone, so that a hunt and shrinking change only the moves."""

from dataclasses import dataclass

import numpy as np
import pytest

from arena import Game, play
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink
from arena.hunt import hunt
from arena.record.theorem import Theorem
from arena.testing import RegretTooLarge, assert_no_violation
from arena.testing.moves import Moves
from arena.testing.session import RunSettings, run_settings

GIVEN = Game(rounds=20, dimension=3, label_bound=0.5, regularisation=2.0, box=(0.0, 1.0))


@dataclass(frozen=True)
class SmallPredictions(Theorem):
    """A user's demand: predictions are at most 1.2, which a learner that clips at B obeys only where B <= 1.2."""

    name = "small-predictions"
    quantity = "prediction"
    demanded = True

    def measured(self, run):
        return np.abs(run.predictions)

    def allowed(self, run):
        return np.full(run.rounds, 1.2)


@pytest.mark.parametrize("game", [Game(rounds=30), GIVEN], ids=["usual", "given"])
@pytest.mark.parametrize(
    ("learner", "theorem"), [("zero", "at-most(regret=30)"), ("clipped-krr", SmallPredictions())], ids=["regret", "own"]
)
def test_a_demand_that_holds_in_the_given_game_is_not_refuted_in_another(game, learner, theorem):
    found = hunt(learner, theorem, game=game, matches=120, workers=0)
    assert found.violation is None
    assert (found.varied, found.closest[0].matches) == ((), 120)
    assert found.closest[0].transcript.game == game
    elsewhere = Moves(X=np.zeros((30, 2)), y=np.full(30, 3.0))
    assert play(learner, elsewhere, label_bound=3.0, rounds=30).verdict(theorem).violated


def test_of_several_theorems_the_proved_ones_are_tried_in_other_games():
    found = hunt("kernel-awv", ["awv-logdet", "at-most(regret=20)"], game=GIVEN, matches=250, workers=0)
    proved, demand = found.closest
    assert found.violation is None
    assert "kernel" in found.varied
    assert proved.matches > 240
    assert 100 < demand.matches < 240
    assert demand.transcript.game == GIVEN


def test_a_demand_that_fails_is_refuted_in_the_given_game_however_small_the_match():
    found = hunt("krr", "at-most(regret=0.6)", game=GIVEN, matches=200, workers=0)
    assert found.violation.transcript.game == GIVEN
    small = shrink("krr", found.violation.transcript, "at-most(regret=0.6)", budget=1000.0)
    assert small.smallest.game == GIVEN
    assert small.rounds < found.violation.transcript.rounds
    proved = play("krr", "alternating", game=GIVEN)
    assert shrink("krr", proved, "awv-logdet", budget=1000.0).smallest.game.dimension == 1


def test_a_failure_kept_of_another_game_refutes_no_demand(tmp_path):
    larger = hunt("krr", "at-most(regret=5)", matches=100, workers=0, label_bound=3.0, rounds=20)
    Failures(tmp_path).add(shrink("krr", larger.violation.transcript, "at-most(regret=5)", budget=1000.0))
    here = {"matches": 3, "workers": 0, "rounds": 20}
    assert hunt("krr", "at-most(regret=5)", kept=tmp_path, label_bound=3.0, **here).matches == 0
    assert hunt("krr", "at-most(regret=5)", kept=tmp_path, **here).violation is None


def test_the_assertion_holds_a_demand_in_the_given_game_too():
    token = run_settings.set(RunSettings(shrinking=0.5))
    assert assert_no_violation("krr", theorem="at-most(regret=100)", matches=80, workers=0).varied == ()
    with pytest.raises(RegretTooLarge, match=r"game: rounds 20, dimension 3, "):
        assert_no_violation("krr", theorem="at-most(regret=0.6)", game=GIVEN, matches=80, workers=0)
    run_settings.reset(token)
