"""The part of a hunt that one process plays: the opening, then candidates chosen by the results of earlier ones."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, cycle, islice

import numpy as np

from arena.engine.workers import Channel
from arena.errors import number_of
from arena.game.game import Game
from arena.guards.clock import OutOfTime
from arena.hunt.adaptive import Bandit, BestSequences
from arena.hunt.candidates import Candidate, Script
from arena.hunt.durations import SHARE, Durations
from arena.hunt.findings import Closest, Hunt, Violation, portable
from arena.hunt.game_space import GameSpace, survey
from arena.hunt.judged_match import HuntedMatch, last_label_turned, play_and_judge, play_candidate
from arena.hunt.opening import SHORT_SCRIPTS, Opening
from arena.hunt.patterns import LABELS, POINTS, script, with_adaptive_signs
from arena.hunt.target import Target
from arena.hunt.watchdog import Watchdog
from arena.linalg.threads import one_thread
from arena.record.judging_seeds import LEVEL, judge_series
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.spelling import spec_text

# Shares of the budget that one match may take, if the hunt has a budget of seconds, beside `SHARE` for any match.
MEDIUM_SHARE = 0.01  # for a longer sequence that is played before other games
POSTPONED_SHARE = 0.25  # for a long sequence that would take more than `SHARE`; these are played after all others
SURVEY_SHARE = 0.02  # for the first match of `survey`; if this match takes longer, the survey ends

MEDIUM = (80, 150, 300)  # rounds of the longer sequences that are played before other games
MEDIUM_SECONDS = 0.25  # seconds that each of these may take even if the budget is small
SHORT = 64  # rounds of the longest match whose last label is also tried with the opposite sign
REPORT_EVERY = 0.5  # seconds between two reports
VARIANT_MATCHES = 4  # sequences for each choice of other parameters of the learner
WORTH_REPORTING = 1e-4  # smallest rise of the tightness that is reported
SCREENED, SEEDS = 3, 30  # fresh seeds, first few and then many, if a match exceeds a bound that leaves room for chance


@dataclass(frozen=True)
class HuntPlan:
    """The arguments that all processes of a hunt share.

    `fixed` names the fields of the game that must not be varied. `longest` is the largest number of rounds of a match.
    The hunt ends when `time.monotonic()` reaches `deadline`; each process also ends after `matches` matches, if this is
    not None.
    """

    target: Target
    game: Game
    fixed: Sequence[str]
    longest: int
    seed: int
    budget: float
    deadline: float
    matches: int | None = None
    processes: int = 1

    @property
    def patience(self) -> float:
        """The number of seconds after which a learner that has not finished a round counts as hanging."""
        return min(max(self.budget / 4.0, min(2.0, max(1.0, self.budget / 2.0))), 20.0)

    def nothing_yet(self) -> Hunt:
        """Return the result of a hunt that has not played any match."""
        closest = [Closest(spec_text(theorem)) for theorem in self.target.theorems]
        target = self.target
        return Hunt(
            target.name, self.game, self.seed, closest=closest, parameters=target.free, learner_name=target.called
        )


class Hunter:
    """Player and judge of the candidates that one process of a hunt plays.

    A violation is sent through the `channel` as soon as it is found, since the process may be killed later.
    """

    def __init__(self, plan: HuntPlan, number: int, channel: Channel):
        self.plan, self.number, self.channel = plan, number, channel
        limit = plan.patience / 2.0 if plan.matches is None else math.inf
        self.watchdog = Watchdog(limit, plan.patience, plan.deadline, channel.alive)
        self.found = plan.nothing_yet()
        self.durations = Durations(plan.deadline - time.monotonic()) if plan.matches is None else None
        self.fresh_seed, self.followed_up = 10_000 * (1 + number), 0
        self.best = BestSequences()
        self.given = GameSpace(plan.game, frozenset())  # the given game alone
        self._reported = time.monotonic()

    def run(self) -> None:
        """Play this process's part of the hunt, and report what is found.

        Three kinds of matches come first, in the given game: short sequences of the opening, a few variants of the
        learner, and longer sequences. Matches in the given game and in other games follow until the hunt is over.
        """
        with one_thread():
            self._play_one_round()
            opening = Opening(self.given, self.plan.seed, self.plan.target)
            for candidate in self._own(opening.short()):
                self._try(candidate)
            first_variants = VARIANT_MATCHES * max(2, len(self.plan.target.free))
            for target, candidate in islice(self._variants(self.given), first_variants):
                if not self._over:
                    self._try_variant(target, candidate)
            medium = opening.long(MEDIUM if self.durations else MEDIUM[:1])
            share = max(MEDIUM_SHARE, MEDIUM_SECONDS / self.durations.budget) if self.durations else MEDIUM_SHARE
            for candidate in self._own(medium, share):
                self._try(candidate)
            if not self._over:
                self.channel.playing("the survey of games")
                self._hunt_on(self._survey())
        self.report()

    def _play_one_round(self) -> None:
        """Play one round in the given game; an `ArenaError` is raised if the learner refuses the game.

        If the learner hangs in this round, the hang is stored as the violation.
        """
        self.channel.playing("a first point")
        game = self.plan.game
        middle = (game.low + game.high)[np.newaxis] / 2
        first = Candidate("a first point", game, moves=Script(middle, np.zeros(1)), stepwise=False)
        run, ending = play_candidate(first, self.plan.target, self.watchdog)
        if ending == "hung":
            match = HuntedMatch(first, run, ending, silence=self.watchdog.silence)
            self.found.violation = self._violation(match, self.plan.target)

    def _survey(self) -> GameSpace:
        plan, target = self.plan, self.plan.target
        if not target.proved:  # demands apply in the given game alone
            return self.given

        def play(candidate: Candidate) -> Transcript | None:
            run, ending = play_candidate(candidate, target, self.watchdog)
            return run if ending == "played" else None

        patience = SURVEY_SHARE * plan.budget if self.durations else math.inf
        return survey(target.fresh(), target.proved, plan.game, plan.fixed, plan.longest, play, patience)

    def _hunt_on(self, space: GameSpace) -> None:
        """Play the opening's short sequences in all its games but the given one; then play on until the hunt is over.

        After the short sequences, three kinds of matches get about the same time each: long sequences, candidates that
        a `Bandit` chooses by the results of earlier ones, and matches of variants of the learner.
        """
        self.found.varied = tuple(sorted(space.free))
        self.report()
        opening = Opening(space, self.plan.seed, self.plan.target)
        for candidate in self._own(opening.short(elsewhere=True)):
            self._try(candidate)
        rng = np.random.default_rng([self.plan.seed, self.number, 1])
        # Demands apply in the given game alone, so a `Bandit` of their own plays there.
        spaces = [space, self.given] if self.plan.target.demands and space.free else [space]
        bandits = cycle(Bandit(each, self.plan.target, rng, self.best) for each in spaces)
        later = chain(self._long_last(opening.long()), self._long_last(opening.long_elsewhere()))
        variants = self._variants(space)
        spent = {"long": 0.0, "bandit": 0.0, "variants": 0.0}
        while not self._over:
            if self.plan.target.free and spent["variants"] < spent["bandit"]:
                variant = self._try_variant(*next(variants))
                spent["variants"] += variant.seconds if self.durations else 10.0
            bandit, long = next(bandits), next(later, None) if spent["long"] <= spent["bandit"] else None
            match = self._try(long or bandit.next(self.durations.most if self.durations else 300))
            # Without a budget of seconds, the hunt must not depend on the machine's speed.
            effort = match.seconds if self.durations else float(space.longest if long else 10)
            if long is None:
                bandit.reward(match, effort)
            spent["bandit" if long is None else "long"] += effort

    def _variants(self, space: GameSpace) -> Iterator[tuple[Target, Candidate]]:
        """Yield pairs: a target whose learner is a variant of the hunt's learner, and a candidate for this target.

        The pairs do not end; but there are none if no parameter may be varied.
        """
        plan, rng = self.plan, np.random.default_rng([self.plan.seed, self.number, 2, len(space.free)])
        for number in count(self.number) if plan.target.free else ():
            target = plan.target.variant(rng, number)
            if target is None:
                continue
            game = space.game if number % 2 else space.drawn(rng)
            for kind in rng.choice(len(SHORT_SCRIPTS), VARIANT_MATCHES - 1, replace=False).tolist():
                points, labels, rounds = SHORT_SCRIPTS[kind]
                moves = script(points, labels, game, rng, rounds)
                stepwise = bool(rng.choice(target.stepwise))
                yield target, space.candidate(f"{points}, {labels}", game, moves, stepwise=stepwise)
            points, labels = str(rng.choice(list(POINTS))), str(rng.choice(list(LABELS)))
            if target.adaptive:
                moves = with_adaptive_signs(points, labels, game, rng, 30, after=int(rng.integers(1, 20)))
                yield target, Candidate(f"{points}, adaptive signs", space.sized(game, 30), moves=moves)
            else:
                moves = script(points, labels, game, rng, 120)
                stepwise = bool(rng.choice(target.stepwise))
                yield target, space.candidate(f"{points}, {labels}", game, moves, stepwise=stepwise)

    def _try_variant(self, target: Target, candidate: Candidate) -> HuntedMatch:
        """Play the candidate with `target`'s learner, a variant of the hunt's; return the judged match.

        A violation is stored, unless the variant's predictions diverged.
        """
        self.channel.playing(f"{target.name}, {number_of(candidate.rounds, 'round')}")
        match = play_and_judge(candidate, target, self.watchdog)
        self.found.matches += 1
        self.found.rounds += match.run.rounds if match.run else 0
        # A variant's step size may be too large, so a match in which the learner diverged is no violation.
        violation = None if match.diverged else self._violation(match, target)
        if violation is not None:
            self.found.violation = replace(violation, parameters=target.changes)
            self.report()
        return match

    @property
    def _over(self) -> bool:
        most = self.plan.matches
        done = most is not None and self.found.matches >= most
        return done or self.found.violation is not None or time.monotonic() >= self.plan.deadline

    def _long_last(self, candidates: Iterator[Candidate]) -> Iterator[Candidate]:
        """Yield this process's share of the candidates, slow ones last, until the hunt is over.

        A candidate is slow if it is expected to take more than `SHARE` times the budget. It is left out if it is
        expected to take more than `POSTPONED_SHARE` times the budget, or more than 0.7 of the time that is left.
        """
        postponed: list[Candidate] = []
        yield from self._own(candidates, postponed=postponed)
        for candidate in postponed:
            left = self.plan.deadline - time.monotonic()
            if self.durations and self._fits(candidate, min(POSTPONED_SHARE, 0.7 * left / self.durations.budget)):
                yield candidate

    def _own(
        self, candidates: Iterator[Candidate], share: float = SHARE, postponed: list[Candidate] | None = None
    ) -> Iterator[Candidate]:
        """Yield this process's share of the candidates, until the hunt is over.

        Each of n processes has every n-th candidate. A candidate that is expected to take more than `share` times the
        budget is not yielded, but appended to `postponed`, if this is a list.
        """
        for at, candidate in enumerate(candidates):
            if self._over:
                return
            if at % self.plan.processes != self.number:
                continue
            if self._fits(candidate, share):
                yield candidate
            elif postponed is not None:
                postponed.append(candidate)

    def _fits(self, candidate: Candidate, share: float) -> bool:
        return self.durations is None or self.durations.allow(candidate.rounds, share, stepwise=candidate.stepwise)

    def _try(self, candidate: Candidate, *, turn_label: bool = True) -> HuntedMatch:
        """Play the candidate and return the judged match.

        - A violation is stored, and nothing else is done.
        - Otherwise the match is recorded if it came closer to a theorem's bound than any match before.
        - With `turn_label`, the last label of a short match is then replaced by a label of size B with the opposite
          sign. The changed match is played, too, if it is closer to a violation than the original.
        - Finally, the match's moves may join `self.best`, the sequences of which the hunt plays changed copies.
        """
        self.channel.playing(f"{candidate.kind}, {number_of(candidate.rounds, 'round')}")
        match = play_and_judge(candidate, self.plan.target, self.watchdog)
        self.found.matches += 1
        self.found.rounds += match.run.rounds if match.run else 0
        if self.durations and match.run:
            self.durations.note(match.run.rounds, match.seconds, stepwise=candidate.stepwise)
        violation = self._violation(match, self.plan.target)
        if violation is not None:
            self.found.violation = violation
            self.report()
            return match
        self._note_closest(match)
        if turn_label and match.run is not None and match.run.rounds <= SHORT:
            self._turn_the_last_label(match)
        self.best.add(match)
        if time.monotonic() - self._reported > REPORT_EVERY:
            self.report()
        return match

    def _turn_the_last_label(self, match: HuntedMatch) -> None:
        try:
            with self.watchdog.watching(None):
                turned = last_label_turned(match, self.plan.target)
        except OutOfTime:
            return
        if turned is not None and not self._over:
            self._try(turned, turn_label=False)

    def _violation(self, match: HuntedMatch, target: Target) -> Violation | None:
        run, kind = match.run and portable(match.run), match.candidate.kind
        if match.ending == "hung":
            at = f"in round {run.rounds + 1}" if run is not None else "before the first round"
            return Violation("hang", f"it did not answer within {match.silence:.1f} s {at} against {kind}", kind, run)
        if match.forfeit is not None:
            return Violation("forfeit", str(match.forfeit), kind, run)
        if (verdict := match.violated) is not None:
            return Violation("bound", str(verdict), kind, run, verdict.without_curves())
        if (verdict := match.premise) is not None:
            reason = f"{verdict.theorem} asks of the learner what it does not do: {verdict.reason}"
            return Violation("premise", reason, kind, run, verdict.without_curves())
        if (verdict := match.unlucky) is not None:
            series = self._judge_fresh_seeds(match.candidate, verdict.theorem, target)
            if series is not None and series.violated:
                return Violation("bound", str(series), kind, run, verdict.without_curves(), series)
        return None

    def _judge_fresh_seeds(self, candidate: Candidate, theorem: str, target: Target) -> Verdict | None:
        """Return the verdict on the theorem over many matches of the candidate, each with a fresh seed.

        A few matches are played first. The result is None if fewer than half of these violate the theorem, or if no
        later match could be judged.
        """
        # The seed of the candidate itself does not count: among many candidates some exceed a bound by chance.
        screened = self._fresh_verdicts(candidate, theorem, target, SCREENED)
        if 2 * sum(each.violated for each in screened) < SCREENED:
            return None
        self.followed_up += 1
        verdicts = self._fresh_verdicts(candidate, theorem, target, SEEDS)
        # Over all k and all processes, these levels sum to LEVEL, which bounds the chance of a false alarm in the hunt.
        level = LEVEL / self.plan.processes * 6.0 / (math.pi * self.followed_up) ** 2
        return judge_series(range(len(verdicts)), verdicts, level=level) if verdicts else None

    def _fresh_verdicts(self, candidate: Candidate, theorem: str, target: Target, seeds: int) -> list[Verdict]:
        found: list[Verdict] = []
        for _ in range(seeds):
            self.fresh_seed += 1
            self.found.matches += 1
            match = play_and_judge(candidate.replace(seed=self.fresh_seed), target, self.watchdog)
            found += [each for each in match.verdicts if each.theorem == theorem][:1]
        return found

    def _note_closest(self, match: HuntedMatch) -> None:
        if match.run is None:
            return
        closer = False
        for at, verdict in enumerate(match.verdicts):
            known = self.found.closest[at]
            if not verdict.applicable:
                self.found.closest[at] = known if known.matches else replace(known, reason=verdict.reason)
                continue
            known = replace(known, matches=known.matches + 1, exact=verdict.is_deviation, reason="")
            value = None if verdict.is_deviation or (verdict.by_chance and verdict.violated) else verdict.tightness
            if value is not None and (known.tightness is None or value > known.tightness + WORTH_REPORTING):
                run = portable(match.run)
                known = replace(known, tightness=value, adversary=match.candidate.kind, transcript=run)
                closer = True
            self.found.closest[at] = known
        if closer:
            self.report()

    def report(self) -> None:
        self._reported = time.monotonic()
        self.channel.report(self.found)
