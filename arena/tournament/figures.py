"""The figures of a tournament that need no transcript: average ranks, a matrix of tightness, regret against cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from arena.errors import ArenaError, number_of
from arena.plotting.scatter import Point, scatter_figure
from arena.plotting.sheet import Sheet, plain
from arena.plotting.style import Columns, Look, looks
from arena.plotting.tables import Cell, Interval, interval_figure, matrix_figure
from arena.record.series import Series, series_of
from arena.record.tables import Row, Tables
from arena.specs.spelling import Names
from arena.tournament.efficiency import Cost, costs_of
from arena.tournament.game_text import game_text
from arena.tournament.ranking import Ranking, ranking
from arena.tournament.scores import Scores

Kind = Literal["ranking", "tightness", "time", "size"]
KINDS: tuple[Kind, ...] = ("ranking", "tightness", "time", "size")


@dataclass(frozen=True)
class FigureData:
    """The data of a tournament's figures.

    `looks` has the colour and marker of each learner; the best-ranked learners come first.
    """

    series: Sequence[Series]
    scores: Scores
    ranked: Ranking
    looks: dict[str, Look]

    @classmethod
    def of(cls, matches: Tables | Iterable[Row]) -> FigureData:
        """Return the data of these matches."""
        tables = Tables.of_rows(matches)
        scores, series = Scores.of(tables), series_of(tables)
        ranked = ranking(scores)
        placed = [each.learner for each in ranked.standings]
        return cls(series, scores, ranked, looks([*placed, *sorted({each.learner for each in series})]))

    @cached_property
    def names(self) -> Names:
        """The names of the learners and adversaries, under their specs."""
        return self.scores.tables.names

    def settings(self) -> dict[tuple[str, str], str]:
        """Return a name for each setting, under the key (adversary, `game_text` of the game).

        The name is the adversary, followed by the text of the game if there are several games.
        """
        found = sorted({(each.adversary, game_text(each.game)) for each in self.series})
        several = len({game for _, game in found}) > 1
        return {each: self.names[each[0]] + (f" ({each[1]})" if several else "") for each in found}


def tournament_figure(found: FigureData, kind: str = "ranking", *, columns: Columns = "one") -> Sheet | None:
    """Return a figure of the kind "ranking", "tightness", "time" or "size"; None if there are too few data for it.

    It is as wide as one or two `columns` of a page.
    """
    if kind not in KINDS:
        raise ArenaError(f"a tournament has the figures {', '.join(KINDS)}, but no {kind!r}")
    if kind == "ranking":
        return ranking_figure(found, columns=columns)
    if kind == "tightness":
        return tightness_figure(found, columns=columns)
    return cost_figure(found, by_size=kind == "size", columns=columns)


def ranking_figure(found: FigureData, *, columns: Columns = "one") -> Sheet | None:
    """Return the figure of average ranks with confidence intervals; None for fewer than two ranked learners.

    It is as wide as one or two `columns` of a page.
    """
    standings = found.ranked.standings
    if len(standings) < 2:
        return None
    rows = [
        Interval(
            found.names[each.learner],
            each.rank,
            found.looks[each.learner],
            each.rank_limits,
            _trouble(each.violations, each.forfeits),
        )
        for each in standings
    ]
    first = [found.names[each.learner] for each in standings if each.places[0] == 1]
    if len(first) == 1:
        title = f"{plain(first[0])} ranks first"
    elif len(first) == len(standings):
        title = "No learner ranks before another"
    else:
        title = f"{number_of(len(first), 'learner')} of {len(standings)} may rank first"
    low, high = found.ranked.seeds
    seeds = number_of(high, "seed") if low == high else f"{low} to {high} seeds"
    spread = f"{found.ranked.level:.0%} intervals" if found.ranked.spread_known else "spread unknown"
    settings = number_of(found.ranked.settings, "setting")
    subtitle = f"Average rank by {_ranked_by(found.ranked)} in {settings}, {seeds}, {spread}"
    return interval_figure(title, subtitle, "Average rank (1 is best)", rows, columns=columns)


def tightness_figure(found: FigureData, *, columns: Columns = "one") -> Sheet | None:
    """Return the figure of a matrix with learners in rows and settings in columns; None if there is no match.

    A cell's shade is the largest tightness of any theorem in any seed. The figure is as wide as one or two `columns`
    of a page.
    """
    settings = found.settings()
    by_place = {(each.learner, each.adversary, game_text(each.game)): each for each in found.series}
    played = {each.learner for each in found.series}
    learners = [each for each in found.looks if each in played]
    if not learners:
        return None
    cells = [[_cell(by_place.get((learner, *at))) for at in settings] for learner in learners]
    return matrix_figure(
        _verdict(found.series),
        "Largest share of a bound that is used at the end, in percent",
        [found.names[each] for each in learners],
        list(settings.values()),
        cells,
        columns=columns,
        key="framed: a bound is violated, or a forfeit (F); –: no bound applies",  # noqa: RUF001
    )


def cost_figure(found: FigureData, *, by_size: bool = False, columns: Columns = "one") -> Sheet | None:
    """Return the figure of regret against the time for a round; with `by_size`, against the size of the dictionary.

    If a regret is unknown or infinite, average ranks replace all regrets. The result is None if the time or size of
    fewer than two ranked learners is known. The figure is as wide as one or two `columns` of a page.
    """
    if not found.ranked.standings:
        return None
    by_name = {each.learner: each for each in found.ranked.standings}
    costs = [each for each in costs_of(found.scores, found.ranked) if _amount(each, by_size)]
    regrets = {name: each.regret[1] for name, each in by_name.items() if each.regret and math.isfinite(each.regret[1])}
    if len(costs) < 2:
        return None
    in_regret = all(each.learner in regrets for each in costs)
    points = [
        Point(
            found.names[each.learner],
            _amount(each, by_size),
            regrets[each.learner] if in_regret else each.rank,
            found.looks[each.learner],
            by_name[each.learner].regret_limits if in_regret else by_name[each.learner].rank_limits,
            each.beaten_by is not None and not by_size,
        )
        for each in costs
    ]
    what, praise = "smallest" if by_size else "fastest", "the least regret" if in_regret else "the best rank"
    # Sizes are often equal, but times only by accident.
    cheap, good = _least(points, "x")[: None if by_size else 1], _least(points, "y")
    title = _praised(cheap, f"is {what}", f"are {what}")
    if cheap == good and len(cheap) == 1:
        title += f" and has {praise}"
    else:
        title += f", {_praised(good, f'has {praise}', f'have {praise}')}"
    across = "Dictionary size at the end" if by_size else "Learner's time, microseconds a round"
    up = "Mean regret at the end" if in_regret else f"Average rank by {_ranked_by(found.ranked)} (1 is best)"
    beaten = "; hollow: a faster learner is certainly better" if any(each.beaten for each in points) else ""
    spread = f"Bars: {found.ranked.level:.0%} intervals over seeds" if any(each.between for each in points) else ""
    subtitle = f"{spread}{beaten}".lstrip("; ") or "The dashed line joins learners that no other beats in both"
    return scatter_figure(title, subtitle, across, up, points, columns=columns)


def _least(points: Sequence[Point], axis: str) -> list[str]:
    """Return the names of the points whose coordinate on this axis, "x" or "y", is the smallest."""
    least = min(getattr(each, axis) for each in points)
    return [each.name for each in points if getattr(each, axis) == least]


def _praised(names: Sequence[str], one: str, several: str) -> str:
    return f"{plain(names[0])} {one}" if len(names) == 1 else f"{number_of(len(names), 'learner')} {several}"


def _ranked_by(ranked: Ranking) -> str:
    """Return what the learners are ranked by: "regret", "loss", or "regret or loss" if settings differ."""
    if not ranked.by_loss:
        return "regret"
    return "loss" if len(ranked.by_loss) == ranked.settings else "regret or loss"


def _verdict(series: Sequence[Series]) -> str:
    """Return a title: the numbers of pairings with a violation or a forfeit, or whether any theorem was decided."""
    violated = sum(bool(each.judgement.violated) for each in series)
    lost = sum(bool(each.judgement.forfeits) for each in series)
    pairings = number_of(len(series), "pairing")
    if violated:
        return f"{violated:,} of {pairings} violate a bound" + (f", a forfeit in {lost:,}" if lost else "")
    if lost:
        return f"A forfeit in {lost:,} of {pairings}"
    if unjudged := sum(bool(each.judgement.unjudged) for each in series):
        return f"Theorems not judged in {unjudged:,} of {pairings}"
    return f"No theorem was {'violated' if any(each.state == 'holds' for each in series) else 'decided'}"


def _amount(cost: Cost, by_size: bool) -> float:
    return float(cost.size or 0) if by_size else 1e6 * (cost.a_round or 0.0)


def _cell(series: Series | None) -> Cell:
    if series is None:
        return Cell("")
    if series.state == "forfeit":
        return Cell("F", None, broken=True)
    broken = series.state == "violated"
    if (found := series.tightest) is None:
        return Cell("✗" if broken else "–", None, broken=broken)  # noqa: RUF001
    share = found[1]
    return Cell(f"{100 * share:.0f}" if share >= 0 else "< 0", min(max(share, 0.0), 1.0), broken=broken)


def _trouble(violations: int, forfeits: int) -> str:
    counts = ((violations, "violation"), (forfeits, "forfeit"))
    return ", ".join(number_of(count, name) for count, name in counts if count)
