"""A hunt varies neither the fields of the game that the user gives, nor a lambda or horizon that the learner fixes."""

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt import hunt
from arena.hunt.patterns import POINTS, script, with_adaptive_signs
from arena_tests.planted.by_hand import ByHand


def test_a_learner_with_a_game_of_its_own_plays_in_it():
    """Lambda and the kernel are not varied, since the theorem would fail for a correct learner with other values."""
    found = hunt(ByHand, "awv-leverage", matches=250, workers=0, rounds=40)
    assert found.violation is None
    assert set(found.varied) == {"box", "dimension", "label_bound", "rounds"}
    assert found.closest[0].tightness == pytest.approx(1.0, abs=1e-3)
    assert found.closest[0].matches == 250


def test_the_horizon_stays_for_a_learner_with_a_fixed_rate():
    class Descent:
        """Gradient descent with the step size of FGD for 200 rounds."""

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


def test_the_label_bound_stays_for_a_learner_that_clips_at_one():
    class Clips(ByHand):
        def predict(self, x):
            return float(np.clip(super().predict(x), -1, 1))

    found = hunt(Clips(), "clipped-krr", matches=250, workers=0, rounds=40)
    assert found.violation is None
    assert "box" in found.varied
    assert "label_bound" not in found.varied


def test_the_dimension_stays_for_a_learner_that_needs_two():
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


@pytest.mark.parametrize("points", POINTS)
def test_patterns_have_as_many_rounds_as_they_should(points):
    for rounds in range(1, 41):
        assert len(script(points, "constant labels", Game(), np.random.default_rng(0), rounds)) == rounds
        assert len(with_adaptive_signs(points, "constant labels", Game(), np.random.default_rng(0), rounds)) == rounds


@pytest.mark.parametrize("theorems", ["none", []])
def test_a_hunt_needs_a_theorem(theorems):
    with pytest.raises(ArenaError, match="a hunt needs a theorem to break"):
        hunt("kernel-awv", theorems, matches=200, workers=0)


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_a_hunt_needs_a_seed_that_is_a_whole_number(seed):
    with pytest.raises(ArenaError, match="seed must be a whole number >= 0"):
        hunt("kernel-awv", matches=5, workers=0, seed=seed)
