"""Checks that a learner with one seed repeats its predictions in a new object, a second match and another process."""

from __future__ import annotations

from arena.arrays import Array
from arena.players.learner import UserLearner
from arena.testing.checks.check import check, require_same
from arena.testing.checks.other_process import computed_there
from arena.testing.checks.subjects import ROUNDS, CheckedLearner, require_unused_global_state, set_global_state


@check("plays", "learners-share-no-state")
def same_seed_same_run(subject: CheckedLearner) -> None:
    """Check that two new learners with the same seed predict the same in the same rounds, to the last bit."""
    what = "two runs with one seed differ (draw from the rng of begin)"
    require_same(_answers(subject), _answers(subject), what)


def _needs_begin(subject: CheckedLearner) -> str | None:
    plain = isinstance(subject.learner, UserLearner) and not hasattr(subject.learner.given, "begin")
    return "it has no begin: each match trains a new copy of it" if plain else None


@check("plays", "same-seed-same-run", why_not=_needs_begin, varied=True)
def begin_forgets(subject: CheckedLearner) -> None:
    """Check that a learner in its second match predicts the same as a new learner."""
    expected = _answers(subject)
    used = subject.begun(ROUNDS)
    subject.play(used, *subject.sequence(ROUNDS, which=1))
    set_global_state()
    again = subject.play(subject.begin(used, ROUNDS), *subject.sequence(ROUNDS))
    require_same(expected, again, "in its second match it predicts otherwise than in its first", tolerance=1e-12)


@check("plays")
def global_random_state_is_untouched(subject: CheckedLearner) -> None:
    """Check that the learner neither draws from nor seeds the global states of `random` and `numpy.random`."""
    _answers(subject)
    require_unused_global_state()


@check("plays", "same-seed-same-run", "global-random-state-is-untouched")
def same_run_in_another_process(subject: CheckedLearner) -> None:
    """Check that the learner predicts the same in another process, where strings have other hashes."""
    there = computed_there(_answers, subject)
    require_same(_answers(subject), there, "this process and another one differ", tolerance=1e-9)


def _answers(subject: CheckedLearner) -> Array:
    return subject.answers(*subject.sequence(ROUNDS))
