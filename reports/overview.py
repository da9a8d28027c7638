"""The report of many matches: one HTML file that contains its script and loads nothing else."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.errors import ArenaError, number_of
from arena.record.formatting import duration, number, percent, short
from arena.record.judgement import MARKS, Headline, capital, worst_state
from arena.record.series import Series
from arena.record.tables import Row
from arena.reports.cost_figure import cost_figures
from arena.reports.match_section import Detail, Section, SectionMaker, in_words
from arena.reports.pairings import OUTCOMES, Overview, TheoremRow
from arena.reports.scripts import Live, scripted
from arena.reports.sources import Matches, anchor
from arena.tournament.efficiency import Cost, costs_of
from arena.tournament.ranking import ranking
from arena.tournament.scores import Setting
from arena.tournament.worst import command_again

NO_MATCH = "there is no match to report: play some with `arena tournament`, or name other stores"
UNKNOWN = "–"  # noqa: RUF001
NAMED = 6  # most learners that the headline names as broken


def gathered(matches: Matches) -> Overview:
    """Return the `Overview` of these matches; raise an `ArenaError` if there are none."""
    found = Overview.of(matches.tables())
    if not found.matches:
        raise ArenaError(NO_MATCH)
    return found


@dataclass
class Cell:
    """A cell of the matrix, the table of learners and settings: the matches of one learner in one setting.

    The page can show one of several measures, such as the tightness. For each of them, `texts` has the text of the
    cell, `shares` a number from 0 to 1 that determines the colour, and `values` the number by which the page sorts the
    cells, or "" if the measure is unknown.
    """

    state: str
    mark: str
    words: str
    anchor: str
    address: str
    texts: dict[str, str]
    shares: dict[str, float]
    values: dict[str, float | str]
    about: str


class OverviewPage:
    """The parts of the report of many matches.

    `address` is a format string that makes the address of a match's section from the section's HTML id, such as "#{}".
    """

    def __init__(self, matches: Matches, found: Overview, *, address: str = "#{}"):
        self.matches, self.found, self.address = matches, found, address
        self.ranked = ranking(found.scores)
        self.names, self.called = found.setting_names, found.names
        self.versions: dict[str, set[str]] = {}
        self.charts: dict[str, dict[str, Any]] = {}
        self.styles: dict[str, dict[str, Any]] = {}
        placed = [each.learner for each in self.ranked.standings]
        others = sorted({each.learner for each in found.pairings} - set(placed))
        self.learners = placed + others

    def html(self, title: str, command: str, sections: Sequence[Section], *, live: Live | None = None) -> str:
        """Return the page as HTML.

        `command` is the command that made the page. `sections` has the sections of matches; it is empty if each match
        has a page of its own. With `live`, the page refreshes itself.
        """
        content = {
            "title": title or self.own_title(),
            "headline": self.headline(),
            "facts": self.facts(),
            "notes": self.notes(),
            "columns": [{"name": name, "setting": setting} for setting, name in self.names.items()],
            "rows": self.rows(),
            "called": self.called,
            "ranked": self.ranked,
            "costs": self.costs,
            "cost_figures": cost_figures(list(self.costs.values()), self.ranked.standings, self.called),
            "failures": [str(each) for each in self.matches.failures()],
            "theorems": [self.theorem_row(each) for each in self.found.theorems],
            "outcomes": OUTCOMES,
            "sections": sections,
            "versions": in_words(self.versions),
            "command": command,
        }
        return scripted("overview.html.j2", self.data(), content, live=live)

    def own_title(self) -> str:
        """Return the default title of the report: the numbers of learners and adversaries."""
        adversaries = number_of(len({each.adversary for each in self.names}), "adversary", "adversaries")
        return f"{number_of(len(self.learners), 'learner')} against {adversaries}"

    def headline(self) -> Headline:
        """Return the outcome of all matches in a few words and one sentence."""
        pairings = self.found.pairings
        state = worst_state(each.judgement for each in pairings)
        if state in ("violated", "forfeit"):
            return self._broken()
        if in_doubt := [each for each in pairings if each.judgement.undecided]:
            word = f"Undecided in {len(in_doubt):,} of {number_of(len(pairings), 'pairing')}"
            doubtful = {verdict.theorem for each in in_doubt for verdict in each.judgement.undecided}
            names = ", ".join(map(short, sorted(doubtful)[:NAMED]))
            sentence = "What they bound is known in intervals only, which are too wide for a verdict"
            return Headline("open", "?", word, f"Theorems in doubt: {names}. {sentence}.")
        if unjudged := [each for each in pairings if each.judgement.unjudged]:
            word = f"Open in {len(unjudged):,} of {number_of(len(pairings), 'pairing')}"
            first = unjudged[0].judgement.unjudged[0]
            return Headline("open", MARKS["open"], word, f"{capital(self.called[unjudged[0].learner])}: {first}.")
        tight = max((each.tightest for each in pairings if each.tightest), key=lambda each: each[1], default=None)
        if not any(each.state == "holds" for each in pairings):
            return Headline("open", "○", "No theorem was decided", "No bound applied to any of these matches.")
        closest = f" The closest came to {percent(tight[1]) or 'none'} of {short(tight[0])}." if tight else ""
        return Headline("good", "✓", "No theorem was violated", f"All pairings kept the bounds that apply.{closest}")

    def _broken(self) -> Headline:
        """Return the headline of a report in which a theorem is violated or a match is forfeited.

        It says which learners violate which theorems, or have a forfeit, and against which adversaries.
        """
        violated = [each for each in self.found.pairings if each.judgement.violated]
        lost = [each for each in self.found.pairings if each.forfeits]
        against: dict[tuple[str, str], list[str]] = defaultdict(list)
        for each in violated:
            against[self.called[each.learner], f"violates {_theorems(each)} against"].append(self._adversary(each))
        for each in lost:
            against[self.called[each.learner], "has a match forfeited against"].append(self._adversary(each))
        clauses = [f"{learner} {verb} {', '.join(names)}" for (learner, verb), names in sorted(against.items())]
        more = f"; and {len(clauses) - NAMED:,} more, marked ✕ in the table" if len(clauses) > NAMED else ""
        counts = [(violated, "a theorem violated"), (lost, "a match forfeited")]
        words = [f"{what} in {len(found):,}" for found, what in counts if found]
        word = f"{' and '.join(words)} of {number_of(len(self.found.pairings), 'pairing')}"
        return Headline("bad", "✕", capital(word), f"{'; '.join(clauses[:NAMED])}{more}.")

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The cost (time and size) of each ranked learner, by the learner's name."""
        ranked = self.ranked
        return {each.learner: each for each in costs_of(self.found.scores, ranked)} if ranked.standings else {}

    def facts(self) -> list[tuple[str, str, str]]:
        """Return the numbers at the top of the page, as rows of name, value and a short explanation."""
        standings = self.ranked.standings
        adversaries = len({each.adversary for each in self.names})
        games = number_of(len({each.game for each in self.names}), "game")
        rows = [
            ("Matches", number(self.found.matches), f"of {number_of(len(self.found.pairings), 'pairing')}"),
            ("Learners", number(len(self.learners)), f"best: {self.called[standings[0].learner]}" if standings else ""),
            ("Adversaries", number(adversaries), f"in {games}"),
        ]
        shares = [(each.tightness, each.theorem) for each in self.found.theorems if each.tightness is not None]
        if shares:
            share, theorem = max(shares)
            rows.append(("Largest tightness", percent(share) or "below 0", f"of the bound of {short(theorem)}"))
        return rows

    def notes(self) -> list[str]:
        """Return notes about matches and learners that are left out, and about weaknesses of the ranking."""
        ranked, found = self.ranked, []
        if self.matches.unread:
            lost = number_of(self.matches.unread, "match", "matches")
            found.append(f"{lost} without a sound judgement left out; `arena store verify` lists damaged files.")
        for learner, count in ranked.left_out.items():
            found.append(
                f"{self.called[learner]} is not ranked: it shares too few of its matches ({count:,}) with the others."
            )
        if ranked.by_loss:
            settings = number_of(len(ranked.by_loss), "setting")
            found.append(f"A regret is unknown in {settings}, where learners are ranked by their loss.")
        if ranked.places_unknown:
            found.append(ranked.places_unknown)
        if ranked.few_seeds:
            short_of = "confidence intervals are too short, or have no width"
            found.append(f"The spread rests on very few seeds: {short_of}. Play more seeds.")
        if self.found.scores.outdated:
            older = number_of(self.found.scores.outdated, "older version")
            found.append(f"{older} of matches, of which the newest counts, left out of the ranking.")
        return found

    def rows(self) -> list[tuple[str, list[tuple[str, Cell | None]]]]:
        """Return the rows of the matrix, the table of learners and settings.

        A row is the learner's name, and for each setting a pair of the setting's name and the cell. The cell is None if
        the learner has no match in the setting.
        """
        costs = [cost for each in self.found.pairings if (cost := _cost(each))]
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
        regrets = [each.mean("regret_upper") for each in self.found.pairings if each.setting == setting]
        known = [each for each in regrets if each is not None and math.isfinite(each)]
        return (min(known), max(known)) if known else (0.0, 0.0)

    def _cell(self, pairing: Series, regrets: tuple[float, float], costs: tuple[float, float]) -> Cell:
        tight, cost, regret = pairing.tightest, _cost(pairing), pairing.mean("regret_upper")
        words = {"violated": "violated", "forfeit": "forfeit", "open": "not judged", "holds": ""}[pairing.state]
        words = "undecided" if pairing.state == "open" and pairing.judgement.undecided else words
        broken = _theorems(pairing)
        kept = broken + " violated" if broken else words or "bounds kept"
        about = f"{self.called[pairing.learner]} against {self._adversary(pairing)}: {kept}"
        if pairing.forfeits:
            lost = pairing.forfeits[0]
            about += f"; forfeit of the {lost.judgement.forfeits[0].side} in seed {lost.seed}"
        if tight:
            about += f"; largest share {percent(tight[1]) or 'below 0'} of {short(tight[0])}"
        return Cell(
            state=pairing.state,
            mark=MARKS[pairing.state],
            words=words,
            anchor=anchor(pairing.worst),
            address=self.address.format(anchor(pairing.worst)),
            texts={
                "tightness": (percent(tight[1]) or "< 0 %") if tight else UNKNOWN,
                "regret": number(regret) if regret is not None else "unknown",
                "cost": duration(cost) if cost else UNKNOWN,
            },
            shares={
                "tightness": _share(tight[1] if tight else 0.0, 0.0, 1.0),
                "regret": _share(regret, *regrets),
                "cost": _share(math.log(cost) if cost else None, *costs),
            },
            values={
                "tightness": tight[1] if tight else "",
                "regret": "" if regret is None else regret,
                "cost": cost or "",
            },
            about=about,
        )

    def theorem_row(self, judged: TheoremRow) -> dict[str, Any]:
        """Return the row of a theorem in the table of theorems, as the dictionary that the page's template reads.

        The entry `worst` describes the match that breaks the bound or comes closest to it. The entry `between`
        describes the match in which the adversary's lower bound is closest to the theorem's upper bound. Each of the
        two is None if there is no such match.
        """
        theorem, worst = judged.object, judged.worst
        row: dict[str, Any] = {
            "judged": judged,
            "statement": theorem.statement if theorem else "",
            "paper": theorem.paper if theorem else "",
            "tightness": percent(judged.tightness) or ("below 0" if judged.tightness is not None else UNKNOWN),
            "worst": None,
            "between": None,
        }
        if judged.between:
            sides, match = judged.between
            row["between"] = {"sides": sides, "address": self._address_of(match)}
        if worst:
            bounds = ["auto"] if judged.theorem in worst.promised else [judged.theorem]
            row["worst"] = {
                "address": self.address.format(anchor(worst)),
                "text": f"{self.called[worst.learner]} against {self.called[worst.adversary]}, seed {worst.seed}",
                "command": command_again(worst, bounds),
            }
        return row

    def _address_of(self, match: Row) -> str:
        """Return the address of a match's section; empty if the match has no section."""
        is_shown = any(each.key == match.key for each in self.found.shown)
        return self.address.format(anchor(match)) if is_shown else ""

    def shown(self) -> list[tuple[Row, str]]:
        """Return the matches that have a section, each with the name of its setting; the worst match comes first."""
        return [(each, self.names[Setting(*each.setting)]) for each in self.found.shown]

    def origin(self, match: Row) -> str:
        """Return the address to which a match's section links back.

        If the match is the worst of a pairing, this is the pairing's cell of the matrix, else the table of theorems.
        """
        has_cell = any(each.worst.key == match.key for each in self.found.pairings)
        return f"#to-{anchor(match)}" if has_cell else "#theorems"

    def sections(self) -> list[Section]:
        """Return the sections of the matches that have one, in the order of the table of learners and settings.

        Matches of the same learner and setting are sorted by seed. The call also sets the attributes `charts`, `styles`
        and `versions`, which `html` and `data` use.
        """
        maker = SectionMaker(self.matches, Detail.of(len(self.found.shown)), self.called)
        sections = []
        for summary, setting in self.shown():  # worst first, since the figures of the first matches fill the page
            section = maker.section(summary, setting)
            section.back = self.origin(summary)
            sections.append(section)
        self.charts, self.versions, self.styles = maker.charts, maker.versions, maker.styles
        rows = {learner: at for at, learner in enumerate(self.learners)}
        columns = {name: at for at, name in enumerate(self.names.values())}
        return sorted(sections, key=lambda each: (rows[each.summary.learner], columns[each.setting], each.summary.seed))

    def data(self) -> dict[str, Any]:
        """Return the values that the page's script reads.

        They include the attributes `charts` and `styles`, which are empty until `sections` or the caller sets them.
        """
        joint = [anchor(each.worst) for each in self.found.pairings]
        return {
            "learners": [self.called[each] for each in self.learners],
            "settings": list(self.names.values()),
            "joint": [key for key in joint if self.charts.get(key, {}).get("regret_known")],
            "matches": self.charts,
            "measures": self.styles,
        }

    def _adversary(self, pairing: Series) -> str:
        return short(self.names[Setting(*pairing.setting)])


def _theorems(pairing: Series) -> str:
    return ", ".join(map(short, pairing.judgement.violated))


def _cost(pairing: Series) -> float | None:
    """Return the seconds that the learner took for a round, averaged over the matches; None if no round was played."""
    spent = [each.seconds / each.rounds for each in pairing.results if each.rounds]
    return sum(spent) / len(spent) if spent else None


def _share(value: float | None, low: float, high: float) -> float:
    if value is None or not math.isfinite(value):
        return 0.0
    return round(min(max((value - low) / (high - low), 0.0), 1.0), 3) if high > low else 0.0
