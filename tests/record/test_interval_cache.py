"""Unfinished computations are kept in a folder; nothing fails if the folder or a file cannot be used."""

import os
import time

import numpy as np

from arena.guards.disk import UNUSED
from arena.record.interval_cache import IntervalCacheOnDisk


def test_arrays_come_back_and_can_be_dropped(tmp_path):
    interval_cache = IntervalCacheOnDisk(tmp_path / "a" / "b", every=0.0)
    assert interval_cache.load("key") is None
    interval_cache.keep("key", {"x": np.arange(3.0), "n": np.array(7)})
    interval_cache.keep("key", {"x": np.arange(4.0), "n": np.array(8)})
    found = IntervalCacheOnDisk(tmp_path / "a" / "b").load("key")
    np.testing.assert_array_equal(found["x"], np.arange(4.0))
    assert int(found["n"]) == 8
    interval_cache.drop("key")
    interval_cache.drop("key")
    assert interval_cache.load("key") is None


def test_a_moment_later_nothing_is_written(tmp_path):
    interval_cache = IntervalCacheOnDisk(tmp_path, every=1e9)
    interval_cache.keep("key", {"x": np.zeros(1)})
    interval_cache.keep("key", {"x": np.ones(1)})
    assert interval_cache.load("key")["x"] == 0.0


def test_damaged_files_and_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "key.npz").write_bytes(b"PK\x03\x04 torn")
    assert IntervalCacheOnDisk(tmp_path).load("key") is None
    (tmp_path / "file").write_text("no folder")
    IntervalCacheOnDisk(tmp_path / "file").keep("key", {"x": np.zeros(1)})
    assert IntervalCacheOnDisk(tmp_path / "file").load("key") is None


def test_old_files_are_forgotten(tmp_path):
    interval_cache = IntervalCacheOnDisk(tmp_path, every=0.0)
    interval_cache.keep("old", {"x": np.zeros(1)})
    long_ago = time.time() - 2 * UNUSED
    os.utime(tmp_path / "old.npz", (long_ago, long_ago))
    interval_cache.keep("new", {"x": np.zeros(1)})
    assert [file.name for file in tmp_path.iterdir()] == ["new.npz"]


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("REGRET_ARENA_CACHE", str(tmp_path))
    assert IntervalCacheOnDisk().folder == tmp_path / "regret-arena" / "unfinished"
