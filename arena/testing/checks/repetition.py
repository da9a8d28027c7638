"""Checks that a learner with one seed repeats its predictions in a new object, a second match and another process."""

from __future__ import annotations

from arena.players.learner import UserLearner
from arena.testing.checks import other_process
from arena.testing.checks.check import check, require_same
from arena.testing.checks.checked_learner import CheckedLearner
from arena.testing.checks.global_random_state import require_unused_global_state, set_global_state

ROUNDS = 40


@check("plays", "learners-share-no-state")
def same_seed_same_run(subject: CheckedLearner) -> None:
    """Check that two new learners with the same seed predict the same in the same rounds, to the last bit."""
    X, y = subject.sequence(ROUNDS)
    what = "two runs with one seed differ (draw from the rng of begin)"
    require_same(subject.answers(X, y), subject.answers(X, y), what)


def _needs_begin(subject: CheckedLearner) -> str | None:
    plain = isinstance(subject.learner, UserLearner) and not hasattr(subject.learner.given, "begin")
    return "it has no begin: each match trains a new copy of it" if plain else None


@check("plays", "same-seed-same-run", why_not=_needs_begin, varied=True)
def begin_forgets(subject: CheckedLearner) -> None:
    """Check that a learner in its second match predicts the same as a new learner."""
    X, y = subject.sequence(ROUNDS)
    expected = subject.answers(X, y)
    used = subject.begun(ROUNDS)
    subject.play(used, *subject.sequence(ROUNDS, which=1))
    set_global_state()
    again = subject.play(subject.begin(used, ROUNDS), X, y)
    require_same(expected, again, "in its second match it predicts otherwise than in its first", tolerance=1e-12)


@check("plays")
def global_random_state_is_untouched(subject: CheckedLearner) -> None:
    """Check that the learner neither draws from nor seeds the global states of `random` and `numpy.random`."""
    subject.answers(*subject.sequence(ROUNDS))
    require_unused_global_state()


@check("plays", "same-seed-same-run", "global-random-state-is-untouched")
def same_run_in_another_process(subject: CheckedLearner) -> None:
    """Check that the learner predicts the same in another process, where strings have other hashes."""
    portable = other_process.portable(subject.given, subject.name, subject.home)
    there = other_process.call(_answers, portable, subject.game, subject.seed)
    here = subject.answers(*subject.sequence(ROUNDS))
    require_same(here, there, "this process and another one differ", tolerance=1e-9)


def _answers(given: object, game: object, seed: int) -> object:
    subject = CheckedLearner(given, game, seed)  # type: ignore[arg-type]
    return subject.answers(*subject.sequence(ROUNDS))
