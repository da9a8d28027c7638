"""Helpers that play matches and return how theorems judge them."""

import numpy as np

from arena import play
from arena.record.commands import play_command
from arena.record.judging import judge


def matches(learner, adversaries, games=({},), seeds=range(1), **fields):
    """Yield the matches of the learner against each adversary, in each game, with each seed.

    Greedy adversaries are left out in games that set a loss, since they play with the squared loss alone.
    """
    for adversary in adversaries:
        for game in games:
            if "greedy" not in adversary or "loss" not in game:
                for seed in seeds:
                    yield play(learner, adversary, seed=seed, **{**fields, **game})


def names_that_hold(runs):
    """Return the names of the promises that hold in at least one of the matches.

    A test fails if a promise is violated or undecided in one of the matches.
    """
    held = set()
    for run in runs:
        assert run.ended == "completed", run.forfeit
        for verdict in run.verdicts():
            assert verdict.outcome in ("holds", "not applicable"), f"{play_command(run)}: {verdict}"
            held |= {verdict.name} if verdict.holds else set()
    return held


def caught(learner, theorem, adversaries, *, rounds=150, **game):
    """Return the adversaries against which the learner violates the theorem."""
    with np.errstate(over="ignore"):
        return [each for each in adversaries if judge(play(learner, each, rounds=rounds, **game), theorem).violated]


def reason(run, theorem):
    """Return the reason why the theorem is not applicable to the match."""
    verdict = run.verdict(theorem)
    assert verdict.outcome == "not applicable", str(verdict)
    return verdict.reason
