"""Errata, and how they are judged on the transcripts that refute them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from arena.record.judging import judge
from arena.record.theorem import Verdict
from arena.record.transcript import Transcript
from arena.specs.building import build


@dataclass(frozen=True)
class Erratum:
    """A statement as printed, its correction, and a match on which their verdicts differ.

    `printed` and `corrected` are the theorems' specs; `play` plays the match. `shows` says what the match shows:

    - `false`: the printed bound is exceeded, and the corrected one holds;
    - `incomplete`: the printed bound is exceeded, and the correction does not apply: it assumes what the paper `lacks`;
    - `empty`: the printed bound is larger than any possible loss, and the corrected one holds;
    - `unproved`: no match is known that exceeds the bound, but the condition of its proof that the paper `lacks` fails.
    """

    printed: str
    corrected: str
    wrong: str
    play: Callable[[], Transcript]
    shows: Literal["false", "incomplete", "empty", "unproved"] = "false"
    lacks: str = ""

    @property
    def name(self) -> str:
        """The printed theorem's name."""
        return self.printed.partition("(")[0]

    @property
    def file(self) -> str:
        """The file name of the transcript, which lies beside this module."""
        return f"{self.name}.npz"

    def transcript(self) -> Transcript:
        """The match that is shipped with the package."""
        with resources.as_file(resources.files("arena.papers.errata") / self.file) as path:
            return Transcript.load(path)

    def judged(self, run: Transcript | None = None) -> Judged:
        """Both verdicts on `run`, by default the shipped match."""
        run = self.transcript() if run is None else run
        printed, corrected = (build("theorem", spec) for spec in (self.printed, self.corrected))
        return Judged(self, run, printed.paper, printed.statement, corrected.statement, judge(run, printed),
                      judge(run, corrected))  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """The verdicts of a printed statement and its correction on one match."""

    erratum: Erratum
    run: Transcript
    paper: str
    statement: str
    correction: str
    printed: Verdict
    corrected: Verdict

    @property
    def reproduced(self) -> bool:
        """Whether the verdicts are those that `shows` announces."""
        lacks = self.corrected.outcome == "not applicable" and self.erratum.lacks in self.corrected.reason
        return {
            "false": self.printed.violated and self.corrected.holds,
            "incomplete": self.printed.violated and lacks,
            "empty": self.printed.holds and self.corrected.holds and self._is_empty,
            "unproved": self.printed.holds and lacks,
        }[self.erratum.shows]

    @property
    def _is_empty(self) -> bool:
        """Whether the printed bound is at least (B + C)^2 a round, more than any loss."""
        game, allowed = self.run.game, self.printed.allowed
        return allowed is not None and allowed >= self.run.rounds * (game.label_bound + game.clip) ** 2

    def as_json(self) -> dict[str, Any]:
        """The verdicts and their match as a dictionary of plain values."""
        return {
            "name": self.erratum.name,
            "paper": self.paper,
            "statement": self.statement,
            "wrong": self.erratum.wrong,
            "shows": self.erratum.shows,
            "correction": self.correction,
            "learner": self.run.learner,
            "adversary": self.run.adversary,
            "rounds": self.run.rounds,
            "printed": self.printed.as_json(),
            "corrected": self.corrected.as_json(),
            "reproduced": self.reproduced,
        }


def judge_all(errata: Iterable[Erratum]) -> list[Judged]:
    """The verdicts on each erratum's own transcript."""
    return [erratum.judged() for erratum in errata]
