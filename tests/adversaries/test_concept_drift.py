"""`concept-drift` adds a drift of the given magnitude to the labels of another adversary, and changes nothing else."""

import numpy as np
import pytest

from arena import ArenaError, play

ROUNDS = 80


def moves(**parameters):
    """Return the points, and by how much the drift moves each label, in units of the other adversary's labels."""
    found = {}
    for magnitude in (0.0, 0.4):
        text = ", ".join(f"{name}={value}" for name, value in {"magnitude": magnitude, **parameters}.items())
        found[magnitude] = play("zero", f"concept-drift({text})", rounds=ROUNDS, label_bound=2, seed=1)
    still, moving = found.values()
    np.testing.assert_array_equal(still.points, moving.points)
    assert moving.header["label_unit"] == pytest.approx(1.2)
    return still.points, 1.2 * moving.labels - still.labels


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("abrupt", np.where(np.arange(ROUNDS) < 40, 0.0, 0.4)),
        ("gradual", 0.4 * np.clip((np.arange(ROUNDS) - 39) / 40, 0, 1)),
        ("recurring", np.where((np.arange(ROUNDS) >= 40) & (np.arange(ROUNDS) // 5 % 2 == 0), 0.4, 0.0)),
    ],
)
@pytest.mark.parametrize("of", ["realisable", "'repeated(labels=contrary)'"])  # oblivious, and not
def test_labels_move_as_the_kind_says(kind, expected, of):
    np.testing.assert_allclose(moves(kind=kind, of=of)[1], expected, atol=1e-12)


def test_a_slope_moves_labels_by_a_linear_function_of_the_point():
    points, moved = moves(by="slope", start=0)
    plane = np.linalg.lstsq(points, moved, rcond=None)[0]
    np.testing.assert_allclose(points @ plane, moved, atol=1e-9)
    assert np.abs(plane).sum() == pytest.approx(0.4)


def test_the_magnitude_is_in_the_units_of_the_data(tmp_path):
    X = np.linspace(-1, 1, ROUNDS)
    np.savetxt(tmp_path / "d.csv", np.column_stack([X, 100 * X]), delimiter=",")
    run = play("zero", f"concept-drift(of='replay(file={tmp_path / 'd.csv'})', magnitude=20)", rounds=ROUNDS)
    in_units = run.header["label_unit"] * run.labels
    np.testing.assert_allclose(in_units, 100 * X + np.where(np.arange(ROUNDS) < 40, 0.0, 20.0), atol=1e-9)
    assert np.abs(run.labels).max() == pytest.approx(1.0)


def test_noise_has_the_deviation_that_is_given():
    still, noisy = (
        play("zero", f"concept-drift(magnitude=0, noise={noise})", rounds=2000, seed=2) for noise in (0, 0.1)
    )
    np.testing.assert_array_equal(still.points, noisy.points)
    inside = np.abs(still.labels) < 0.6
    assert np.std((noisy.labels - still.labels)[inside]) == pytest.approx(0.1, rel=0.1)


def test_classes_cannot_move():
    with pytest.raises(ArenaError, match="moves numbers, and the labels of the hinge loss are classes"):
        play("krr", "concept-drift", loss="hinge")
