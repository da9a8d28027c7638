"""Planted mistakes are shrunk to about their known length, and what is printed can be run."""

import contextlib
import io
from dataclasses import dataclass

import numpy as np
import pytest

from arena import ArenaError, Transcript, play
from arena.learner import Learner
from arena.learners.awv import KernelAWV
from arena.shrinking import reproduction, shrink, unshrunk
from arena.shrinking.case import Case, moves_of
from arena.shrinking.failing import MARGIN, kind_of_foul
from arena.shrinking.trials import played
from arena.theorem import ROUNDING, Theorem


class Awv(Learner):
    """Kernel-AWV in plain NumPy, with a place for mistakes."""

    def begin(self, game, rng):
        self.kernel, self.ridge = game.kernel, game.regularisation
        self.X, self.y, self.round = np.empty((0, game.dimension)), np.empty(0), 0

    def predict(self, x):
        X, y = np.vstack([self.X, x]), np.append(self.y, 0.0)
        weights = np.linalg.solve(self.kernel.gram(X, X) + self.ridge * np.eye(len(X)), y)
        return float(self.kernel.gram(x[None], X)[0] @ weights)

    def update(self, x, y):
        self.round += 1
        self.keep(x, y)

    def keep(self, x, y):
        self.X, self.y = np.vstack([self.X, x]), np.append(self.y, y)


class IgnoresTheSecondLabel(Awv):
    def keep(self, x, y):
        if not (x == self.X).all(axis=1).any():
            super().keep(x, y)


class ForgetsAfterTen(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        self.X, self.y = self.X[-10:], self.y[-10:]


class StartsAgainAfterTen(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        if len(self.y) > 10:
            self.X, self.y = self.X[:0], self.y[:0]


class ClipsLabels(Awv):
    def keep(self, x, y):
        super().keep(x, np.clip(y, -0.5, 0.5))


class WrongSignAtNegative(Awv):
    def keep(self, x, y):
        super().keep(x, -y if (x < 0).all() else y)


class IgnoresACoordinate(Awv):
    def predict(self, x):
        return super().predict(np.append(x[:-1], 0.0))

    def keep(self, x, y):
        super().keep(np.append(x[:-1], 0.0), y)


class SkipsEveryThird(Awv):
    def keep(self, x, y):
        if self.round % 3:
            super().keep(x, y)


class IsFullWithFive(Awv):
    def keep(self, x, y):
        if len(self.y) < 5:
            super().keep(x, y)


class WrongInACorner(KernelAWV):
    """Fast: blocks are replayed."""

    def update(self, x, y):
        super().update(x, -y if (x > 0.5).all() else y)

    def replay(self, X, y):
        return super().replay(X, np.where((X > 0.5).all(axis=1), -y, y))


PLANTED = [  # mistake, adversary, rounds, and the first round in which a prediction can be wrong: no shorter one fails
    (IgnoresTheSecondLabel, "repeated(points=5, labels=alternating)", 200, 3),
    (IgnoresTheSecondLabel, "repeated(points=20)", 300, 3),
    (ForgetsAfterTen, "repeated(points=20)", 200, 12),
    (StartsAgainAfterTen, "realisable", 200, 12),
    (ClipsLabels, "repeated(points=20)", 300, 2),
    (WrongSignAtNegative, "drift", 200, 2),
    (IgnoresACoordinate, "realisable", 300, 2),
    (SkipsEveryThird, "orthogonal", 300, 4),
    (IsFullWithFive, "alternating", 300, 7),
    (WrongInACorner, "repeated(points=20)", 1000, 2),
]


@pytest.mark.parametrize(("learner", "adversary", "rounds", "known"), PLANTED)
def test_planted_mistakes_are_shrunk_to_their_known_length(learner, adversary, rounds, known):
    worst = play(learner, adversary, rounds=rounds)
    assert worst.verdict("awv-logdet").violated
    shrunk = shrink(learner, worst, "awv-logdet", budget=60.0)
    assert shrunk.finished
    assert known <= shrunk.rounds <= 2 * known
    assert shrunk.verdict.violated
    assert shrunk.smallest.game.rounds == shrunk.rounds
    assert np.isin(np.abs(shrunk.labels), [0.0, 0.5, 1.0]).all()
    run = shrunk.smallest
    slack = ROUNDING * (1.0 + run.cumulative_losses)
    assert (shrunk.verdict.measured_curve - shrunk.verdict.allowed_curve > MARGIN * slack).any()
    assert (shrunk.worst, shrunk.worst.rounds) == (worst, rounds)


def test_no_round_can_be_spared():
    shrunk = shrink(IsFullWithFive, play(IsFullWithFive, "drift", rounds=60), "awv-logdet")
    whole = Case(shrunk.smallest.game, shrunk.points, shrunk.labels)
    for number in range(shrunk.rounds):
        run = played(IsFullWithFive, whole.without([number]), seed=0, one_by_one=False)
        assert not run.verdict("awv-logdet").violated


def test_it_gives_the_same_each_time():
    worst = play(SkipsEveryThird, "orthogonal", rounds=100)
    first, second = (shrink(SkipsEveryThird, worst, "awv-logdet") for _ in range(2))
    assert first.points.tolist() == second.points.tolist()
    assert first.labels.tolist() == second.labels.tolist()
    assert first.steps == second.steps


def test_the_game_gets_plainer_too():
    fields = {"regularisation": 3.0, "label_bound": 2.0, "prediction_bound": 1.5, "dimension": 3}
    worst = play("krr", "repeated(points=5, labels=alternating)", rounds=100, **fields, kernel="gaussian(bandwidth=2)")
    game = shrink("krr", worst, "awv-logdet").smallest.game
    assert (game.regularisation, game.label_bound, game.prediction_bound, game.dimension) == (1.0, 1.0, None, 1)
    assert game.kernel.bandwidth == 2.0  # it is part of what was tested


def run_script(text):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, "pasted", "exec"), {})
    return said.getvalue()


@pytest.mark.parametrize(
    ("learner", "adversary", "theorem", "fields"),
    [
        ("krr", "greedy(starts=4)", "awv-logdet", {}),
        ("fgd(rate=2.0)", "realisable", "awv-leverage", {"dimension": 3, "box": (0, 3), "kernel": "laplacian"}),
        ("pros-n-kons", "orthogonal", "awv-logdet", {"seed": 5, "kernel": "gaussian(bandwidth=0.5)"}),
        (ForgetsAfterTen, "realisable", "awv-logdet", {"dimension": 1, "box": [(0.0, 2.0)]}),
    ],
)
def test_what_is_printed_can_be_run(learner, adversary, theorem, fields):
    shrunk = shrink(learner, play(learner, adversary, rounds=120, **fields), theorem)
    text = reproduction(shrunk, file="kept.npz")
    assert f"{theorem} is violated in round {shrunk.verdict.round}" in text
    assert f"margin {shrunk.verdict.margin:.3g}" in text
    assert f"arena play {shrunk.smallest.learner.split('(')[0]}" in text.replace("'", "")
    assert f"arena replay kept.npz --bound {theorem}" in text
    assert run_script(text) == f"{shrunk.verdict}\n"


class Crashes(Awv):
    def keep(self, x, y):
        super().keep(x, y)
        if (self.y < 0).sum() == 3:
            raise ZeroDivisionError(f"in round {self.round}")


class NotANumberAfterTwenty(Awv):
    def predict(self, x):
        return super().predict(x) if self.round < 20 else float("nan")


class CrashesInBlocks(WrongInACorner):
    def replay(self, X, y):
        if (self.past_rounds + np.arange(len(X)) >= 30).any():
            raise RuntimeError("too long")
        self.past_rounds += len(X)
        return super().replay(X, y)

    past_rounds = 0


FOULS = [
    (Crashes, "realisable", 3, "ZeroDivisionError: in round 3"),
    (Crashes, "greedy(starts=4, polished=0)", 3, "ZeroDivisionError: in round 3"),
    (NotANumberAfterTwenty, "drift", 21, "the prediction is nan"),
    (NotANumberAfterTwenty, "greedy(starts=4, polished=0)", 21, "the prediction is nan"),
    (CrashesInBlocks, "drift", 31, "too long"),
]


@pytest.mark.parametrize(("learner", "adversary", "known", "reason"), FOULS)
def test_fouls_are_shrunk_to_the_same_foul(learner, adversary, known, reason):
    worst = play(learner, adversary, rounds=80)
    shrunk = shrink(learner, worst)
    assert shrunk.theorem is None
    assert shrunk.rounds == known
    assert reason in shrunk.reason
    assert reason in run_script(reproduction(shrunk))
    assert len(np.unique(shrunk.points, axis=0)) == 1


@pytest.mark.parametrize("adversary", ["drift", "contrarian"])
def test_a_foul_leaves_the_moves_that_were_made(adversary, tmp_path):
    run = play(Crashes, adversary, rounds=20)
    X, y = run.unanswered
    assert run.forfeit.round == run.rounds + 1
    whole = play(Awv, adversary, rounds=20)
    assert X[0].tolist() == whole.points[run.rounds].tolist()
    assert y[0] == whole.labels[run.rounds]
    assert len(X) == (1 if adversary == "contrarian" else 20 - run.rounds)
    again = Transcript.load(run.save(tmp_path / "run.npz"), trust=True)
    assert [each.tolist() for each in again.unanswered] == [X.tolist(), y.tolist()]
    assert whole.unanswered is None


def test_kinds_of_fouls():
    assert kind_of_foul("replay raised KeyError: 3.5 (a.py, line 3)") == kind_of_foul(
        "predict raised KeyError: -1e-07 (a.py, line 12)"
    )
    assert kind_of_foul("predict raised KeyError: 'a'") != kind_of_foul("predict raised ValueError: 'a'")


class RightInBlocks(KernelAWV):
    def update(self, x, y):
        super().update(x, 0.0)

    def peek(self, X):
        return 0.5 * super().peek(X) - 0.1


def test_what_fails_round_by_round_alone_is_shrunk_round_by_round():
    worst = play(RightInBlocks, "contrarian", rounds=100)
    shrunk = shrink(RightInBlocks, worst, "awv-logdet")
    assert shrunk.one_by_one
    assert shrunk.rounds <= 3
    assert "violated" in run_script(reproduction(shrunk))


class FailsAtTheFullHorizon(Awv):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.wrong = game.rounds == 33

    def keep(self, x, y):
        super().keep(x, -y if self.wrong else y)


def test_a_horizon_that_matters_is_kept():
    shrunk = shrink(FailsAtTheFullHorizon, play(FailsAtTheFullHorizon, "label-blocks", rounds=33), "awv-logdet")
    assert (shrunk.rounds, shrunk.smallest.game.rounds) == (2, 33)
    assert "violated" in run_script(reproduction(shrunk))


class SlowInShortMatches(Awv):
    """Fails the sooner the longer the match is to be."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.wrong_from = 200 // game.rounds

    def keep(self, x, y):
        super().keep(x, -y if self.round >= self.wrong_from else y)


def test_the_result_is_never_longer_than_what_failed_first():
    worst = play(SlowInShortMatches, "label-blocks", rounds=100)
    first = worst.verdict("awv-logdet").round
    shrunk = shrink(SlowInShortMatches, worst, "awv-logdet")
    assert shrunk.finished
    assert shrunk.rounds <= first <= 4
    assert shrunk.smallest.game.rounds == 100


def test_coins_fall_as_they_fell():
    for seed in (0, 3):
        worst = play("sketched-kons", "contrarian", rounds=60, seed=seed)
        shrunk = shrink("sketched-kons", worst, "awv-logdet")
        assert shrunk.smallest.seed == seed
        assert shrunk.verdict.violated


@dataclass(frozen=True)
class Barely(Theorem):
    """Broken by three times what counts as rounding, no more."""

    def allowed(self, run):
        return self.measured(run) - 3 * ROUNDING * (1.0 + run.cumulative_losses)


def test_a_narrow_violation_is_no_less_narrow_afterwards():
    assert shrink("krr", play("krr", "drift", rounds=40), Barely()).verdict.violated


class Counting:
    """An object with a state of its own, which must stay as it is."""

    def __init__(self):
        self.labels = []

    def predict(self, x):
        return -float(np.sign(sum(self.labels)))

    def update(self, x, y):
        self.labels.append(y)


def test_learners_come_in_every_shape():
    given = Counting()
    worst = play(given, "drift", rounds=40)
    for learner in (given, Counting, lambda: Counting()):
        shrunk = shrink(learner, worst, "awv-logdet")
        assert shrunk.rounds == 2
    assert given.labels == []
    shrunk = shrink(IgnoresTheSecondLabel(), play(IgnoresTheSecondLabel, "alternating"), "awv-logdet")
    assert shrunk.rounds == 3


def test_of_an_unnameable_object_the_script_says_where_it_belongs():
    class Local(Counting):
        pass

    shrunk = shrink(Local, play(Local, "drift", rounds=40), "awv-logdet")
    text = reproduction(shrunk)
    assert "learner = ...  # an object of the class Local" in text
    exec(text.replace("learner = ...", "learner = given"), {"given": Local})


def test_without_a_theorem_it_is_the_first_promise_that_was_broken():
    shrunk = shrink(WrongInACorner, play(WrongInACorner, "realisable", rounds=400))
    assert shrunk.theorem == "awv-identity"
    assert shrunk.rounds == 2


def test_when_time_is_over_the_best_so_far_is_given():
    worst = play(IsFullWithFive, "drift", rounds=100)
    shrunk = shrink(IsFullWithFive, worst, "awv-logdet", budget=1e-9)
    assert not shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.rounds <= worst.verdict("awv-logdet").round
    assert "out of time" in str(shrunk)


class StoppedByHand(IsFullWithFive):
    matches = 0

    def begin(self, game, rng):
        super().begin(game, rng)
        StoppedByHand.matches += 1
        if StoppedByHand.matches == 20:
            raise KeyboardInterrupt


def test_ctrl_c_gives_the_best_so_far():
    worst = play(IsFullWithFive, "drift", rounds=100)
    shrunk = shrink(StoppedByHand, worst, "awv-logdet")
    assert shrunk.interrupted
    assert not shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.steps == 19


class Moody(Awv):
    moods = iter([True])

    def begin(self, game, rng):
        super().begin(game, rng)
        self.wrong = next(Moody.moods, False)

    def keep(self, x, y):
        super().keep(x, -y if self.wrong else y)


def test_what_cannot_be_shrunk_is_refused_with_a_reason():
    with pytest.raises(ArenaError, match=r"the learner did not fail .*awv-logdet: holds"):
        shrink("kernel-awv", play("kernel-awv", "drift", rounds=20), "awv-logdet")
    with pytest.raises(ArenaError, match="promises no theorem"):
        shrink("zero", play("zero", "drift", rounds=20))
    with pytest.raises(ArenaError, match="leaves room for chance"):
        shrink("con-kons", play("con-kons(beta=120)", "repeated(points=5)", rounds=30), "kors-accuracy")
    with pytest.raises(ArenaError, match="does not come again"):
        shrink(Moody, play(Moody, "label-blocks", rounds=20), "awv-logdet")
    with pytest.raises(ArenaError, match="budget must be"):
        shrink("krr", play("krr", "alternating", rounds=20), "awv-logdet", budget=-1.0)
    with pytest.raises(ArenaError, match="only a learner's failure"):
        shrink("krr", play("krr", Lost(), rounds=20))


def test_moves_of_an_adversary_that_broke_the_rules_are_those_that_were_played():
    run = play("krr", Lost(after=3), rounds=20)
    assert (run.forfeit.side, run.rounds) == ("adversary", 3)
    assert moves_of(run)[1].tolist() == [0.0, 0.0, 0.0]


def test_a_failure_can_be_told_as_it_is():
    shrunk = unshrunk(play("krr", "drift", rounds=40), "awv-logdet")
    assert (shrunk.rounds, shrunk.steps, shrunk.finished) == (40, 0, False)
    assert run_script(reproduction(shrunk)) == f"{shrunk.verdict}\n"
    shrunk = unshrunk(play(Crashes, "contrarian", rounds=40))
    assert "ZeroDivisionError" in run_script(reproduction(shrunk))


class Lost:
    """Plays by the rules for so many rounds; then its label is none."""

    def __init__(self, after=0):
        self.after = after

    def point(self, view):
        return [0.5, 0.5]

    def label(self, view, x, prediction):
        return 0.0 if view.round <= self.after else None
