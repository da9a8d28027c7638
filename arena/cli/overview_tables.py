"""The tables of `arena report --text`: learners against adversaries, and theorems."""

from __future__ import annotations

from rich.console import Console

from arena.cli.output import mark
from arena.cli.text_tables import print_columns, print_text
from arena.reports.pairings import OUTCOMES, Overview, Pairing, setting_names

MARKED = {"violated": "violated", "forfeit": "violated", "holds": "holds", "open": "not applicable"}


def print_matrix(console: Console, found: Overview) -> None:
    """Print each learner's outcome against each adversary, and the largest share of a bound that was used."""
    names = setting_names(found.settings)
    learners = sorted({each.outcome.learner for each in found.pairings})
    columns = {"learner": learners}
    for setting, name in names.items():
        columns[name] = [_cell(console, found.at(learner, setting)) for learner in learners]
    console.print("[bold]Who broke whom[/]")
    print_columns(console, columns, marked=tuple(names.values()))
    print_text(
        console,
        "The largest tightness, measured over allowed at the end of a match, of any bound in any seed; a bound that is "
        "exceeded in some round is violated, even if less is used at the end.",
    )


def print_theorems(console: Console, found: Overview) -> None:
    """Print, for each theorem, the number of each verdict, the largest tightness and the match that has it."""
    columns = {"theorem": [each.theorem for each in found.theorems]}
    for outcome in OUTCOMES:
        counts = [each.counts[outcome] for each in found.theorems]
        bad = outcome == "violated"
        columns[outcome] = [mark(console, "violated", str(n)) if n and bad else str(n) for n in counts]
    columns["tightness"] = ["-" if each.tightness is None else f"{each.tightness:.0%}" for each in found.theorems]
    worst = [each.worst for each in found.theorems]
    columns["worst match"] = [
        f"{each.learner} against {each.adversary}, seed {each.seed}" if each else "-" for each in worst
    ]
    console.print("\n[bold]Theorems[/]")
    print_columns(console, columns, left=("theorem", "worst match"), marked=("violated",))
    console.print()


def _cell(console: Console, pairing: Pairing | None) -> str:
    if pairing is None:
        return "-"
    share = f"{pairing.tightest[0]:.0%}" if pairing.tightest else ""
    word = {"violated": "violated", "forfeit": "forfeit"}.get(pairing.state, "")
    return mark(console, MARKED[pairing.state], " ".join(filter(None, (share, word))))
