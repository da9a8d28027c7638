"""The record of a match: moves, predictions, and how it ended. Losses, regrets and verdicts are computed from it."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arena.arrays import Array, cleared_of_rounding
from arena.errors import NoHindsight
from arena.game.game import Game
from arena.guards.disk import on_disk_if_large
from arena.hindsight.comparator import Comparator, HindsightMode
from arena.hindsight.exact import RidgeHindsight
from arena.hindsight.interval import End, HindsightAtEnd
from arena.record.error_bars import ERROR_BARS, losses_between
from arena.record.forfeit import Forfeit
from arena.specs.building import build
from arena.specs.spelling import is_unnamed, name_of

if TYPE_CHECKING:
    from arena.plotting.sheet import Sheet
    from arena.record.comparing import Comparison
    from arena.record.judgement import Judgement
    from arena.record.theorem import Claim, Theorem
    from arena.record.verdict import Verdict

Ending = Literal["completed", "exhausted", "forfeit", "interrupted"]


@dataclass(eq=False)  # arrays have no single truth value of ==
class Transcript:
    """The record of a match: players, game, seed, moves, predictions, and how it ended.

    `seconds` holds the learner's time for each round. `sizes` has a row (round, size) for each change of the size of
    the learner's dictionary. `comparator` computes the best predictor in hindsight when it is first needed.

    `arena.record.judging` judges the match, `arena.record.commands` makes the command that repeats it, and
    `arena.record.storage` writes its file.
    """

    learner: str
    adversary: str
    game: Game
    seed: int
    points: Array
    labels: Array
    predictions: Array
    seconds: Array
    sizes: Array
    ended: Ending = "completed"
    forfeit: Forfeit | None = None
    theorems: tuple[str, ...] = ()
    hindsight_mode: HindsightMode = "exact"
    evidence: dict[str, Array] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    unanswered: tuple[Array, Array] | None = field(default=None, repr=False)  # moves without an answer, after a foul
    promised: tuple[Theorem, ...] = field(default=(), repr=False)
    lower_bounds: tuple[str, ...] = ()
    promised_from_below: tuple[Theorem, ...] = field(default=(), repr=False)
    comparators: tuple[Any, ...] = ()  # specs or objects of further comparators to which the regret is reported
    trusted: bool = field(default=True, repr=False)  # whether code outside the arena, which the specs name, may be run
    isolated: bool = field(
        default=False, repr=False
    )  # whether the learner was isolated, so that its code is not run here
    judged: Judgement | None = field(default=None, repr=False)  # the last judgement, without curves; `save` writes it
    rounds: int = field(init=False, repr=False)  # the number of complete rounds
    # the largest possible error of each prediction, if the match was played through features
    error_bars: Array | None = field(init=False, default=None, repr=False)
    comparator: Comparator = field(init=False, repr=False)
    remembered: dict[Hashable, Any] = field(init=False, default_factory=dict, repr=False)  # see `once_per_match`

    def __post_init__(self) -> None:
        self.rounds = len(self.labels)
        self.comparator = Comparator(self.game, self.points, self.labels, self.hindsight_mode)
        bars = self.evidence.get(ERROR_BARS)
        if bars is not None and bars.shape == (self.rounds,) and bars.dtype.kind == "f" and bool((bars >= 0.0).all()):
            self.error_bars = bars  # evidence of another kind is ignored

    def at_end(self, end: End) -> Transcript:
        """Return a copy of the match in which each interval of a best loss in hindsight is replaced by one of its ends.

        If predictions have error bars, the copy's losses are the least ("favourable") or the largest ("unfavourable")
        within the bars.
        """
        twin = copy.copy(self)
        twin.comparator, twin.remembered = self.comparator.at_end(end), self.remembered
        if self.losses_between is not None:
            vars(twin).pop("cumulative_losses", None)
            vars(twin)["losses"] = self.losses_between[end == "unfavourable"]
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to pickle, with an empty cache: some keys of the cache cannot be pickled."""
        return {**vars(self), "remembered": {}}

    @property
    def learner_name(self) -> str:
        """The learner's name for people: the name that it was given or declares, otherwise a short form of its spec."""
        return name_of(self.learner, self.header.get("learner_name"))

    @property
    def adversary_name(self) -> str:
        """The adversary's name for people: the name that it declares, otherwise a short form of its spec."""
        return name_of(self.adversary, self.header.get("adversary_name"))

    @cached_property
    def losses_between(self) -> tuple[Array, Array] | None:
        """The least and the largest possible loss of each round, given the error bars; None without error bars."""
        if self.error_bars is None:
            return None
        least, largest = losses_between(self.game.loss, self.predictions, self.error_bars, self.labels)
        return on_disk_if_large(least), on_disk_if_large(largest)

    @cached_property
    def losses(self) -> Array:
        """The learner's loss in each round."""
        with np.errstate(over="ignore"):  # the loss of a prediction of 1e200 is infinite
            return on_disk_if_large(np.asarray(self.game.loss.value(self.predictions, self.labels)))

    @cached_property
    def slopes(self) -> Array:
        """The derivative of the loss at the learner's prediction in each round, g_t in the formulas of theorems."""
        return on_disk_if_large(np.asarray(self.game.loss.derivative(self.predictions, self.labels)))

    @cached_property
    def cumulative_losses(self) -> Array:
        """The learner's total loss up to and including each round."""
        return on_disk_if_large(np.cumsum(self.losses))

    @property
    def loss(self) -> float:
        """The learner's total loss."""
        return float(self.losses.sum())

    @property
    def error_rate(self) -> float | None:
        """The share of rounds whose prediction and label differ in sign.

        A prediction of 0 counts as an error. Rounds whose label is 0 are left out. The value is None if the game's loss
        is not for classification, or if all labels are 0.
        """
        has_class = self.labels != 0
        if not self.game.loss.classifies or not has_class.any():
            return None
        return float(np.mean((np.sign(self.predictions) * np.sign(self.labels) <= 0)[has_class]))

    def hindsight(self, regularisation: float | None = None) -> RidgeHindsight | HindsightAtEnd:
        """Return the best predictor in hindsight for every prefix; `regularisation` replaces the game's lambda.

        `NoHindsight` is raised if the best losses are known in intervals only, if hindsight is switched off, and for
        every loss but the squared loss.
        """
        return self.comparator.hindsight(regularisation)

    def regret_against(self, regularisation: float | None = None) -> Array:
        """Return, for every prefix, the learner's loss minus min_f (loss of f + lambda |f|^2).

        lambda is `regularisation`, by default the game's. Raise `NoHindsight` if the regret is unknown, or known in
        intervals only; `at_end(end).regret_against()` is then one end of the intervals. For every loss but the squared
        loss, this end is computed at checkpoints only; any other prefix has the value of the checkpoint before it.
        """
        comparator, at = self.comparator, self.game.at(regularisation)
        if comparator.in_intervals and comparator.end is None:
            raise NoHindsight(comparator.why_unknown)
        if not comparator.closed_form:
            return comparator.regret_at_checkpoints(self.losses, lambda t: [comparator.optimum(at, t)])
        return self.loss_beyond(comparator.hindsight(at).increments)

    def loss_beyond(self, losses: Array) -> Array:
        """Return, for every prefix, the learner's loss minus the sum of `losses`, which has a number for each round.

        A difference that may be a mere rounding error is replaced by 0.0.
        """
        # summed round by round: the difference of two large sums would lose digits
        return cleared_of_rounding(np.cumsum(self.losses - losses), self.cumulative_losses)

    @property
    def regret(self) -> Array | None:
        """The regularised regret of every prefix, which theorems bound; None if it is not known exactly."""
        return None if self.comparator.why_unknown or self.error_bars is not None else self.regret_against()

    @property
    def regret_interval(self) -> tuple[Array, Array] | None:
        """The least and the largest possible regret of every prefix; they are equal if the regret is known exactly.

        The value is None if the regret is unknown, and for every loss but the squared loss.
        """
        if (regret := self.regret) is not None:
            return regret, regret
        if self.comparator.mode == "none" or not self.comparator.closed_form:
            return None
        return self.at_end("favourable").regret_against(), self.at_end("unfavourable").regret_against()

    @property
    def final_regret(self) -> tuple[float, float] | None:
        """An interval (lower, upper) that contains the regret after the last round; of length 0 if it is known exactly.

        The value is None if no round was played, or if the regret is unknown.
        """
        if not self.rounds or self.comparator.mode == "none":
            return None
        if (curves := self.regret_interval) is not None:
            return float(curves[0][-1]), float(curves[1][-1])
        if (best := self.comparator.final_optimum()) is None:
            return None
        least, largest = (float(np.cumsum(each)[-1]) for each in self.losses_between or (self.losses, self.losses))
        return least - best.upper, largest - best.lower

    @property
    def plain_regret(self) -> Array | None:
        """The plain regret of every prefix: the learner's loss minus that of the whole match's best predictor f.

        The penalty lambda |f|^2 is not added. The value is None if f or the learner's loss is not known exactly.
        """
        known = not self.comparator.why_unknown and self.error_bars is None
        return self.loss_beyond(self.hindsight().plain_losses) if known else None

    def regret_to(self, comparator: Any) -> Comparison:
        """Return the regret to another comparator: a name such as `constant`, a spec, or a `NamedComparator`.

        The regret to a comparator that has a spec is computed once and cached.
        """
        from arena.linalg.threads import one_thread
        from arena.record.comparing import compared, key_of

        built = build("comparator", comparator)
        key = key_of(built)
        if key not in self.remembered or is_unnamed(key[2]):
            with one_thread():  # two threads take a hundred times as long for small matrices beside other processes
                self.remembered[key] = compared(self, built)
        found: Comparison = self.remembered[key]
        return found

    def verdict(self, theorem: Claim) -> Verdict:
        """Return the verdict on a theorem, whether the learner promises it or not.

        A theorem that holds only with a probability or on average is "not applicable" to one match.
        """
        from arena.record.judging import judge

        return judge(self, theorem).alone

    def judgement(self, bound: Claim | Sequence[Claim] | None = None) -> Judgement:
        """Judge the match by one or more theorems; return the verdicts, and what follows from them.

        "auto" means the learner's promises, and "none" no theorem. The default is the theorems by which the match was
        judged when it was saved; without a saved judgement it is "auto".
        """
        from arena.record.judging import judgement_of

        return judgement_of(self, bound)

    def verdicts(self, bound: Claim | Sequence[Claim] = "auto") -> list[Verdict]:
        """Return the verdicts on one or more theorems; "auto" means the learner's promises, and "none" no theorem."""
        from arena.record.judging import judge, promises_of, theorems_named

        return [judge(self, each).alone for each in theorems_named(bound, promises_of(self))]

    def _repr_html_(self) -> str:
        from arena.record.notebook import transcript_html

        return transcript_html(self)

    def figure(self, bound: Claim | Sequence[Claim] = "auto", **options: Any) -> Sheet:
        """Return a matplotlib figure of the regret, or of another bounded quantity, with the bounds of theorems.

        `options` are the keywords `quantity`, `columns` and `log` of `arena.record.figure.transcript_figure`. The
        figure is not registered with `pyplot`. Its `savefig` embeds fonts and writes no dates.
        """
        from arena.record.figure import transcript_figure

        return transcript_figure(self, bound, **options)

    def lower_verdicts(self, bound: Claim | Sequence[Claim] = "auto") -> list[Verdict]:
        """Return the verdicts on the adversary's lower bounds, except on those that `verdicts(bound)` judges.

        The list is empty if `bound` is "none".
        """
        from arena.record.judging import judge, judges_nothing, lower_bounds_of, promises_of, theorems_named

        if not self.rounds or judges_nothing(bound):
            return []
        named = {each.name for each in theorems_named(bound, promises_of(self))}
        return [judge(self, each).alone for each in lower_bounds_of(self) if each.name not in named]

    def save(self, path: str | Path) -> Path:
        """Write the transcript as an .npz file, whole or not at all, and return the path."""
        from arena.record.storage import save_transcript

        return save_transcript(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, trust: bool = False) -> Transcript:
        """Return the transcript in a file; a torn, changed or foreign file raises `DamagedFile`.

        A transcript names users' own kernels and theorems by file or module. That code is run only with `trust`.
        """
        from arena.record.storage import load_transcript

        return load_transcript(Path(path), trust=trust)

    def summary(self) -> Mapping[str, Any]:
        """Return a dictionary with the players, the loss, error rates, the final regrets, and the learner's seconds."""
        from arena.record.tables import summary_of

        ends, regret = self.final_regret, self.regret
        exact = float(regret[-1]) if regret is not None and len(regret) else None
        return summary_of(self) | {"regret": exact, "regret_interval": None if ends is None else list(ends)}
