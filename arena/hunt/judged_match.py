"""One match of the hunt: the target's learner plays a candidate within a time limit, and the theorems judge it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from arena.arrays import clearly_above
from arena.engine.match import Interrupted, Match
from arena.errors import ArenaError
from arena.guards.clock import OutOfTime
from arena.hunt.candidates import Candidate, Script
from arena.hunt.target import Target
from arena.hunt.watchdog import Watchdog
from arena.linalg.gram_factor import shared_factors
from arena.players.adversary import arranged
from arena.record.forfeit import Forfeit
from arena.record.judging import promises_of
from arena.record.remarks import kept_names
from arena.record.theorem import ROUNDING
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.spelling import name_of

Ending = Literal["played", "cut short", "hung", "unfit"]
DIVERGED = 1e6  # size of a prediction, in units of the label bound, from which a learner counts as diverged
NOISE = 1e-3  # share of the allowed rounding below which a deviation counts as none


@dataclass
class HuntedMatch:
    """A candidate's match, with the verdict of each theorem.

    - `run` is the transcript of the rounds played; None if there is none.
    - `ending` is "played" after all rounds or a foul of the learner, "cut short" if the time limit ended the match,
      and "hung" if the learner did not answer. It is "unfit" if learner, adversary and game do not fit together, or if
      the adversary committed a foul.
    - `silence` is the number of seconds from the last finished round to the end of the match.
    """

    candidate: Candidate
    run: Transcript | None
    ending: Ending
    seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)
    silence: float = 0.0

    @property
    def forfeit(self) -> Forfeit | None:
        """The learner's foul; None if the learner committed none."""
        found = self.run.forfeit if self.run else None
        return found if found and found.side == "learner" else None

    @property
    def diverged(self) -> bool:
        """True if some prediction exceeds `DIVERGED` times the label bound, as with a step size that is too large."""
        if self.run is None:
            return False
        sizes = np.abs(self.run.predictions)
        return bool((sizes > DIVERGED * self.run.game.label_bound).any())

    @property
    def violated(self) -> Verdict | None:
        """The first verdict "violated" on a theorem that one match can refute; None if there is none."""
        return next((each for each in self.verdicts if each.violated and not each.by_chance), None)

    @property
    def unlucky(self) -> Verdict | None:
        """The first verdict "violated" on a theorem that holds only with a probability or on average; None if none."""
        return next((each for each in self.verdicts if each.violated and each.by_chance), None)

    @property
    def premise(self) -> Verdict | None:
        """The first verdict "not applicable" that is the learner's fault; None if there is none.

        Such a verdict is the learner's fault if all failed assumptions are conditions on the learner. But missing
        evidence (`Assumption.promised`) is the learner's fault only if the learner promises the theorem, and if the
        match was played to its end.
        """
        promised = {each.name for each in promises_of(self.run)} if self.run else set()

        def owed(verdict: Verdict) -> bool:
            lacks_evidence = any(each.promised for each in verdict.failed)
            # a learner is asked for evidence after the last round
            return not lacks_evidence or (self.ending == "played" and verdict.theorem in promised)

        return next((each for each in self.verdicts if each.unmet and owed(each)), None)

    @property
    def closeness(self) -> float:
        """The largest value of measured / allowed at the end, over all theorems, clipped to [-1, 10].

        The value is -1 if no theorem applies.
        """
        return max((_closeness(each) for each in self.verdicts), default=-1.0)

    @property
    def steepest(self) -> float:
        """The largest rise of measured - allowed from one round to the next, over all theorems, clipped to [-1, 10].

        The value is -1 if no theorem applies, or if the match has fewer than two rounds.
        """
        return max((_steepest(each) for each in self.verdicts), default=-1.0)


def _closeness(verdict: Verdict) -> float:
    """Return measured / allowed at the end, clipped to [-1, 10]; -1 if the theorem does not apply.

    The result is 0 if the allowed value is not positive, or if one of the two values is not finite. For an identity it
    is the measured deviation divided by the deviation that rounding may cause, but at most 1, and 0 if it is so small
    that it is rounding: other processors have another rounding.
    """
    if not verdict.applicable or verdict.measured is None or verdict.allowed is None:
        return -1.0
    if verdict.is_deviation:
        closeness = min(verdict.measured / ROUNDING, 1.0)
        return closeness if closeness > NOISE else 0.0
    if not verdict.allowed > 0 or not np.isfinite(verdict.allowed) or not np.isfinite(verdict.measured):
        return 0.0
    return float(np.clip(verdict.measured / verdict.allowed, -1.0, 10.0))


def _steepest(verdict: Verdict) -> float:
    if not verdict.applicable or verdict.measured_curve is None or verdict.allowed_curve is None:
        return -1.0
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.diff(verdict.measured_curve - verdict.allowed_curve)
    steps = steps[np.isfinite(steps)]
    return float(np.clip(steps.max(), -1.0, 10.0)) if len(steps) else -1.0


def play_and_judge(candidate: Candidate, target: Target, watchdog: Watchdog) -> HuntedMatch:
    """Play a candidate with the target's learner; return the match with the verdicts of the target's theorems."""
    started = time.perf_counter()
    try:
        run, ending = play_candidate(candidate, target, watchdog)
    except ArenaError:  # the adversary or the learner needs another game
        run, ending = None, "unfit"
    match = HuntedMatch(candidate, run, ending, silence=watchdog.silence)
    if run is not None and run.rounds and ending != "hung":
        try:
            with watchdog.watching(None):
                match.verdicts = target.judge(run)
        except OutOfTime:
            match.ending = "cut short"
    match.seconds = time.perf_counter() - started
    return match


def play_candidate(candidate: Candidate, target: Target, watchdog: Watchdog) -> tuple[Transcript | None, Ending]:
    """Play the candidate; return the transcript, and how the match ended.

    If the watchdog interrupts the match, the transcript has the rounds so far. The transcript is None in three cases:

    - The players do not fit together.
    - The adversary commits a foul.
    - The time runs out while the transcript itself is made.

    An `ArenaError` is raised if the learner or the adversary refuses the game, and `Interrupted` after Ctrl-C.
    """
    learner, opponent = target.fresh(), candidate.opponent()
    if learner.foresight and not opponent.oblivious:
        return None, "unfit"
    game = arranged(opponent, candidate.game)
    names = (target.name, candidate.label)
    remarks = kept_names(names, (target.called, name_of(candidate.label)))
    match = Match(learner, opponent, game, candidate.seed, names=names, hindsight="exact", remarks=remarks)
    try:
        with watchdog.watching(match), shared_factors():
            run = match.run()
    except Interrupted as interruption:
        if not watchdog.fired:  # the user pressed Ctrl-C
            raise
        return interruption.transcript, "hung" if watchdog.silent else "cut short"
    except OutOfTime:
        return None, "hung" if watchdog.silent else "cut short"
    if run.forfeit is not None and run.forfeit.side == "adversary":
        return None, "unfit"
    return run, "played"


def last_label_turned(match: HuntedMatch, target: Target) -> Candidate | None:
    """Return the match's candidate with its last label replaced by a label of size B with the opposite sign.

    The result is None in these cases:

    - The changed match violates no theorem, and does not come closer to a violation either.
    - The match has one round, or did not reach its end.
    - The candidate has an adversary in place of moves.
    """
    run = match.run
    if run is None or match.candidate.moves is None or run.rounds < 2 or match.ending != "played" or run.forfeit:
        return None
    labels = np.array(run.labels)
    labels[-1] = -np.sign(labels[-1] or 1.0) * run.game.label_bound
    # No prediction depends on the last label, so the changed match need not be played.
    verdicts = target.judge(replace(run, labels=labels))
    closer = clearly_above(max((_closeness(each) for each in verdicts), default=-1.0), match.closeness, scale=1.0)
    if not closer and not any(each.violated for each in verdicts):
        return None
    return match.candidate.replace(moves=Script(run.points, labels), spite=None)
