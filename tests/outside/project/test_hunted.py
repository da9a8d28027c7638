"""A test of a project with a hunt that finds a violation."""

from arena.testing import assert_no_violation


def test_hunt():
    assert_no_violation("./models.py:Eager", theorem="awv-logdet", matches=30, rounds=40, workers=0)
