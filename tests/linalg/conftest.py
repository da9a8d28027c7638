"""What LAPACK is asked to factorise."""

import pytest
import scipy.linalg


@pytest.fixture
def factorised(monkeypatch):
    """The sizes of the matrices that reach LAPACK's Cholesky factorisation, in order."""
    sizes = []
    genuine = scipy.linalg.lapack.dpotrf

    def counted(corner, **options):
        sizes.append(len(corner))
        return genuine(corner, **options)

    monkeypatch.setattr(scipy.linalg.lapack, "dpotrf", counted)
    return sizes
