"""What theorems say of matches."""

import numpy as np

from arena import play
from arena.record.commands import play_command
from arena.record.judging import judge


def matches(learner, adversaries, games=({},), seeds=range(1), **fields):
    """All these matches; adversaries that search play under the squared loss alone."""
    for adversary in adversaries:
        for game in games:
            if "greedy" not in adversary or "loss" not in game:
                for seed in seeds:
                    yield play(learner, adversary, seed=seed, **{**fields, **game})


def names_that_hold(runs):
    """The names of the promises that hold in some of the matches, in which none may be violated or undecided."""
    held = set()
    for run in runs:
        assert run.ended == "completed", run.forfeit
        for verdict in run.verdicts():
            assert verdict.outcome in ("holds", "not applicable"), f"{play_command(run)}: {verdict}"
            held |= {verdict.name} if verdict.holds else set()
    return held


def caught(learner, theorem, adversaries, *, rounds=150, **game):
    """The adversaries against which the learner violates the theorem."""
    with np.errstate(over="ignore"):
        return [each for each in adversaries if judge(play(learner, each, rounds=rounds, **game), theorem).violated]


def reason(run, theorem):
    """Why the theorem does not apply to the match."""
    verdict = run.verdict(theorem)
    assert verdict.outcome == "not applicable", str(verdict)
    return verdict.reason
