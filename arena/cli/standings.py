"""Prints the tables at the end of a tournament: ranking, critical difference, worst matches, cost against regret."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rich.console import Console

from arena.cli.output import COMMAND, mark, markup, picked
from arena.cli.text_tables import digits, interval, print_columns, print_text, some
from arena.errors import number_of
from arena.record.judgement import FORFEITED
from arena.record.tables import Row
from arena.specs.spelling import Names
from arena.tournament.critical_difference import FEW_SETTINGS, CriticalDifference
from arena.tournament.efficiency import Cost, costs_of
from arena.tournament.forced import Forced, forced_regrets
from arena.tournament.game_text import game_text
from arena.tournament.playing import Failed
from arena.tournament.ranking import Ranking, ranking
from arena.tournament.scores import Scores, Setting
from arena.tournament.worst import command_again, worst_matches

Ends = tuple[float, float]
SHOWN = 6  # most learners that a note names


def print_standings(console: Console, scores: Scores, *, failures: Iterable[Failed] = ()) -> None:
    """Print the ranking and the other tables at the end of a tournament, made from the `scores` of its matches.

    `failures` are matches that could not be played.
    """
    ranked = ranking(scores)
    failed = Counter(each.learner for each in failures if each.kind != "refused")
    names = scores.tables.names
    if ranked.standings:
        _print_ranking(console, ranked, failed, names)
        if ranked.critical:
            _print_critical(console, ranked, ranked.critical, names)
        _print_costs(console, costs_of(scores, ranked), names)
    if sides := forced_regrets(scores):
        _print_forced(console, sides, names)
    _print_notes(console, scores, ranked, failed, names)
    worst = worst_matches(scores)
    if worst:
        _print_worst(console, scores, [worst[each] for each in _order(ranked, worst)], names)


def standings_as_json(scores: Scores) -> dict[str, Any]:
    """Return the ranking and the other tables, made from the `scores` of the matches, as plain values."""
    ranked = ranking(scores)
    critical = ranked.critical
    names = [each.learner for each in ranked.standings]
    costs = {each.learner: each for each in costs_of(scores, ranked)} if names else {}
    worst, called = worst_matches(scores), scores.tables.names
    return {
        **picked(ranked, "level common blocks settings left_out undecided few_seeds smallest_p"),
        "seeds": list(ranked.seeds),
        **picked(scores, "outdated unfinished"),
        "by_loss": [setting_as_json(each) for each in ranked.by_loss],
        "ranking": [
            {**vars(each), "learner_name": called[each.learner], **picked(costs[each.learner], "seconds size")}
            for each in ranked.standings
        ],
        "critical_difference": critical
        and {
            **picked(critical, "p_value difference"),
            "groups": [[names[member] for member in group] for group in critical.groups],
        },
        "forced": [
            picked(each, "learner forced regret allowed share") | setting_as_json(each.setting)
            for each in forced_regrets(scores)
        ],
        "worst": [
            picked(each, "learner adversary game seed loss")
            | {"regret": scores.ends(each.at), "note": each.judgement.failure, "command": command_again(each)}
            for each in worst.values()
        ],
    }


def _print_ranking(console: Console, ranked: Ranking, failed: Counter[str], names: Names) -> None:
    several, rows = len(ranked.standings) > 1, ranked.standings
    columns = {
        "place": ["-".join(map(str, dict.fromkeys(each.places))) for each in rows],
        "learner": [names[each.learner] for each in rows],
        "rank": [f"{each.rank:.2f}{_limits(each.rank_limits, '.2f')}" for each in rows],
        "mean regret": [f"{interval(each.regret)}{_limits(each.regret_limits)}" for each in rows],
    }
    if not several:
        del columns["place"], columns["rank"]
    counted = {
        "violations": [each.violations for each in rows],
        "forfeits": [each.forfeits for each in rows],
        "failed": [failed[each.learner] for each in rows],
    }
    for name, counts in counted.items():
        if any(counts) or (name == "failed" and any(failed.values())):
            columns[name] = [mark(console, "violated", str(count)) if count else "0" for count in counts]
    console.print("[bold]Ranking[/]")
    print_columns(console, columns)
    low, high = ranked.seeds
    text = f"Means over {number_of(ranked.settings, 'setting')} (adversary and game)"
    if high == 1:
        alone = ", and places are those of this seed alone" if several else ""
        text += f", one seed each: the spread over seeds is unknown{alone}."
    else:
        text += f" of means over {number_of(high, 'seed') if low == high else f'{low} to {high} seeds'}."
        if ranked.spread_known:
            text += f" [...]: {ranked.level:.0%} confidence over seeds, bootstrap within settings."
        if ranked.spread_known and several:
            text += f" Places: those that paired differences do not exclude ({ranked.level:.0%}, all pairs together)."
    few = "The spread rests on very few seeds: intervals are too short, or have no width. Play more seeds."
    for remark in (text, ranked.places_unknown, few * ranked.few_seeds):
        if remark:
            print_text(console, remark)


def _print_critical(console: Console, ranked: Ranking, critical: CriticalDifference, names: Names) -> None:
    console.print("\n[bold]Critical difference[/]")
    bar = "|" if console.options.ascii_only else "│"
    joined = [group for group in critical.groups if len(group) > 1]
    learners = [names[each.learner] for each in ranked.standings]
    columns = {
        "rank": [f"{rank:.2f}" for rank in critical.average],
        "learner": learners,
        "": [" ".join(bar if at in group else " " for group in joined).rstrip() for at in range(len(learners))],
    }
    print_columns(console, columns)
    few = critical.settings <= FEW_SETTINGS
    test = f"Friedman's test over {critical.settings} settings {'by permutations' if few else '(Iman-Davenport)'}"
    found = f"{'' if critical.differ else 'no difference shown, '}p = {critical.p_value:.2g}"
    least = f"critical difference{'' if few else ' (Nemenyi)'} at 5%: {critical.difference:.3g}"
    if math.isinf(critical.difference):
        least = "so few settings cannot show any"
    print_text(
        console,
        f"A bar joins learners that do not differ significantly. {test}: {found}; {least}. "
        "Demsar 2006; the settings are taken as a sample of settings.",
    )


def _print_costs(console: Console, costs: tuple[Cost, ...], names: Names) -> None:
    console.print("\n[bold]Cost against regret[/]")
    columns = {
        "learner": [names[each.learner] for each in costs],
        "s/match": ["-" if each.seconds is None else f"{each.seconds:.3g}" for each in costs],
        "us/round" if console.options.ascii_only else "µs/round": [
            "-" if each.a_round is None else f"{each.a_round * 1e6:.3g}" for each in costs
        ],
        "dictionary": ["-" if each.size is None else f"{each.size:,}" for each in costs],
    }
    if len(costs) > 1:
        columns["rank"] = [f"{each.rank:.2f}" for each in costs]
        columns["faster and better"] = [names[each.beaten_by] if each.beaten_by else "none" for each in costs]
    print_columns(console, columns)
    print_text(
        console,
        "Mean over settings of the learner's own seconds; largest dictionary at the end of a match.",
    )


def _print_forced(console: Console, sides: list[Forced], names: Names) -> None:
    """Print a table with one row for each setting whose adversary promises a lower bound.

    The columns are the lower bound ("forced"), the learner whose regret is closest to it, this regret, and the smallest
    upper bound that a theorem gives for this regret ("allowed").
    """
    console.print("\n[bold]Lower bounds[/]")
    columns = {
        "adversary": [names[each.setting.adversary] for each in sides],
        "game": [game_text(json.loads(each.setting.game)) for each in sides],
        "forced": [f"{each.forced:.4g}" for each in sides],
        "closest learner": [names[each.learner] for each in sides],
        "regret": [f"{each.regret:.4g}" for each in sides],
        "allowed": [digits(each.allowed) for each in sides],
    }
    if len(set(columns["game"])) == 1:
        del columns["game"]
    print_columns(console, columns)
    print_text(
        console,
        "forced: the least regret of any learner to which the adversary's lower bound applies. allowed: the smallest "
        "bound of a theorem of this learner on the same regret. Means over seeds.",
    )


def _print_notes(console: Console, scores: Scores, ranked: Ranking, failed: Counter[str], names: Names) -> None:
    there = {each.learner for each in ranked.standings}
    notes = [
        f"{names[learner]} is not ranked: {number_of(count, 'match', 'matches')} failed."
        for learner, count in failed.items()
        if learner not in there
    ]
    if ranked.common < ranked.blocks and ranked.standings:
        which = number_of(ranked.blocks, "combination")
        fewer = [f"{names[each.learner]} {each.matches:,}" for each in ranked.standings if each.matches < ranked.blocks]
        notes.append(
            f"Only {ranked.common:,} of {which} of adversary, game and seed were played by all of these learners: "
            f"{some(fewer, SHOWN)}."
        )
    for learner, matches in ranked.left_out.items():
        notes.append(f"{names[learner]} is not ranked: it shares too few of its matches ({matches:,}) with the others.")
    if ranked.by_loss:
        which = ", ".join(dict.fromkeys(names[each.adversary] for each in ranked.by_loss))
        settings = number_of(len(ranked.by_loss), "setting")
        notes.append(f"A regret is unknown in {settings} ({which}): ranked by the loss there.")
    if ranked.undecided:
        pairs = number_of(ranked.undecided, "pair")
        notes.append(f"{pairs} of matches share ranks because the intervals of their regrets overlap.")
    if scores.outdated:
        notes.append(f"{number_of(scores.outdated, 'older version')} of matches, of which the newest counts, left out.")
    if scores.unfinished:
        notes.append(
            f"{number_of(scores.unfinished, 'match', 'matches')} left out: interrupted, or forfeited by the adversary."
        )
    if notes:
        console.print()
    for note in notes:
        print_text(console, note)


def _print_worst(console: Console, scores: Scores, worst: list[Row], names: Names) -> None:
    console.print("\n[bold]Worst match of each learner[/]")
    for each in worst:
        ends, note = scores.ends(each.at), each.judgement.failure
        size = f"loss {each.loss:.4g}" if ends is None else f"regret {interval(ends)}"
        note = mark(console, "violated", note) if note else ""
        result = note if each.tier == FORFEITED else f"{size}; {note}" if note else size
        against = f"against {names[each.adversary]}, seed {each.seed}"
        console.print(f"  {markup(names[each.learner])} {markup(against)}: {result}")
        console.print(f"    {markup(command_again(each), COMMAND)}", style="dim")


def _order(ranked: Ranking, worst: dict[str, Row]) -> list[str]:
    """Return the learners in the order of the ranking; learners that are not ranked come last."""
    names = [each.learner for each in ranked.standings]
    return names + [each for each in worst if each not in names]


def _limits(limits: Ends | None, format_: str = ".4g") -> str:
    return f" [{limits[0]:{format_}}, {limits[1]:{format_}}]" if limits else ""


def setting_as_json(setting: Setting) -> dict[str, Any]:
    """Return an adversary in a game as plain values."""
    return {"adversary": setting.adversary, "game": json.loads(setting.game)}
