"""One match: a learner and an adversary play a game by its rules."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import scipy.spatial  # noqa: F401  loaded before a match, so that no learner's seconds include the import

from arena.arrays import Array, locked
from arena.engine import last_function, long_matches
from arena.engine.blocks import answer_moves, gather_moves
from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolation
from arena.engine.learner_side import learner_side
from arena.errors import ArenaError, bounded, shown
from arena.game.game import Game, check_kernel_in_box
from arena.game.legality import PointLimits
from arena.game.losses import Squared
from arena.guards.disk import in_memory
from arena.guards.settings import restored_settings
from arena.hindsight.comparator import EXACT_LIMIT
from arena.hindsight.interval import IntervalHindsight
from arena.hindsight.narrowing import Effort
from arena.hindsight.watching import Watch
from arena.linalg.gram_factor import shared_factors
from arena.linalg.posterior import RidgePosterior
from arena.linalg.threads import one_thread
from arena.players.adversary import Adversary, arranged, as_adversary, check_foresight
from arena.players.learner import Learner, overrides, promised_theorems
from arena.players.random_numbers import random_numbers
from arena.players.referee import (
    QUESTIONED,
    SET_UP,
    Foul,
    ask,
    check_last_question,
    check_move,
    check_purity,
    fouls_of,
    legal_evidence,
    legal_label,
    legal_point,
    legal_prediction,
    legal_size,
    legal_unit,
)
from arena.players.view import Record, View
from arena.record.comparing import NamedComparator
from arena.record.error_bars import ERROR_BARS
from arena.record.forfeit import Forfeit
from arena.record.remarks import CIRCUMSTANCES, FORESIGHT, NAMED, kept_names
from arena.record.repeating import KEPT, OPTIONS
from arena.record.theorem import Theorem
from arena.record.transcript import Ending, Transcript
from arena.specs.building import build
from arena.specs.parameters import is_whole
from arena.specs.spelling import declared_name, identity, name_of, require_name, spec_text

if TYPE_CHECKING:
    from arena.engine.unfinished import UnfinishedMatch

BLOCK = 4096  # rounds of a block against an oblivious adversary
Progress = Callable[[int], None]
Hindsight = Literal["auto", "exact", "interval", "none"]
HINDSIGHTS = get_args(Hindsight)


class Interrupted(KeyboardInterrupt):
    """Raised by Ctrl-C during a match; `transcript` holds the rounds that were completed."""

    def __init__(self, transcript: Transcript):
        super().__init__(f"interrupted after {transcript.rounds} rounds")
        self.transcript = transcript


def play(
    learner: Any,
    adversary: Any,
    *,
    game: Game | None = None,
    seed: int = 0,
    hindsight: Hindsight = "auto",
    progress: Progress | None = None,
    watch: Watch | None = None,
    comparators: Sequence[Any] = (),
    isolate: bool | Isolation = False,
    effort: Effort | None = None,
    hindsight_time: float | None = None,
    exact: bool = False,
    name: str | None = None,
    **fields: Any,
) -> Transcript:
    """Play a match and return its transcript.

    Learner and adversary are objects, classes or specs. The game is `game` with the given `fields`:

    >>> run = play("kernel-awv", "alternating", rounds=100, kernel="gaussian(bandwidth=2)")
    >>> run.verdict("awv-leverage").holds
    True

    - `progress` is called with the number of rounds played. While an interval of the regret is computed,
      `watch(step, done, total)` is called with the name of a step of this computation and its progress.
    - `hindsight` sets how the regret is computed: "exact", "interval", "none" (not at all) or "auto", which is exact
      for a short match and for few different points, otherwise an interval.
    - Results and pages also report the regret to each of the `comparators`, which are specs or objects.
    - With `isolate` the learner plays in a separate process, where a crash, a hang or a lack of memory is a forfeit.
    - With `hindsight="auto"`, the interval of a long match's regret is narrowed for at most `hindsight_time` seconds;
      the default is that of `effort`, or a minute. With "exact" the time is not limited, and with "interval" the
      interval is not narrowed.
    - `name` is the learner's name in headings, tables and figures, in place of a short form of its spec. A learner or
      an adversary can also declare one, as an attribute `name` of its class or of the object.
    - If the learner can, it plays very many different points through features, with error bars; not if exact=True.
    """
    _check_arguments(game, seed, hindsight, effort, comparators, hindsight_time)
    require_name(name)
    limits = None if isolate is False else Isolation.of(isolate)
    with ExitStack() as stack:
        side = learner_side(learner, limits, stack)
        opponent = build("adversary", adversary)
        names, opposing = (side.name, identity(adversary, opponent)), as_adversary(opponent)
        check_foresight(side.learner, opposing, names)
        start = game or Game()
        played = arranged(opposing, start, fields)
        if limits is not None or played.rounds > long_matches.FIT_ANYWHERE:
            long_matches.check_memory(side, opposing, played.rounds, limits)
        remarks: dict[str, str | float] = {}
        if played.features and not start.replace(**fields).features:
            remarks[NAMED] = "yes"
        if hindsight_time is not None and hindsight_time != long_matches.HINDSIGHT_TIME:
            remarks["hindsight_time"] = float(hindsight_time)
        called = name_of(names[0], name, side.declared), name_of(names[1], declared_name(opponent, names[1]))
        remarks |= kept_names(names, called)
        match = Match(
            side.learner,
            opposing,
            played,
            int(seed),
            names=names,
            hindsight=hindsight,
            effort=long_matches.effort_of(hindsight, effort, hindsight_time),
            exact=exact,
            comparators=tuple(build("comparator", each) for each in comparators),
            remarks=remarks | ({"learner_unnamed": side.unnamed} if side.unnamed else {}),
            progress=progress,
            watch=watch,
        )
        with one_thread(), shared_factors(inherited=True):
            return match.run()


def _check_arguments(
    game: object, seed: object, hindsight: object, effort: object, comparators: object, hindsight_time: object
) -> None:
    if not is_whole(seed, at_least=0):
        raise ArenaError(f"seed must be a whole number >= 0, but it is {shown(seed)}")
    if hindsight not in HINDSIGHTS:
        raise ArenaError(f"hindsight must be auto, exact, interval or none, but it is {hindsight!r}")
    if game is not None and not isinstance(game, Game):
        raise ArenaError(f"game must be a Game, but it is a {type(game).__name__}")
    if effort is not None and not isinstance(effort, Effort):
        raise ArenaError(f"effort must be an Effort or None, but it is {shown(effort)}")
    if hindsight_time is not None and not OPTIONS["hindsight_time"].allows(hindsight_time):
        raise ArenaError(f"hindsight_time must be a number >= 0, or None, but it is {shown(hindsight_time)}")
    if isinstance(comparators, str) or not hasattr(comparators, "__iter__"):
        raise ArenaError(f"comparators must be a list, such as ['constant'], but it is {shown(comparators)}")


class Match:
    """The state of a match while it is being played."""

    def __init__(
        self,
        learner: Learner,
        adversary: Adversary,
        game: Game,
        seed: int,
        *,
        names: tuple[str, str],
        hindsight: Hindsight,
        effort: Effort | None = None,
        exact: bool = False,
        comparators: tuple[NamedComparator, ...] = (),
        remarks: Mapping[str, str | float] | None = None,
        progress: Progress | None = None,
        watch: Watch | None = None,
    ):
        check_kernel_in_box(game)
        self.names, self.progress, self.watch = names, progress, watch
        self.hindsight, self.effort, self.exact = hindsight, effort or Effort(), exact
        self.comparators, self.remarks = comparators, dict(remarks or {})
        self.learner, self.adversary, self.game, self.seed = learner, adversary, game, seed
        self.original = learner
        self.unfinished: UnfinishedMatch | None = None
        if adversary.oblivious and long_matches.bytes_of_record(game, adversary) > in_memory():
            from arena.engine.unfinished import UnfinishedMatch

            self.unfinished = UnfinishedMatch(names, learner, adversary, game, seed)
        self.record = self.unfinished.record if self.unfinished else Record(game)
        self.ridge = RidgePosterior(game.kernel, game.regularisation) if isinstance(game.loss, Squared) else None
        # each side has a copy of the game of its own: a side that changes its copy does not change the rules
        self.view = View(copy.copy(game), self.record, learner, self.ridge, oblivious=adversary.oblivious)
        self.sizes: list[tuple[int, int]] = []
        self.forfeit: Forfeit | None = None
        self.ended: Ending = "completed"
        self.promised: tuple[Theorem, ...] = ()
        self.promised_from_below: tuple[Theorem, ...] = ()
        self.evidence: dict[str, Array] = {}
        self.known: IntervalHindsight | None = None
        self.isolated = learner if isinstance(learner, Isolated) else None
        if self.isolated:
            self.remarks["isolate"] = KEPT
        self._tracks_size = self.isolated.tracks_size if self.isolated else overrides(type(learner), "dictionary_size")

    def run(self) -> Transcript:
        """Play until the horizon, the adversary's last move, a foul or Ctrl-C, and return the transcript."""
        try:
            with restored_settings():
                self._play()
        except Foul as foul:
            self.ended = "forfeit"
            self.forfeit = Forfeit(foul.side, self._round_of(foul), foul.reason, foul.details)
        except KeyboardInterrupt:
            self.ended = "interrupted"
            raise Interrupted(self._transcript()) from None
        transcript = self._transcript()
        try:
            self._add_hindsight(transcript)
        except KeyboardInterrupt:
            raise Interrupted(transcript) from None
        return transcript

    def _play(self) -> None:
        """Call the players' methods, from `begin` to the learner's evidence and remark."""
        self._begin()
        if self.exact and long_matches.may_need_features(self.learner, self.game.rounds):
            self.remarks["exact"] = KEPT
        self._play_blocks() if self.adversary.oblivious else self._play_rounds()
        with fouls_of("learner", "evidence"):
            if overrides(self.learner, "evidence"):
                self.evidence = legal_evidence(self.learner.evidence()) | self.evidence
        with fouls_of("learner", "remark"):
            if remark := bounded(str(self.learner.remark)):
                self.remarks["learner_remark"] = remark
        last_function.add_remark(self.remarks, self.learner, self.game, self.record, self.hindsight)

    def _begin(self) -> None:
        """Call `begin` of both players, each with its own copy of the game and random numbers; store their promises."""
        self._begun = False
        with fouls_of("learner", "begin", passing=SET_UP):
            self.learner.begin(copy.copy(self.game), random_numbers(self.seed, "learner"))
        with fouls_of("learner", "promises"):
            self.promised = promised_theorems(self.learner.theorems)
            if self.learner.foresight:
                self.remarks[FORESIGHT] = "yes"  # lower bounds on learners that answer round by round do not bind it
        with fouls_of("adversary", "begin", passing=SET_UP):
            self.adversary.begin(self.view.game, random_numbers(self.seed, "adversary"))
        with fouls_of("adversary", "lower_bounds"):
            self.promised_from_below = promised_theorems(self.adversary.lower_bounds, "an adversary's `lower_bounds`")
        with fouls_of("adversary", "remark"):
            if remark := bounded(str(self.adversary.remark)):
                self.remarks["remark"] = remark
        with fouls_of("adversary", "label_unit"):
            if (unit := float(self.adversary.label_unit)) != 1.0:
                self.remarks["label_unit"] = legal_unit(unit)
        self._begun = True

    def _play_rounds(self) -> None:
        """Play round by round, against an adversary whose moves may depend on predictions."""
        learner, adversary, record = self.learner, self.adversary, self.record
        limits, bound, clock = PointLimits(self.game), self.game.label_bound, time.perf_counter
        reveals = self.isolated is not None or overrides(learner, "reveal")
        for done in range(self.game.rounds):
            point = ask("adversary", adversary.point, self.view)
            if point is None:
                self.ended = "exhausted"
                return
            x = locked(legal_point(self.game, point).copy())
            if not limits.contain(x):
                check_move(self.game, x, 0.0)
            record.points.append(x)
            started = clock()
            if reveals:
                ask("learner", learner.reveal, x)
            prediction = legal_prediction(ask("learner", learner.predict, x))
            thinking = clock() - started
            if done & (done + 1) == 0:  # rounds 1, 2, 4, 8, ...: few, since each check costs a prediction
                check_purity(prediction, ask("learner", learner.predict, x))
            if done + 1 == QUESTIONED:
                if self.isolated:
                    self.isolated.check_last_question(x, prediction)
                else:
                    check_last_question(self.game, learner, x, prediction)
            y = legal_label(ask("adversary", adversary.label, self.view, x, prediction))
            if not -bound <= y <= bound:
                check_move(self.game, x, y)
            record.labels.append(y)
            started = clock()
            ask("learner", learner.update, x, y)
            seconds = thinking + clock() - started
            if self._tracks_size:
                self._note_size(done + 1)
            record.seconds.append(seconds)
            record.predictions.append(prediction)
            if self.progress:
                self.progress(done + 1)

    def _play_blocks(self) -> None:
        """Play an oblivious adversary in blocks; in a single one if the learner has foresight or may need features."""
        if self.unfinished is not None and (state := self.unfinished.go_on(self.effort.say)) is not None:
            self.learner, self.sizes = state.learner, list(state.sizes)
        long = not self.exact and long_matches.may_need_features(self.isolated or self.learner, self.game.rounds)
        block = self.game.rounds if self.learner.foresight or long else BLOCK
        while len(self.record.labels) < self.game.rounds:
            start = len(self.record.labels)
            wanted = min(block, self.game.rounds - start)
            foul = gather_moves(self.game, self.adversary, self.view, self.record, wanted)
            X, y = self.record.points.view()[start:], self.record.labels.view()[start:]
            if len(X) and long and long_matches.needs_features(X):
                self._play_through_features(X, y)
            elif len(X) and self.isolated:
                self.isolated.answer(self.record, self.sizes, X, y)
            elif len(X):
                note = self._note_size if self._tracks_size else None
                answer_moves(self.game, self.learner, self.record, X, y, note)
                if note:
                    note(len(self.record.predictions))
            if self.unfinished is not None and not self.unfinished.confirmed(start, self.effort.say):
                self.learner, self.sizes = self.original, []  # its kept state was not the one that was recorded
                self._begin()
                continue
            if foul:
                raise foul
            if len(X) < wanted:
                self.ended = "exhausted"
                return
            if self.unfinished is not None:
                self.unfinished.after_block(self.learner, len(self.record.labels), self.sizes)
            if self.progress:
                self.progress(len(self.record.labels))

    def _play_through_features(self, X: Array, y: Array) -> None:
        """Record the learner's predictions, computed through features, and their error bars."""
        started = time.perf_counter()
        found = long_matches.through_features(self.learner, X, y, self.watch)
        self.record.predictions.extend(found.predictions)
        self.record.seconds.extend(np.full(len(X), (time.perf_counter() - started) / len(X)))
        self.evidence, self.known = {ERROR_BARS: found.error_bars}, found.hindsight
        self.remarks["learner_remark"] = long_matches.remark_on(found, self.game, y)

    def _note_size(self, rounds: int) -> None:
        size = legal_size(self.learner)
        if size is not None and (not self.sizes or self.sizes[-1][1] != size):
            self.sizes.append((rounds, size))

    def _round_of(self, foul: Foul) -> int:
        """Return the round in which the foul was committed; 0 if it was before the first round."""
        if not self._begun:
            return 0
        played = self.record.labels if foul.side == "adversary" else self.record.predictions
        return min(len(played) + 1, self.game.rounds)  # after the last round `evidence` may be a foul

    def _transcript(self) -> Transcript:
        record = self.record
        size = min(len(record.labels), len(record.predictions), len(record.seconds))
        points, labels = record.points.view()[:size], record.labels.view()[:size]
        if self.hindsight == "exact" and size > EXACT_LIMIT:
            self.remarks["hindsight"] = "exact"
        transcript = Transcript(
            learner=self.names[0],
            adversary=self.names[1],
            game=self.game,
            seed=self.seed,
            points=points,
            labels=labels,
            predictions=record.predictions.view()[:size],
            seconds=record.seconds.view()[:size],
            sizes=np.array(self.sizes, dtype=float).reshape(-1, 2),
            ended=self.ended,
            forfeit=self.forfeit,
            theorems=self.isolated.promises if self.isolated else tuple(map(spec_text, self.promised)),
            hindsight_mode=long_matches.mode_of(self.hindsight, self.game, self.ended, points),
            evidence=self.evidence,
            header=CIRCUMSTANCES | self.remarks,
            promised=self.promised,
            isolated=self.isolated is not None,
            lower_bounds=tuple(map(spec_text, self.promised_from_below)),
            promised_from_below=self.promised_from_below,
            comparators=self.comparators,
            unanswered=(record.points.view()[size:], record.labels.view()[size:]) if self.forfeit else None,
        )
        if self.unfinished is not None:
            self.unfinished.end(transcript, to_continue=self.ended == "interrupted")
        return transcript

    def _add_hindsight(self, transcript: Transcript) -> None:
        comparator = transcript.comparator
        comparator.watch, comparator.effort = self.watch or self.effort.watch, self.effort
        if self.known is not None:
            comparator.wide[self.known.regularisation] = self.known
        if comparator.closed_form and comparator.mode == "interval":
            comparator.interval()
        if self.ridge is not None and not comparator.why_unknown:
            comparator.hindsight(past=self.ridge)  # the comparator keeps the result
