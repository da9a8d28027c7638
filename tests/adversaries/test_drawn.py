"""The points and labels of `drawn` are independent draws with the given noise."""

import numpy as np
import pytest
from scipy import stats

from arena import play


def test_draws_are_independent_and_uniform_over_the_set():
    run = play("zero", "drawn(points=4)", rounds=4000, seed=1)
    which = np.unique(run.points, axis=0, return_inverse=True)[1].reshape(-1)
    assert stats.chisquare(np.bincount(which)).pvalue > 1e-3
    pairs = np.bincount(4 * which[:-1] + which[1:], minlength=16)
    assert stats.chisquare(pairs).pvalue > 1e-3
    np.testing.assert_array_equal(run.labels, np.where(run.points[:, 0] > 0, 1.0, -1.0))


@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_labels_are_flipped_at_the_rate_that_is_asked_for(noise):
    run = play("zero", f"drawn(noise={noise})", rounds=4000, box=((2.0, 3.0), (0.0, 1.0)), label_bound=2.0)
    clean = np.where(run.points[:, 0] > 2.5, 2.0, -2.0)
    assert np.abs(run.labels).min() == 2.0
    assert np.mean(run.labels != clean) == pytest.approx(noise, abs=0.03)
