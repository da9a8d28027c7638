"""A theorem holds for the learner it is about, is violated by planted mistakes, and knows when it is out of place."""

import dataclasses
import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from arena import Assumption, Learner, Theorem, Transcript, play
from arena.building import build
from arena.posterior import RidgePosterior
from arena.registry import entries

ADVERSARIES = [
    "alternating",
    "repeated(points=6)",
    "repeated(points=6, labels=alternating)",
    "repeated(points=6, labels=contrary)",
    "greedy(starts=32, polished=1, steps=3)",
]
OWN = [
    (learner, theorem.name)
    for learner in entries("learner")
    if not learner.startswith("pk")
    for theorem in (
        build("learner", learner).theorems if learner in ("kernel-awv", "krr", "clipped-krr", "fgd") else ()
    )
]
GAMES = [
    {},
    {"regularisation": 0.05, "kernel": "gaussian(bandwidth=0.2)"},
    {"regularisation": 20.0, "kernel": "laplacian", "label_bound": 3.0},
    {"kernel": "linear(offset=1)", "dimension": 1, "regularisation": 0.5},
    {"label_bound": 1e-4, "regularisation": 0.1},
    {"label_bound": 1e4, "regularisation": 0.1},
]


def test_there_is_something_to_judge():
    assert {theorem for _, theorem in OWN} == {
        "awv-identity",
        "awv-leverage",
        "awv-logdet",
        "awv-effective-dimension",
        "ridge-identity",
        "clipped-krr",
        "ogd",
        "ogd-ball",
        "ogd-any-loss",
    }


@pytest.mark.parametrize("game", GAMES, ids=range(len(GAMES)))
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("learner", sorted({learner for learner, _ in OWN}))
def test_every_learner_obeys_its_own_theorems(learner, adversary, game):
    run = play(learner, adversary, rounds=60, **game)
    assert run.ended == "completed", run.forfeit
    verdicts = run.verdicts()
    assert verdicts
    for verdict in verdicts:
        assert verdict.holds, str(verdict)
        assert verdict.allowed_curve.shape == verdict.measured_curve.shape == (60,)
        assert verdict.round is verdict.margin is None


@pytest.mark.parametrize(
    ("learner", "theorem"),
    [
        ("kernel-awv(regularisation=4)", "awv-leverage"),
        ("krr(regularisation=4)", "ridge-identity"),
        ("fgd(rate=0.3)", "ogd"),
    ],
)
def test_a_learner_with_its_own_parameter_is_judged_by_it(learner, theorem):
    run = play(learner, "greedy(starts=16, polished=0)", rounds=40)
    assert run.verdict(theorem).holds
    assert "4.0" in run.verdict(theorem).theorem or "0.3" in run.verdict(theorem).theorem


@pytest.mark.parametrize("regularisation", [None, 0.3])
def test_bounds_by_the_formulas_in_their_statements(regularisation):
    """Every allowed curve, from dense matrices of every prefix."""

    class Mixed:
        oblivious = True

        def begin(self, game, rng):
            self.X, self.y = rng.uniform(-1, 1, size=(12, 2)), rng.uniform(-2, 2, size=12)

        def point(self, view):
            return self.X[view.round % 5]

        def label(self, view, x, prediction):
            return self.y[view.round - 1]

    run = play("fgd(rate=0.2)", Mixed(), rounds=12, label_bound=2.0, regularisation=0.7, kernel="polynomial")
    at = regularisation or 0.7
    K, t = run.game.kernel.gram(run.points, run.points), np.arange(1, 13)
    A = [K[:n, :n] + at * np.eye(n) for n in t]
    leverage = np.array([1 - at * np.linalg.inv(each)[-1, -1] for each in A])  # 1 / s_t = lambda (A^-1)_tt
    logdet = np.array([np.linalg.slogdet(each / at)[1] for each in A])
    dimension = np.array([np.trace(np.linalg.solve(each, K[: len(each), : len(each)])) for each in A])
    kappa = np.maximum.accumulate(K.diagonal())
    energy = np.cumsum(np.square(2 * (run.predictions - run.labels)) * K.diagonal())
    optimum = np.array(
        [at * run.labels[:n] @ np.linalg.solve(each, run.labels[:n]) for n, each in zip(t, A, strict=True)]
    )
    expected = {
        "awv-leverage": np.cumsum(leverage * run.labels**2),
        "awv-logdet": 4 * logdet,
        "awv-effective-dimension": 4 * dimension * np.log(np.e + np.e * t * kappa / at),
        "clipped-krr": 16 * np.cumsum(leverage),
        "ridge-identity": np.zeros(12),
    }
    for name, bound in expected.items():
        theorem = build("theorem", name if regularisation is None else f"{name}(regularisation={regularisation})")
        np.testing.assert_allclose(theorem.allowed(run), bound, rtol=1e-9, atol=1e-12)
        if name not in ("ridge-identity",):
            regret = np.cumsum(np.square(run.predictions - run.labels)) - optimum
            np.testing.assert_allclose(theorem.measured(run), regret, rtol=1e-8, atol=1e-9)
    ogd = build("theorem", "ogd(rate=0.2)")
    np.testing.assert_allclose(ogd.allowed(run), 0.1 * energy, rtol=1e-12)
    np.testing.assert_allclose(ogd.measured(run), run.regret_against(2.5))
    assert build("theorem", "ogd").allowed(run)[-1] == pytest.approx(energy[-1] / 2 / np.sqrt(12) / 9)  # k(x, x) <= 9


# ---- planted mistakes


@dataclass
class Correct(Learner):
    """The forecaster, written out once more so that mistakes can be planted in it."""

    def begin(self, game, rng):
        self.past = RidgePosterior(game.kernel, game.regularisation)

    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean / (1 + variance / self.past.regularisation)

    def update(self, x, y):
        self.past.append(x, y)


class NoShrinkage(Correct):
    """The mean of ridge regression, plain."""

    def peek(self, X):
        return self.past.at(X)[0]


class ShrinksTheWrongWay(Correct):
    def peek(self, X):
        mean, variance = self.past.at(X)
        return mean * (1 + variance / self.past.regularisation)


class OneRoundLate(Correct):
    """Learns each label a round later: at the point of the round after."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.label = 0.0

    def update(self, x, y):
        self.past.append(x, self.label)
        self.label = y


class WrongLambda(Correct):
    """A hundredth of the regularisation that it says it has."""

    def begin(self, game, rng):
        self.past = RidgePosterior(game.kernel, game.regularisation / 100)


class IgnoresRepeatedPoints(Correct):
    """Keeps the first label of a point for good."""

    def begin(self, game, rng):
        super().begin(game, rng)
        self.seen = set()

    def update(self, x, y):
        if x.tobytes() not in self.seen:
            self.seen.add(x.tobytes())
            self.past.append(x, y)


class WrongSign(Correct):
    def update(self, x, y):
        self.past.append(x, -y)


class WrongKernel(Correct):
    """A bandwidth of its own."""

    def begin(self, game, rng):
        self.past = RidgePosterior(build("kernel", "gaussian(bandwidth=20)"), game.regularisation)


class Forgets(Correct):
    """Starts anew every ten rounds."""

    def update(self, x, y):
        super().update(x, y)
        if len(self.past) == 10:
            self.past = RidgePosterior(self.past.kernel, self.past.regularisation)


class BlowsUp(Correct):
    def peek(self, X):
        return super().peek(X) + (1e200 if len(self.past) == 20 else 0.0)


MISTAKES = [NoShrinkage, ShrinksTheWrongWay, OneRoundLate, WrongLambda, IgnoresRepeatedPoints]
MISTAKES += [WrongSign, WrongKernel, Forgets, BlowsUp]


def caught(learner, theorem, **game):
    with np.errstate(over="ignore"):
        return [
            adversary
            for adversary in ADVERSARIES
            if play(learner, adversary, rounds=120, **game).verdict(theorem).violated
        ]


def test_the_forecaster_written_out_once_more_is_correct():
    for theorem in ("awv-leverage", "awv-logdet", "awv-effective-dimension"):
        assert caught(Correct(), theorem) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_violates_the_sharp_theorem(mistake):
    adversaries = caught(mistake(), "awv-leverage", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


@pytest.mark.parametrize("bound", [1e-5, 1.0, 1e5])
def test_mistakes_are_seen_at_every_scale_of_the_labels(bound):
    """The allowance for rounding grows and shrinks with the labels."""
    assert caught(NoShrinkage(), "awv-leverage", label_bound=bound) != []
    assert caught(Correct(), "awv-leverage", label_bound=bound) == []


@pytest.mark.parametrize("mistake", [OneRoundLate, WrongLambda, IgnoresRepeatedPoints, WrongSign, WrongKernel, Correct])
def test_the_identity_of_ridge_regression_sees_every_other_predictor(mistake):
    class Ridge(mistake):
        def peek(self, X):
            return self.past.at(X)[0]

    correct = mistake is Correct
    adversaries = caught(Ridge(), "ridge-identity", kernel="gaussian(bandwidth=0.5)")
    assert (adversaries == []) if correct else (len(adversaries) >= 4)


@pytest.mark.parametrize("mistake", [WrongSign, OneRoundLate, IgnoresRepeatedPoints])
def test_clipping_does_not_hide_a_mistake(mistake):
    class Clipped(mistake):
        def peek(self, X):
            return np.clip(3 * self.past.at(X)[0], -1, 1)

    adversaries = caught(Clipped(), "clipped-krr", kernel="gaussian(bandwidth=0.5)")
    assert adversaries, mistake.__name__


class TooLargeSteps(Learner):
    """Gradient descent whose step is three times what it says."""

    def begin(self, game, rng):
        self.inner = build("learner", "fgd(rate=0.3)")
        self.inner.begin(game, rng)

    def peek(self, X):
        return self.inner.peek(X)

    def update(self, x, y):
        self.inner.update(x, y)


class WrongWay(TooLargeSteps):
    def update(self, x, y):
        self.inner.update(x, 2 * self.inner.predict(x) - y)


def test_gradient_descent_with_another_step_or_the_wrong_sign():
    assert caught(TooLargeSteps(), "ogd(rate=0.3)") == []
    assert caught(TooLargeSteps(), "ogd(rate=0.1)") != []
    assert caught(WrongWay(), "ogd(rate=0.3)") != []


# ---- assumptions


@pytest.mark.parametrize("theorem", sorted(entries("theorem")))
def test_no_round_no_verdict(theorem):
    class Nothing:
        def point(self, view):
            return None

        def label(self, view, x, prediction):
            return 0.0

    verdict = play("zero", Nothing(), rounds=5).verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert verdict.reason == "no round was played"


SQUARED = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "ridge-identity", "clipped-krr", "ogd-ball"]


@pytest.mark.parametrize("theorem", SQUARED)
def test_another_loss(theorem):
    verdict = play("fgd", "alternating", rounds=5, loss="absolute").verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "the loss is squared (it is absolute)" in verdict.reason


@pytest.mark.parametrize("theorem", SQUARED)
def test_no_hindsight(theorem):
    verdict = play("zero", "alternating", rounds=5, hindsight="none").verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "the best predictor in hindsight was computed" in verdict.reason
    assert "switched off" in verdict.reason


@pytest.mark.parametrize("theorem", SQUARED[:-1])
def test_a_lambda_that_drowns_in_rounding_errors(theorem):
    """Below it right learners would be called wrong: all digits of the comparator are noise."""
    run = play("zero", "alternating", rounds=50, regularisation=1e-15)
    reason = run.verdict(theorem).reason
    assert reason.startswith("lambda stands out of the rounding errors (1e-15, but 1.1e-13 is needed)")
    assert run.verdict(f"{theorem}(regularisation=1)").applicable
    assert play("zero", "alternating", rounds=50, regularisation=1e-12).verdict(theorem).applicable
    steep = play(
        "zero", "alternating(at=[1])", rounds=50, dimension=1, kernel="polynomial(degree=40)", regularisation=1e-3
    )
    assert not steep.verdict(theorem).applicable


@pytest.mark.parametrize("regularisation", [1e-12, 1e-10, 1e-8])
@pytest.mark.parametrize("adversary", ["alternating", "repeated(points=5)", "repeated(points=5, labels=contrary)"])
def test_no_false_alarm_at_a_small_lambda(adversary, regularisation):
    for learner in ("kernel-awv", "krr", "clipped-krr"):
        run = play(learner, adversary, rounds=300, regularisation=regularisation)
        assert all(verdict.holds for verdict in run.verdicts())


@pytest.mark.parametrize("theorem", ["awv-logdet", "awv-effective-dimension", "clipped-krr"])
def test_labels_beyond_the_bound(theorem):
    run = play("zero", "alternating", rounds=5, label_bound=2.0)
    cut = dataclasses.replace(run, game=run.game.replace(label_bound=1.5))
    verdict = cut.verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "labels within [-1.5, 1.5] (largest 2)" in verdict.reason
    assert [each.holds for each in verdict.assumptions].count(False) == 1
    assert run.verdict(theorem).applicable


@pytest.mark.parametrize("theorem", ["awv-leverage", "ridge-identity", "ogd"])
def test_theorems_that_need_no_bound_on_the_labels(theorem):
    run = play("kernel-awv", "alternating", rounds=5, label_bound=2.0)
    assert dataclasses.replace(run, game=run.game.replace(label_bound=0.5)).verdict(theorem).applicable


def test_predictions_beyond_the_bound():
    class Loud:
        def predict(self, x):
            return 1.5

        def update(self, x, y):
            pass

    verdict = play(Loud(), "alternating", rounds=5).verdict("clipped-krr")
    assert verdict.outcome == "not applicable"
    assert "predictions within [-1, 1] (largest 1.5)" in verdict.reason
    clipped = play("clipped-krr", "alternating", rounds=5, prediction_bound=2.0, regularisation=1e-3)
    assert clipped.verdict("clipped-krr").applicable == (np.abs(clipped.predictions).max() <= 1.0)


def test_descent_promises_what_its_steps_allow():
    promised = {
        "fgd": ["ogd", "ogd-ball", "ogd-any-loss"],
        "fgd(shrinkage=0.1)": ["ogd-any-loss"],
        "fgd(radius=1)": ["ogd-projected"],
        "fgd(steps=inverse, shrinkage=0.1)": ["ogd-strongly-convex", "ogd-logarithmic"],
        "fgd(steps=inverse)": [],
        "fgd(steps=inverse, shrinkage=0.1, rate=1)": [],
        "fgd(steps=square-root)": [],
        "fgd(radius=1, shrinkage=0.1)": [],
    }
    for spec, names in promised.items():
        assert [theorem.name for theorem in build("learner", spec).theorems] == names, spec


# ---- how a verdict is reached


@dataclass(frozen=True)
class Made(Theorem):
    """Measures and allows what it is told."""

    name: ClassVar[str] = ""
    curve: tuple = ()
    bound: tuple = ()
    assumed: bool = True

    def assumptions(self, run):
        return (Assumption("that it is so", self.assumed, "measured 7"), Assumption("always", True))

    def measured(self, run):
        return np.array(self.curve, dtype=float)

    def allowed(self, run):
        return np.array(self.bound, dtype=float)


NAN, INF = float("nan"), float("inf")


def transcript(rounds, B=1.0, losses=0.0):
    run = play("zero", "alternating", rounds=rounds, label_bound=B)
    run.cumulative_losses = np.full(rounds, losses)
    return run


@pytest.mark.parametrize(
    ("curve", "bound", "outcome", "round_"),
    [
        ((1, 2, 3), (1, 2, 3), "holds", None),
        ((1, 2, 3), (2, 2, 2), "violated", 3),
        ((1, 3, 1), (2, 2, 2), "violated", 2),  # broken on the way though kept at the end
        ((0, 2e-8, 0), (0, 0, 0), "violated", 2),
        ((0, 0.9e-8, 0), (0, 0, 0), "holds", None),
        ((-5, -5, -5), (0, 0, 0), "holds", None),
        ((-5, -4, -5), (-5, -5, -5), "violated", 2),
        ((0, NAN, 0), (1, 1, 1), "violated", 2),
        ((0, INF, INF), (1, 1, 1), "violated", 2),
        ((0, 0, -INF), (1, 1, 1), "violated", 3),
        ((0, 0, 0), (1, NAN, 1), "violated", 2),
        ((0, INF, NAN), (1, INF, INF), "holds", None),
        ((0, 5, 5), (0, INF, INF), "holds", None),
        ((0, 0, 0), (0, -INF, 0), "violated", 2),
    ],
)
def test_the_first_round_that_breaks_the_bound(curve, bound, outcome, round_):
    verdict = Made(curve=curve, bound=bound).verdict(transcript(3))
    assert verdict.outcome == outcome
    assert verdict.round == round_
    assert (verdict.holds, verdict.violated, verdict.applicable) == (outcome == "holds", outcome == "violated", True)
    if round_ and np.isfinite(curve[round_ - 1] - bound[round_ - 1]):
        assert verdict.margin == curve[round_ - 1] - bound[round_ - 1]
        assert f"first in round {round_}" in verdict.reason
    assert str(verdict)


def test_rounding_is_forgiven_in_proportion_to_the_loss_and_to_the_labels():
    assert Made(curve=(0.9,), bound=(0,)).verdict(transcript(1, losses=1e8)).holds
    assert Made(curve=(1.2,), bound=(0,)).verdict(transcript(1, losses=1e8)).violated
    assert Made(curve=(1e-11,), bound=(0,)).verdict(transcript(1, B=1e-3)).violated
    assert Made(curve=(0.9e-14,), bound=(0,)).verdict(transcript(1, B=1e-3)).holds
    assert Made(curve=(2e-8,), bound=(0,)).verdict(transcript(1, B=1e100)).violated
    assert Made(curve=(1e300,), bound=(0,)).verdict(transcript(1, losses=INF)).holds  # nothing is measurable any more
    assert Made(curve=(INF,), bound=(0,)).verdict(transcript(1, losses=INF)).violated


def test_failed_assumptions_are_listed_and_nothing_is_judged():
    verdict = Made(curve=(5,), bound=(0,), assumed=False).verdict(transcript(1))
    assert verdict.outcome == "not applicable"
    assert verdict.reason == "that it is so (measured 7)"
    assert verdict.measured is verdict.allowed is verdict.tightness is verdict.round is None
    assert not verdict.applicable
    assert "not applicable: that it is so (measured 7)" in str(verdict)


def test_tightness_and_words():
    verdict = Made(curve=(1, 3), bound=(2, 4)).verdict(transcript(2))
    assert verdict.tightness == 0.75
    assert str(verdict).endswith("holds: regret 3 of 4 allowed (75% of it)")
    assert Made(curve=(0,), bound=(0,)).verdict(transcript(1)).tightness is None
    assert Made(curve=(INF,), bound=(INF,)).verdict(transcript(1)).tightness is None
    assert "violated: regret 3 exceeds the bound 2 by 1, first in round 2" in str(
        Made(curve=(1, 3), bound=(2, 2)).verdict(transcript(2))
    )


@pytest.mark.parametrize("theorem", SQUARED)
def test_a_verdict_is_plain_json(theorem):
    for run in (play("clipped-krr", "alternating", rounds=5), play("fgd", "alternating", rounds=5, loss="hinge")):
        verdict = run.verdict(theorem)
        assert json.loads(json.dumps(verdict.as_json()))["outcome"] == verdict.outcome


def test_a_theorem_without_a_bound_says_what_is_missing():
    class Empty(Theorem):
        pass

    with pytest.raises(TypeError, match="Empty must define allowed"):
        Empty().verdict(transcript(1))


def test_a_learner_that_blows_up_is_no_false_alarm_and_no_warning():
    """Steps that are too large: the gradients that the theorem counts blow up as well, and it says no more."""
    run = play("fgd(rate=5)", "alternating", rounds=300)
    assert run.ended == "completed"
    assert np.isinf(run.loss)
    assert run.verdict("ogd").holds
    assert run.verdict("awv-leverage").violated


def test_verdicts_read_nothing_but_the_transcript(tmp_path):
    run = play("kernel-awv", "repeated(points=3)", rounds=20)
    loaded = Transcript.load(run.save(tmp_path / "a.npz"))
    for theorem in SQUARED:
        assert str(loaded.verdict(theorem)) == str(run.verdict(theorem))
