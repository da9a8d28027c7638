"""The hunt: what it catches, whom it leaves alone, and what it does with learners that misbehave."""

import os
import signal
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

import arena
from arena.adversaries.replay import Replay
from arena.errors import ArenaError
from arena.game import Game
from arena.hunt import hunt
from arena.learners import KRR, ClippedKRR, FunctionalGradientDescent, KernelAWV, Kons, Perceptron
from arena.theorem import Theorem


class ByHand:
    """Kernel-AWV with lambda = 1 and bandwidth 1, written by somebody who knows nothing of games."""

    regularisation = 1.0

    def __init__(self):
        self.points, self.labels = [], []

    def predict(self, x):
        if not self.points:
            return 0.0
        past = np.array([*self.points, x])
        K = np.exp(-((past[:, None] - past[None]) ** 2).sum(axis=2) / 2)
        return float(K[-1] @ np.linalg.solve(K + self.regularisation * np.eye(len(K)), [*self.labels, 0.0]))

    def update(self, x, y):
        self.points.append(np.array(x))
        self.labels.append(y)


class WrongLambda(ByHand):
    regularisation = 1.1


class ForgetsTheSecondLabel(ByHand):
    def update(self, x, y):
        if not any(np.array_equal(x, known) for known in self.points):
            super().update(x, y)


class IgnoresTheLastCoordinate(ByHand):
    def predict(self, x):
        return super().predict(x * ([1.0] * (len(x) - 1) + [0.0]))

    def update(self, x, y):
        super().update(x * ([1.0] * (len(x) - 1) + [0.0]), y)


@dataclass
class LosesUpdates(KernelAWV):
    """Only round by round: its blocks are those of the class above."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.rounds = 0

    def update(self, x, y):
        self.rounds += 1
        if self.rounds % 5:
            super().update(x, y)


@dataclass
class WrongInBlocks(KernelAWV):
    def replay(self, X, y):
        return super().replay(X, 0.9 * y)


@dataclass
class ForgetsTheGamesLambda(KernelAWV):
    """Right as long as lambda is 1."""

    def begin(self, game, rng):
        super().begin(game.replace(regularisation=1.0), rng)


@dataclass
class ClipsLabels(KRR):
    """Right as long as labels are at most 1."""

    def update(self, x, y):
        super().update(x, float(np.clip(y, -1, 1)))


@dataclass
class ForgetsAfterwards(ClippedKRR):
    """Starts afresh every 20 rounds."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.game, self.rounds = game, 0

    def update(self, x, y):
        self.rounds += 1
        super().update(x, y)
        if self.rounds % 20 == 0:
            super().begin(self.game, None)

    replay = arena.Learner.replay


@dataclass
class HalfSteps(FunctionalGradientDescent):
    def update(self, x, y):
        super().update(x, y if y > 0 else 0.5 * y)

    replay = arena.Learner.replay


@dataclass
class WrongSign(Kons):
    def update(self, x, y):
        super().update(x, abs(y))


@dataclass
class LearnsEverySecondMistake(Perceptron):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.odd = False

    def correct(self, i, prediction, sign):
        self.odd = not self.odd
        if self.odd:
            super().correct(i, prediction, sign)


PLANTED = [
    (WrongLambda, "awv-leverage"),
    (ForgetsTheSecondLabel, "awv-logdet"),
    (IgnoresTheLastCoordinate, "awv-leverage"),
    (LosesUpdates, "awv-logdet"),
    (WrongInBlocks, "awv-leverage"),
    (ForgetsTheGamesLambda, "awv-leverage"),
    (ClipsLabels, "ridge-identity"),
    (ForgetsAfterwards, "clipped-krr"),
    (HalfSteps, "ogd"),
    (WrongSign, "kons-logdet"),
    (LearnsEverySecondMistake, "perceptron-mistakes"),
    ("krr", "awv-logdet"),
    ("zero", "clipped-krr"),
    ("fogd(frequencies=5)", "ogd"),
]


@pytest.mark.parametrize(("learner", "theorem"), PLANTED, ids=lambda each: getattr(each, "__name__", str(each)))
def test_a_planted_mistake_is_caught(learner, theorem):
    found = hunt(learner, theorem, matches=400, workers=0, rounds=100)
    assert found.violation is not None
    assert found.violation.kind == "bound"
    assert found.violation.verdict.violated
    worst = found.violation.transcript
    assert worst.judge(theorem).violated
    moves = Replay(X=worst.points, y=worst.labels, scale_x=None, scale_y=None, one_by_one=learner is not WrongInBlocks)
    again = arena.play(learner, moves, game=worst.game, seed=worst.seed)
    np.testing.assert_allclose(again.predictions, worst.predictions, atol=1e-9)


CORRECT = ["kernel-awv", "krr", "clipped-krr", "kons", "fgd", "perceptron", "pkawv", "bsgd", "projectron-pp", "ewa"]


@pytest.mark.parametrize("learner", CORRECT)
def test_correct_learners_are_left_alone(learner):
    found = hunt(learner, matches=60, workers=0, rounds=60, seed=3)
    assert found.violation is None
    assert found.applied


def test_a_learner_that_is_not_told_the_game_plays_in_its_own():
    """Lambda, kernel and horizon stay: with any other the theorem would accuse a correct learner."""
    found = hunt(ByHand, "awv-leverage", matches=250, workers=0, rounds=40)
    assert found.violation is None
    assert set(found.varied) == {"box", "dimension", "label_bound", "rounds"}
    assert found.closest[0].tightness == pytest.approx(1.0, abs=1e-3)
    assert found.closest[0].matches == 250


def test_a_rate_that_is_not_told_keeps_the_horizon():
    class Descent:
        """Steps as fgd makes them in 200 rounds."""

        def __init__(self):
            self.points, self.weights = [], []

        def predict(self, x):
            return sum(w * np.exp(-((x - p) ** 2).sum() / 2) for w, p in zip(self.weights, self.points, strict=True))

        def update(self, x, y):
            step = 200**-0.5 * 2 * (y - self.predict(x))
            self.points.append(x)
            self.weights.append(step)

    found = hunt(Descent(), "ogd", matches=250, workers=0)
    assert found.violation is None
    assert "box" in found.varied
    assert "rounds" not in found.varied
    assert found.closest[0].transcript.game.rounds == 200


def test_who_clips_at_one_keeps_the_label_bound():
    class Clips(ByHand):
        def predict(self, x):
            return float(np.clip(super().predict(x), -1, 1))

    found = hunt(Clips(), "clipped-krr", matches=250, workers=0, rounds=40)
    assert found.violation is None
    assert "box" in found.varied
    assert "label_bound" not in found.varied


def test_dimensions_are_kept_for_who_cannot_do_with_others():
    class TwoOnly(ByHand):
        def predict(self, x):
            return super().predict(np.array([x[0], x[1]]))

    found = hunt(TwoOnly(), "awv-leverage", matches=250, workers=0, rounds=30)
    assert "box" in found.varied
    assert "dimension" not in found.varied


def test_fields_that_are_given_stay():
    found = hunt("kernel-awv", matches=250, workers=0, rounds=30, dimension=3, regularisation=2.0, kernel="laplacian")
    assert set(found.varied) == {"box", "label_bound", "rounds"}
    game = found.closest[0].transcript.game
    assert (game.dimension, game.regularisation, game.kernel.name) == (3, 2.0, "laplacian")
    whole = hunt("kernel-awv", matches=250, workers=0, game=Game(dimension=1, label_bound=2.0))
    assert "kernel" in whole.varied
    assert {"dimension", "label_bound"}.isdisjoint(whole.varied)


def plain(found):
    """What a hunt comes to, but for its seconds."""
    content = found.as_json()
    del content["seconds"]
    moves = [
        (each.transcript.points.tolist(), each.transcript.labels.tolist()) for each in found.closest if each.transcript
    ]
    return content, moves


def test_the_same_seed_and_matches_find_the_same():
    hunts = [
        hunt("kons", matches=120, workers=workers, rounds=15, seed=seed) for workers, seed in ((0, 5), (1, 5), (0, 6))
    ]
    assert plain(hunts[0]) == plain(hunts[1])
    assert plain(hunts[0]) != plain(hunts[2])


def test_a_premise_that_is_the_learners_to_meet():
    """Clipping is what the theorem asks for; a learner without it breaks the promise, bound or no bound."""
    found = hunt("krr", "clipped-krr", matches=400, workers=0)
    assert found.violation.kind == "premise"
    assert "predictions within [-1, 1]" in found.violation.reason


def test_nothing_to_break():
    with pytest.raises(ArenaError, match=r"promises no theorem.*--bound"):
        hunt("zero", matches=5, workers=0)


@pytest.mark.parametrize("wrong", [{"budget": 0.0}, {"matches": 0}, {"budget": float("nan")}, {"budget": float("inf")}])
def test_budgets_are_checked(wrong):
    with pytest.raises(ArenaError, match="budget > 0"):
        hunt("krr", workers=0, **wrong)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_learner_that_refuses_the_given_game_says_so(workers):
    with pytest.raises(ArenaError, match="taylor is the series of the gaussian kernel"):
        hunt("pkawv", matches=5, workers=workers, kernel="laplacian")


def test_whom_no_theorem_applies_to_is_told():
    found = hunt("krr", "forgetron-mistakes(budget=5)", matches=10, workers=0)
    assert not found.applied
    assert "at least 83" in found.closest[0].reason


class Raises(ByHand):
    def predict(self, x):
        if len(self.points) >= 15:
            raise ValueError("fifteen")
        return super().predict(x)


def test_a_learner_that_raises():
    found = hunt(Raises, "awv-leverage", matches=50, workers=1)
    assert found.violation.kind == "forfeit"
    assert "in round 16" in found.violation.reason
    assert "fifteen" in found.violation.reason
    assert found.violation.transcript.rounds == 15


class Hangs(ByHand):
    def predict(self, x):
        if len(self.points) >= 15:
            time.sleep(100)
        return super().predict(x)


class HangsDeafly(ByHand):
    """No signal wakes it."""

    def predict(self, x):
        if len(self.points) >= 15:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            time.sleep(100)
        return super().predict(x)


class Dies(ByHand):
    def predict(self, x):
        if len(self.points) >= 15:
            os._exit(7)
        return super().predict(x)


@pytest.mark.parametrize(
    ("learner", "kind", "words"),
    [
        (Hangs, "hang", "did not answer within .* in round 16 against"),
        (HangsDeafly, "hang", "did not answer within .*, and was killed"),
        (Dies, "death", "exit code 7"),
    ],
)
def test_a_learner_that_hangs_or_dies_is_reported(learner, kind, words):
    import re

    found = hunt(learner(), "awv-leverage", budget=4, workers=1)
    assert found.violation.kind == kind
    assert re.search(words, found.violation.reason)
    assert found.seconds < 60


def test_a_slow_learner_gets_shorter_matches():
    class Slow(ByHand):
        def predict(self, x):
            time.sleep(0.05)
            return super().predict(x)

    found = hunt(Slow(), "awv-leverage", budget=3, workers=2)
    assert found.violation is None
    assert found.applied
    assert found.rounds < 150


class Prints(ByHand):
    def predict(self, x):
        print("I am thinking")
        return super().predict(x)


def test_what_cannot_be_pickled_or_copied():
    class Locked(WrongLambda):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

    assert hunt(Locked, "awv-leverage", matches=50, workers=1).violation.kind == "bound"
    with pytest.raises(ArenaError, match="neither be copied nor told"):
        hunt(Locked(), "awv-leverage", matches=5)


def test_progress_is_told():
    seen = []
    hunt("kernel-awv", budget=1.0, workers=2, on_progress=lambda standing: seen.append(standing.matches))
    assert seen
    assert seen == sorted(seen)


@dataclass(frozen=True)
class Fair(Theorem):
    """A statement that holds with the probability claimed, or fails more often than that."""

    name = "fair"
    share: float = 0.2

    @property
    def confidence(self):
        return 0.8

    def measured(self, run):
        return np.full(run.rounds, float(run.predictions[0] < self.share))

    def allowed(self, run):
        return np.full(run.rounds, 0.5)


@dataclass
class Tosses(arena.Learner):
    """Predicts a random number."""

    def begin(self, game, rng):
        self.coin = rng.random()

    def predict(self, x):
        return self.coin

    def update(self, x, y):
        pass


def test_bad_luck_is_no_violation():
    """One match in five exceeds the bound, as the theorem says; a hunt meets dozens of such."""
    found = hunt(Tosses(), Fair(), matches=600, workers=0, rounds=5)
    assert found.violation is None
    assert found.closest[0].matches > 100


def test_too_much_bad_luck_is():
    found = hunt(Tosses(), Fair(share=0.7), matches=600, workers=0, rounds=5)
    assert found.violation.series.violated
    assert "binomial" in found.violation.series.method


def test_kept_failures_come_first(tmp_path):
    from arena.failures import Failures
    from arena.hunt.keeping import shrunk

    first = hunt("krr", "awv-logdet", matches=50, workers=0)
    small = shrunk(first.violation, "krr", budget=20.0)
    assert small.rounds == 2
    failure = Failures(tmp_path).add(small)
    again = hunt("krr", "awv-logdet", matches=50, workers=0, kept=tmp_path)
    assert failure.id in again.violation.adversary
    assert again.matches == 0
    other = hunt("krr", "ridge-identity", matches=20, workers=0, rounds=20, kept=tmp_path)
    assert other.violation is None
