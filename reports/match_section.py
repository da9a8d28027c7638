"""The section of one match on a page of many matches: numbers, verdicts, charts, a film and figures."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import ArenaError
from arena.record.both_sides import BothSides
from arena.record.commands import play_command
from arena.record.formatting import ends, short
from arena.record.judgement import Headline
from arena.record.remarks import circumstances, notes
from arena.record.tables import Row
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.downsampled import MOST_COLUMNS, charts_of, columns_for
from arena.reports.drawing import Figure
from arena.reports.film import BYTES, film_of
from arena.reports.measures import ALWAYS, measure_chart, measure_style, measures_of
from arena.reports.page import figures_of_play
from arena.reports.round_figures import regret_figures
from arena.reports.sources import Matches, anchor
from arena.reports.summary import ending, facts
from arena.specs.spelling import Names
from arena.tournament.worst import command_again

LARGEST = 2_000_000  # approximate bytes of a page; static figures of the worst matches fill the bytes that are left
FIXED, MEASURED_EACH = 230_000, 40_000  # bytes: of script and styles, and of a measured match without figures
EACH, COLUMN = 4_000, 300  # bytes: of another match without charts, and of one column of its charts
MOST_DRAWN = 1_200_000  # bytes of static figures on one page
MEASURED = 24  # most matches on a page of which each has charts of everything measured
MOST_MEASURED = 300  # most matches of which each has charts of dimensions, leverages and times
FILMED = 3  # most matches on a page of which each has a film


@dataclass(frozen=True)
class Detail:
    """The level of detail with which a page shows each of its matches.

    A measure is anything besides the regret that is measured in each round, such as the loss.

    - `columns`: the number of groups of rounds in a chart of the regret; the chart has up to four rounds of each group.
    - `drawn`: the largest number of bytes of all static figures of the page together.
    - `measured`: whether there are charts of all measures, and confidence limits of exponents of growth; if false, only
      dimensions, leverages and times may have charts.
    - `measures`: the number of groups of rounds in the chart of a measure; 0 for no such charts.
    - `film`: the approximate number of bytes of one film; 0 for no film.
    """

    columns: int
    drawn: int
    measured: bool
    measures: int
    film: int

    @classmethod
    def of(cls, matches: int) -> Detail:
        """Return the `Detail` for a page with this number of matches."""
        film = BYTES // max(matches, 1) if matches <= FILMED else 0
        columns, measured = columns_for(matches), matches <= MEASURED
        beside = max(columns // 3, 8) if measured else 2 if matches <= MOST_MEASURED else 0
        return cls(columns, drawn_for(matches), measured, beside, film)

    @classmethod
    def alone(cls, *, filmed: bool) -> Detail:
        """Return the `Detail` for a page about one match."""
        return cls(MOST_COLUMNS, MOST_DRAWN, True, MOST_COLUMNS // 3, BYTES if filmed else 0)


@dataclass
class Section:
    """The content of one match's section on a page.

    - `figures`: static figures.
    - `unscripted`: static figures that are shown only if the browser runs no scripts; otherwise there are charts.
    - `left_out`: whether the static figures are left out to keep the page small.
    - `back`: the address to which the section's link back leads.
    """

    anchor: str
    summary: Row
    learner: str
    setting: str
    headline: Headline
    ending: str = ""
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verdicts: Sequence[Verdict] = ()
    lower: Sequence[Verdict] = ()
    between: list[BothSides] = field(default_factory=list)
    lower_theorems: list[Theorem] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    unscripted: list[Figure] = field(default_factory=list)
    left_out: bool = False
    film: bool = False
    detailed: bool = False
    command: str = ""
    path: str = ""
    back: str = "#theorems"

    @property
    def alone(self) -> str:
        """The command that writes a page with only this match."""
        return shlex.join(["arena", "report", self.path, "-o", f"{self.anchor}.html"])


class SectionMaker:
    """Maker of the sections of a page, one after the other.

    `names` are the names of the learners. The maker collects the charts of all matches, and the versions of the
    programs with which the matches were played.
    """

    def __init__(self, matches: Matches, detail: Detail, names: Names | None = None):
        self.matches, self.detail, self.names = matches, detail, names or Names()
        self.charts: dict[str, dict[str, Any]] = {}
        self.styles: dict[str, dict[str, Any]] = {}
        self.versions: dict[str, set[str]] = defaultdict(set)
        self._left = detail.drawn

    def section(self, summary: Row, setting: str) -> Section:
        """Return the section of a match; `setting` is the name of the match's adversary and game."""
        name, detail = anchor(summary), self.detail
        learner, headline = self.names[summary.learner], summary.judgement.headline
        section = Section(name, summary, learner, setting, headline, path=str(summary.path))
        try:
            run = self.matches.transcript(summary)
            judgement = run.judgement()
            section.command = play_command(run, judgement.claims) or ""
        except ArenaError as error:
            section.headline = Headline("open", "?", "The transcript cannot be shown", f"{error}")
            section.command = command_again(summary, summary.judgement.claims)
            return section
        verdicts, lower = judgement.verdicts, judgement.lower
        section.headline = judgement.headline
        section.ending, section.notes = ending(run), [*notes(run), *map(str, judgement.unjudged)]
        section.facts = [*facts(run, judgement), *compared(summary)]
        section.verdicts, section.lower = verdicts, lower
        section.between = judgement.sides
        section.lower_theorems = [each.about for each in lower if each.about] if detail.measured else []
        for each, version in circumstances(run).items():
            self.versions[str(each)].add(str(version))
        known = run.rounds > 0 and run.regret_interval is not None
        drawn = [each for each in lower if each.allowed_curve is not None]
        charts = charts_of(run, [*verdicts, *drawn], detail.columns, limits=detail.measured)
        match: dict[str, Any] = {
            "learner": learner, "setting": setting, "seed": summary.seed, "state": section.headline.word,
            "regret_known": known, "charts": charts,
        }  # fmt: skip
        section.detailed = detail.measured
        if detail.measures:
            chosen = [each for each in measures_of(run) if detail.measured or each.name in ALWAYS]
            match["measures"] = [measure_chart(each, detail.measures) for each in chosen]
            for measure in chosen:
                style = measure_style(measure)
                self.styles.setdefault(measure.name, style)["lines"].update(style["lines"])
        if detail.film and (film := film_of(run, verdicts, trust=self.matches.trust, size=detail.film)):
            match["film"], section.film = film, True
        self.charts[name] = match
        self._draw(section, run)
        return section

    def _draw(self, section: Section, run: Transcript) -> None:
        """Add the match's static figures to the section, if they fit into the bytes left for figures on the page.

        Once a match's figures did not fit, the figures of all later matches are left out, too.
        """
        section.left_out = bool(run.rounds)
        if not self._left:
            return
        prefix = f"{section.anchor}-"
        regrets = regret_figures(run, [*section.verdicts, *section.lower], f"{prefix}regret")
        figures = figures_of_play(run, prefix)
        size = sum(len(drawing) for each in (*regrets, *figures) for drawing in each.drawings)
        if size > self._left:
            self._left = 0  # draw no more: it is slow, and the figures of other matches would not fit either
            return
        self._left -= size
        section.left_out = False
        has_chart = {f"{prefix}{name}" for name in ("loss", "moves", "sizes", *ALWAYS)}
        charted = [each for each in figures if self.detail.measured and each.name in has_chart]
        section.figures = [each for each in figures if each not in charted]
        section.unscripted = [*regrets, *charted]


def compared(summary: Row) -> list[tuple[str, str, str]]:
    """Return a row for each named comparator: name, the match's regret to the comparator, and a short explanation."""
    return [
        (f"Regret to {short(name)}", ends(pair), "below zero the learner did better" if pair else "unknown")
        for name, pair in summary.comparators.items()
    ]


def drawn_for(matches: int) -> int:
    """Return how many bytes all static figures together may have, on a page with this number of matches.

    >>> drawn_for(10), drawn_for(28), drawn_for(250), drawn_for(1000)
    (1200000, 910400, 20000, 0)
    """
    each = MEASURED_EACH if matches <= MEASURED else EACH + COLUMN * columns_for(matches)
    return max(0, min(MOST_DRAWN, LARGEST - FIXED - each * matches))


def in_words(versions: Mapping[str, set[str]]) -> dict[str, str]:
    """Return a dictionary from the name of each program to a text that lists its versions."""
    return {name: ", ".join(sorted(values)) for name, values in sorted(versions.items())}
