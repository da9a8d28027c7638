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
