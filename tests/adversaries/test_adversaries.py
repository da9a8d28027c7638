"""The points and labels of each adversary, against several learners and with several losses."""

import re

import numpy as np
import pytest

from arena import ArenaError, Game, play
from arena.adversaries._shared.chosen_points import fresh_points
from arena.adversaries._shared.rehearsal import Rehearsal
from arena.adversaries.joint import Joint
from arena.adversaries.lookahead import Lookahead
from arena.adversaries.outlier import Outlier
from arena.adversaries.replay import Replay
from arena.players.learner import as_learner
from arena.specs import registry
from arena.specs.building import build
from arena_tests.planted.contract.correct import Mean

SQUARED_ONLY = ["greedy", "joint", "lookahead", "mixture"]
NEEDS_DATA = {"from-data", "replay"}
NAMES = sorted(set(registry.entries("adversary")) - NEEDS_DATA)


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_against_a_learner_with_two_methods(name):
    run = play(Mean(), name, rounds=25)
    assert run.ended == "completed", run.forfeit


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute"])
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_any_loss_or_refuses_the_game_before_the_first_round(name, loss):
    run, reason = None, ""
    try:
        run = play("fgd", name, rounds=25, loss=loss)
    except ArenaError as refusal:
        reason = str(refusal)
    if run is None:
        assert re.search(f"needs the squared loss|the labels of the {loss} loss are classes", reason), reason
    else:
        assert run.ended == "completed", f"{run.forfeit}; if it needs the squared loss, `arrange` must refuse the game"


@pytest.mark.parametrize(("name", "loss"), [*((name, "hinge") for name in SQUARED_ONLY), ("concept-drift", "logistic")])
def test_these_refuse_other_losses(name, loss):
    reason = "needs the squared loss" if name in SQUARED_ONLY else "moves numbers, and the labels of the logistic loss"
    with pytest.raises(ArenaError, match=reason):
        play("fgd", name, rounds=5, loss=loss)


@pytest.mark.parametrize("method", ["differential-evolution", "dual-annealing", "direct"])
def test_greedy_finds_the_same_maximum_by_every_method(method):
    class Bump:
        def predict(self, x):
            return 3.0 * float(np.exp(-np.square(x - [0.8, -0.6]).sum() / 0.18))

        def update(self, x, y):
            pass

    run = play(Bump(), f"greedy(method={method}, starts=200)", rounds=2)
    np.testing.assert_allclose(run.points[0], [0.8, -0.6], atol=1e-3)
    again = play(Bump(), f"greedy(method={method}, starts=200)", rounds=2)
    np.testing.assert_array_equal(run.points, again.points)


def test_contrarian_plays_the_label_that_costs_more():
    run = play("kernel-awv", "contrarian(source=repeated(points=4))", rounds=40, label_bound=2.0)
    assert set(np.abs(run.labels)) == {2.0}
    assert (run.predictions * run.labels <= 1e-9).all()  # a prediction of 1e-17 counts as 0
    source = play("zero", "repeated(points=4)", rounds=40, label_bound=2.0)
    np.testing.assert_array_equal(run.points, source.points)
    tied = play("zero", "contrarian(source=repeated(points=4))", rounds=40, label_bound=2.0)
    np.testing.assert_array_equal(tied.labels, source.labels)  # the source decides


def test_leverage_goes_where_the_variance_is_largest():
    """In each round, no point of a fine grid has a larger variance than the adversary's point."""
    run = play("zero", "leverage", rounds=12, dimension=1)
    grid, kernel = np.linspace(-1, 1, 401)[:, np.newaxis], run.game.kernel
    for t in range(12):
        past = run.points[:t]
        inverse = np.linalg.inv(kernel.gram(past, past) + np.eye(t))

        def variance(X, past=past, inverse=inverse):
            cross = kernel.gram(X, past)
            return 1.0 - np.einsum("ij,jk,ik->i", cross, inverse, cross)

        assert variance(run.points[t : t + 1])[0] >= variance(grid).max() - 1e-6


def test_orthogonal_points_cost_every_learner_the_same():
    """The regret of Kernel-AWV is T / (1 + lambda) (theory F6)."""
    run = play("kernel-awv", "orthogonal", rounds=100, dimension=5, box=(-20, 20), regularisation=3.0)
    assert run.regret[-1] == pytest.approx(25.0, rel=1e-3)


def test_fresh_points_do_not_repeat_before_the_pool_is_used_up():
    game = Game(dimension=2)
    fresh = fresh_points(game, np.random.default_rng(0), start=np.zeros(2))
    size = len(fresh.pool)
    assert len({fresh[i].tobytes() for i in range(size)}) == size
    np.testing.assert_array_equal(fresh[size], fresh[0])
    np.testing.assert_array_equal(fresh.first(7), [fresh[i] for i in range(7)])
    distance = np.linalg.norm(fresh.pool, axis=1)
    assert np.linalg.norm(fresh[0]) == pytest.approx(distance.max())  # the farthest from `start`


@pytest.mark.parametrize("regularisation", [1.0, 0.01])
def test_near_duplicates_lie_at_the_given_distance(regularisation):
    run = play("zero", "near-duplicates", rounds=50, regularisation=regularisation)
    similarity = run.game.kernel.gram(run.points[:1], run.points[1:2])[0, 0]
    assert 1.0 - similarity == pytest.approx(2 * regularisation / 50, rel=1e-6)
    np.testing.assert_array_equal(run.labels[:4], [1, -1, 1, -1])
    given = play("zero", "near-duplicates(distance=0.001)", rounds=2)
    assert 1.0 - given.game.kernel.gram(given.points[:1], given.points[1:])[0, 0] == pytest.approx(1e-3, rel=1e-6)


def test_far_point_loses_what_the_taylor_features_miss():
    """With one point whose features have the squared norm q, the predictions have a closed form (theory F5)."""
    run = play("pkawv(embedding=taylor(degree=2))", "far-point", rounds=50, dimension=8)
    q = sum(np.exp(-8.0) * 8.0**k / (1, 1, 2)[k] for k in range(3))  # P(Poisson(8) <= 2)
    t = np.arange(50)
    np.testing.assert_allclose(run.predictions, q * t / (1 + q * (t + 1)), rtol=1e-9)
    assert (play("zero", "far-point", rounds=2, box=[(-5, 1), (0, 3)]).points == [-5, 3]).all()


def test_label_blocks_change_sign_after_each_block():
    labels = play("zero", "label-blocks(length=3)", rounds=8).labels
    np.testing.assert_array_equal(labels, [1, 1, 1, -1, -1, -1, 1, 1])


def test_restart_forcer_forces_one_restart_for_each_fresh_point_that_is_accepted():
    run = play(
        "pros-n-kons", "restart-forcer(anchored=4, contrary=false)", rounds=500, kernel="gaussian(bandwidth=0.1)"
    )
    fresh = np.arange(500) % 5 == 4
    assert set(run.labels[fresh]) == {0.0}
    assert set(run.labels[~fresh]) == {1.0}
    assert np.ptp(run.points[~fresh], axis=0).max() == 0.0
    restarts = run.evidence["restarts"]
    assert restarts.size > 40
    assert run.regret[-1] > 0.7 * restarts.size


def test_kors_evader_leaves_a_point_when_the_dictionary_grows():
    run = play("pkawv-kors(mu=20)", "kors-evader", rounds=200, kernel="gaussian(bandwidth=0.1)")
    left = np.flatnonzero((np.diff(run.points, axis=0) != 0).any(axis=1)) + 1  # the last round at each point
    grew = run.sizes[run.sizes[:, 1] > 0, 0]
    np.testing.assert_array_equal(left, grew[grew < 200])
    patient = play(Mean(), "kors-evader(patience=7)", rounds=21)
    assert len({x.tobytes() for x in patient.points}) == 3


def test_budget_breaker_enlarges_its_set_only_after_it_is_learnt():
    known = play("kernel-awv", "budget-breaker", rounds=200, kernel="gaussian(bandwidth=0.1)")
    stuck = play("zero", "budget-breaker", rounds=200)
    assert len(np.unique(stuck.points, axis=0)) <= 2
    assert len(np.unique(known.points, axis=0)) > 20
    assert len(np.unique(known.points, axis=0)) == len(np.unique(np.c_[known.points, known.labels], axis=0))


def test_feature_blind_keeps_asking_where_nothing_is_learnt():
    class Half:
        """Predicts the last label of each point with a negative first coordinate, and 0 at all other points."""

        def __init__(self):
            self.known = {}

        def predict(self, x):
            return self.known.get(x.tobytes(), 0.0)

        def update(self, x, y):
            if x[0] < 0:
                self.known[x.tobytes()] = y

    run = play(Half(), "feature-blind(points=20)", rounds=100)
    assert (run.points[-50:, 0] >= 0).all()


@pytest.mark.parametrize("dimension", [1, 4])
def test_realisable_labels_cost_the_comparator_little_and_depend_on_every_coordinate(dimension):
    run = play("zero", "realisable", rounds=600, dimension=dimension)
    assert run.regret[-1] > 0.6 * run.loss
    adversary = build("adversary", "realisable")
    adversary.begin(Game(dimension=dimension), np.random.default_rng(0))
    for coordinate in range(dimension):
        X = np.zeros((2, dimension))
        X[:, coordinate] = [0.5, -0.5]
        high, low = adversary.function(X)
        assert abs(high - low) > 0.1


@pytest.mark.parametrize("dimension", [1, 3])
def test_outliers_are_few_and_lie_beside_past_points(dimension):
    adversary = Outlier(distance=0.01)
    run = play("krr(regularisation=1e-4)", adversary, rounds=200, dimension=dimension, box=(0, 3), label_bound=2.0)
    wrong = np.abs(run.labels) > 1.0
    assert 3 <= wrong.sum() <= 30
    assert set(np.abs(run.labels[wrong])) == {2.0}
    assert run.labels[~wrong] == pytest.approx(0.5 * adversary.function(run.points[~wrong]), abs=1e-12)
    for t in np.flatnonzero(wrong):
        steps = np.abs(run.points[:t] - run.points[t])
        assert np.isclose(steps, 0.03).all(axis=1).any()
    assert adversary.function(run.points[wrong]) * run.labels[wrong] == pytest.approx(
        -2.0 * np.abs(adversary.function(run.points[wrong]))
    )


def test_a_learner_that_predicts_badly_gets_no_outliers():
    assert np.abs(play("zero", "outlier", rounds=100).labels).max() <= 0.5


def test_outliers_hardly_hurt_a_learner_with_a_larger_ridge():
    believing, doubting = (play(f"krr(regularisation={ridge})", "outlier").regret[-1] for ridge in (1e-6, 1))
    assert believing > 1e4
    assert doubting < 5


def test_drift_visits_each_place_once_for_its_share_of_the_match():
    run = play("zero", "drift(places=5)", rounds=50)
    changes = np.flatnonzero((np.diff(run.points, axis=0) != 0).any(axis=1)) + 1
    np.testing.assert_array_equal(changes, [10, 20, 30, 40])
    assert len(np.unique(run.points, axis=0)) == 5


def test_a_rehearsal_computes_the_regret_of_the_match():
    game = Game(rounds=40)
    plan = Rehearsal(game, as_learner(build("learner", "kernel-awv")), seed=0)
    X, y = plan.moves(build("adversary", "greedy(starts=16)"), 40, np.random.default_rng(1))
    run = play("kernel-awv", Replay(X=X, y=y), game=game)
    assert plan.regret(X, y) == pytest.approx(run.regret[-1], abs=1e-9)


def test_more_trials_never_make_a_joint_plan_worse_and_the_plan_repeats():
    regrets = [play("fgd", Joint(against="fgd", trials=n), rounds=30, seed=2).regret[-1] for n in (0, 100, 300)]
    assert regrets[0] < regrets[1] <= regrets[2]
    run = play("zero", "joint(horizon=10, trials=5)", rounds=25)
    np.testing.assert_array_equal(run.points[:10], run.points[10:20])


def test_a_deeper_lookahead_finds_a_trap_that_greedy_misses():
    """The learner predicts -10 in the round after the label B at a negative point, and moderate values otherwise."""

    class Trap:
        def __init__(self):
            self.armed = False

        def predict(self, x):
            return -10.0 if self.armed else (0.5 if x[0] < 0 else 0.0)

        def update(self, x, y):
            self.armed = y > 0 and x[0] < 0

    greedy = play(Trap(), "greedy", rounds=12, dimension=1).loss
    deep = play(Trap(), Lookahead(depth=3, against=as_learner(Trap())), rounds=12, dimension=1).loss
    assert deep > 2 * greedy


def test_mixture_prefers_the_adversary_that_causes_most_regret():
    """One of the two adversaries, `far-point`, causes hardly any regret of the Perceptron."""
    run = play("perceptron", "mixture(of=[far-point, alternating], stretch=5)", rounds=300)
    middle = (run.points == 0.0).all(axis=1)
    assert middle[100:].mean() > 0.7
    with pytest.raises(ArenaError, match="at least one adversary"):
        build("adversary", "mixture(of=[])")


def test_the_view_gives_the_dictionary_size_to_adaptive_adversaries_only():
    class Asks:
        def __init__(self, oblivious):
            self.oblivious, self.sizes = oblivious, []

        def begin(self, game, rng):
            pass

        def point(self, view):
            self.sizes.append(view.dictionary_size)
            return np.zeros(2)

        def label(self, view, x, prediction):
            return 1.0

    adaptive = Asks(oblivious=False)
    play("pkawv", adaptive, rounds=3)
    assert adaptive.sizes == [6, 6, 6]
    unsaid = Asks(oblivious=False)
    play(Mean(), unsaid, rounds=2)
    assert unsaid.sizes == [None, None]
    assert "may not look" in play("pkawv", Asks(oblivious=True), rounds=3).forfeit.reason
