"""`assert_regret`: when it passes, the messages of its failures, and mistakes in its arguments."""

import pytest

from arena import ArenaError, play
from arena.engine.growth import regret_between
from arena.testing import RegretTooLarge, assert_regret
from arena_tests.planted.by_hand import LastLabel


def test_a_learner_that_keeps_its_promise_passes_and_the_transcript_is_returned():
    assert assert_regret("kernel-awv", "alternating", rounds=30).rounds == 30


def test_a_violation_prints_learner_adversary_numbers_and_command():
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


def test_at_most_judges_a_learner_without_a_theorem():
    assert_regret("zero", "alternating", rounds=20, at_most=1e-9)
    with pytest.raises(RegretTooLarge, match=r"LastLabel against alternating: the regret exceeds what is allowed"):
        assert_regret(LastLabel(), "alternating", rounds=20, at_most=10)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared-hinge"])
def test_at_most_judges_the_regret_of_other_losses(loss):
    run = play("fgd", "alternating", rounds=12, loss=loss)
    low, high = regret_between(run, [12])[0]
    assert_regret("fgd", "alternating", rounds=12, loss=loss, at_most=high + 1e-6, theorem=[])
    with pytest.raises(RegretTooLarge, match="the regret exceeds what is allowed"):
        assert_regret("fgd", "alternating", rounds=12, loss=loss, at_most=low - 1e-6, theorem=[])


class WithState(LastLabel):
    """A learner with `begin`, so that the given object plays instead of a copy."""

    def begin(self, game, rng):
        self.last, self.bound = 0.0, game.label_bound


def test_the_given_object_is_not_changed():
    """A changed object would have no spec, so that no command could repeat its failure."""
    learner = WithState()
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret(learner, "alternating", theorem="awv-logdet", rounds=20)
    assert vars(learner) == {"last": 0.0}
    assert "no spec can name" not in str(failure.value)


def test_a_forfeit_fails():
    class Broken(LastLabel):
        def update(self, x, y):
            raise RuntimeError("out of luck")

    with pytest.raises(RegretTooLarge, match=r"the learner forfeits in round 1: .* out of luck"):
        assert_regret(Broken(), "alternating", at_most=100)


def test_an_assertion_with_nothing_to_check_is_an_error():
    with pytest.raises(ArenaError, match="promises no theorem"):
        assert_regret("zero", "alternating")
    with pytest.raises(ArenaError, match="nothing was checked"):
        assert_regret(LastLabel(), "alternating", theorem="clipped-krr", label_bound=0.5, prediction_bound=0.25,
                      hindsight="none")  # fmt: skip
    with pytest.raises(ArenaError, match="at_most needs the regret"):
        assert_regret(LastLabel(), "alternating", at_most=1, hindsight="none")
