"""Prints the tables of `arena report --text`: outcomes and regrets of learners against adversaries, and theorems."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from arena.cli.output import mark
from arena.cli.sparkline import sparkline, spread
from arena.cli.text_tables import number_columns, print_columns, print_text
from arena.record.series import Series
from arena.record.verdict import share_text
from arena.reports.pairings import OUTCOMES, Overview
from arena.tournament.scores import Setting

NARROWEST, WIDEST = 8, 16  # characters in which a curve is drawn

MARKED = {"violated": "violated", "forfeit": "violated", "holds": "holds", "open": "not applicable"}


def print_matrix(console: Console, found: Overview) -> None:
    """Print a table with learners in rows and settings in columns.

    A cell has the outcome of the matches, and the largest tightness of any bound in any seed.
    """
    learners = sorted({each.learner for each in found.pairings})
    columns = {"learner": [found.names[each] for each in learners]}
    for setting, name in found.setting_names.items():
        columns[name] = [_cell(console, found.at(learner, setting)) for learner in learners]
    console.print("[bold]Who broke whom[/]")
    print_columns(console, columns)
    print_text(
        console,
        "The largest tightness, measured over allowed at the end of a match, of any bound in any seed; a bound that is "
        "exceeded in some round is violated, even if less is used at the end.",
    )


def print_regrets(console: Console, found: Overview) -> None:
    """Print a table with learners in rows and settings in columns.

    A cell has the curve of the regret in the worst match. All curves in a column have the same scale.
    """
    names = found.setting_names
    learners = sorted({each.learner for each in found.pairings})
    room = (
        (console.width - max(len(found.names[each]) for each in learners)) // max(len(names), 1) - 2
        if console.is_terminal
        else WIDEST
    )
    width = max(NARROWEST, min(WIDEST, room))
    columns = {"learner": [found.names[each] for each in learners]}
    plain = console.options.ascii_only
    for setting, name in names.items():
        pairings = [found.at(learner, setting) for learner in learners]
        curves = [np.asarray(each.worst.regret_samples if each else ()) for each in pairings]
        low, high = spread(curves) or (0.0, 0.0)
        columns[name] = [
            sparkline(each, width=width, low=low, high=high, plain=plain) if len(each) and low < high else "-"
            for each in curves
        ]
    if all(cell == "-" for name in names.values() for cell in columns[name]):
        return
    console.print("\n[bold]Regret over the rounds[/]")
    print_columns(console, columns, left=tuple(columns))
    print_text(
        console, "The worst match of each pairing; the heights of a column have one scale, to its largest regret."
    )


def print_comparators(console: Console, found: Overview) -> None:
    """Print the mean regret of each pairing to each named comparator; print nothing if no comparator was named."""
    names = found.setting_names
    rows = [each for each in found.pairings if each.mean_regrets_to]
    if not rows:
        return
    columns = {
        "learner": [found.names[each.learner] for each in rows],
        "adversary": [names[Setting(*each.setting)] for each in rows],
    }
    console.print("\n[bold]Regret to other comparators[/]")
    print_columns(console, columns | number_columns((), [each.mean_regrets_to for each in rows])[1])
    print_text(
        console,
        "Means over the seeds; below zero the learner lost less than the comparator. `arena show NAME` explains it.",
    )


def print_theorems(console: Console, found: Overview) -> None:
    """Print for each theorem the counts of its verdicts, the largest tightness, and the match with that tightness.

    Print nothing if no match was judged by a theorem.
    """
    if not found.theorems:
        return
    columns = {"theorem": [each.theorem for each in found.theorems]}
    for outcome in OUTCOMES:
        counts = [each.counts[outcome] for each in found.theorems]
        bad = outcome == "violated"
        if any(counts) or bad or outcome == "holds":
            head = outcome.replace("not applicable", "n/a")
            columns[head] = [mark(console, outcome, str(n)) if n and bad else str(n) for n in counts]
    columns["tightness"] = [share_text(each.tightness) for each in found.theorems]
    columns["worst match"] = [
        f"{found.names[each.learner]} against {found.names[each.adversary]}, seed {each.seed}" if each else "-"
        for each in (row.worst for row in found.theorems)
    ]
    console.print("\n[bold]Theorems[/]")
    print_columns(console, columns)
    about = "The verdicts of all matches. tightness: the largest share of the bound that a match used at its end."
    if "n/a" in columns:
        about += " n/a: not applicable, since an assumption of the theorem failed."
    print_text(console, about)
    console.print()


def _cell(console: Console, pairing: Series | None) -> str:
    if pairing is None:
        return "-"
    share = share_text(pairing.tightest[1]) if pairing.tightest else ""
    word = pairing.state if pairing.state != "holds" and (pairing.state != "open" or pairing.judgement.unjudged) else ""
    return mark(console, MARKED[pairing.state], " ".join(filter(None, (share, word))))
