"""Fixtures that make parts and blocks so small that a short match is divided into many, and a table to replay."""

import numpy as np
import pytest

from arena.data import files, streams
from arena.engine import match, unfinished
from arena_tests.on_disk import COLUMNS, ROWS


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REGRET_ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(streams, "ROWS", 64)
    monkeypatch.setattr(files, "CHUNK", 4096)
    monkeypatch.setattr(match, "BLOCK", 100)
    monkeypatch.setattr(unfinished, "EVERY_ROUNDS", 200)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(ROWS, COLUMNS)) * [1.0, 10.0, 0.1] + 1.0, 6)
    return X, np.round(3.0 * np.sin(X[:, 0]) + rng.normal(size=ROWS), 6)
