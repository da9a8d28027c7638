"""Theorems that a learner promises are kept."""

from __future__ import annotations

from arena.engine.match import play
from arena.testing.checks.check import CheckFailed, NotApplicable, check
from arena.testing.checks.subject import Subject

ROUNDS = 60
OBLIVIOUS = ("alternating", "repeated(points=5)")
WATCHING = ("repeated(points=5, labels=contrary)", "greedy(starts=16, polished=1)")


def _promises(subject: Subject) -> str | None:
    return None if subject.learner.theorems else "it promises no theorem"


@check("plays", "same-seed-same-run", why_not=_promises)
def promised_theorems_hold(subject: Subject) -> None:
    """No theorem that it promises is violated, and at least one can be judged."""
    judged = []
    for adversary in (*OBLIVIOUS, *(() if subject.foresight else WATCHING)):
        run = play(subject.fresh(), adversary, game=subject.game, rounds=ROUNDS, seed=subject.seed)
        if run.forfeit:
            raise CheckFailed(f"against {adversary}: {run.forfeit}")
        for verdict in run.verdicts():
            if verdict.violated:
                raise CheckFailed(f"against {adversary}: {verdict}")
            judged.append(verdict)
    if not any(verdict.applicable for verdict in judged):
        raise NotApplicable(f"no promised theorem applies to this game; give one with game=: {judged[0]}")
