"""Theorems on gradient descent: each step is computed again, comparators are found slowly, and mistakes are planted."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from arena import play
from arena.game.kernels import Gaussian
from arena.game.losses import Hinge, Logistic, Squared
from arena.hindsight.exact import best_in_ball
from arena.record.judging import promises_of
from arena.specs.building import build
from arena.theorems.dual_sgd import OgdTwoSpaces, gaps_of
from arena.theorems.recomputed.descent import minimiser
from arena_tests import FULL, judging
from arena_tests.judging import reason
from arena_tests.planted.around import Around, Late

SEEDS = range(6) if FULL else range(1)
LEARNERS = [
    "fgd",
    "fgd(rate=0.3)",
    "fgd(rate=0.3, radius=0.7)",
    "fgd(shrinkage=0.1)",
    "fgd(shrinkage=30)",
    "fgd(steps=inverse, shrinkage=0.5)",
    "fogd(frequencies=10)",
    "nogd",
    "nogd(budget=12, rank=5, rate=0.2)",
    "bogd(budget=8)",
    "bogd(budget=8, shrinkage=0.3, rate=0.2, cap=0.3)",
    "bsgd(budget=8)",
    "dual-sgd(budget=8, moved=3, frequencies=6, regularisation=0.3)",
    "bsgd(budget=6, maintenance=remove, regularisation=0.1)",
]
ADVERSARIES = [
    "alternating(at=[0.6, 0.9])",
    "repeated(points=20)",
    "repeated(points=20, labels=contrary)",
    "greedy(starts=16, polished=0)",
]
GAMES = [
    {"kernel": "gaussian(bandwidth=0.5)"},
    {"loss": "hinge", "kernel": "gaussian(bandwidth=0.5)"},
    {"loss": "logistic", "label_bound": 2.0},
    {"loss": "absolute", "regularisation": 0.1},
    {"label_bound": 1e-3, "regularisation": 0.1},
]


@pytest.mark.parametrize("learner", LEARNERS)
def test_promises_are_kept(learner):
    held = judging.names_that_hold(judging.matches(learner, ADVERSARIES, GAMES, SEEDS, rounds=60))
    assert held == {theorem.name for theorem in build("learner", learner).theorems} != set()


# ---- the path of the functions


def plain_path(run, eta, shrinkage, slopes):
    """Return the kernel matrix of all points and removed atoms, and coefficients over them.

    They are the coefficients of every f_t, and of every step (f_t - f_{t+1}) / eta_t.
    """
    evidence = run.evidence
    removed = evidence.get("removed_rounds", np.empty(0))
    atoms = np.concatenate([run.points, evidence.get("removed_points", np.empty((0, 2)))])
    f, functions, steps = np.zeros(len(atoms)), [], []
    for t in range(run.rounds):
        factor = evidence["factors"][t] if "factors" in evidence else 1 - eta[t] * shrinkage
        functions.append(f)
        new = f * factor
        new[t] -= eta[t] * slopes[t]
        for j in np.flatnonzero(removed == t + 1):
            new[run.rounds + j] -= evidence["removed_weights"][j]
        steps.append((f - new) / eta[t])
        f = new
    return run.game.kernel.gram(atoms, atoms), np.array(functions), np.array(steps)


@pytest.mark.parametrize(
    ("learner", "game", "eta", "shrinkage", "loss"),
    [
        ("fgd(rate=0.2, shrinkage=0.4)", {"loss": "logistic"}, lambda _: 0.2, 0.4, Logistic()),
        ("fgd(steps=inverse, shrinkage=0.5)", {"loss": "hinge"}, lambda t: 2 / t, 0.5, Hinge()),
        ("bogd(budget=7, rate=0.2, shrinkage=0.3, cap=0.25)", {}, lambda _: 0.2, 0.3, Squared()),
        ("bsgd(budget=5)", {"regularisation": 0.2}, lambda t: 5 / t, 0.2, Hinge()),
        ("bsgd(budget=5, maintenance=remove, regularisation=0.2)", {}, lambda t: 5 / t, 0.2, Hinge()),
    ],
)
def test_the_path_is_the_learners(learner, game, eta, shrinkage, loss):
    run = play(learner, "repeated(points=20)", rounds=70, kernel="gaussian(bandwidth=0.5)", **game)
    theorem = next(iter(run.promised))
    path = theorem.path(run)
    np.testing.assert_allclose(path.values, run.predictions, atol=1e-9)
    eta = np.array([eta(t) for t in range(1, 71)])
    K, functions, steps = plain_path(run, eta, shrinkage, loss.derivative(run.predictions, np.sign(run.labels)))
    np.testing.assert_allclose(path.squared_norms, np.einsum("ti,ij,tj->t", functions, K, functions), atol=1e-9)
    energies = np.einsum("ti,ij,tj->t", steps, K, steps)
    np.testing.assert_allclose(path.energies, energies, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(theorem.allowed(run), np.cumsum(eta / 2 * energies), rtol=1e-8)
    gradients = shrinkage * functions
    gradients[np.arange(70), np.arange(70)] += loss.derivative(run.predictions, np.sign(run.labels))
    own = -np.einsum("ti,ij,tj->t", steps - gradients, K, functions)
    np.testing.assert_allclose(path.explained[:, 0], own, atol=1e-7)  # g = 0
    assert path.norms[0] == 0.0
    assert np.abs(own).max() > 0.01 or learner.startswith("fgd")


@settings(max_examples=40 if FULL else 8)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 5.0]))
def test_descent_with_errors_for_every_g(seed, rate):
    """The theorem's inequality, computed for random functions g and random errors in the gradients."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, 3)), rng.choice([-1.0, 1.0], 30)
    for inverse in (False, True):
        f, g, total, bound = np.zeros(3), rng.standard_normal(3) * rng.choice([0.0, 1.0, 10.0]), 0.0, 0.0
        shrinkage = rate if inverse else 0.0
        bound += 0.0 if inverse else g @ g / (2 * rate)
        for t in range(30):
            eta = 1 / (shrinkage * (t + 1)) if inverse else rate
            loss = np.logaddexp(0, -y[t] * (X[t] @ f)) - np.logaddexp(0, -y[t] * (X[t] @ g))
            total += loss + shrinkage / 2 * (f @ f - g @ g)
            gradient = -y[t] / (1 + np.exp(y[t] * (X[t] @ f))) * X[t] + shrinkage * f
            error = rng.standard_normal(3)
            bound += eta / 2 * np.sum((gradient + error) ** 2) + error @ (g - f)
            f = f - eta * (gradient + error)
        assert total <= bound + 1e-8 * (1 + abs(bound))


def test_the_gap_of_two_spaces_is_that_of_the_predictions():
    """A prediction is the value of f_t plus a gap, which is large with only two random frequencies."""
    learner = "dual-sgd(budget=6, moved=3, frequencies=2, regularisation=0.2)"
    run = play(learner, "repeated(points=20)", rounds=70, kernel="gaussian(bandwidth=0.5)", loss="hinge")
    gaps = gaps_of(run)
    np.testing.assert_allclose(run.promised[0].path(run).values + gaps, run.predictions, atol=1e-9)
    assert np.abs(gaps).max() > 0.5
    verdict = run.verdict("ogd-two-spaces")
    slopes = run.game.loss.derivative(run.predictions, run.labels)
    plain = super(OgdTwoSpaces, run.promised[0]).measured(run)
    np.testing.assert_allclose(verdict.measured_curve, plain - np.cumsum(slopes * gaps))


def test_near_minimisers_are_near_the_minimum():
    rng = np.random.default_rng(3)
    F, y = rng.standard_normal((40, 5)), rng.choice([-1.0, 1.0], 40)
    w = minimiser(Squared(), F, y, 3.0)
    np.testing.assert_allclose(w, np.linalg.solve(2 * F.T @ F + 3.0 * np.eye(5), 2 * F.T @ y), atol=1e-4)

    def hinge(v):
        return np.maximum(0, 1 - y * (F @ v)).sum() + 1.5 * v @ v

    best = minimize(hinge, np.zeros(5), method="Nelder-Mead", options={"maxiter": 20000, "fatol": 1e-12}).fun
    assert hinge(minimiser(Hinge(), F, y, 3.0)) <= best * 1.01


# ---- the ball


def test_the_best_function_of_a_ball():
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-1, 1, (12, 2)), rng.standard_normal(12)
    K = Gaussian(0.4).gram(X, X)
    root = np.linalg.cholesky(K + 1e-12 * np.eye(12))
    for radius, penalty in ((0.3, 0.0), (1.0, 0.0), (1.0, 0.5), (30.0, 0.5), (0.01, 2.0)):
        found = minimize(
            lambda w, penalty=penalty: np.sum((root @ w - y) ** 2) + penalty * w @ w,
            np.zeros(12),
            constraints={"type": "ineq", "fun": lambda w, radius=radius: radius**2 - w @ w},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert best_in_ball(Gaussian(0.4), X, y, radius, penalty) == pytest.approx(found.fun, rel=1e-6)
    assert best_in_ball(Gaussian(0.4), X, y, 1e9) == pytest.approx(0.0, abs=1e-8)
    np.testing.assert_allclose(best_in_ball(Gaussian(0.4), np.tile(X[:1], (2, 1)), np.array([1.0, 0.0]), 9.0), 0.5)


def test_the_textbook_form_by_its_formula():
    run = play("fgd(rate=0.1)", "repeated(points=7)", rounds=50, label_bound=2.0, kernel="polynomial")
    slopes = 4 * (run.predictions - run.labels) ** 2 * run.game.kernel.diagonal(run.points)
    radius = 0.1 * np.sqrt(slopes.max() * 50)
    verdict = run.verdict("ogd-ball")
    assert verdict.allowed == pytest.approx(radius * np.sqrt(slopes.max() * 50))
    best = best_in_ball(run.game.kernel, run.points, run.labels, radius)
    assert verdict.measured == pytest.approx(run.loss - best)
    assert verdict.measured_curve[31] == verdict.measured_curve[48] != verdict.measured


def test_projection_onto_a_ball():
    run = play("fgd(rate=0.05, radius=0.2)", "repeated(points=1)", rounds=200)
    verdict = run.verdict("ogd-projected")
    assert verdict.holds
    best = best_in_ball(run.game.kernel, run.points, run.labels, 0.2, 0.5 / 0.05)
    assert verdict.measured == pytest.approx(run.loss - best)
    assert run.verdict("ogd-projected(rate=0.05, radius=50)").violated  # that ball is larger than the learner's


# ---- planted mistakes


def caught(learner, theorem, **game):
    adversaries = [each for each in ADVERSARIES if "loss" not in game or "greedy" not in each]
    return judging.caught(learner, theorem, adversaries, **{"kernel": "gaussian(bandwidth=0.5)", **game})


RULES = [
    ("fgd(rate=0.3)", "ogd-any-loss(rate=0.3)", {"loss": "hinge"}),
    ("fgd(rate=0.3)", "ogd-any-loss(rate=0.3)", {"loss": "absolute"}),
    ("fgd", "ogd-ball", {}),
    ("fgd(rate=0.3, radius=2)", "ogd-projected(rate=0.3, radius=2)", {}),
    ("fgd(steps=inverse, shrinkage=0.05)", "ogd-strongly-convex(shrinkage=0.05)", {"loss": "hinge"}),
    ("fgd(steps=inverse, shrinkage=0.05)", "ogd-logarithmic(shrinkage=0.05)", {"loss": "hinge"}),
    ("fogd(frequencies=10, rate=0.3)", "ogd-features(rate=0.3)", {}),
    ("nogd(budget=12, rank=12, rate=0.3)", "ogd-features(rate=0.3)", {}),
    ("bogd(budget=8, rate=0.2, shrinkage=0.05)", "ogd-perturbed(rate=0.2, shrinkage=0.05)", {"loss": "hinge"}),
    ("dual-sgd(budget=8, moved=3, frequencies=30)", "ogd-two-spaces", {"regularisation": 0.05, "loss": "hinge"}),
    ("bsgd(budget=18)", "ogd-strongly-convex-perturbed(loss=hinge)", {"regularisation": 0.05, "loss": "hinge"}),
]


@pytest.mark.parametrize(("learner", "theorem", "game"), RULES)
def test_predictions_with_the_wrong_sign_violate_it(learner, theorem, game):
    assert caught(Around(learner), theorem, **game) == []
    assert caught(Around(learner, np.negative), theorem, **game) != []


@pytest.mark.parametrize("learner", ["bogd(budget=8, rate=0.2)", "bsgd(budget=5, maintenance=remove)"])
def test_hidden_removals_violate_the_bound(learner):
    nothing = {"removed_rounds": np.empty(0), "removed_weights": np.empty(0), "removed_points": np.empty((0, 2))}

    theorem = "ogd-perturbed(rate=0.2)" if "bogd" in learner else "ogd-strongly-convex-perturbed(loss=hinge)"
    game = {"loss": "hinge", "regularisation": 0.01}
    assert caught(Around(learner, tell=lambda _: nothing), theorem, **game) != []


def test_larger_steps_than_claimed_violate_the_bound():
    assert caught(Around("fgd(rate=0.3)"), "ogd-any-loss(rate=0.1)", loss="hinge") != []


def test_late_gradients_violate_the_bound():
    learner = Around("fgd(steps=inverse, shrinkage=0.1)", hear=Late())
    assert caught(learner, "ogd-strongly-convex(shrinkage=0.1)", loss="hinge")


# ---- assumptions


@pytest.mark.parametrize("name", ["ogd-ball", "ogd-projected"])
def test_the_squared_loss_is_needed(name):
    assert "the loss is squared (it is hinge)" in reason(play("fogd", "alternating", rounds=5, loss="hinge"), name)


@pytest.mark.parametrize("name", ["ogd-ball", "ogd-projected"])
def test_the_comparator_is_needed(name):
    assert "hindsight is switched off" in reason(play("fgd", "alternating", rounds=5, hindsight="none"), name)
    assert play("fogd", "alternating", rounds=5, hindsight="none").verdict("ogd-features").holds


def test_features_are_needed_and_must_not_grow():
    assert "as evidence" in reason(play("fgd", "alternating", rounds=5), "ogd-features")
    assert "fixed beforehand" in reason(play("pkawv-kors", "repeated(points=9)", rounds=30), "ogd-features")
    run = play("fogd", "alternating", rounds=50)
    assert "lambda stands out" in reason(run, "ogd-features(rate=1e15)")


@pytest.mark.parametrize("name", ["ogd-any-loss", "ogd-strongly-convex", "ogd-logarithmic"])
def test_theorems_about_no_removals_do_not_apply_to_removals(name):
    run = play("bogd(budget=3)", "repeated(points=9)", rounds=20)
    assert "nothing was removed from f" in reason(run, name)


@pytest.mark.parametrize("name", ["ogd-perturbed", "ogd-strongly-convex-perturbed"])
def test_removals_are_needed_as_evidence(name):
    assert "what it removed" in reason(play("fgd", "alternating", rounds=20), name)


def test_two_spaces_need_frequencies_and_bounded_slopes():
    assert "frequencies as evidence" in reason(play("bsgd", "alternating", rounds=9, loss="hinge"), "ogd-two-spaces")
    assert "bounded slopes (it is squared)" in reason(play("dual-sgd", "alternating", rounds=9), "ogd-two-spaces")


def test_longer_matches_are_not_judged(monkeypatch):
    monkeypatch.setattr("arena.theorems.descent.MOST_POINTS", 30)
    for name in ("ogd-any-loss", "ogd-strongly-convex", "ogd-logarithmic"):
        assert "at most 30 (there are 31)" in reason(play("fgd", "alternating", rounds=31), name)
    run = play("bogd(budget=3)", "repeated(points=9)", rounds=28)
    for name in ("ogd-perturbed", "ogd-strongly-convex-perturbed"):
        assert "at most 30" in reason(run, name)


def test_a_match_that_stops_early_is_judged_by_its_horizon():
    run = play("fgd", "alternating", rounds=40)
    short = {name: getattr(run, name)[:10] for name in ("points", "labels", "predictions", "seconds")}
    part = dataclasses.replace(run, **short)
    for name in ("ogd", "ogd-ball", "ogd-any-loss"):
        assert part.verdict(name).holds


# ---- how tight


@pytest.mark.parametrize(
    ("learner", "name", "loss"),
    [
        ("fgd", "ogd-any-loss", "hinge"),
        ("fgd(steps=inverse, shrinkage=0.5)", "ogd-strongly-convex", "hinge"),
        ("bsgd(budget=8)", "ogd-strongly-convex-perturbed", "hinge"),
    ],
)
def test_alternating_labels_attain_the_bound(learner, name, loss):
    assert play(learner, "alternating", rounds=100, loss=loss).verdict(name).tightness > 0.999


@pytest.mark.parametrize("theorem", ["ogd-strongly-convex(shrinkage=1)", "ogd-any-loss(shrinkage=1)"])
def test_functions_to_compare_with_are_those_that_they_are_said_to_be(theorem):
    """The kernel matrix of a hundred points on a line is nearly singular, but the norms must be right."""
    run = play("fgd(steps=inverse, shrinkage=1)", "realisable", dimension=1, rounds=100)
    path = build("theorem", theorem).path(run)
    K = run.game.kernel.gram(run.points, run.points) + 50.0 * np.eye(100)
    least = 50.0 * run.labels @ np.linalg.solve(K, run.labels)
    assert (path.losses.sum(axis=0) + 50.0 * path.norms >= least * (1 - 1e-9)).all()
    assert run.verdict("ogd-strongly-convex(shrinkage=1)").holds


@pytest.mark.parametrize("learner", ["bogd(budget=2, rate=0.0354)", "bogd(budget=2, cap=0.0137)", "bogd(budget=3)"])
@pytest.mark.parametrize("adversary", ["alternating", "repeated(points=5)", "repeated(points=1)", "drift"])
def test_doubling_in_every_round_does_not_blow_up_what_rounding_leaves_of_removed_atoms(learner, adversary):
    """With a budget of two, f is doubled at every removal, and so is what rounding leaves of removed coefficients."""
    run = play(learner, adversary, rounds=200, dimension=3, label_bound=1.5)
    assert run.verdict(run.promised[0]).holds


# ---- the worst comparator


def supremum(run, theorem):
    """Return the largest regret minus bound over all functions g, found by descent on smoothed losses."""
    eta, strength = theorem._eta(run), theorem._strength(run)
    loss, labels = theorem._judged_loss(run), theorem._labels(run)
    slopes = loss.derivative(run.predictions, labels)
    K, functions, steps = plain_path(run, eta, strength, slopes)
    gradients = strength * functions
    gradients[np.arange(run.rounds), np.arange(run.rounds)] += slopes
    errors = steps - gradients
    own = loss.value(run.predictions, labels).sum() + np.einsum(
        "ti,ij,tj->", 0.5 * strength * functions + errors, K, functions
    )
    values, vectors = np.linalg.eigh(K)
    F = (vectors * np.sqrt(values.clip(1e-12)))[:, values > 1e-9 * values[-1]]
    tilt, F = F.T @ errors.sum(axis=0), F[: run.rounds]
    penalty = 0.5 * strength * run.rounds + theorem._start(run)

    def objective(w, width):
        z, m = F @ w, 1.0 - (F @ w) * labels
        if isinstance(loss, Hinge):
            losses = np.where(m > width, m - width / 2, np.where(m > 0, m**2 / (2 * width), 0.0))
            slope = -labels * np.clip(m / width, 0.0, 1.0)
        else:
            losses, slope = loss.value(z, labels), loss.derivative(z, labels)
        return losses.sum() + penalty * w @ w + tilt @ w, F.T @ slope + 2 * penalty * w + tilt

    w = np.zeros(F.shape[1])
    for width in np.geomspace(1.0, 1e-6, 13):
        options = {"maxiter": 20_000, "maxfun": 20_000, "ftol": 1e-16, "gtol": 1e-11}
        w = minimize(objective, w, (width,), jac=True, method="L-BFGS-B", options=options).x
    return own - loss.value(F @ w, labels).sum() - penalty * w @ w - tilt @ w


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic"])
@pytest.mark.parametrize(
    "learner", ["bogd(budget=8)", "bogd(budget=5, shrinkage=0.3, rate=0.2, cap=0.3)", "bsgd(budget=5)", "fgd(rate=0.3)"]
)
def test_the_worst_comparator_of_all_is_found(learner, loss):
    game = {"loss": loss, "kernel": "gaussian(bandwidth=0.5)", "regularisation": 0.05, "rounds": 60}
    run = play(learner, "repeated(points=20, labels=contrary)", **game)
    theorem = next(each for each in promises_of(run) if each.name in ("ogd-any-loss", "ogd-perturbed", PEGASOS))
    assert theorem.measured(run)[-1] == pytest.approx(supremum(run, theorem), abs=1e-4)


PEGASOS = "ogd-strongly-convex-perturbed"
