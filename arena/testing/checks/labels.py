"""A prediction may depend on the labels before it, never on its own or later ones."""

from __future__ import annotations

from arena.testing.checks.applicable import own_replay
from arena.testing.checks.check import check
from arena.testing.checks.compare import same
from arena.testing.checks.subject import Subject, play_together

ROUNDS = 40


@check("plays", "same-seed-same-run", why_not=own_replay)
def no_label_is_used_before_it_is_seen(subject: Subject) -> None:
    """In `replay`, which is given all labels at once, other labels from a round on change no prediction up to it."""
    X, y = subject.sequence(ROUNDS)
    expected = play_together(subject.begun(ROUNDS), X, y)
    for known in (0, 1, 2, ROUNDS // 2, ROUNDS - 1):
        other = y.copy()
        other[known:] *= -0.5
        seen = play_together(subject.begun(ROUNDS), X, other)
        what = f"with other labels from round {known + 1} on, replay predicts otherwise up to it"
        same(expected[: known + 1], seen[: known + 1], what, tolerance=1e-10)
