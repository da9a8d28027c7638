"""Planted mistakes are shrunk to about their known length, and still fail in the same way."""

from dataclasses import dataclass

import numpy as np
import pytest

from arena import play
from arena.counterexamples.case import Case, played
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.trials import MARGIN
from arena.record.theorem import ROUNDING, Theorem
from arena_tests import FULL
from arena_tests.planted import forecasters
from arena_tests.planted.built_upon import RightInBlocks

PLANTED = [  # mistake, adversary, rounds, and the first round in which a prediction can be wrong: no shorter one fails
    ("IgnoresTheSecondLabel", "repeated(points=5, labels=alternating)", 200, 3),
    ("IgnoresTheSecondLabel", "repeated(points=20)", 300, 3),
    ("ForgetsAfterFive", "repeated(points=20)", 200, 7),
    ("ClipsLabels", "repeated(points=20)", 300, 2),
    ("WrongSignAtNegative", "drift", 200, 2),
    ("IgnoresACoordinate", "realisable", 300, 2),
    ("SkipsEveryThird", "orthogonal", 300, 4),
    ("IsFullWithFive", "alternating", 300, 7),
    ("WrongInACorner", "repeated(points=20)", 1000, 2),
]
LONG = [("StartsAgainAfterTen", "realisable", 200, 11)]


@pytest.mark.parametrize(("learner", "adversary", "rounds", "known"), PLANTED + LONG * FULL)
def test_planted_mistakes_are_shrunk_to_their_known_length_and_no_round_can_be_spared(
    learner, adversary, rounds, known
):
    learner = getattr(forecasters, learner)
    worst = play(learner, adversary, rounds=rounds)
    assert worst.verdict("awv-logdet").violated
    shrunk = shrink(learner, worst, "awv-logdet", budget=1000.0)
    assert shrunk.finished
    assert known <= shrunk.rounds <= 2 * known
    assert shrunk.verdict.violated
    assert shrunk.smallest.game.rounds == shrunk.rounds
    assert np.isin(np.abs(shrunk.labels), [0.0, 0.5, 1.0]).all()
    run = shrunk.smallest
    slack = ROUNDING * (1.0 + run.cumulative_losses)
    assert (shrunk.verdict.measured_curve - shrunk.verdict.allowed_curve > MARGIN * slack).any()
    assert (shrunk.worst, shrunk.worst.rounds) == (worst, rounds)
    whole = Case(shrunk.smallest.game, shrunk.points, shrunk.labels)
    for number in range(shrunk.rounds):
        fewer = played(learner, whole.without([number]), seed=0, one_by_one=False)
        assert not fewer.verdict("awv-logdet").violated


def test_shrinking_is_deterministic():
    worst = play(forecasters.IgnoresTheSecondLabel, "repeated(points=5)", rounds=60)
    first, second = (shrink(forecasters.IgnoresTheSecondLabel, worst, "awv-logdet") for _ in range(2))
    assert first.points.tolist() == second.points.tolist()
    assert first.labels.tolist() == second.labels.tolist()
    assert first.steps == second.steps


def test_the_game_becomes_plainer_too():
    fields = {"regularisation": 3.0, "label_bound": 2.0, "prediction_bound": 1.5, "dimension": 3}
    worst = play("krr", "repeated(points=5, labels=alternating)", rounds=100, **fields, kernel="gaussian(bandwidth=2)")
    game = shrink("krr", worst, "awv-logdet").smallest.game
    assert (game.regularisation, game.label_bound, game.prediction_bound, game.dimension) == (1.0, 1.0, None, 1)
    assert game.kernel.bandwidth == 2.0  # it is part of what was tested


def test_a_horizon_that_matters_is_kept(run_script):
    learner = forecasters.FailsAtTheFullHorizon
    shrunk = shrink(learner, play(learner, "label-blocks", rounds=17), "awv-logdet")
    assert (shrunk.rounds, shrunk.smallest.game.rounds) == (2, 17)
    assert "violated" in run_script(reproduction(shrunk))


def test_the_result_is_never_longer_than_what_failed_first():
    class SlowInShortMatches(forecasters.Forecaster):
        """A learner whose mistake begins earlier if the horizon is larger."""

        def begin(self, game, rng):
            super().begin(game, rng)
            self.wrong_from = 80 // game.rounds

        def learn(self, x, y):
            super().learn(x, -y if self.round >= self.wrong_from else y)

    worst = play(SlowInShortMatches, "label-blocks", rounds=40)
    first = worst.verdict("awv-logdet").round
    shrunk = shrink(SlowInShortMatches, worst, "awv-logdet")
    assert shrunk.finished
    assert shrunk.rounds <= first <= 4
    assert shrunk.smallest.game.rounds == 40


def test_trials_have_the_seed_of_the_match():
    for seed in (0, 3):
        worst = play("sketched-kons", "contrarian", rounds=60, seed=seed)
        shrunk = shrink("sketched-kons", worst, "awv-logdet")
        assert shrunk.smallest.seed == seed
        assert shrunk.verdict.violated


@dataclass(frozen=True)
class Barely(Theorem):
    """A theorem that each match exceeds by three times the allowance for rounding."""

    def allowed(self, run):
        return self.measured(run) - 3 * ROUNDING * (1.0 + run.cumulative_losses)


def test_a_narrow_violation_can_be_shrunk():
    assert shrink("krr", play("krr", "drift", rounds=20), Barely()).verdict.violated


def test_without_a_theorem_it_is_the_first_promise_that_was_broken():
    shrunk = shrink(forecasters.WrongInACorner, play(forecasters.WrongInACorner, "realisable", rounds=400))
    assert shrunk.theorem == "awv-identity"
    assert shrunk.rounds == 2


def test_a_failure_that_needs_single_rounds_is_shrunk_round_by_round(run_script):
    worst = play(RightInBlocks, "contrarian", rounds=100)
    shrunk = shrink(RightInBlocks, worst, "awv-logdet")
    assert shrunk.one_by_one
    assert shrunk.rounds <= 3
    assert "violated" in run_script(reproduction(shrunk))
