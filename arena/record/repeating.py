"""Options of `arena play` that the command repeating a match must have; each is declared here once.

The command line makes its options of these declarations and passes their values to `arena.play` as keyword arguments of
the same names. A transcript keeps in its header, under the option's name, what is needed to repeat the match; the
engine writes it there. Files are checked by `Option.allows`.

Game, seed and bounds, which every match has, are fields of the transcript, or arguments of `play_command`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arena.hindsight.comparator import automatic_hindsight
from arena.record.transcript import Transcript
from arena.specs.spelling import spec_text

KEPT = "yes"  # the value in headers of an option without a value


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option that belongs to the repetition of a match.

    `kind` is `bool` for an option without a value, `float` for a number >= 0, a tuple of the texts allowed, or
    "comparator" for specs of comparators. `written` returns the option's words in the command that repeats a match, by
    default those of the value in the header. `in_digest` says whether the digest of a match covers this value.
    """

    name: str
    flag: str
    help: str
    kind: type[bool] | type[float] | tuple[str, ...] | Literal["comparator"] = bool
    default: str | None = None
    metavar: str | None = None
    written: Callable[[Transcript], list[str]] | None = None
    in_digest: bool = True

    def words(self, run: Transcript) -> list[str]:
        """Return the option as words of the command that repeats the match; [] if the command needs no such option."""
        if self.written is not None:
            return self.written(run)
        value = run.header.get(self.name)
        if value is None:
            return []
        return [self.flag] if self.kind is bool else [self.flag, str(value).removesuffix(".0")]

    def allows(self, value: object) -> bool:
        """Return whether a header can have this value."""
        if self.kind is float:
            return type(value) in (int, float) and (0 <= value <= sys.float_info.max or value == math.inf)  # type: ignore[operator]
        return value in (self.kind if isinstance(self.kind, tuple) else (KEPT,))


def _hindsight(run: Transcript) -> list[str]:
    if (insisted := run.header.get("hindsight")) is not None:
        return ["--hindsight", str(insisted)]
    if run.ended == "interrupted" or run.hindsight_mode == automatic_hindsight(run.game.rounds, run.points):
        return []
    return ["--hindsight", run.hindsight_mode]


def _comparators(run: Transcript) -> list[str]:
    specs = (each if isinstance(each, str) else spec_text(each) for each in run.comparators)
    return [word for spec in specs for word in ("--comparator", spec)]


_DECLARED = (
    Option(
        name="hindsight",
        flag="--hindsight",
        kind=("auto", "exact", "interval", "none"),
        default="auto",
        help="The best predictor in hindsight: exact, a certified interval of its loss, or none at all (auto: exact up "
        "to 20,000 rounds or 500 different points, an interval beyond). Beyond 32,768 rounds exact is an interval that "
        "is narrowed to a relative width of 1e-6, however long it takes.",
        written=_hindsight,
        in_digest=False,  # the transcript's own `hindsight_mode` is
    ),
    Option(
        name="hindsight_time",
        flag="--hindsight-time",
        kind=float,
        metavar="SECONDS",
        help="How long auto may narrow the interval of a long match. The same command continues after Ctrl-C.  "
        "[default: 60.0]",
    ),
    Option(
        name="exact",
        flag="--exact",
        help="Play krr, clipped-krr and kernel-awv exactly, however much memory it takes; otherwise matches with more "
        "than 32,768 different points are played through features, and each prediction has a certified error bar.",
    ),
    Option(
        name="comparators",
        flag="--comparator",
        kind="comparator",
        metavar="NAME",
        help="Also report the regret to this comparator, such as constant, last-label or shifts(k=2); may be repeated. "
        "The regret is the learner's loss minus the comparator's; below zero the learner did better (arena list "
        "comparators).",
        written=_comparators,
    ),
    Option(
        name="isolate",
        flag="--isolate",
        help="Play the learner in a process of its own: if it crashes, hangs for a minute or wants more than 4 GiB, it "
        "forfeits. Theorems of its own code are not judged, and stay open. Adversaries, kernels and comparators are "
        "not isolated; `arena show isolation` says what is in force.",
        in_digest=False,  # isolated or not, a match has the same moves
    ),
)
OPTIONS = {option.name: option for option in _DECLARED}


def split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that are options, and the others."""
    options = {name: value for name, value in arguments.items() if name in OPTIONS}
    return options, {name: value for name, value in arguments.items() if name not in OPTIONS}


def options_in(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a header that are options and are covered by the digest of a match."""
    return {name: value for name, value in header.items() if name in OPTIONS and OPTIONS[name].in_digest}
