"""A match together with its verdicts, as commands print it and write it to files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.cli.files import Files
from arena.record.comparing import comparisons
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict


@dataclass(frozen=True)
class JudgedTranscript:
    """A match with its verdicts.

    - `bounds` has the texts of --bound, and `further` has more theorems by which the match is judged.
    - `verdicts` has the verdicts on these theorems; it is empty if Ctrl-C left no time to judge.
    - `lower` has the verdicts on the lower bounds that the adversary promises.
    """

    run: Transcript
    bounds: Sequence[str]
    verdicts: Sequence[Verdict]
    lower: Sequence[Verdict]
    further: Sequence[Theorem] = ()

    @classmethod
    def of(cls, run: Transcript, bounds: Sequence[str], further: Sequence[Theorem] = ()) -> JudgedTranscript:
        """Judge the match `run` by `bounds`, the texts of --bound, and by the theorems `further`."""
        verdicts = run.verdicts([*bounds, *further])
        if run.comparators:
            comparisons(run)  # cached in the match; here errors of a user's model become messages
        return cls(run, bounds, verdicts, run.lower_verdicts(bounds), further)

    def write_page(self, files: Files) -> None:
        """Write an HTML page about the match and its verdicts to the file that --report names, if it names one."""
        if files.report is None:
            return
        from arena.reports.page import write_report

        bounds: list[str | Theorem] = [*self.bounds, *self.further]
        write_report(self.run, files.folder / files.report, bound=bounds, verdicts=self.verdicts, lower=self.lower)
