"""`assert_regret` and the plugin, as a user's test run shows them."""

import re

import pytest

from arena import ArenaError
from arena.testing import RegretTooLarge, assert_regret


class Stubborn:
    """Predicts the last label: alternating labels are its ruin."""

    def __init__(self):
        self.last = 0.0

    def predict(self, x):
        return self.last

    def update(self, x, y):
        self.last = y


def test_a_learner_that_obeys_passes_and_gives_the_transcript():
    assert assert_regret("kernel-awv", "alternating", rounds=30).rounds == 30


def test_a_violation_names_everything():
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret("krr", "greedy", theorem="awv-logdet", rounds=40, dimension=5)
    message = str(failure.value)
    verdict, run = failure.value.verdict, failure.value.transcript
    assert message.startswith("krr against greedy: awv-logdet is violated in round ")
    assert f"regret {verdict.measured_curve[verdict.round - 1]:.9g}" in message
    assert f"bound {verdict.allowed_curve[verdict.round - 1]:.9g}" in message
    assert f"margin {verdict.margin:.3g}" in message
    assert "again: arena play krr greedy --rounds 40 --dimension 5 --bound awv-logdet" in message
    assert verdict.margin == pytest.approx(run.regret[verdict.round - 1] - verdict.allowed_curve[verdict.round - 1])
    excess = run.regret - verdict.allowed_curve
    assert (excess[: verdict.round - 1] <= 1e-8 * (1 + run.cumulative_losses[: verdict.round - 1])).all()


def test_at_most_bounds_a_learner_without_a_theorem():
    assert_regret("zero", "alternating", rounds=20, at_most=1e-9)
    with pytest.raises(RegretTooLarge, match=r"Stubborn against alternating: the regret exceeds what is allowed"):
        assert_regret(Stubborn(), "alternating", rounds=20, at_most=10)


def test_a_forfeit_fails():
    class Broken(Stubborn):
        def update(self, x, y):
            raise RuntimeError("out of luck")

    with pytest.raises(RegretTooLarge, match=r"the learner forfeits in round 1: .* out of luck"):
        assert_regret(Broken(), "alternating", at_most=100)


def test_an_assertion_with_nothing_to_check_is_a_mistake():
    with pytest.raises(ArenaError, match="promises no theorem"):
        assert_regret("zero", "alternating")
    with pytest.raises(ArenaError, match="nothing was checked"):
        assert_regret(Stubborn(), "alternating", theorem="clipped-krr", label_bound=0.5, prediction_bound=0.25,
                      hindsight="none")  # fmt: skip
    with pytest.raises(ArenaError, match="at_most needs the regret"):
        assert_regret(Stubborn(), "alternating", at_most=1, hindsight="none")


SUITE = """
from arena.testing import assert_regret

class Stubborn:
    def __init__(self): self.last = 0.0
    def predict(self, x): return self.last
    def update(self, x, y): self.last = y

def test_good(assert_regret):
    assert_regret("kernel-awv", "alternating", rounds=30)

def test_bad():
    assert_regret(Stubborn(), "alternating", theorem="awv-logdet", rounds=30)

def test_no_match():
    pass
"""


def test_the_failure_is_short_and_the_summary_counts_each_match_once(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    text = result.stdout.str()
    assert "2 matches, 60 rounds" in text
    assert re.search(r"closest to its bound: \S*Stubborn against alternating, [\d.]+% of awv-logdet", text)
    assert re.search(r"again: arena play \S*test_the_failure\S*\.py:Stubborn alternating --rounds 30", text)
    assert "regret.py" not in text  # our own frames are hidden


def test_the_summary_survives_xdist(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--numprocesses", "2")
    result.assert_outcomes(passed=2, failed=1)
    assert "2 matches, 60 rounds" in result.stdout.str()


def test_a_run_without_matches_does_not_load_the_engine(pytester):
    pytester.makepyfile(
        "import sys\ndef test(): assert 'arena.match' not in sys.modules and 'numpy' not in sys.modules\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "regret arena" not in result.stdout.str()
