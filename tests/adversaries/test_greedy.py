"""The greedy adversary finds the worst point, and plays on whatever a learner predicts."""

import numpy as np
import pytest

from arena import Learner, play


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
