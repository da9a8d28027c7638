"""When a learner's algorithm changes, `ALGORITHM` must be raised, so that stores play its matches again."""

import pytest

from arena import play
from arena.tournament.plan import ALGORITHM

KNOWN = 2  # the value of ALGORITHM for which the sums below were computed: of predictions, and of points
SUMS = {
    ("kernel-awv", "repeated(points=9)"): (5.022263, 0.584687),
    ("krr", "repeated(points=9)"): (6.661194, 0.584687),
    ("kons", "repeated(points=9)"): (6.648276, 0.584687),
    ("pkawv", "repeated(points=9)"): (4.930373, 0.584687),
    ("pros-n-kons", "repeated(points=9)"): (-0.566492, 0.584687),
    ("fgd", "repeated(points=9)"): (3.270144, 0.584687),
    ("projectron", "repeated(points=9)"): (-0.883841, 0.584687),
    ("dual-sgd", "repeated(points=9)"): (2.012327, 0.584687),
    ("pkawv-kors", "repeated(points=9)"): (5.189806, 0.584687),
    ("fogd", "repeated(points=9)"): (3.177471, 0.584687),
    ("bogd", "repeated(points=9)"): (3.270144, 0.584687),
    ("zero", "drift"): (0.000000, 0.990629),
    ("zero", "repeated"): (0.000000, 0.916838),
    ("zero", "near-duplicates"): (0.000000, 9.059209),
    ("zero", "label-blocks"): (0.000000, 0.000000),
    ("zero", "orthogonal"): (0.000000, -2.330211),
    ("zero", "realisable"): (0.000000, -2.729055),
    ("zero", "drawn(noise=0.1)"): (0.000000, 8.364211),
}


@pytest.mark.parametrize(("learner", "adversary"), SUMS)
def test_a_change_of_transcripts_raises_the_version_of_the_algorithms(learner, adversary):
    run = play(learner, adversary, rounds=40, seed=3)
    found = run.predictions.sum(), run.points.sum()
    assert ALGORITHM == KNOWN, "the version was raised: compute the sums again, and set KNOWN"
    assert found == pytest.approx(SUMS[learner, adversary], abs=1e-5), "raise ALGORITHM in arena/tournament/plan.py"
