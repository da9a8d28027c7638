"""The report of many matches: one HTML file that loads nothing else, with its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arena.errors import ArenaError, number_of
from arena.record.commands import play_command
from arena.record.remarks import circumstances, notes
from arena.record.storage import writing
from arena.record.theorem import Verdict
from arena.record.transcript import Transcript
from arena.reports.cost_figure import cost_figure
from arena.reports.drawing import Figure
from arena.reports.formatting import duration, number, percent, short
from arena.reports.page import figures_of_play, is_page, template
from arena.reports.pairings import OUTCOMES, Judged, Overview, Pairing, setting_names
from arena.reports.round_figures import regret_figures
from arena.reports.sources import Matches, anchor
from arena.reports.summary import Headline, capital, ending, facts, headline
from arena.reports.thinned import charts_of, columns_for, script_json
from arena.tournament.efficiency import Cost, costs_of
from arena.tournament.playing import KEY
from arena.tournament.ranking import ranking
from arena.tournament.scores import Setting
from arena.tournament.summary import Summary
from arena.tournament.worst import command_again

LARGEST = 2_000_000  # bytes of a page, about; static figures of the worst matches fill what other content leaves
FIXED, EACH = 150_000, 7_000  # bytes that the script and the styles, and one match without figures, take
MOST_DRAWN = 1_200_000  # bytes of static figures on one page
NO_MATCH = "there is no match to report: play some with `arena tournament`, or name other stores"
UNKNOWN = "–"  # noqa: RUF001
NAMED = 6  # clauses about broken pairings in the page's headline, at most
MARKS = {"violated": "✕", "forfeit": "✕", "holds": "✓", "open": "○"}


def write_overview(matches: Matches, path: str | Path, *, title: str = "", command: str = "") -> Path:
    """Write the report of these matches and return its path; `command` is printed as the one that writes it again."""
    target = Path(path)
    text = overview(matches, title=title, command=command)
    with writing(target, is_page) as file:
        file.write(text.encode("utf-8", "replace"))
    return target


def overview(matches: Matches, *, title: str = "", command: str = "") -> str:
    """Return the report of these matches as HTML; raise an `ArenaError` if there are none."""
    with np.errstate(all="ignore"):
        found = Overview.of(matches.summaries())
        if not found.matches:
            raise ArenaError(NO_MATCH)
        page = _Page(matches, found)
        script = _text("vendor/uPlot.iife.min.js") + "\n" + _text("overview.js")
        content = {
            "title": title or page.own_title(),
            "headline": page.headline(),
            "facts": page.facts(),
            "notes": page.notes(),
            "columns": [{"name": name, "setting": setting} for setting, name in page.names.items()],
            "rows": page.rows(),
            "ranked": page.ranked,
            "costs": page.costs,
            "cost_figure": cost_figure(list(page.costs.values())),
            "failures": [str(each) for each in matches.failures()],
            "theorems": [page.theorem_row(each) for each in found.theorems],
            "outcomes": OUTCOMES,
            "sections": page.sections(),
            "versions": {name: ", ".join(sorted(values)) for name, values in sorted(page.versions.items())},
            "command": command,
        }
        content["data"] = script_json(json.dumps(page.data(), allow_nan=False))
    return template("overview.html.j2").render(
        **content, script=Markup(script), script_hash=_hash(script), plot_style=Markup(_text("vendor/uPlot.min.css"))
    )


@dataclass
class Cell:
    """A pairing as the matrix shows it; the shares, from 0 to 1, colour the cell by each measure."""

    state: str
    mark: str
    words: str
    anchor: str
    texts: dict[str, str]
    shares: dict[str, float]
    values: dict[str, float | str]
    about: str


@dataclass
class Section:
    """The section of one match."""

    anchor: str
    summary: Summary
    setting: str
    headline: Headline
    ending: str = ""
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    regrets: list[Figure] = field(default_factory=list)
    left_out: bool = False
    charts: int = 0
    command: str = ""
    path: str = ""
    back: str = "theorems"  # id of the cell or the table that links to this section


class _Page:
    """The parts of one page, each computed once."""

    def __init__(self, matches: Matches, found: Overview):
        self.matches, self.found = matches, found
        self.ranked = ranking(found.scores)
        self.names = setting_names(found.settings)
        self.versions: dict[str, set[str]] = defaultdict(set)
        self.charts: dict[str, dict[str, Any]] = {}
        self.drawn = 0
        placed = [each.learner for each in self.ranked.standings]
        others = sorted({each.outcome.learner for each in found.pairings} - set(placed))
        self.learners = placed + others

    def own_title(self) -> str:
        """Return the title of a report to which the user gave none."""
        adversaries = number_of(len({each.adversary for each in self.names}), "adversary", "adversaries")
        return f"{number_of(len(self.learners), 'learner')} against {adversaries}"

    def headline(self) -> Headline:
        """Return the outcome of all matches in one word and one sentence."""
        pairings = self.found.pairings
        if any(each.state in ("violated", "forfeit") for each in pairings):
            return self._broken()
        tight = max((each.tightest for each in pairings if each.tightest), default=None)
        if not any(each.state == "holds" for each in pairings):
            return Headline("open", "○", "No theorem was decided", "No bound applied to any of these matches.")
        closest = f" The closest came to {percent(tight[0]) or 'none'} of {short(tight[1])}." if tight else ""
        return Headline("good", "✓", "No theorem was violated", f"All pairings kept the bounds that apply.{closest}")

    def _broken(self) -> Headline:
        """Return the headline where a theorem was violated or a match forfeited, one clause for each learner."""
        violated = [each for each in self.found.pairings if each.outcome.violated]
        lost = [each for each in self.found.pairings if each.forfeits]
        against: dict[tuple[str, str], list[str]] = defaultdict(list)
        for each in violated:
            against[short(each.outcome.learner), f"violates {_theorems(each)} against"].append(self._adversary(each))
        for each in lost:
            against[short(each.outcome.learner), "has a match forfeited against"].append(self._adversary(each))
        clauses = [f"{learner} {verb} {', '.join(names)}" for (learner, verb), names in sorted(against.items())]
        more = f"; and {len(clauses) - NAMED:,} more, marked ✕ in the table" if len(clauses) > NAMED else ""
        counts = [(violated, "a theorem violated"), (lost, "a match forfeited")]
        words = [f"{what} in {len(found):,}" for found, what in counts if found]
        word = f"{' and '.join(words)} of {number_of(len(self.found.pairings), 'pairing')}"
        return Headline("bad", "✕", capital(word), f"{'; '.join(clauses[:NAMED])}{more}.")

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """Return the cost of each ranked learner."""
        ranked = self.ranked
        return {each.learner: each for each in costs_of(self.found.scores, ranked)} if ranked.standings else {}

    def facts(self) -> list[tuple[str, str, str]]:
        """Return the numbers at the top of the page."""
        standings = self.ranked.standings
        adversaries = len({each.adversary for each in self.names})
        games = number_of(len({each.game for each in self.names}), "game")
        rows = [
            ("Matches", number(self.found.matches), f"of {number_of(len(self.found.pairings), 'pairing')}"),
            ("Learners", number(len(self.learners)), f"best: {short(standings[0].learner)}" if standings else ""),
            ("Adversaries", number(adversaries), f"in {games}"),
        ]
        shares = [(each.tightness, each.theorem) for each in self.found.theorems if each.tightness is not None]
        if shares:
            share, theorem = max(shares)
            rows.append(("Largest tightness", percent(share) or "below 0", f"of the bound of {short(theorem)}"))
        return rows

    def notes(self) -> list[str]:
        """Return remarks on matches and learners left out, and on the limits of the ranking."""
        ranked, found = self.ranked, []
        if self.matches.unread:
            lost = number_of(self.matches.unread, "match", "matches")
            found.append(f"{lost} without a sound summary left out; `arena store verify` lists damaged files.")
        for learner, count in ranked.left_out.items():
            found.append(f"{learner} is not ranked: it shares too few of its matches ({count:,}) with the others.")
        if ranked.by_loss:
            settings = number_of(len(ranked.by_loss), "setting")
            found.append(f"A regret is unknown in {settings}, where learners are ranked by their loss.")
        if ranked.few_seeds:
            found.append("The spread rests on very few seeds: confidence intervals are too short. Play more seeds.")
        if self.found.scores.outdated:
            older = number_of(self.found.scores.outdated, "older version")
            found.append(f"{older} of matches, of which the newest counts, left out of the ranking.")
        return found

    def rows(self) -> list[tuple[str, list[tuple[str, Cell | None]]]]:
        """Return the rows of the matrix: a learner, and its cell in each setting."""
        costs = [each.cost for each in self.found.pairings if each.cost]
        cheapest, dearest = (math.log(min(costs)), math.log(max(costs))) if costs else (0.0, 0.0)
        columns = {setting: self._regret_range(setting) for setting in self.names}
        rows = []
        for learner in self.learners:
            cells: list[tuple[str, Cell | None]] = []
            for setting, name in self.names.items():
                pairing = self.found.at(learner, setting)
                cells.append((name, self._cell(pairing, columns[setting], (cheapest, dearest)) if pairing else None))
            rows.append((learner, cells))
        return rows

    def _regret_range(self, setting: Setting) -> tuple[float, float]:
        regrets = [each.outcome.regret for each in self.found.pairings if each.setting == setting]
        known = [each for each in regrets if each is not None and math.isfinite(each)]
        return (min(known), max(known)) if known else (0.0, 0.0)

    def _cell(self, pairing: Pairing, regrets: tuple[float, float], costs: tuple[float, float]) -> Cell:
        outcome, tight, cost = pairing.outcome, pairing.tightest, pairing.cost
        words = {"violated": "violated", "forfeit": "forfeit", "open": "not judged", "holds": ""}[pairing.state]
        broken = _theorems(pairing)
        about = f"{self._pairing(pairing)}: {broken + ' violated' if broken else words or 'bounds kept'}"
        if pairing.forfeits:
            about += f"; forfeit of the {pairing.forfeits[0]}"
        if tight:
            about += f"; largest share {percent(tight[0]) or 'below 0'} of {short(tight[1])}"
        return Cell(
            state=pairing.state,
            mark=MARKS[pairing.state],
            words=words,
            anchor=anchor(pairing.worst),
            texts={
                "tightness": (percent(tight[0]) or "< 0 %") if tight else UNKNOWN,
                "regret": number(outcome.regret) if outcome.regret is not None else "unknown",
                "cost": duration(cost) if cost else UNKNOWN,
            },
            shares={
                "tightness": _share(tight[0] if tight else 0.0, 0.0, 1.0),
                "regret": _share(outcome.regret, *regrets),
                "cost": _share(math.log(cost) if cost else None, *costs),
            },
            values={
                "tightness": tight[0] if tight else "",
                "regret": "" if outcome.regret is None else outcome.regret,
                "cost": cost or "",
            },
            about=about,
        )

    def theorem_row(self, judged: Judged) -> dict[str, Any]:
        """Return the cells of a theorem's row."""
        theorem, worst = judged.object, judged.worst
        row: dict[str, Any] = {
            "judged": judged,
            "statement": theorem.statement if theorem else "",
            "paper": theorem.paper if theorem else "",
            "tightness": percent(judged.tightness) or ("below 0" if judged.tightness is not None else UNKNOWN),
            "worst": None,
        }
        if worst:
            bounds = [] if judged.theorem in worst.promised else [judged.theorem]
            row["worst"] = {
                "anchor": anchor(worst),
                "text": f"{short(worst.learner)} against {short(worst.adversary)}, seed {worst.seed}",
                "command": _command(worst, bounds),
            }
        return row

    def sections(self) -> list[Section]:
        """Return the sections of the matches that are shown, in the order of the matrix."""
        shown = self.found.shown
        columns, self.drawn = columns_for(len(shown)), drawn_for(len(shown))
        left = self.drawn
        sections = []
        for summary in shown:  # one transcript at a time; the worst matches get their figures first
            section, left = self._section(summary, columns, left)
            sections.append(section)
        order = {learner: at for at, learner in enumerate(self.learners)}
        return sorted(sections, key=lambda each: (order[each.summary.learner], each.setting, each.summary.seed))

    def _section(self, summary: Summary, columns: int, left: int) -> tuple[Section, int]:
        name, setting = anchor(summary), self.names[_setting(summary)]
        section = Section(name, summary, setting, Headline("open", "○", "", ""), path=str(summary.path))
        if any(each.worst.key == summary.key for each in self.found.pairings):
            section.back = f"to-{name}"
        judged_by = [] if set(summary.versions) <= set(summary.promised) else list(summary.versions)
        try:
            run = self.matches.transcript(summary)
            verdicts = run.verdicts(self.matches.bounds_of(summary) or "none")
            section.command = play_command(run, judged_by or "auto") or ""
        except ArenaError as error:
            section.headline = Headline("open", "?", "The transcript cannot be shown", f"{error}")
            section.command = _command(summary, judged_by)
            return section, left
        section.headline = headline(run, verdicts)
        section.ending, section.notes = ending(run), notes(run)
        section.facts, section.verdicts = facts(run, verdicts), verdicts
        for each, version in circumstances(run).items():
            if each != KEY:
                self.versions[str(each)].add(str(version))
        charts = charts_of(run, verdicts, columns)
        section.charts = len(charts)
        self.charts[name] = {
            "learner": summary.learner, "setting": setting, "seed": summary.seed, "state": section.headline.word,
            "regret_known": run.rounds > 0 and run.regret_interval is not None, "charts": charts,
        }  # fmt: skip
        return section, self._draw(section, run, left)

    def _draw(self, section: Section, run: Transcript, left: int) -> int:
        """Draw the match's static figures if they are no larger than `left`; return the size left after them."""
        if left > self.drawn // 100:
            prefix = f"{section.anchor}-"
            regrets = regret_figures(run, section.verdicts, f"{prefix}regret")
            figures = figures_of_play(run, prefix)
            size = sum(len(drawing) for each in (*regrets, *figures) for drawing in each.drawings)
            if size <= left:
                section.regrets, section.figures = regrets, figures
                return left - size
        section.left_out = bool(run.rounds)
        return left

    def data(self) -> dict[str, Any]:
        """Return the page's numbers for its script: the charts of each match that is shown."""
        joint = [anchor(each.worst) for each in self.found.pairings]
        return {
            "learners": self.learners,
            "settings": list(self.names.values()),
            "joint": [key for key in joint if self.charts.get(key, {}).get("regret_known")],
            "matches": self.charts,
        }

    def _pairing(self, pairing: Pairing) -> str:
        return f"{short(pairing.outcome.learner)} against {self._adversary(pairing)}"

    def _adversary(self, pairing: Pairing) -> str:
        return short(self.names[pairing.setting])


def drawn_for(matches: int) -> int:
    """Return how many bytes the static figures of a page with so many matches may take.

    >>> drawn_for(10), drawn_for(250), drawn_for(1000)
    (1200000, 100000, 0)
    """
    return max(0, min(MOST_DRAWN, LARGEST - FIXED - EACH * matches))


def _theorems(pairing: Pairing) -> str:
    return ", ".join(map(short, pairing.outcome.violated))


def _setting(summary: Summary) -> Setting:
    return Setting(summary.adversary, json.dumps(summary.game, sort_keys=True))


def _command(summary: Summary, bounds: Sequence[str]) -> str:
    return command_again(summary.learner, summary.adversary, summary.game, bounds, seed=summary.seed, path=summary.path)


def _share(value: float | None, low: float, high: float) -> float:
    if value is None or not math.isfinite(value):
        return 0.0
    return round(min(max((value - low) / (high - low), 0.0), 1.0), 3) if high > low else 0.0


def _text(name: str) -> str:
    return files("arena.reports").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return the source expression by which the page's content security policy allows this script and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
