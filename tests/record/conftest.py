"""An assertion that two transcripts are equal, and a match that leaves many kinds of data in its transcript."""

from dataclasses import fields

import numpy as np
import pytest

from arena import Transcript, play
from arena_tests.players import LeavesEvidence


def _same(one, other):
    """Assert that the two transcripts are equal in every bit of every field."""
    for field in fields(Transcript):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.dtype == theirs.dtype
            assert mine.tobytes() == theirs.tobytes()
            assert mine.shape == theirs.shape
        elif field.name == "evidence":
            assert mine.keys() == theirs.keys()
            assert all(np.array_equal(mine[key], theirs[key], equal_nan=mine[key].dtype.kind == "f") for key in mine)
            assert all(mine[key].dtype == theirs[key].dtype for key in mine)
        elif field.name == "comparator":
            assert mine.exact.keys() == theirs.exact.keys()
            for at in mine.exact:
                for part in ("labels", "mean", "variance", "residuals", "optimum", "log_determinant"):
                    assert np.array_equal(getattr(mine.exact[at], part), getattr(theirs.exact[at], part))
        elif field.name == "unanswered" and mine is not None:
            assert all(np.array_equal(ours, others) for ours, others in zip(mine, theirs, strict=True))
        elif field.name not in ("promised", "promised_from_below", "trusted", "remembered"):
            assert mine == theirs, field.name


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    run = play(LeavesEvidence({"norms": np.arange(3.0)}), "repeated(points=3)", rounds=4, dimension=1)
    run.header["machine"] = "somewhere"
    return run, run.save(tmp_path_factory.mktemp("whole") / "whole.npz").read_bytes()


@pytest.fixture(scope="session")
def same():
    """The function that asserts that two transcripts are equal."""
    return _same
