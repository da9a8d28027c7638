"""KONS and Sketched-KONS equal the papers' kernel forms, and Newton steps on explicit features."""

import numpy as np
import pytest

from arena import play
from arena.game.game import Game
from arena.game.kernels import Gaussian, Linear, Polynomial
from arena.game.losses import Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena.learners import Kons, SketchedKons
from arena_tests.playing import begun, one_by_one
from arena_tests.sequences import against, moves
from arena_tests.slow.newton import on_features, one_shot, papers_form

KINDS = ["random", "repeated", "one point", "rank one", "near duplicates", "greedy"]


def sequence(kind, rounds=150):
    if kind == "greedy":
        return against("kons", "greedy(starts=32, polished=1)", Game(rounds=60, kernel=Gaussian(bandwidth=0.5)))
    return moves(kind, rounds, apart=1e-4)


def explicit_features(kernel, X):
    if isinstance(kernel, Linear):
        return X
    i, j = np.triu_indices(X.shape[1] + 1)
    extended = np.hstack([X, np.ones((len(X), 1))])
    return extended[:, i] * extended[:, j] * np.where(i == j, 1.0, 2**0.5)  # the kernel (x'x + 1)^2


@pytest.mark.parametrize("alpha", [1.0, 0.05, 30.0])
@pytest.mark.parametrize("bandwidth", [0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_kons_is_its_one_shot_form(kind, bandwidth, alpha):
    X, y = sequence(kind)
    game = Game(kernel=Gaussian(bandwidth=bandwidth))
    expected = one_shot(X, y, game, alpha=alpha, eta=0.125)
    single = one_by_one(begun(Kons(alpha=alpha), game), X, y)
    np.testing.assert_allclose(single, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(begun(Kons(alpha=alpha), game).replay(X, y), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", ["random", "repeated", "rank one", "near duplicates"])
def test_kons_is_the_papers_form_where_that_is_defined(kind):
    X, y = sequence(kind, 100)
    game = Game(kernel=Gaussian(bandwidth=0.5), prediction_bound=0.4)  # the projection is active, and g never zero
    expected = papers_form(X, y, game, alpha=0.5, eta=0.25)
    assert (np.abs(expected) == 0.4).sum() > 5
    predictions = begun(Kons(alpha=0.5, step=0.25), game).replay(X, y)
    np.testing.assert_allclose(predictions, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(degree=2, offset=1.0)], ids=["linear", "polynomial"])
@pytest.mark.parametrize("loss", [Squared(), SquaredHinge(), Logistic(), SmoothHinge(), Hinge()], ids=lambda x: x.name)
@pytest.mark.parametrize("kind", KINDS)
def test_kons_is_newton_on_explicit_features(kind, loss, kernel):
    X, y = sequence(kind)
    game = Game(kernel=kernel, loss=loss, prediction_bound=1.2)
    eta = loss.curvature(1.2, 1.0) or 0.2
    expected = on_features(
        explicit_features(kernel, X), y, loss.derivative, ridge=1.0, bound=1.2, steps=np.full(len(X), eta)
    )[0]
    learner = Kons() if loss.curvature(1.2, 1.0) else Kons(step=0.2)
    np.testing.assert_allclose(begun(learner, game).replay(X, y), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_sketched_kons_is_the_one_shot_form_with_its_coins(kind):
    """The evidence has the gradients that were kept, with which the kernel form is deterministic."""
    X, y = sequence(kind)
    game = Game(kernel=Gaussian(bandwidth=0.5))
    learner, rounds = begun(SketchedKons(floor=0.3, alpha=0.5), game), begun(SketchedKons(floor=0.3, alpha=0.5), game)
    predictions = learner.replay(X, y)
    kept = np.isin(np.arange(1, len(X) + 1), learner.evidence()["kept"])
    assert 0 < kept.sum() < len(X)
    expected = one_shot(X, y, game, alpha=0.5, eta=0.125, kept=kept)
    np.testing.assert_allclose(predictions, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(one_by_one(rounds, X, y), expected, rtol=0, atol=1e-8)
    wrong = one_shot(X, y, game, alpha=0.5, eta=0.125, kept=kept, missing_coin=True)
    assert np.abs(wrong - expected).max() > 0.01  # the paper's printed form is another algorithm


def test_sketched_kons_that_keeps_everything_is_kons():
    X, y = sequence("random")
    game = Game(kernel=Gaussian(bandwidth=0.5))
    sketched = begun(SketchedKons(floor=1.0), game)
    np.testing.assert_array_equal(sketched.replay(X, y), begun(Kons(), game).replay(X, y))
    assert sketched.dictionary_size == np.count_nonzero(sketched.evidence()["gradient_energies"])


def test_a_zero_gradient_is_not_kept():
    learner = begun(SketchedKons(floor=1.0), Game(dimension=1))
    learner.replay(np.zeros((5, 1)), np.array([0.0, 0.0, 1.0, 0.0, 0.0]))
    assert learner.evidence()["kept"].tolist() == [3, 4, 5]
    assert learner.dictionary_size == 1


def test_the_sketch_follows_the_leverage():
    """At one point KORS soon stops accepting; afterwards about the share `floor` of the gradients is kept."""
    X, y = np.zeros((4000, 1)), np.where(np.arange(4000) % 2, -1.0, 1.0)
    learner = begun(SketchedKons(floor=0.02), Game(dimension=1))
    learner.replay(X, y)
    kept = learner.evidence()["kept"]
    early, late = np.mean(kept <= 100) * len(kept) / 100, np.sum(kept > 1000) / 3000
    assert early > 0.06 > 0.035 > late > 0.01


def test_a_label_at_the_bound_gives_no_nan():
    """With the label C at one point, the paper's coefficient is 0/0 in round 3."""
    run = play("kons", "alternating", rounds=50)
    assert np.isfinite(run.predictions).all()
    learner = begun(Kons(), Game(dimension=1))
    predictions = learner.replay(np.zeros((50, 1)), np.ones(50))
    np.testing.assert_array_equal(predictions, [0.0] + [1.0] * 49)
    np.testing.assert_array_equal(
        one_by_one(begun(Kons(), Game(dimension=1)), np.zeros((50, 1)), np.ones(50)), predictions
    )


def test_the_energies_are_the_log_determinants_increments():
    """eta times an energy is 1 - 1/p, where p is a squared Cholesky pivot of I + eta D K D / alpha (theory E11)."""
    X, y = sequence("random")
    game = Game(kernel=Gaussian(bandwidth=0.5))
    learner = begun(Kons(), game)
    g = game.loss.derivative(learner.replay(X, y), y)
    gradients = g[:, np.newaxis] * game.kernel.gram(X, X) * g
    pivots = np.square(np.linalg.cholesky(np.eye(len(X)) + 0.125 * gradients).diagonal())
    np.testing.assert_allclose(0.125 * learner.evidence()["gradient_energies"], 1 - 1 / pivots, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["kons", "sketched-kons"])
@pytest.mark.parametrize("alpha", ["1e-8", "1e8"])
@pytest.mark.parametrize("bandwidth", ["0.001", "1000"])
def test_extreme_but_legal_input_survives(name, alpha, bandwidth):
    rng = np.random.default_rng(0)
    corners = np.where(rng.random((2000, 3)) < 0.5, -1.0, 1.0)
    corners[1000:1500] = corners[0]
    corners[1500:1650] = rng.uniform(-1, 1, size=(150, 3))
    learner = {"kons": Kons, "sketched-kons": SketchedKons}[name](alpha=float(alpha))
    begun(learner, Game(dimension=3, kernel=Gaussian(bandwidth=float(bandwidth))))
    predictions = learner.replay(corners, rng.choice([-1.0, 1.0], size=2000))
    assert np.isfinite(predictions).all()
    assert np.abs(predictions).max() <= 1.0


@pytest.mark.parametrize("name", ["kons", "sketched-kons"])
@pytest.mark.parametrize(("kernel", "alpha"), [(Linear(), 1e-8), (Polynomial(degree=3), 1.0)])
def test_kernels_with_more_digits_than_a_float_survive(name, kernel, alpha):
    """k(x, x) / alpha is 10^14 to 10^19, so predictions mean little, but rounding errors must not overflow."""
    rng = np.random.default_rng(0)
    X, y = 1000 * rng.uniform(-1, 1, size=(1500, 3)), rng.choice([-1.0, 1.0], size=1500)
    learner = begun({"kons": Kons, "sketched-kons": SketchedKons}[name](alpha=alpha), Game(dimension=3, kernel=kernel))
    predictions = learner.replay(X, y)
    assert np.isfinite(predictions).all()
    assert np.abs(predictions).max() <= 1.0
