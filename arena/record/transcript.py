"""The record of a match: moves, predictions, and how it ended. Everything else is computed from it."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from arena.arrays import Array, few_different
from arena.errors import NoHindsight
from arena.game.game import Game
from arena.hindsight.certificate import WIDTH, Watch, interval_hindsight
from arena.hindsight.exact import RidgeHindsight, ridge_hindsight
from arena.hindsight.interval import IntervalHindsight, Side
from arena.hindsight.other_losses import best_for_loss
from arena.hindsight.spaces import Comparator, Space
from arena.linalg.posterior import RidgePosterior
from arena.record.forfeit import Forfeit
from arena.specs.building import build, registered_names_only

if TYPE_CHECKING:
    from arena.record.theorem import Theorem, Verdict

Ending = Literal["completed", "exhausted", "forfeit", "interrupted"]
HindsightMode = Literal["exact", "interval", "none"]
Claim: TypeAlias = "str | Theorem | type[Theorem]"
EXACT_LIMIT = 20_000  # rounds; the exact comparator needs 4 T^2 bytes, 1.6 GB here
FEW_POINTS = (
    500  # different points, among which the exact comparator costs no more than an interval, however many rounds
)


def automatic_hindsight(rounds: int, points: Array) -> HindsightMode:
    """How the best predictor of a match is found unless somebody says how: exactly where that is affordable."""
    return "exact" if rounds <= EXACT_LIMIT or few_different(points, FEW_POINTS) else "interval"


@dataclass(eq=False)  # arrays have no one answer to ==
class Transcript:
    """A match as it was played.

    `regret`, `plain_regret` and the verdicts are computed when they are asked for and kept. Of a match too long for the
    exact comparator `regret` is None, and `regret_interval` says between which curves it lies.
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
    unanswered: tuple[Array, Array] | None = field(default=None, repr=False)  # moves made when a foul ended the match
    promised: tuple[Theorem, ...] = field(default=(), repr=False)
    trusted: bool = field(default=True, repr=False)  # whether specs in it may name code outside the arena
    hindsights: dict[float, RidgeHindsight] = field(init=False, default_factory=dict, repr=False)  # computed when asked
    intervals: dict[float, IntervalHindsight] = field(init=False, default_factory=dict, repr=False)  # the same
    _dimensions: dict[float, Array] = field(init=False, default_factory=dict, repr=False)
    side: Side | None = field(init=False, default=None, repr=False)  # the end of an interval that is asked for
    watch: Watch | None = field(init=False, default=None, repr=False)  # told of an interval that is being computed
    _whole: Transcript | None = field(init=False, default=None, repr=False)

    @property
    def rounds(self) -> int:
        """How many rounds were played to their end."""
        return len(self.labels)

    @cached_property
    def losses(self) -> Array:
        """The learner's loss in each round."""
        with np.errstate(over="ignore"):  # a learner may predict 1e200; its loss is infinite
            return np.asarray(self.game.loss.value(self.predictions, self.labels))

    @cached_property
    def cumulative_losses(self) -> Array:
        """The learner's loss up to each round."""
        return np.asarray(np.cumsum(self.losses))

    @property
    def loss(self) -> float:
        """The learner's total loss."""
        return float(self.losses.sum())

    @property
    def error_rate(self) -> float | None:
        """The share of rounds whose prediction had not the label's sign, zero having none; None unless signs matter."""
        if not self.game.loss.classifies or not self.rounds:
            return None
        return float(np.mean(np.sign(self.predictions) * np.sign(self.labels) <= 0))

    @property
    def has_hindsight(self) -> bool:
        """Whether the best predictor in hindsight is known exactly."""
        return not self.why_no_hindsight

    @property
    def has_interval(self) -> bool:
        """Whether an interval is known of its loss."""
        return self.hindsight_mode == "interval" and self.game.loss.name == "squared"

    @property
    def why_no_hindsight(self) -> str:
        """Why there is no comparator; empty if there is one."""
        if self.game.loss.name != "squared":
            return f"the exact comparator exists for the squared loss, and the loss is {self.game.loss.name}"
        if self.hindsight_mode == "none":
            return "hindsight is switched off"
        if self.hindsight_mode == "interval" and self.side is None:
            return "only an interval is known of it; narrow it with --hindsight exact"
        return ""

    def hindsight(self, regularisation: float | None = None) -> RidgeHindsight:
        """The best predictor in hindsight at this lambda (default: the game's)."""
        at = self.game.at(regularisation)
        if not self.has_hindsight:
            raise NoHindsight(self.why_no_hindsight)
        if self.side is not None and self.has_interval:  # it has the names that regret bounds are made of
            return cast(RidgeHindsight, self.interval(at).side(self.side))
        if at not in self.hindsights:
            self.hindsights[at] = ridge_hindsight(self.game.kernel, at, self.points, self.labels)
        return self.hindsights[at]

    def interval(self, regularisation: float | None = None, *, features: int | None = None) -> IntervalHindsight:
        """An interval of the best predictor's loss at this lambda (default: the game's), as narrow as its features.

        It is computed once and kept; naming the number of features computes it again.
        """
        at = self.game.at(regularisation)
        if self.game.loss.name != "squared":
            raise NoHindsight(f"the interval exists for the squared loss, and the loss is {self.game.loss.name}")
        if at not in self.intervals or features is not None:
            width = WIDTH if features is None else 0.0
            self.intervals[at] = interval_hindsight(
                self.game.kernel, at, self.points, self.labels, width=width, features=features, watch=self.watch
            )
            self.__dict__.pop("regret_interval", None)
        return self.intervals[at]

    def best(self, regularisation: float | None = None, *, features: int | None = None) -> Comparator:
        """The best predictor of the whole match for the game's loss, whichever it is, with a certified gap."""
        at = self.game.at(regularisation)
        space = Space.of(self.game.kernel, self.points, features=features)
        return best_for_loss(space, self.game.loss, self.labels, regularisation=at)

    def sided(self, side: Side) -> Transcript:
        """The same match, with the hindsight at one end of its interval."""
        twin = copy.copy(self.whole)
        twin.side, twin._whole = side, self.whole
        return twin

    @property
    def whole(self) -> Transcript:
        """The match itself, of which this may be one end."""
        return self if self._whole is None else self._whole

    def effective_dimensions(self, regularisation: float | None = None) -> Array:
        """Tr K_t (K_t + lambda I)^-1 for every prefix; costs two factorisations, once.

        At one end of an interval: what log det / (1 + log(1 + |K_t| / lambda)) <= d_eff <= log det says of it.
        """
        at = self.game.at(regularisation)
        if self.side is not None and self.has_interval:
            determinant = self.hindsight(at).log_determinant
            norm = np.cumsum(self.game.kernel.diagonal(self.points))  # not less than |K_t|
            return np.asarray(determinant if self.side == "favourable" else determinant / (1 + np.log1p(norm / at)))
        if at not in self._dimensions:
            posterior = RidgePosterior(self.game.kernel, at)
            posterior.extend(self.points, self.labels)
            self._dimensions[at] = posterior.effective_dimensions()
        return self._dimensions[at]

    def regret_against(self, regularisation: float | None = None) -> Array:
        """The regret of each prefix against min_f sum loss + lambda |f|^2, summed round by round to keep its digits."""
        return np.asarray(np.cumsum(self.losses - self.hindsight(regularisation).increments))

    @cached_property
    def regret(self) -> Array | None:
        """The regularised regret of every prefix, which theorems bound; None without a comparator."""
        return self.regret_against() if self.has_hindsight else None

    @cached_property
    def regret_interval(self) -> tuple[Array, Array] | None:
        """The curves between which the regret of every prefix lies; twice the regret if that is known exactly."""
        if self.regret is not None:
            return self.regret, self.regret
        if not self.has_interval:
            return None
        return self.sided("favourable").regret_against(), self.sided("unfavourable").regret_against()

    @cached_property
    def plain_regret(self) -> Array | None:
        """The loss beyond that of the final best predictor, its penalty left out; the papers' figures show this."""
        if not self.has_hindsight:
            return None
        return np.asarray(np.cumsum(self.losses - self.hindsight().plain_losses))

    def verdict(self, theorem: Claim) -> Verdict:
        """What this theorem says of the match, whoever was playing."""
        return self._claimed(theorem).verdict(self)

    def judge(self, theorem: Claim) -> Verdict:
        """The statement held against this one match even if it leaves room for chance, bad luck included."""
        return self._claimed(theorem).judge(self)

    def verdicts(self, bound: Claim | Sequence[Claim] = "auto") -> list[Verdict]:
        """The verdicts of the learner's own theorems (`auto`), of none, or of those named."""
        return [theorem.verdict(self) for theorem in self.claimed(bound)]

    def claimed(self, bound: Claim | Sequence[Claim] = "auto") -> list[Theorem]:
        """The learner's own theorems (`auto`), none, or those named."""
        claims: list[Any] = list(bound) if isinstance(bound, (list, tuple)) else [bound]
        found: list[Theorem] = []
        for claim in claims:
            if claim == "auto":
                found += self.promises()
            elif claim != "none":
                found.append(self._claimed(claim))
        return found

    def _claimed(self, claim: Claim) -> Theorem:
        """The theorem of this name as the learner promises it, if it does."""
        own = (promised for promised in self.promises() if promised.name == claim)
        theorem: Theorem = next(own, None) or build("theorem", claim)
        return theorem

    def promises(self) -> tuple[Theorem, ...]:
        """The theorems that the learner promises to obey."""
        if not self.promised and self.theorems:
            texts = self.theorems if self.trusted else map(registered_names_only, self.theorems)
            self.promised = tuple(build("theorem", text) for text in texts)
        return self.promised

    @property
    def command(self) -> str | None:
        """The command that plays the same match again; None if a side is not to be had by a spec."""
        words = ["arena", "play", self.learner, self.adversary, *self.game.options()]
        if any(word.startswith("<") for word in words):
            return None
        if self.seed:
            words += ["--seed", str(self.seed)]
        if self.hindsight_mode != automatic_hindsight(self.game.rounds, self.points):
            words += ["--hindsight", self.hindsight_mode]
        return shlex.join(words)

    def save(self, path: str | Path) -> Path:
        """Write the transcript as an .npz file, whole or not at all."""
        from arena.record.storage import save_transcript

        return save_transcript(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, trust: bool = False) -> Transcript:
        """Read a transcript; a torn, tampered or foreign file is refused.

        A kernel or theorem of your own is named in it by its file or module. Code that a file names is run only if you
        `trust` it.
        """
        from arena.record.storage import load_transcript

        return load_transcript(Path(path), trust=trust)

    def summary(self) -> Mapping[str, Any]:
        """The last value of every curve, as plain numbers."""
        return {
            "learner": self.learner,
            "adversary": self.adversary,
            "rounds": self.rounds,
            "loss": self.loss,
            "error_rate": self.error_rate,
            "regret": _last(self.regret),
            "regret_interval": None if self.regret_interval is None else [_last(end) for end in self.regret_interval],
            "plain_regret": _last(self.plain_regret),
            "seconds": float(self.seconds.sum()),
        }


def _last(curve: Array | None) -> float | None:
    return None if curve is None or not len(curve) else float(curve[-1])
