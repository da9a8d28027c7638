"""A fixture that records the matrices that LAPACK factorises."""

import pytest
import scipy.linalg


@pytest.fixture
def factorised(monkeypatch):
    """A list of the sizes of the matrices that LAPACK's Cholesky factorisation gets, in order."""
    sizes = []
    genuine = scipy.linalg.lapack.dpotrf

    def counted(corner, **options):
        sizes.append(len(corner))
        return genuine(corner, **options)

    monkeypatch.setattr(scipy.linalg.lapack, "dpotrf", counted)
    return sizes
