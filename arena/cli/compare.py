"""`arena compare STORE_A STORE_B`: prints which measures got better or worse between two stores of matches."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.cli.command_line import NOTHING_DECIDED, UserError
from arena.cli.options import json_option
from arena.cli.output import mark, markup, picked, print_json, terminal
from arena.cli.standings import setting_as_json
from arena.cli.store import opened
from arena.cli.text_tables import interval, print_columns, print_list, print_text, some
from arena.errors import ArenaError, number_of
from arena.specs.spelling import Names
from arena.tournament import comparing
from arena.tournament.comparing import Change, StoreComparison
from arena.tournament.conditions import Checked, check, read_condition
from arena.tournament.game_text import game_text
from arena.tournament.scores import MatchIdentity, Setting

store_argument = click.Path(path_type=Path, file_okay=False)


@click.command("compare")
@click.argument("before", type=store_argument, metavar="STORE_A")
@click.argument("after", type=store_argument, metavar="STORE_B")
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="MEASURE[:LIMIT]",
    help="Exit with 1 if a measure grew by more than the limit, beyond the spread over seeds: regret, loss, time or "
    "tightness, such as regret:10% or loss:0.5; or if more matches than the limit are newly violated, forfeited or "
    "missing. May be repeated.",
)
@json_option
def compare(before: Path, after: Path, conditions: tuple[str, ...], json_wanted: bool) -> None:
    """Print which measures are significantly better or worse in STORE_B than in STORE_A.

    A match in one store is compared with the match of the same learner, adversary, game and seed in the other store,
    for instance after the learner's code has changed. The exit code is 1 if a condition of --fail-if holds. It is 2 if
    the stores have no match in common, or if a condition cannot be tested.
    """
    try:
        wanted = [read_condition(text) for text in conditions]
    except ArenaError as error:
        raise UserError(f"--fail-if {error}") from None
    found = comparing.compare(opened(before).tables(), opened(after).tables())
    if not found.common:
        raise UserError(_nothing_in_common(before, after, found))
    checked = [check(condition, found) for condition in wanted]
    if json_wanted:
        print_json(as_json(found, checked))
    else:
        _print(terminal(), before, after, found, checked)
    sys.exit(_exit_code(checked))


def _exit_code(checked: Sequence[Checked]) -> int:
    if any(each.holds for each in checked):
        return 1
    untested = [each for each in checked if not each.tested]
    for each in untested:
        reason = each.reason or "known in no pair of matches"
        click.echo(f"{each.condition}: {reason} (exit code {NOTHING_DECIDED})", err=True)
    return NOTHING_DECIDED if untested else 0


def _nothing_in_common(before: Path, after: Path, found: StoreComparison) -> str:
    pairs = ((before, found.paired.only_before), (after, found.paired.only_after))
    counts = " and ".join(f"{folder} has {len(matches):,}" for folder, matches in pairs)
    example = next((f", such as {_match_in_words(matches[0], found.names)}" for _, matches in pairs if matches), "")
    return f"the stores have no match in common: {counts}{example}"


def as_json(found: StoreComparison, checked: Sequence[Checked]) -> dict[str, Any]:
    """Return the comparison of two stores, with the conditions that were checked, for JSON."""
    paired, measures = found.paired, found.measures
    return {
        **picked(found, "common level"),
        "identical": paired.identical,
        "only_before": list(map(_match_as_json, paired.only_before)),
        "only_after": list(map(_match_as_json, paired.only_after)),
        "learners": [_change_as_json(each) for measure in measures for each in found.changes(measure)],
        "settings": [_change_as_json(each) for measure in measures for each in found.changes(measure, by_setting=True)],
        "broken": [_match_as_json(each) | {"note": note} for each, note in found.broken.items()],
        "mended": [_match_as_json(each) | {"note": note} for each, note in found.mended.items()],
        "fail_if": [
            {
                "condition": str(each.condition),
                **picked(each, "holds tested reason"),
                "where": [_place_as_json(*place) for place in each.where],
                "unclear": [_place_as_json(*place) for place in each.unclear],
            }
            for each in checked
        ],
    }


def _match_as_json(match: MatchIdentity) -> dict[str, Any]:
    return {"learner": match.learner, **setting_as_json(match.setting), "seed": match.seed}


def _place_as_json(learner: str, setting: Setting | None) -> dict[str, Any]:
    return {"learner": learner, **(setting_as_json(setting) if setting else {"adversary": None, "game": None})}


def _change_as_json(change: Change) -> dict[str, Any]:
    return {**vars(change), "setting": change.setting and setting_as_json(change.setting), "share": change.share}


def _print(console: Console, before: Path, after: Path, found: StoreComparison, checked: Sequence[Checked]) -> None:
    paired = found.paired
    names = [markup(str(folder)) for folder in (before, after)]
    same = f", {paired.identical:,} of them identical" if paired.identical else ""
    console.print(f"[bold]{number_of(found.common, 'match', 'matches')}[/] in both stores{same}")
    for name, alone in zip(names, (paired.only_before, paired.only_after), strict=True):
        heading = f"\n[bold]{number_of(len(alone), 'match', 'matches')} in {name} alone[/]"
        print_list(console, heading, _by_setting(alone, found.names))
    _print_changes(console, found)
    for heading, matches in (("newly violated or forfeited", found.broken), ("no longer", found.mended)):
        lines = [f"{_match_in_words(each, found.names)}: {note}" for each, note in matches.items()]
        print_list(console, f"\n[bold]{len(lines):,} {heading}[/]", lines)
    if not checked:
        return
    console.print()
    for each in checked:
        _print_checked(console, each, found.names)
    print_text(console, "A condition holds where the excess over its limit is beyond the spread over seeds.")


def _print_changes(console: Console, found: StoreComparison) -> None:
    changes = {measure: {each.learner: each for each in found.changes(measure)} for measure in found.measures}
    learners = sorted({learner for of_measure in changes.values() for learner in of_measure})
    if not learners:
        return
    columns = {"learner": [found.names[each] for each in learners]} | {
        measure: [_cell(console, of_measure.get(learner)) for learner in learners]
        for measure, of_measure in changes.items()
    }
    console.print("\n[bold]Change of each learner[/]")
    print_columns(console, columns)
    single = all(found.single_seeds(measure) for measure in changes)
    marked = (
        "every difference, since one seed shows no spread"
        if single
        else (
            "beyond the spread of paired differences (signs flipped at random, Holm's correction, "
            f"{1 - found.level:.0%} for all learners and settings)"
        )
    )
    print_text(
        console,
        f"Change of the mean over settings (adversary and game) of the mean over seeds. Marked: {marked}.",
    )
    for sentence in dict.fromkeys(found.too_few(measure, sides=2) for measure in changes):
        if sentence:
            print_text(console, f"{sentence}.")
    by_setting = [each for measure in found.measures for each in found.changes(measure, by_setting=True)]
    for outcome in ("worse", "better"):
        those = [each for each in by_setting if each.outcome == outcome]
        lines = [_change(each, found.names) for each in sorted(those, key=_by_size)]
        print_list(console, f"\n[bold]{outcome}: {number_of(len(lines), 'change')}[/]", lines)


def _cell(console: Console, change: Change | None) -> str:
    """Return the change of a measure as text, with a mark if the change is "worse" or "better"; "-" for None."""
    if change is None or change.outcome == "equal":
        return "-" if change is None else "equal"
    marked = {"worse": "violated", "better": "holds"}.get(change.outcome)
    return mark(console, marked, _size(change)) if marked else _size(change)


def _size(change: Change) -> str:
    if change.share is None:
        return f"{interval(change.before)} -> {interval(change.after)}"
    return f"{change.share:+.2%}" if abs(change.share) < 0.1 else f"{change.share:+.0%}"


def _change(change: Change, names: Names) -> str:
    assert change.setting is not None
    limits = f", increase in [{change.limits[0]:.3g}, {change.limits[1]:.3g}]" if change.limits else ""
    share = f"{_size(change)}, " if change.share is not None else ""
    return (
        f"{_in_game(change.learner, change.setting, names)}: {change.measure} "
        f"{interval(change.before)} -> {interval(change.after)} ({share}{number_of(change.pairs, 'seed')}{limits})"
    )


def _by_size(change: Change) -> float:
    return -abs(change.share) if change.share is not None else -float("inf")


def _players(learner: str, setting: Setting, names: Names) -> str:
    return f"{names[learner]} against {names[setting.adversary]}"


def _in_game(learner: str, setting: Setting, names: Names) -> str:
    return f"{_players(learner, setting, names)} ({game_text(json.loads(setting.game))})"


def _match_in_words(match: MatchIdentity, names: Names) -> str:
    return f"{_in_game(match.learner, match.setting, names)}, seed {match.seed}"


def _by_setting(matches: Sequence[MatchIdentity], names: Names) -> list[str]:
    """Return one line for each learner in each setting of these matches, with the number of seeds."""
    counts = Counter((each.learner, each.setting) for each in matches)
    return [f"{_in_game(*who, names)}, {number_of(count, 'seed')}" for who, count in counts.items()]


def _print_checked(console: Console, checked: Checked, names: Names) -> None:
    if checked.holds:
        reason = f"{checked.reason}: " if checked.reason else ""
        where = markup(_places(checked.where, names))
        console.print(f"{mark(console, 'failed', str(checked.condition))} holds: {reason}{where}")
        return
    outcome = "does not hold" if checked.tested else "cannot be tested"
    if checked.unclear:
        outcome += f"; within the spread over seeds, the limit is exceeded by {_places(checked.unclear, names)}"
    sign = mark(console, "passed" if checked.tested else "skipped")
    console.print(f"{sign} {markup(checked.condition)}: {markup(outcome)}")


def _places(places: Sequence[tuple[str, Setting | None]], names: Names) -> str:
    words = (
        _players(learner, setting, names) if setting else f"{names[learner]} on average" for learner, setting in places
    )
    return some(list(dict.fromkeys(words)))
