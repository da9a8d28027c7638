"""What an erratum is, and how it is judged on the transcript that refutes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from arena.record.theorem import Verdict
from arena.record.transcript import Transcript
from arena.specs.building import build


@dataclass(frozen=True)
class Erratum:
    """A statement as printed, its correction, and the match that tells them apart.

    `printed` and `corrected` are the theorems' specs; `play` makes the match. What the match `shows`:

    - `false`: the printed bound is exceeded, and the corrected one holds;
    - `incomplete`: the printed bound is exceeded, and the correction does not apply: it assumes what the paper `lacks`;
    - `empty`: the printed bound is more than anybody can lose, and the corrected one holds;
    - `unproved`: no match is known that exceeds it, but the proof's own condition, which the paper `lacks`, is not met.
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
        """Where the transcript lies, beside this module."""
        return f"{self.name}.npz"

    def transcript(self) -> Transcript:
        """The match, as it is shipped."""
        with resources.as_file(resources.files("arena.papers.errata") / self.file) as path:
            return Transcript.load(path)

    def judged(self, run: Transcript | None = None) -> Judged:
        """What both statements say of the match that is shipped, or of this one."""
        run = self.transcript() if run is None else run
        printed, corrected = (build("theorem", spec) for spec in (self.printed, self.corrected))
        return Judged(self, run, printed.paper, printed.statement, corrected.statement, printed.judge(run),
                      corrected.judge(run))  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """Both verdicts on one match."""

    erratum: Erratum
    run: Transcript
    paper: str
    statement: str
    correction: str
    printed: Verdict
    corrected: Verdict

    @property
    def reproduced(self) -> bool:
        """The match shows what it should."""
        lacks = self.corrected.outcome == "not applicable" and self.erratum.lacks in self.corrected.reason
        return {
            "false": self.printed.violated and self.corrected.holds,
            "incomplete": self.printed.violated and lacks,
            "empty": self.printed.holds and self.corrected.holds and self._beyond_everything,
            "unproved": self.printed.holds and lacks,
        }[self.erratum.shows]

    @property
    def _beyond_everything(self) -> bool:
        """The bound is no smaller than (B + C)^2 a round."""
        game, allowed = self.run.game, self.printed.allowed
        return allowed is not None and allowed >= self.run.rounds * (game.label_bound + game.clip) ** 2

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
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
    """All of them, each on its own transcript."""
    return [erratum.judged() for erratum in errata]
