"""The hunt itself, as one worker does it: the opening, then what the bandit says, until something is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from arena.errors import number_of
from arena.game.game import Game
from arena.hunt.arms import Arms, Elite
from arena.hunt.confirming import Confirmation
from arena.hunt.ground import Ground
from arena.hunt.opening import Opening
from arena.hunt.outcome import Closest, Violation
from arena.hunt.pace import SHARE, Pace
from arena.hunt.sequences import Candidate, Script, Ways
from arena.hunt.transcripts import bare, portable
from arena.hunt.trial import Clock, OutOfTime, Trial, by_chance, other_end, play_candidate, play_trial
from arena.linalg.threads import one_thread
from arena.players.learner import Learner
from arena.record.theorem import Theorem, Verdict
from arena.specs.spelling import spec_text

SHORT = 64  # rounds up to which the last label is tried both ways
MEDIUM = (80, 150, 300)  # rounds of the longer sequences that come before other games
IN_PASSING = 0.01  # of the budget, for each of them
PATIENT = 0.25  # of the budget that a long match may take when all others were played
A_MOMENT = 0.25  # seconds that each may take in any case
REPORT_EVERY = 0.5  # seconds
WORTH_TELLING = 1e-4  # by which the tightness must rise

Tell = Callable[[str, Any], None]


@dataclass(frozen=True)
class Quarry:
    """Whom the hunt is after: a way to have a fresh learner, its name, and the theorems."""

    fresh: Callable[[], Learner]
    name: str
    theorems: Sequence[Theorem]


@dataclass(frozen=True)
class Terms:
    """Until when, or for how many matches; as which of how many workers; from which seed."""

    seed: int
    deadline: float
    matches: int | None = None
    seat: int = 0
    seats: int = 1


class Search:
    """One worker's hunt. What it finds it tells at once: it may be killed at any time."""

    def __init__(self, quarry: Quarry, game: Game, look: Callable[[], Ground], terms: Terms, clock: Clock, tell: Tell):
        self.quarry, self.game, self.look, self.terms, self.clock, self.tell = quarry, game, look, terms, clock, tell
        self.closest = [Closest(spec_text(theorem)) for theorem in quarry.theorems]
        self.matches = self.rounds = 0
        self.pace = Pace(terms.deadline - time.monotonic()) if terms.matches is None else None
        self.confirmation = Confirmation(10_000 * (1 + terms.seat))
        self.violation: Violation | None = None
        self.elite = Elite()
        self._reported = time.monotonic()
        clock.deadline = terms.deadline

    def run(self) -> None:
        """Hunt: the opening in the game that was given, then elsewhere."""
        with one_thread():
            learner = self.quarry.fresh()
            ways = Ways.of(learner)
            self._refuse_or_play()
            given = Opening(Ground(self.game, frozenset()), self.terms.seed, ways)
            for candidate in self._mine(given.short()):
                self._try(candidate)
            for candidate in self._mine(given.long(MEDIUM if self.pace else MEDIUM[:1]), share=self._in_passing):
                self._try(candidate)
            if not self._over:
                self.tell("playing", "questions about games")
                self._hunt_on(self.look(), ways)

    def _hunt_on(self, ground: Ground, ways: Ways) -> None:
        """The short opening elsewhere, then by turns what takes long and what the bandit says."""
        self.tell("ground", tuple(sorted(ground.free)))
        openings = Opening(ground, self.terms.seed, ways)
        for candidate in self._mine(openings.short(elsewhere=True)):
            self._try(candidate)
        rng = np.random.default_rng([self.terms.seed, self.terms.seat, 1])
        arms = Arms(ground, rng, self.elite, ways, self.quarry.theorems)
        later = chain(self._patiently(openings.long()), self._patiently(openings.long_elsewhere()))
        spent = {"long": 0.0, "arms": 0.0}
        while not self._over:
            long = next(later, None) if spent["long"] <= spent["arms"] else None
            trial = self._try(long or arms.next(self.pace.most if self.pace else 300))
            if long is None:
                arms.learn(trial)
            effort = trial.seconds if self.pace else float(ground.longest if long else 10)
            spent["arms" if long is None else "long"] += effort

    @property
    def _in_passing(self) -> float:
        """What one match may take before other games were looked at."""
        return max(IN_PASSING, A_MOMENT / self.pace.budget) if self.pace else IN_PASSING

    def _refuse_or_play(self) -> None:
        """A learner that refuses the very game that was given says so to the user, by an `ArenaError`."""
        self.tell("playing", "a first point")
        middle = (self.game.low + self.game.high)[np.newaxis] / 2
        first = Candidate("a first point", self.game, moves=Script(middle, np.zeros(1)), stepwise=False)
        play_candidate(first, self.quarry.fresh(), self.quarry.name, self.clock)

    @property
    def _over(self) -> bool:
        limit = self.terms.matches
        done = limit is not None and self.matches >= limit
        return done or self.violation is not None or time.monotonic() >= self.terms.deadline

    def _patiently(self, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
        """Those for this worker; what would take too long comes at last, and may then take longer."""
        postponed: list[Candidate] = []
        yield from self._mine(candidates, postponed=postponed)
        for candidate in postponed:
            left = self.terms.deadline - time.monotonic()
            if self.pace and self._fits(candidate, min(PATIENT, 0.7 * left / self.pace.budget)):
                yield candidate

    def _mine(
        self, candidates: Iterator[Candidate], share: float = SHARE, postponed: list[Candidate] | None = None
    ) -> Iterator[Candidate]:
        """Those for this worker, until the hunt is over; those that would take too long are postponed or left out."""
        for number, candidate in enumerate(candidates):
            if self._over:
                return
            if number % self.terms.seats != self.terms.seat:
                continue
            if self._fits(candidate, share):
                yield candidate
            elif postponed is not None:
                postponed.append(candidate)

    def _fits(self, candidate: Candidate, share: float) -> bool:
        rounds = len(candidate.moves) if candidate.moves is not None else candidate.game.rounds
        return self.pace is None or self.pace.allows(rounds, stepwise=candidate.stepwise, share=share)

    def _try(self, candidate: Candidate, *, as_it_is: bool = False) -> Trial:
        """Play, and tell what was found."""
        self.tell("playing", _described(candidate))
        learner = self.quarry.fresh()
        trial = play_trial(candidate, learner, self.quarry.name, self.quarry.theorems, self.clock)
        self.matches += 1
        self.rounds += trial.run.rounds if trial.run else 0
        if self.pace and trial.run:
            self.pace.note(trial.run.rounds, trial.seconds, stepwise=candidate.stepwise)
        self._look_for_violations(trial)
        self._look_for_records(trial)
        if self.violation is None and not as_it_is and trial.run is not None and trial.run.rounds <= SHORT:
            self._turn_the_end(trial)
        self.elite.take(trial)
        if time.monotonic() - self._reported > REPORT_EVERY:
            self.report()
        return trial

    def _turn_the_end(self, trial: Trial) -> None:
        try:
            with self.clock.watching(None):
                turned = other_end(trial, self.quarry.theorems)
        except OutOfTime:
            return
        if turned is not None and not self._over:
            self._try(turned, as_it_is=True)

    def _look_for_violations(self, trial: Trial) -> None:
        run, who = trial.run, trial.candidate.kind
        if trial.ending == "hung":
            at = f"in round {run.rounds + 1}" if run is not None else "before the first round"
            reason = f"it did not answer within {trial.silence:.1f} s {at} against {who}"
            self._found(Violation("hang", reason, who, run))
        elif trial.forfeit is not None:
            self._found(Violation("forfeit", str(trial.forfeit), who, run))
        elif trial.violated is not None:
            self._found(Violation("bound", str(trial.violated), who, run, bare(trial.violated)))
        elif trial.premise is not None:
            verdict = trial.premise
            reason = f"{verdict.theorem} asks of the learner what it does not do: {verdict.reason}"
            self._found(Violation("premise", reason, who, run, bare(verdict)))
        elif trial.unlucky is not None:
            series = self.confirmation.of(trial.candidate, self._judge(trial.unlucky.theorem))
            if series is not None:
                self._found(Violation("bound", str(series), who, run, bare(trial.unlucky), series))

    def _judge(self, theorem: str) -> Callable[[Candidate], Verdict | None]:
        def judge(candidate: Candidate) -> Verdict | None:
            self.matches += 1
            trial = play_trial(candidate, self.quarry.fresh(), self.quarry.name, self.quarry.theorems, self.clock)
            return next((each for each in trial.verdicts if each.theorem == theorem), None)

        return judge

    def _found(self, violation: Violation) -> None:
        self.violation = replace(violation, transcript=violation.transcript and portable(violation.transcript))
        self.report()
        self.tell("violation", self.violation)

    def _look_for_records(self, trial: Trial) -> None:
        if trial.run is None or trial.forfeit is not None:
            return
        for at, verdict in enumerate(trial.verdicts):
            known = self.closest[at]
            if not verdict.applicable:
                if not known.matches:
                    self.closest[at] = replace(known, reason=verdict.reason)
                continue
            counted = replace(known, matches=known.matches + 1, exact=verdict.exact, reason="")
            self.closest[at] = counted
            value = verdict.tightness
            if verdict.exact or value is None or (by_chance(verdict) and verdict.violated):
                continue
            if known.tightness is None or value > known.tightness + WORTH_TELLING:
                better = replace(
                    counted, tightness=value, adversary=trial.candidate.kind, transcript=portable(trial.run)
                )
                self.closest[at] = better
                self.tell("closest", (at, better))

    def report(self) -> None:
        """Tell how much was played so far."""
        self._reported = time.monotonic()
        each = [(known.matches, known.exact, known.reason) for known in self.closest]
        self.tell("counted", (self.terms.seat, self.matches, self.rounds, each))


def _described(candidate: Candidate) -> str:
    rounds = len(candidate.moves) if candidate.moves is not None else candidate.game.rounds
    return f"{candidate.kind}, {number_of(rounds, 'round')}"
