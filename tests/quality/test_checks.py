"""Planted mistakes: each is caught by the check that is meant for it and by no other, and correct learners by none."""

import copy
import random
from typing import ClassVar

import numpy as np
import pytest

from arena import ArenaError, Game
from arena.adversary import Adversary
from arena.learner import Learner
from arena.testing import ChecksFailed, check_adversary, check_learner, raise_on_failure
from arena.testing.checks import ADVERSARY_CHECKS, LEARNER_CHECKS
from arena.theorems.awv import AwvLeverage

LEARNER_MISTAKES, ADVERSARY_MISTAKES = [], []


def plant(mistakes, *caught_by):
    def note(cls):
        mistakes.append(pytest.param(cls, set(caught_by), id=cls.__name__))
        return cls

    return note


class Averaging(Learner):
    """Correct: a linear function by averaged steps, with all that a learner can offer."""

    def begin(self, game, rng):
        self.sum, self.bias, self.count, self.rng = np.zeros(game.dimension), 0.0, 1, rng

    def predict(self, x):
        return float(self.sum @ x + self.bias) / self.count

    def peek(self, X):
        return (X @ self.sum + self.bias) / self.count

    def update(self, x, y):
        self.sum, self.bias, self.count = self.sum + y * x, self.bias + y, self.count + 1

    def replay(self, X, y):
        sums = self.sum + np.vstack([np.zeros(X.shape[1]), np.cumsum(y[:, None] * X, axis=0)])
        biases = self.bias + np.append(0.0, np.cumsum(y))
        counts = self.count + np.arange(len(X) + 1)
        self.sum, self.bias, self.count = sums[-1], float(biases[-1]), int(counts[-1])
        return (np.einsum("td,td->t", sums[:-1], X) + biases[:-1]) / counts[:-1]


class Single(Averaging):
    """Correct, with nothing but single rounds."""

    replay = Learner.replay
    peek = Learner.peek


class Mean:
    """Correct: the least that a learner can be."""

    def __init__(self):
        self.sum, self.count = 0.0, 1

    def predict(self, x):
        return self.sum / self.count

    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1


@plant(LEARNER_MISTAKES, "plays")
class Raises(Mean):
    def update(self, x, y):
        raise RuntimeError("out of luck")


@plant(LEARNER_MISTAKES, "plays")
class AnswersWithAList(Mean):
    def predict(self, x):
        return [0.0, 1.0]


@plant(LEARNER_MISTAKES, "predict-is-pure")
class CountsQuestions(Mean):
    asked = 0

    def predict(self, x):
        self.asked += 1
        return super().predict(x)


@plant(LEARNER_MISTAKES, "predict-is-pure")
class DriftsWhenAsked(Mean):
    def predict(self, x):
        self.sum += 0.001
        return super().predict(x)


@plant(LEARNER_MISTAKES, "predict-is-pure")
class TossesACoinWhenAsked(Single):
    def predict(self, x):
        return super().predict(x) + self.rng.normal()


@plant(LEARNER_MISTAKES, "predict-is-pure")
class LearnsFromPeeks(Averaging):
    def peek(self, X):
        self.count += len(X)
        return super().peek(X)

    replay = Learner.replay


@plant(LEARNER_MISTAKES, "leaves-its-arguments-alone")
class NormalisesInPlace(Single):
    def update(self, x, y):
        x /= 1.0 + np.abs(x).max()
        super().update(x, y)


@plant(LEARNER_MISTAKES, "leaves-its-arguments-alone")
class CentresTheBlock(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        y -= y.mean()
        return predictions


class Neighbour(Single):
    """Correct: the label of the nearest of the last points."""

    def begin(self, game, rng):
        self.points, self.labels = [], []

    def predict(self, x):
        distances = [float(np.sum((x - point) ** 2)) for point in self.points[-30:]]
        return self.labels[-30:][int(np.argmin(distances))] if distances else 0.0

    def update(self, x, y):
        self.points.append(x.copy())
        self.labels.append(y)


@plant(LEARNER_MISTAKES, "keeps-no-reference")
class KeepsThePoint(Neighbour):
    def update(self, x, y):
        self.points.append(x)
        self.labels.append(y)


@plant(LEARNER_MISTAKES, "keeps-no-reference")
class KeepsTheRevealedPoint(Neighbour):
    def reveal(self, x):
        self.now = x

    def update(self, x, y):
        self.points.append(self.now)
        self.labels.append(y)


@plant(LEARNER_MISTAKES, "keeps-no-reference")
class KeepsTheBlock(Neighbour):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        self.points[len(self.points) - len(X) :] = list(X)
        return predictions


@plant(LEARNER_MISTAKES, "no-label-is-used-before-it-is-seen")
class LooksAhead(Averaging):
    def replay(self, X, y):
        return super().replay(X, y) + 0.01 * np.append(y[1:], 0.0)


@plant(LEARNER_MISTAKES, "no-label-is-used-before-it-is-seen")
class ScalesByTheBlock(Averaging):
    def replay(self, X, y):
        return super().replay(X, y) * (1.0 + 0.1 * y.mean())


@plant(LEARNER_MISTAKES, "replay-equals-rounds")
class ReplaysOneBehind(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        return np.append(0.0, predictions[:-1])


@plant(LEARNER_MISTAKES, "replay-equals-rounds")
class ReplayForgetsTheLastRound(Averaging):
    def replay(self, X, y):
        predictions = super().replay(X, y)
        self.sum, self.bias, self.count = self.sum - y[-1] * X[-1], self.bias - y[-1], self.count - 1
        return predictions


@plant(LEARNER_MISTAKES, "replay-equals-rounds")
class ReplayStartsAnew(Averaging):
    def replay(self, X, y):
        self.sum, self.bias, self.count = np.zeros(X.shape[1]), 0.0, 1
        return super().replay(X, y)


@plant(LEARNER_MISTAKES, "peek-equals-predict")
class PeeksWithoutBias(Averaging):
    def peek(self, X):
        return X @ self.sum / self.count


@plant(LEARNER_MISTAKES, "peek-equals-predict")
class PeeksAtTheFirstRowOnly(Averaging):
    def peek(self, X):
        return np.full(len(X), super().peek(X[:1])[0])


@plant(LEARNER_MISTAKES, "deep-copies-are-independent")
class CopiesShallowly(Single):
    def __deepcopy__(self, memo):
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__
        return twin


@plant(LEARNER_MISTAKES, "deep-copies-are-independent")
class CopiesToNothing(Single):
    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        if hasattr(twin, "bias"):
            twin.bias = 0.0
        return twin


class CopiesWell(Single):
    """Correct: it does not leave to pickling how it is copied."""

    def __deepcopy__(self, memo):
        twin = type(self)()
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin


_VAULT = {}


def from_vault(key):
    return _VAULT[key]


@plant(LEARNER_MISTAKES, "pickles-are-independent")
class PicklesByName(CopiesWell):
    def __reduce__(self):
        _VAULT[id(self)] = self
        return from_vault, (id(self),)


@plant(LEARNER_MISTAKES, "pickles-are-independent")
class PicklesWithoutItsCount(CopiesWell):
    def __getstate__(self):
        return {**self.__dict__, "count": 1}


@plant(LEARNER_MISTAKES, "learners-share-no-state")
class LearnsInTheClass(Mean):
    total: ClassVar = [0.0]

    def predict(self, x):
        return self.total[0] / self.count

    def update(self, x, y):
        self.total[0] += y
        self.count += 1


_SEEN = []


@plant(LEARNER_MISTAKES, "learners-share-no-state")
class LearnsInTheModule(Mean):
    def predict(self, x):
        return float(np.sum(_SEEN[-5:]))

    def update(self, x, y):
        _SEEN.append(y)


@plant(LEARNER_MISTAKES, "same-seed-same-run")
class BringsItsOwnEntropy(Single):
    def begin(self, game, rng):
        super().begin(game, np.random.default_rng())

    def update(self, x, y):
        super().update(x + self.rng.normal(size=len(x)), y)


@plant(LEARNER_MISTAKES, "same-run-in-another-process")
class OrdersByHash(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.sum = np.array([hash(f"coordinate {i}") % 1000 / 1000 for i in range(game.dimension)])


@plant(LEARNER_MISTAKES, "global-random-state-is-untouched")
class DrawsFromNumPy(Single):
    def update(self, x, y):
        super().update(x * np.random.random(), y)  # noqa: NPY002


@plant(LEARNER_MISTAKES, "global-random-state-is-untouched")
class DrawsFromRandom(Single):
    def update(self, x, y):
        super().update(x * random.random(), y)


@plant(LEARNER_MISTAKES, "global-random-state-is-untouched")
class SeedsTheWorld(Single):
    def begin(self, game, rng):
        np.random.seed(0)  # noqa: NPY002
        super().begin(game, rng)


@plant(LEARNER_MISTAKES, "begin-forgets")
class RemembersTheMatchBefore(Single):
    history = ()

    def begin(self, game, rng):
        super().begin(game, rng)
        self.bias = float(sum(self.history))

    def update(self, x, y):
        super().update(x, y)
        self.history = (*self.history, y)


@plant(LEARNER_MISTAKES, "finite-after-repeated-points")
class DividesByTheSpread(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        self.spread, self.last = 1.0, None

    def update(self, x, y):
        self.spread = 0.5 * self.spread + (0.0 if self.last is None else float(np.abs(x - self.last).max()))
        self.last = x.copy()
        super().update(x, y)

    def predict(self, x):
        return float(np.float64(super().predict(x)) / np.float64(self.spread) ** 2)


@plant(LEARNER_MISTAKES, "finite-in-extreme-games")
class DividesByTheKernel(Single):
    def begin(self, game, rng):
        super().begin(game, rng)
        corners = np.array([game.low, game.high])
        self.scale = game.kernel.gram(corners, corners)[0, 1]

    def predict(self, x):
        return float(np.float64(super().predict(x) / 1e9) / np.float64(self.scale))


@plant(LEARNER_MISTAKES, "nonsense-is-refused")
class PromisesToRefuse(Single):
    checks_input = True


@plant(LEARNER_MISTAKES, "nonsense-is-refused")
class RefusesWithoutAWord(Single):
    checks_input = True

    def predict(self, x):
        if x.shape != self.sum.shape or not np.isfinite(x).all():
            raise ValueError
        return super().predict(x)


@plant(LEARNER_MISTAKES, "memory-grows-as-declared")
class KeepsEverything(Mean):
    memory_growth = "constant"

    def __init__(self):
        super().__init__()
        self.all = []

    def update(self, x, y):
        super().update(x, y)
        self.all.append((y, float(x[0])))


@plant(LEARNER_MISTAKES, "memory-grows-as-declared")
class KeepsAMatrix(Mean):
    memory_growth = "linear"

    def update(self, x, y):
        super().update(x, y)
        self.matrix = np.ones((self.count, self.count))


@plant(LEARNER_MISTAKES, "time-grows-as-declared")
class SearchesEverything(KeepsEverything):
    memory_growth = "linear"
    time_growth = "constant"

    def predict(self, x):
        return sum(y for y, _ in self.all) / self.count


@plant(LEARNER_MISTAKES, "time-grows-as-declared")
class MakesAMatrixEachRound(Mean):
    time_growth = "linear"

    def update(self, x, y):
        super().update(x, y)
        self.ones = float(np.ones((self.count, self.count)).max())


@plant(LEARNER_MISTAKES, "promised-theorems-hold")
class PromisesTooMuch(Single):
    theorems = (AwvLeverage(),)

    def predict(self, x):
        return -1.4


def bad_checks(results):
    return {result.name for result in results if result.bad}


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize(("mistake", "caught_by"), LEARNER_MISTAKES)
def test_a_wrong_learner_is_caught_by_the_check_meant_for_it(mistake, caught_by):
    results = check_learner(mistake)
    assert bad_checks(results) == caught_by, "\n".join(map(str, results))
    assert [result.name for result in results] == [check.name for check in LEARNER_CHECKS]
    assert all(result.message for result in results if result.outcome != "passed")


class Coin(Adversary):
    """Correct: random points and labels, in blocks and one by one."""

    oblivious = True

    def begin(self, game, rng):
        self.game, self.rng = game, rng

    def point(self, view):
        self.row = self.rng.random(self.game.dimension + 1)
        return self.game.low + self.row[:-1] * (self.game.high - self.game.low)

    def label(self, view, x, prediction):
        return self.game.label_bound * (1.0 if self.row[-1] < 0.5 else -1.0)

    def block(self, view, rounds):
        rows = self.rng.random((rounds, self.game.dimension + 1))
        points = self.game.low + rows[:, :-1] * (self.game.high - self.game.low)
        return points, self.game.label_bound * np.where(rows[:, -1] < 0.5, 1.0, -1.0)


class Contrary(Adversary):
    """Correct: random points, and the label that hurts more."""

    def begin(self, game, rng):
        self.game, self.rng = game, rng

    def point(self, view):
        return self.rng.uniform(self.game.low, self.game.high)

    def label(self, view, x, prediction):
        return self.game.label_bound * (-1.0 if prediction > 0 else 1.0)


@plant(ADVERSARY_MISTAKES, "moves-are-legal")
class LeavesTheBox(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return points + 2.0 * (self.game.high - self.game.low), labels


@plant(ADVERSARY_MISTAKES, "moves-are-legal")
class ShoutsLabels(Contrary):
    def label(self, view, x, prediction):
        return 1.01 * super().label(view, x, prediction)


@plant(ADVERSARY_MISTAKES, "moves-are-legal")
class KnowsOneBoxOnly(Contrary):
    def point(self, view):
        return self.rng.uniform(-1, 1, size=self.game.dimension)


@plant(ADVERSARY_MISTAKES, "moves-are-legal")
class GivesUp(Contrary):
    def label(self, view, x, prediction):
        if view.round == 17:
            raise RuntimeError("tired")
        return super().label(view, x, prediction)


@plant(ADVERSARY_MISTAKES, "oblivious-never-looks")
class ClaimsNotToLook(Contrary):
    oblivious = True


@plant(ADVERSARY_MISTAKES, "oblivious-never-looks")
class ClaimsNotToPeek(Contrary):
    oblivious = True

    def point(self, view):
        X = self.rng.uniform(self.game.low, self.game.high, size=(8, self.game.dimension))
        return X[np.argmax(view.peek(X))]

    def label(self, view, x, prediction):
        return 0.5 * self.game.label_bound


@plant(ADVERSARY_MISTAKES, "blocks-equal-single-moves")
class BlocksOtherwise(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return points[::-1], labels


@plant(ADVERSARY_MISTAKES, "blocks-equal-single-moves")
class BlocksEndEarly(Coin):
    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return (
            (points, labels)
            if view.round == 1 and rounds < 2
            else (points[: 30 - view.round], labels[: 30 - view.round])
        )


@plant(ADVERSARY_MISTAKES, "same-seed-same-moves")
class BringsEntropy(Contrary):
    def begin(self, game, rng):
        super().begin(game, np.random.default_rng())


@plant(ADVERSARY_MISTAKES, "same-seed-same-moves")
class CountsInTheClass(Contrary):
    matches: ClassVar = [0]

    def begin(self, game, rng):
        super().begin(game, rng)
        self.matches[0] += 1

    def label(self, view, x, prediction):
        return self.game.label_bound / self.matches[0]


@plant(ADVERSARY_MISTAKES, "same-moves-in-another-process")
class LabelsByHash(Contrary):
    def label(self, view, x, prediction):
        return self.game.label_bound * (hash(f"round {view.round}") % 1000) / 1000


@plant(ADVERSARY_MISTAKES, "begin-forgets")
class RemembersLastMatch(Contrary):
    played = 0

    def label(self, view, x, prediction):
        self.played += 1
        return self.game.label_bound / self.played


@plant(ADVERSARY_MISTAKES, "global-random-state-is-untouched")
class UsesTheGlobalCoin(Contrary):
    def label(self, view, x, prediction):
        return self.game.label_bound * random.uniform(-1, 1)


@plant(ADVERSARY_MISTAKES, "only-the-past-is-known")
class TriesOutTheFuture(Contrary):
    def point(self, view):
        x = super().point(view)
        future = copy.deepcopy(view._peek.__self__)
        for _ in range(5):
            future.update(x, self.game.label_bound)
        return x if future.predict(x) >= 0 else 0.5 * (x + self.game.low)


@plant(ADVERSARY_MISTAKES, "the-learner-is-let-alone")
class TeachesTheLearner(Contrary):
    def label(self, view, x, prediction):
        view._peek.__self__.update(x, 0.0)
        return super().label(view, x, prediction)


@pytest.mark.parametrize(("mistake", "caught_by"), ADVERSARY_MISTAKES)
def test_a_wrong_adversary_is_caught_by_the_check_meant_for_it(mistake, caught_by):
    results = check_adversary(mistake)
    assert bad_checks(results) == caught_by, "\n".join(map(str, results))
    assert [result.name for result in results] == [check.name for check in ADVERSARY_CHECKS]
    assert all(result.message for result in results if result.outcome != "passed")


def test_every_check_catches_something():
    for checks, mistakes in ((LEARNER_CHECKS, LEARNER_MISTAKES), (ADVERSARY_CHECKS, ADVERSARY_MISTAKES)):
        caught = set().union(*(mistake.values[1] for mistake in mistakes))
        assert {check.name for check in checks} == caught


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("learner", [Averaging, Single, Mean, Neighbour])
def test_no_false_alarm_on_correct_learners(learner, seed):
    results = check_learner(learner, seed=seed, game=Game(dimension=1 + seed % 4, box=(-1.0, 2.0 + seed)))
    raise_on_failure(results)
    assert not {result.name for result in results if result.outcome == "expected failure"}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("adversary", [Coin, Contrary])
def test_no_false_alarm_on_correct_adversaries(adversary, seed):
    raise_on_failure(check_adversary(adversary, seed=seed))


def outcome(results, name):
    return next(result for result in results if result.name == name)


def test_a_declared_failure_is_expected_and_one_that_passes_is_an_error():
    expected = {"predict-is-pure": "it counts how often it is asked"}
    result = outcome(check_learner(CountsQuestions, expected_failures=expected), "predict-is-pure")
    assert result.outcome == "expected failure"
    assert "how often" in result.message
    assert "asked" in result.message
    results = check_learner(Mean, expected_failures=expected)
    assert outcome(results, "predict-is-pure").outcome == "unexpected pass"
    with pytest.raises(ChecksFailed, match=r"1 of \d+ checks need attention\n  predict-is-pure: unexpected pass"):
        raise_on_failure(results)


@pytest.mark.parametrize(
    ("declared", "message"),
    [({"predict-is-pur": "why"}, "there is no check 'predict-is-pur'. Did you mean 'predict-is-pure'"),
     ({"predict-is-pure": " "}, "say why 'predict-is-pure' is expected to fail")],
)  # fmt: skip
def test_a_declaration_that_makes_no_sense_is_refused(declared, message):
    with pytest.raises(ArenaError, match=message):
        check_learner(Mean, expected_failures=declared)


def test_what_a_failure_makes_pointless_is_skipped_and_says_why():
    results = check_learner(BringsItsOwnEntropy)
    assert outcome(results, "predict-is-pure").message == "needs same-seed-same-run, which failed"


def test_the_global_random_states_are_put_back():
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    check_learner(SeedsTheWorld)
    check_adversary(UsesTheGlobalCoin)
    here = random.random(), np.random.random()  # noqa: NPY002
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    assert here == (random.random(), np.random.random())  # noqa: NPY002


def test_an_object_is_checked_in_a_copy():
    learner = Mean()
    learner.update(None, 2.0)
    raise_on_failure(check_learner(learner))
    assert (learner.sum, learner.count) == (2.0, 2)


def test_an_object_that_cannot_be_copied_is_refused_with_a_way_out():
    learner = Mean()
    learner.stream = (number for number in range(3))
    with pytest.raises(ArenaError, match="give its class, its spec or a function that makes it"):
        check_learner(learner)


def test_a_game_in_which_it_cannot_play_is_the_callers_mistake():
    class OnlyTwo(Single):
        def begin(self, game, rng):
            if game.dimension != 2:
                raise ArenaError("two dimensions are needed")
            super().begin(game, rng)

    with pytest.raises(ArenaError, match="two dimensions"):
        check_learner(OnlyTwo)
    raise_on_failure(check_learner(OnlyTwo, game=Game(dimension=2)))
