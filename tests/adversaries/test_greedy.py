"""The greedy adversary finds the worst point, and plays on whatever a learner predicts."""

import numpy as np
import pytest

from arena import Game, Learner, play
from arena.adversaries._shared.search import improved
from arena.specs.building import build


class Bump(Learner):
    """A learner whose `peek` has large values near one point only."""

    def predict(self, x):
        return 0.0

    def peek(self, X):
        return 3.0 * np.exp(-np.square(X - [0.8, -0.6]).sum(axis=1) / (2 * 0.3**2))

    def update(self, x, y):
        pass


def test_it_climbs_to_the_point_where_the_learner_is_worst():
    """In round 1 the regret changes by (|f(x)| + 1)^2 - 1/2, which is largest where |f(x)| is largest."""
    run = play(Bump(), "greedy(starts=64)", rounds=1)
    np.testing.assert_allclose(run.points[0], [0.8, -0.6], atol=1e-3)
    assert (
        run.labels[0] == 1.0
    )  # chosen after the prediction, which was 0 in truth: both are as good, the first is taken
    rough = play(Bump(), "greedy(starts=64, polished=0)", rounds=1)
    assert np.abs(rough.points[0] - [0.8, -0.6]).max() > 1e-3


@pytest.mark.parametrize("value", [1e60, 1e154, 1e200, 1.7e308])
def test_a_diverging_learner_is_played_to_the_end_and_never_asked_at_nan(value):
    class Explodes(Learner):
        def begin(self, game, rng):
            self.rounds = 0

        def peek(self, X):
            assert np.isfinite(X).all()
            return value * np.sin(X[:, 0]) * (self.rounds > 3)

        def update(self, x, y):
            self.rounds += 1

    for spec in ("greedy(starts=16)", "greedy(starts=16, polished=0)", "mixture(of=[greedy(starts=16)])"):
        run = play(Explodes(), spec, rounds=8)
        assert run.ended == "completed", run.forfeit
        assert np.abs(run.predictions).max() > 0.5 * value  # it goes where the learner is worst


@pytest.mark.parametrize("question", ["peek", "posterior"])
def test_asking_about_nan_is_a_foul_of_the_adversary(question):
    class Asks:
        def point(self, view):
            getattr(view, question)(np.array([[np.nan, 0.0]]))
            return np.zeros(2)

        def label(self, view, x, prediction):
            return 1.0

    run = play("kernel-awv", Asks(), rounds=3)
    assert (run.forfeit.side, run.forfeit.round) == ("adversary", 1)
    assert "must be finite" in run.forfeit.reason


@pytest.mark.parametrize("box", [(-1.0, 1.0), (1000.0, 1000.001), (-1e-9, 1e-9), (-1e6, 1e9)])
def test_its_points_stay_inside_the_box(box):
    run = play("kernel-awv", "greedy(starts=16, polished=3)", rounds=10, box=box, dimension=3)
    assert run.ended == "completed", run.forfeit
    assert ((run.points >= box[0]) & (run.points <= box[1])).all()


def test_more_starts_and_polishing_never_lower_the_regret_of_the_first_round():
    """Polishing keeps the best of the starts among the candidates."""
    for seed in range(5):
        rough = play("zero", "greedy(starts=8, polished=0)", rounds=1, seed=seed, kernel="linear")
        fine = play("zero", "greedy(starts=8, polished=4)", rounds=1, seed=seed, kernel="linear")
        assert fine.regret[0] >= rough.regret[0] - 1e-12
    assert fine.regret[0] == pytest.approx(2 / 3)  # a corner: k = 2, R = 1 - lambda / (lambda + k)


def test_where_both_labels_raise_the_regret_alike_it_contradicts_the_neighbours():
    """Kernel-AWV makes every round such a tie."""
    run = play("kernel-awv", "greedy", rounds=60)
    cross = np.tril(run.game.kernel.gram(run.points, run.points), -1)
    around = cross @ run.labels
    assert run.labels[0] == 1.0
    clear = np.abs(around) > 1e-6
    assert clear.sum() > 50
    np.testing.assert_array_equal(run.labels[clear], -np.sign(around[clear]))


@pytest.mark.parametrize("noise", [1e-15, 1e-12])
def test_rounding_errors_of_a_learner_change_no_move(noise):
    """As on a processor that rounds otherwise: predictions differ a little, at random."""

    class Noisy:
        def __init__(self, seed):
            self.learner, self.rng = build("learner", "krr"), np.random.default_rng(seed)

        def begin(self, game, rng):
            self.learner.begin(game, rng)

        def peek(self, X):
            return self.learner.peek(X) * (1.0 + noise * self.rng.standard_normal(len(X)))

        def predict(self, x):
            return float(self.learner.peek(x[np.newaxis])[0])

        def update(self, x, y):
            self.learner.update(x, y)

    runs = [play(Noisy(seed), "greedy", rounds=80, regularisation=0.3) for seed in range(2)]
    np.testing.assert_array_equal(runs[0].points, runs[1].points)
    np.testing.assert_array_equal(runs[0].labels, runs[1].labels)


@pytest.mark.parametrize("dimension", [1, 3])
def test_a_pattern_search_ends_where_no_neighbour_is_better(dimension):
    """Its slow twin looks at all points of a fine grid, coordinate by coordinate."""
    game = Game(dimension=dimension)
    centre = np.full(dimension, 0.3337)

    def score(X):
        return np.exp(-np.square(X - centre).sum(axis=1) / 0.5)[:, np.newaxis]

    starts = np.random.default_rng(0).uniform(-1, 1, size=(20, dimension))
    found = improved(score, starts, game, polished=3, steps=40)
    fine = np.linspace(-1, 1, 2001)
    best = fine[np.exp(-np.square(fine - 0.3337) / 0.5).argmax()]
    np.testing.assert_allclose(found, best, atol=2e-3)
