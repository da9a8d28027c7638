"""For every theorem, a verdict by an interval of the hindsight never contradicts the verdict by the exact hindsight.

A theorem that is declared monotone is judged at both ends of the interval. Another theorem either needs no hindsight,
or is not applicable without the exact one.
"""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena import Learner
from arena.errors import ArenaError
from arena.papers.tightness import promises
from arena.record.judging import judge
from arena.record.theorem import Theorem
from arena.specs import registry
from arena.specs.building import build
from arena.specs.parameters import Configured
from arena_tests import FULL

EVERY = sorted(registry.entries("theorem"))
ADVERSARIES = [
    "alternating",
    "repeated(points=12)",
    "repeated(points=30, labels=alternating)",
    "drift",
    "near-duplicates",
]


class Disturbed(Learner):
    """Another learner with noise of size `scale` added to its predictions, so that every margin occurs."""

    def __init__(self, spec, scale):
        self.spec, self.scale = spec, scale

    def begin(self, game, rng):
        self.inner = build("learner", self.spec)
        self.inner.begin(game, rng)
        self.noise, self.now, self.bound = np.random.default_rng(1), 0.0, game.clip

    def reveal(self, x):
        self.inner.reveal(x)
        self.now = self.scale * self.noise.normal()

    def peek(self, X):
        return np.clip(self.inner.peek(X) + self.now, -self.bound, self.bound)

    def predict(self, x):
        return float(np.clip(self.inner.predict(x) + self.now, -self.bound, self.bound))

    def update(self, x, y):
        self.inner.update(x, y)

    def evidence(self):
        return self.inner.evidence()


@functools.cache
def claims():
    """Return, for each theorem, pairs of a learner and the theorem as this learner promises it.

    Theorems that no learner promises are paired with learners of several kinds.
    """
    found = {}
    for learner, promised in promises().items():
        for theorem in promised:
            found.setdefault(theorem.name, []).append((learner, theorem))
    for name in EVERY:
        found.setdefault(name, [(learner, build("theorem", name)) for learner in ("kernel-awv", "pkawv-kors", "kons")])
    return found


def twins(spec, scale, adversary, features, fields):
    """Return the match with the exact hindsight, and with intervals that are computed with `features` features."""
    learner = lambda: Disturbed(spec, scale)
    exact = arena.play(learner(), adversary, hindsight="exact", **fields)
    if exact.forfeit:
        raise ArenaError("a learner that must see the points beforehand")
    interval = arena.play(learner(), adversary, hindsight="interval", **fields)
    np.testing.assert_array_equal(exact.predictions, interval.predictions)
    rate = fields["rounds"] ** 0.5 * max(1.0, float(exact.game.kernel.diagonal(exact.points).max()))
    for at in {interval.game.regularisation, 0.5, 1.0, 0.05, 0.3, 0.5 * rate}:
        interval.comparator.interval(at, features=features)
    return exact, interval


@settings(max_examples=60 if FULL else 4)
@given(
    which=st.integers(0, 1000),
    scale=st.sampled_from([0.0, 0.05, 0.5, 3.0]),
    adversary=st.sampled_from(ADVERSARIES),
    kernel=st.sampled_from(["gaussian(bandwidth=0.3)", "laplacian", "polynomial(degree=2)"]),
    exponent=st.floats(-2, 2),
    rounds=st.integers(1, 60),
    features=st.sampled_from([0, 1, 4, 12, 200]),
)
@pytest.mark.parametrize("name", EVERY)
def test_verdicts_never_contradict_the_exact_ones(name, which, scale, adversary, kernel, exponent, rounds, features):
    learner, theorem = claims()[name][which % len(claims()[name])]
    if not (FULL or theorem.monotone or rounds % 3 == 0):  # hardly any of these is judged on an interval
        return
    fields = {"rounds": rounds, "kernel": kernel, "regularisation": 10.0**exponent, "seed": which}
    try:
        exact, interval = twins(learner, scale, adversary, features, fields)
    except ArenaError:  # the learner and the match do not go together
        return
    truth, verdict = judge(exact, theorem), judge(interval, theorem)
    if verdict.outcome not in (truth.outcome, "undecided"):
        assert verdict.outcome == "not applicable", (str(verdict), str(truth))
        unknown = ("only an interval", "more than an interval", "nothing certain", "lambda stands out", "lie within")
        assert any(words in verdict.reason for words in unknown), str(verdict)
        assert not theorem.monotone or "only an interval" not in verdict.reason, str(verdict)


MONOTONE = [name for name in EVERY if build("theorem", name).monotone]


def test_the_theorems_that_are_monotone():
    """Monotone are the true theorems that compare with ridge regression on the whole match, except identities."""
    assert {name for name in MONOTONE if not name.startswith(("epoch", "pros", "ogd-features"))} == {
        "at-most",
        "kons-online-dimension",
        "one-point",  # a lower bound: it allows a number of the game alone, and the regret falls as the optimum rises
        "pkawv-beforehand-capacity",
        "pkawv-capacity",
        "awv-effective-dimension",
        "awv-leverage",
        "awv-logdet",
        "clipped-krr",
        "kons-effective-dimension",
        "kons-gradients",
        "kons-horizon",
        "kons-logdet",
        "kons-oracle-step",
        "kons-printed",
        "ogd",
        "pkawv-growing",
        "pkawv-growing-printed",
        "pkawv-growing-sharp",
        "pkawv-kors-regret",
        "pkawv-subspace",
        "pkawv-subspace-sharp",
        "pkawv-taylor",
        "sketched-kons-gradients",
        "sketched-kons-regret",
        "sketched-kons-regret-printed",
    }


DECIDED = [
    "awv-leverage",
    "awv-logdet",
    "clipped-krr",
    "kons-gradients",
    "kons-logdet",
    "kons-effective-dimension",
    "pkawv-subspace-sharp",
    "pkawv-growing-sharp",
    "pkawv-kors-regret",
    "sketched-kons-gradients",
    "ogd",
]


@pytest.mark.parametrize("name", DECIDED)
def test_enough_features_decide(name):
    """With enough features, monotone theorems are judged, and not only undecided."""
    learner, theorem = claims()[name][-1]  # the careful one
    fields = {"rounds": 80, "kernel": "gaussian(bandwidth=0.5)"}
    exact, interval = twins(learner, 0.0, "repeated(points=20)", 40, fields)
    assert judge(exact, theorem).holds
    assert judge(interval, theorem).holds
    assert judge(interval, theorem).other_end is not None
    if name in ("awv-leverage", "awv-logdet"):
        broken = twins(learner, 3.0, "repeated(points=20)", 40, fields)[1]
        assert judge(broken, theorem).violated
        blind = twins(learner, 0.0, "repeated(points=20)", 0, fields)[1]
        assert judge(blind, theorem).outcome == "undecided"


def test_an_interval_decides_a_lower_bound():
    """The interval shows that the adversary forces its lower bound, and that another adversary does not."""
    game = {"rounds": 40, "hindsight": "interval"}
    forced = arena.play("kernel-awv", "minimax", **game).verdict("one-point")
    assert forced.holds
    assert forced.other_end is not None
    assert arena.play("kernel-awv", "repeated(points=1)", **game).verdict("one-point").violated


class Falls(Theorem, Configured):
    """A theorem that is wrongly declared monotone: its bound falls when the leverages rise."""

    name = "falls"
    monotone = True

    def __init__(self, level):
        self.level = level

    def measured(self, run):
        return np.zeros(run.rounds)

    def allowed(self, run):
        return self.level - run.hindsight().log_determinant


def test_a_wrong_declaration_is_noticed():
    """For a theorem that is wrongly declared monotone, the interval's verdict contradicts the exact one."""
    fields = {"rounds": 40, "kernel": "gaussian(bandwidth=0.3)"}
    exact, interval = twins("kernel-awv", 0.0, "repeated(points=12)", 4, fields)
    theorem = Falls(0.9 * exact.hindsight().log_determinant[-1])
    assert judge(interval, theorem).holds
    assert judge(exact, theorem).violated
