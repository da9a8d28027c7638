"""The box of a game that is made from a data file contains every point that the data could have had."""

import numpy as np
import pytest

import arena
from arena.data.limits import limits_of


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("temp,price,always,y\n-3,100,7,1\n5,250,7,2\n")
    return path


def test_the_box_is_that_of_the_data(table):
    found = limits_of(table)
    assert found == {
        "dimension": 3,
        "box": ((-3.0, 5.0), (100.0, 250.0), (6.5, 7.5)),
        "features": ("temp", "price", "always"),
    }
    run = arena.play("zero", "greedy", rounds=10, **found)
    assert (run.points >= [-3, 100, 6.5]).all()
    assert (run.points <= [5, 250, 7.5]).all()
    assert limits_of(table, label_column="price")["features"] == ("temp", "always", "y")


def test_a_file_without_names(tmp_path):
    np.savetxt(tmp_path / "d.csv", [[0, 1], [2, 3]], delimiter=",")
    assert limits_of(tmp_path / "d.csv") == {"dimension": 1, "box": ((0.0, 2.0),)}


@pytest.mark.parametrize("value", [1.7e18, -1e25, 0.0])
def test_the_side_of_a_constant_feature_has_a_width(value, tmp_path):
    """A column of time stamps in nanoseconds may have one value, to which 0.5 adds nothing in floating point."""
    np.savetxt(tmp_path / "d.csv", [[value, 0, 1], [value, 1, 2]], delimiter=",")
    found = limits_of(tmp_path / "d.csv")
    low, high = found["box"][0]
    assert low < value < high
    assert arena.play("zero", "alternating", rounds=2, **found).rounds == 2
