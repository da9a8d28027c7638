"""`Erratum`, a wrong statement of a paper, and `JudgedErratum`, the verdicts on the match that refutes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, NamedTuple

from arena.record.judging import judge
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption, Verdict
from arena.specs.building import build

Seriousness = Literal["false", "needs a precondition", "constant lost", "notation"]
SERIOUSNESS: dict[str, str] = {
    "false": "no choice of constants saves the statement",
    "needs a precondition": "a condition is missing without which it fails or is not proved",
    "constant lost": "a factor is missing that its source or its proof has",
    "notation": "a slip in a symbol, an index or a word; what is meant is clear from the context",
}


@dataclass(frozen=True)
class Erratum:
    """A statement as printed, its correction, and a match in which the verdicts on the two differ.

    - `printed` and `corrected` are specs of theorems, and `play` plays the match.
    - `place` is the section of the paper, with the page if pages are known.
    - `assumes` are the assumptions under which the paper makes the statement; the printed theorem checks them.
    - `wrong` explains the error.
    - `chance` explains why the violation is not due to chance.
    - `lacks` is the assumption that the paper omits, if that is the error; otherwise it is empty.

    The match violates the printed theorem. If `lacks` is empty, the corrected theorem holds in the match. Otherwise the
    corrected theorem does not apply, because the match does not meet the assumption `lacks`.
    """

    printed: str
    corrected: str
    place: str
    seriousness: Seriousness
    assumes: str
    wrong: str
    chance: str
    play: Callable[[], Transcript]
    lacks: str = ""

    @property
    def name(self) -> str:
        """The name of the printed theorem."""
        return self.printed.partition("(")[0]

    @property
    def file(self) -> str:
        """The name of the transcript's file, which is in the folder of this module."""
        return f"{self.name}.npz"

    def transcript(self) -> Transcript:
        """Return the match that refutes the printed statement, from the file shipped with the package."""
        with resources.as_file(resources.files("arena.papers.errata") / self.file) as path:
            return Transcript.load(path)

    def judged(self, run: Transcript | None = None) -> JudgedErratum:
        """Return the verdicts on the printed and on the corrected theorem in `run`, by default in the shipped match."""
        run = self.transcript() if run is None else run
        printed, corrected = (build("theorem", spec) for spec in (self.printed, self.corrected))
        return JudgedErratum(self, run, judge(run, printed), judge(run, corrected))


class InWords(NamedTuple):
    """An erratum that no match can show, such as one in a listing, a definition, a step of a proof or a remark."""

    where: str
    seriousness: Seriousness
    wrong: str


@dataclass(frozen=True)
class JudgedErratum:
    """The verdicts on a printed statement and on its correction, in one match."""

    erratum: Erratum
    run: Transcript
    printed: Verdict
    corrected: Verdict

    @property
    def reproduced(self) -> bool:
        """True if the match shows the erratum.

        The conditions are:

        - The match violates the printed statement, and measured still exceeds allowed in the last round.
        - The correction holds in the match. It need not hold if it is "not applicable" because the match does not meet
          `erratum.lacks`, the assumption that the paper omits.
        """
        lacks, reason = self.erratum.lacks, self.corrected.reason
        fits = lacks in reason if lacks and self.corrected.outcome == "not applicable" else self.corrected.holds
        return self.printed.violated and self.margin > 0 and fits

    @property
    def premises(self) -> tuple[Assumption, ...]:
        """The assumptions of the printed statement, each with the value that was measured in the match."""
        return self.printed.assumptions

    @property
    def margin(self) -> float:
        """Measured minus allowed at the end of the match; -infinity if the printed theorem does not apply."""
        measured, allowed = self.printed.measured, self.printed.allowed
        return -math.inf if measured is None or allowed is None else measured - allowed

    @property
    def excess(self) -> str:
        """A phrase with the measured and the allowed value at the end of the match.

        If the printed theorem does not apply, the phrase is the reason.
        """
        measured, allowed = self.printed.measured, self.printed.allowed
        if measured is None or allowed is None:
            return self.printed.reason
        times = f", {measured / allowed:.3g} times as much" if allowed > 0 else ""
        return f"{self.printed.quantity} {measured:.5g} where {allowed:.5g} is allowed{times}"

    def as_json(self) -> dict[str, Any]:
        """Return the verdicts and their match as a dictionary of plain values."""
        return {
            "name": self.erratum.name,
            "paper": self.printed.about.paper,
            "place": self.erratum.place,
            "seriousness": self.erratum.seriousness,
            "statement": self.printed.about.statement,
            "assumes": self.erratum.assumes,
            "wrong": self.erratum.wrong,
            "chance": self.erratum.chance,
            "premises": [str(each) for each in self.premises],
            "premises_met": bool(self.premises) and all(each.holds for each in self.premises),
            "margin": self.margin,
            "excess": self.excess,
            "correction": self.corrected.about.statement,
            "learner": self.run.learner,
            "adversary": self.run.adversary,
            "rounds": self.run.rounds,
            "printed": self.printed.as_json(),
            "corrected": self.corrected.as_json(),
            "reproduced": self.reproduced,
        }
