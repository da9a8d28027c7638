"""The preparation of points and labels for the papers' experiments, and its report."""

from __future__ import annotations

import numpy as np
import pytest

from arena.data import Data
from arena.data.preparing import Preparation
from arena.errors import ArenaError

GIVEN = Data(np.array([[1.0, 5.0], [2.0, 5.0], [5.0, 5.0]]), np.array([10.0, 20.0, 10.0]))


@pytest.mark.parametrize(
    ("features", "column", "constant"),
    [
        ("raw", [1.0, 2.0, 5.0], 5.0),
        ("[0,1]", [0.0, 0.25, 1.0], 0.0),
        ("[-1,1]", [-1.0, -0.5, 1.0], 0.0),
        ("standardised", [-0.980581, -0.392232, 1.372813], 0.0),
    ],
)
def test_features(features, column, constant):
    prepared, report = Preparation(features).apply(GIVEN)
    np.testing.assert_allclose(prepared.X[:, 0], column, atol=1e-6)
    np.testing.assert_allclose(prepared.X[:, 1], constant)
    assert ("constant" in report) == (features in ("[0,1]", "[-1,1]"))


def test_a_constant_column_becomes_0_although_its_mean_is_rounded():
    tenths = Data(np.full((3, 1), 0.1), np.arange(3.0))
    assert np.mean(tenths.X) != 0.1
    assert Preparation("standardised").apply(tenths)[0].X.tolist() == [[0.0]] * 3


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("raw", [10, 20, 10]),
        ("[0,1]", [0, 1, 0]),
        ("[-1,1]", [-1, 1, -1]),
        ("classes", [-1, 1, -1]),
        ("2y-1", [19 / 39, 1, 19 / 39]),
    ],
)
def test_labels(labels, expected):
    prepared, report = Preparation(labels=labels).apply(GIVEN)
    assert prepared.y.tolist() == expected
    assert ("10" in report and "20" in report) == (labels != "raw")


def test_mistakes():
    with pytest.raises(ArenaError, match=r"features must be one of raw, \[0,1\]"):
        Preparation("unit")  # type: ignore[arg-type]
    three = Data(np.zeros((3, 1)), np.arange(3.0))
    with pytest.raises(ArenaError, match="3 values"):
        Preparation(labels="classes").apply(three)
    with pytest.raises(ArenaError, match="a label above 1/2"):
        Preparation(labels="2y-1").apply(Data(np.zeros((3, 1)), -np.arange(3.0)))
    with pytest.raises(ArenaError, match="all labels are equal"):
        Preparation(labels="[0,1]").apply(Data(np.zeros((3, 1)), np.ones(3)))
