"""The same spec and seed give the same run: here, in a learner used before, and in another process."""

from __future__ import annotations

from arena.players.learner import Guest
from arena.testing.checks import elsewhere
from arena.testing.checks.check import check
from arena.testing.checks.compare import same
from arena.testing.checks.randomness import require_known_global_state, set_global_state
from arena.testing.checks.subject import Subject

ROUNDS = 40


@check("plays", "learners-share-no-state")
def same_seed_same_run(subject: Subject) -> None:
    """Two new learners that are begun alike predict alike, to the last bit."""
    X, y = subject.sequence(ROUNDS)
    same(subject.answers(X, y), subject.answers(X, y), "two runs with one seed differ (draw from the rng of begin)")


def _has_begin(subject: Subject) -> str | None:
    plain = isinstance(subject.learner, Guest) and not hasattr(subject.learner.guest, "begin")
    return "it has no begin: each match trains a new copy of it" if plain else None


@check("plays", "same-seed-same-run", why_not=_has_begin)
def begin_forgets(subject: Subject) -> None:
    """A learner that is begun again knows nothing of the match before."""
    X, y = subject.sequence(ROUNDS)
    expected = subject.answers(X, y)
    used = subject.begun(ROUNDS)
    subject.play(used, *subject.sequence(ROUNDS, which=1))
    set_global_state()
    again = subject.play(subject.begin(used, ROUNDS), X, y)
    same(expected, again, "in its second match it predicts otherwise than in its first", tolerance=1e-12)


@check("plays")
def global_random_state_is_untouched(subject: Subject) -> None:
    """It neither draws from nor seeds the global states of `random` and `numpy.random`."""
    X, y = subject.sequence(ROUNDS)
    learner = subject.fresh()
    subject.play(subject.begin(learner, ROUNDS), X, y)
    require_known_global_state()


@check("plays", "same-seed-same-run", "global-random-state-is-untouched")
def same_run_in_another_process(subject: Subject) -> None:
    """Another process, with other hashes of strings, sees the same predictions."""
    X, y = subject.sequence(ROUNDS)
    there = elsewhere.call(
        _answers, elsewhere.portable(subject.given, subject.name, subject.home), subject.game, subject.seed
    )
    same(subject.answers(X, y), there, "this process and another one differ", tolerance=1e-9)


def _answers(given: object, game: object, seed: int) -> object:
    subject = Subject(given, game, seed)  # type: ignore[arg-type]
    return subject.answers(*subject.sequence(ROUNDS))
