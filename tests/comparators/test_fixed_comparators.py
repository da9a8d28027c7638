"""The comparators for constants, linear functions and past labels equal brute force."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from arena import ArenaError, play
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, SmoothHinge, SquaredHinge
from arena.hindsight.least_squares import least_squares_increments
from arena.record.comparing import NamedComparator
from arena.specs import registry
from arena.specs.building import build
from arena.testing import transcript
from arena_tests import FULL
from arena_tests.slow import comparators as slow

LOSSES = [Hinge(), SmoothHinge(0.3), SquaredHinge(), Logistic(), Absolute(), EpsilonInsensitive(0.2)]
RNG = np.random.default_rng(5)
X, Y = RNG.uniform(-1, 1, (24, 2)), np.clip(RNG.normal(0.3, 0.5, 24), -1, 1)
ANSWERS = RNG.uniform(-1, 1, 24)


def made(y=Y, X=X, **fields):
    """Return a match with these points and labels."""
    return transcript(X, y, ANSWERS[: len(y)], **fields)


def best(run, comparator):
    """Return rounds, and the lower and upper ends of the comparator's loss after each of these rounds."""
    found = run.regret_to(comparator)
    assert not found.unknown, found.unknown
    total = run.cumulative_losses[found.at - 1]
    return found.at, total - found.upper, total - found.lower


def test_the_constant_is_exact_in_every_round():
    at, low, high = best(made(), "constant")
    assert at.tolist() == list(range(1, 25))
    expected = [np.square(Y[:t] - Y[:t].mean()).sum() for t in at]
    assert low == pytest.approx(expected, abs=1e-12)
    assert high == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("signs", [False, True])
def test_the_constant_of_other_losses(loss, signs):
    y = np.sign(Y) if signs else Y
    at, low, high = best(made(y, loss=loss), "constant")
    assert at.tolist() == [1, 2, 4, 8, 16, 24]
    expected = np.array([slow.constant(loss, y[:t]) for t in at])
    assert (low <= high + 1e-12).all()
    assert high == pytest.approx(expected, abs=1e-6)
    assert low == pytest.approx(expected, abs=1e-6)


def test_the_constant_of_one_class_may_lie_at_infinity():
    run = made(np.ones(4), X[:4], loss=Logistic())
    low, high = run.regret_to("constant").regret
    assert low <= run.loss <= high + 1e-12
    assert high - low < 1e-9


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", ["full rank", "repeated", "collinear", "late", "zero", "wide", "large"])
def test_least_squares_of_every_prefix(kind, intercept):
    points = X.copy()
    points = {
        "full rank": points,
        "repeated": points[np.arange(24) % 3],
        "collinear": np.outer(points[:, 0], [1.0, -2.0]),
        "late": np.column_stack([points[:, 0], np.arange(24) == 20]),
        "zero": 0.0 * points,
        "wide": RNG.uniform(-1, 1, (24, 30)),
        "large": points * [1e9, 1e-9],
    }[kind]
    F = np.column_stack([points, np.ones(24)]) if intercept else points
    scaled = F / np.maximum(np.abs(F).max(axis=0), 1e-300)
    increments = least_squares_increments(F, Y)
    expected = [slow.least_squares(scaled[:t], Y[:t]) for t in range(1, 25)]
    assert np.cumsum(increments) == pytest.approx(expected, abs=1e-9)
    if kind != "large":
        box = (-10.0, 10.0)
        run = made(X=points, box=box)
        _, low, high = best(run, f"linear(intercept={'true' if intercept else 'false'})")
        assert low == pytest.approx(expected, abs=1e-9)
        assert high == pytest.approx(expected, abs=1e-9)


def test_least_squares_in_many_blocks():
    F, y = RNG.normal(size=(700, 4)), RNG.normal(size=700)
    increments = least_squares_increments(F, y)
    for t in (4, 5, 128, 129, 300, 700):
        assert increments[:t].sum() == pytest.approx(slow.least_squares(F[:t], y[:t]), rel=1e-10, abs=1e-10)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=60 if FULL else 25)
def test_least_squares_of_any_rank(seed, rounds, dimension, rank):
    rng = np.random.default_rng(seed)
    F = rng.integers(-2, 3, (rounds, rank)) @ rng.integers(-2, 3, (rank, dimension)) * 1.0
    y = rng.integers(-2, 3, rounds) * 1.0
    expected = [slow.least_squares(F[:t], y[:t]) for t in range(1, rounds + 1)]
    assert np.cumsum(least_squares_increments(F, y)) == pytest.approx(expected, abs=1e-8)


def test_linear_with_a_penalty_is_ridge_regression():
    _, low, _ = best(made(), "linear(penalty=0.7)")
    F = np.column_stack([X, np.ones(24)])
    A = F.T @ F + 0.7 * np.eye(3)
    w = np.linalg.solve(A, F.T @ Y)
    assert low[-1] == pytest.approx(np.square(F @ w - Y).sum() + 0.7 * w @ w, abs=1e-10)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_linear_predictors_of_other_losses(loss):
    y = np.sign(Y)
    at, low, high = best(made(y, loss=loss), "linear(penalty=0.5)")
    F = np.column_stack([X, np.ones(24)])[: at[-1]]
    objective = lambda w: loss.value(F @ w, y).sum() + 0.5 * w @ w
    found = min(minimize(objective, start, method="Nelder-Mead", tol=1e-11, options={"maxiter": 5000}).fun
                for start in np.eye(4, 3))  # fmt: skip
    assert low[-1] <= found + 1e-9
    assert high[-1] == pytest.approx(found, rel=1e-4)
    assert high[-1] - low[-1] <= 1e-5 * high[-1]


def test_what_cannot_be_computed_is_refused_in_words():
    found = made(np.sign(Y), loss=Hinge()).regret_to("linear(penalty=0)")
    assert found.regret is None
    assert "write linear(penalty=0.001)" in found.unknown
    assert found.as_json()["regret"] is None


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_predictions_from_past_labels(loss):
    run = made(loss=loss)
    cost = run.game.loss.value
    for text, predict in {
        "last-label": lambda t: Y[t - 1] if t else 0.0,
        "seasonal(period=5)": lambda t: Y[t - 5] if t >= 5 else 0.0,
        "seasonal(period=99)": lambda _: 0.0,
        "window(length=4)": lambda t: Y[max(t - 4, 0) : t].mean() if t else 0.0,
        "window(length=99)": lambda t: Y[:t].mean() if t else 0.0,
        "window(length=24)": lambda t: Y[:t].mean() if t else 0.0,
    }.items():
        at, low, high = best(run, text)
        expected = np.cumsum([float(cost(predict(t), Y[t])) for t in range(24)])
        assert len(at) == 24
        assert low == pytest.approx(expected, abs=1e-12), text
        assert (low == high).all()


@pytest.mark.parametrize("mode", ["exact", "interval", "none"])
def test_kernel_ridge_is_the_regret_of_theorems(mode):
    run = play("krr", "repeated(points=5)", rounds=60, hindsight=mode)
    exact = play("krr", "repeated(points=5)", rounds=60)
    low, high = run.regret_to("kernel-ridge").regret
    assert low - 1e-9 <= exact.regret[-1] <= high + 1e-9
    assert high - low < 1e-3
    other = play("krr", "repeated(points=5)", rounds=60, regularisation=3.0, kernel="laplacian")
    found = run.regret_to("kernel-ridge(regularisation=3, kernel=laplacian)")
    assert found.regret[0] == pytest.approx(run.loss - other.comparator.hindsight().optimum[-1])


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute"])
def test_kernel_ridge_of_other_losses(loss):
    run = play("fgd", "repeated(points=5)", rounds=40, loss=loss)
    assert run.regret_to("kernel-ridge").regret == pytest.approx(run.final_regret, abs=1e-12)


def test_a_match_without_rounds_has_no_regret():
    run = play("zero", "alternating", rounds=3)
    arrays = {name: getattr(run, name)[:0] for name in ("points", "labels", "predictions", "seconds")}
    assert dataclasses.replace(run, **arrays).regret_to("constant").unknown == "no round was played"


@pytest.mark.parametrize("name", sorted(registry.entries("comparator")))
def test_every_comparator_says_plainly_what_it_is(name):
    try:
        comparator = build("comparator", name)
    except ArenaError:
        comparator = build("comparator", {"baseline": "baseline(model=zero)"}.get(name, "fixed-models(models=[zero])"))
    assert isinstance(comparator, NamedComparator)
    assert comparator.plainly
    assert comparator.plainly != name
    assert comparator.cost
    found = play("krr", "alternating", rounds=12).regret_to(comparator)
    assert found.regret is not None
    low, high = found.regret
    assert np.isfinite([low, high]).all()
    assert low <= high + 1e-12
    assert len(found.curve()) == 12


@dataclasses.dataclass(frozen=True)
class Fails(NamedComparator):
    """A comparator whose computation divides by zero."""

    def best_losses(self, run):
        return 1 / 0


def test_a_comparator_of_ones_own_that_fails_is_named():
    found = made().regret_to(Fails())
    assert found.regret is None
    assert re.match(r"Fails raised ZeroDivisionError.*test_fixed_comparators.py, line \d+", found.unknown)


@pytest.mark.parametrize("name", ["linear(penalty=1)", "kernel-ridge", "shifts(k=2)", "intervals", "norms"])
def test_numbers_that_overflow_have_no_regret_or_one_in_order(name):
    huge = transcript(1e100 * X, Y, ANSWERS, box=(-1e100, 1e100), kernel="linear")
    found = huge.regret_to(name)
    assert found.unknown or found.regret[0] <= found.regret[1]
    lost = transcript(X, Y, np.full(24, 1e200)).regret_to(name)
    assert lost.unknown or lost.regret[1] == np.inf


def test_a_negative_regret_is_explained_and_rounding_is_not():
    run = play("krr", "alternating", rounds=40)
    assert run.regret_to("last-label").negative == "negative: the learner lost less than this comparator"
    assert not run.regret_to("constant").negative
    assert not run.regret_to("baseline(model=krr)").negative


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(ArenaError, match="Did you mean 'constant'"):
        play("krr", "alternating", rounds=3, comparators=["constnt"])
    with pytest.raises(ArenaError, match="period must be a whole number >= 1"):
        play("krr", "alternating", rounds=3).regret_to("seasonal(period=0)")


GRID = "lambdas(values=[0.1, 10])"


def test_a_grid_of_lambda_is_exact_in_short_matches():
    run = made()
    found = run.regret_to(GRID)
    assert found.profile.x.tolist() == [0.1, 1.0, 10.0]
    K = run.game.kernel.gram(X, X)
    optima = np.array([at * Y @ np.linalg.solve(K + at * np.eye(24), Y) for at in (0.1, 1.0, 10.0)])
    np.testing.assert_allclose(found.profile.lower, run.loss - optima, atol=1e-10)
    np.testing.assert_allclose(found.profile.upper, run.loss - optima, atol=1e-10)
    assert found.regret == pytest.approx((run.regret[-1], run.regret[-1]), abs=1e-10)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_grid_of_lambda_for_other_losses(loss):
    run = made(loss=loss)
    found = run.regret_to(GRID)
    for at, low, high in zip(found.profile.x, found.profile.lower, found.profile.upper, strict=True):
        one = run.regret_to(f"kernel-ridge(regularisation={at})").regret
        assert (low, high) == pytest.approx(one, abs=1e-5)


def test_a_grid_of_lambda_shares_products_in_long_matches(monkeypatch):
    from arena.comparators import lambdas
    from arena.hindsight import comparator
    from arena.hindsight.narrowing import Effort

    run = made()
    exact = run.regret_to(GRID).profile
    for module in (comparator, lambdas):
        monkeypatch.setattr(module, "EXACT_LIMIT", 10)
    monkeypatch.setattr(comparator, "FEW_POINTS", 5)
    calls, products = [], lambdas.optima_by_products
    monkeypatch.setattr(lambdas, "optima_by_products", lambda *given: calls.append(given[3]) or products(*given))
    long = made()
    long.comparator.effort = Effort(seconds=np.inf)
    found = long.regret_to(GRID).profile
    assert calls == [[(24, 0.1), (24, 1.0), (24, 10.0)]]
    assert (found.lower <= exact.upper + 1e-9).all()
    assert (exact.lower <= found.upper + 1e-9).all()
    assert (found.upper - found.lower <= 2e-6 * long.loss).all()
    wide = made().regret_to(GRID).profile  # without products, by features
    assert len(calls) == 1
    assert (wide.lower <= exact.upper + 1e-9).all()
    assert (exact.lower <= wide.upper + 1e-9).all()


@pytest.mark.parametrize("values", ["[]", "[0]", "[-1, 2]"])
def test_a_grid_of_lambda_must_be_positive_numbers(values):
    with pytest.raises(ArenaError, match="numbers > 0"):
        build("comparator", f"lambdas(values={values})")


@pytest.mark.parametrize("tiny", [1e-14, 1e-100])
@pytest.mark.parametrize("own", [False, True])
def test_a_lambda_that_is_lost_in_rounding_gives_an_interval_with_the_optimum(tiny, own):
    y = np.where(np.arange(5) % 2, -1.0, 1.0)
    run = made(y, np.zeros((5, 2)), regularisation=tiny if own else 1.0)
    least = 5 - 1 / (5 + tiny)  # the best value at the one point is sum(y) / (5 + lambda)
    _, low, high = best(run, f"kernel-ridge(regularisation={tiny})")
    assert low[-1] <= least <= high[-1] <= 5 + 1e-9  # no worse than zero
    found = run.regret_to(f"lambdas(values=[{tiny}])").profile
    assert run.loss - found.upper[0] <= least <= run.loss - found.lower[0] <= 5 + 1e-9
