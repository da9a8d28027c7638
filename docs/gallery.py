"""Plays the matches of the gallery and writes its page, figures and numbers: `python docs/gallery.py`."""

from __future__ import annotations

import json
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena import Store, Tournament, Transcript, play
from arena.plotting.sheet import Sheet
from arena.reports.publication import figures_of
from arena.reports.sources import Matches

ROOT = Path(__file__).resolve().parents[1]
PAGE, FOLDER = ROOT / "docs" / "gallery.md", ROOT / "docs" / "gallery"
NUMBERS = FOLDER / "numbers.json"
DOTS = 140  # dots per inch; few, so that the files are small
KEPT = 9  # rounds of each match whose regret stands in the numbers


@dataclass(frozen=True)
class Match:
    """A match of the gallery, with the theorem that its figure shows, and the figure's title and text."""

    name: str
    title: str
    words: str
    learner: str
    adversary: str
    theorem: str
    rounds: int

    @property
    def command(self) -> str:
        """The command that plays the match."""
        return f"arena play {self.learner} {self.adversary} --rounds {self.rounds} --bound {self.theorem}"

    def play(self) -> Transcript:
        """Play the match and return its transcript."""
        return play(self.learner, self.adversary, rounds=self.rounds)


MATCHES = (
    Match(
        "holds",
        "A learner that keeps its bound",
        "The adversary `greedy` searches in each round for the point and the label that hurt most. Kernel-AWV stays "
        "below its theorem all the same, and uses nearly all of it: the bound is tight.",
        "kernel-awv",
        "greedy",
        "awv-leverage",
        300,
    ),
    Match(
        "violated",
        "The same bound, broken by another learner",
        "Ridge regression does not shrink its prediction at new points. Labels that alternate at one point are enough "
        "to push its regret beyond the bound of Kernel-AWV, which it does not promise; the ring marks the first round.",
        "krr",
        "alternating",
        "awv-leverage",
        200,
    ),
)
PLAN: dict[str, Any] = {
    "learners": ["krr", "kernel-awv", "fgd", "pkawv", "pkawv-kors", "pros-n-kons", "zero"],
    "adversaries": ["alternating", "drift", "greedy", "realisable"],
    "games": [{"rounds": 300}],
    "seeds": 3,
    "bounds": ["auto", "awv-leverage"],
}
COMMAND = (
    f"arena tournament {' '.join(PLAN['learners'])} --against {' '.join(PLAN['adversaries'])} "
    "--rounds 300 --seeds 3 --bound auto --bound awv-leverage"
)
TOURNAMENT = (  # figure of `arena report --figures`, title, words
    (
        "regret-against-drift",
        "Drift against restarting",
        "The adversary stays at one place for a while and moves on. A negative regret beats the best fixed function: "
        "gradient descent forgets, and PROS-N-KONS restarts whenever its dictionary grows. Both follow the drift; the "
        "exact learners keep every round in mind and cannot.",
    ),
    (
        "growth-against-greedy",
        "How regret grows",
        "On logarithmic axes a power of T is a line, and its slope is the power: near 0 for a logarithm, 0.5 for a "
        "square root, 1 for a learner that never learns.",
    ),
    (
        "time",
        "Cost against regret",
        "The picture of the papers: what does a smaller regret cost? No learner beats those on the dashed line in "
        "both. Times are those of the machine that played.",
    ),
    (
        "tightness",
        "Which bound is close to failing",
        "Each cell is the largest share of a bound that was used. The learners were judged by their own promises and "
        "by the bound of Kernel-AWV, which others need not obey: red frames mark those that break it.",
    ),
    (
        "ranking",
        "Ranking with confidence intervals",
        "Ranks are averaged over settings and seeds. Learners whose intervals overlap may change places with other "
        "seeds. Violations are those of the bound of Kernel-AWV.",
    ),
)


def regret_samples(run: Transcript) -> list[float]:
    """Return the regret at `KEPT` rounds, spread evenly from the first to the last."""
    assert run.regret is not None
    rounds = np.linspace(1, run.rounds, KEPT).astype(int)
    return [float(f"{each:.9g}") for each in run.regret[rounds - 1]]


def means(store: Store) -> dict[str, float]:
    """Return the mean final regret of each learner against each adversary; an unknown regret counts as 0.

    The keys are texts such as "krr against greedy".
    """
    found: dict[str, list[float]] = {}
    for each in store.summaries():
        found.setdefault(f"{each.learner} against {each.adversary}", []).append(each.regret or 0.0)
    return {name: float(f"{np.mean(found[name]):.9g}") for name in sorted(found)}


def drawn(folder: Path) -> Iterator[tuple[str, Sheet]]:
    """Yield the name and the figure for each figure of the tournament that the page shows."""
    wanted = {name for name, *_ in TOURNAMENT}
    for name, draw in figures_of(Matches([folder]), columns="two"):
        figure = draw() if name in wanted else None
        if figure is not None:
            yield name, figure


def page(numbers: dict[str, Any]) -> str:
    """Return the text of docs/gallery.md; `numbers` has the contents of `NUMBERS`."""
    parts = [
        "<!-- Made by `python docs/gallery.py`; do not edit. -->\n\n# Gallery\n\n"
        "Figures of real matches, made by `make docs`. `run.figure()` returns the figure of a match, and `arena report "
        "STORE --figures\nFOLDER` writes all figures of a tournament, as PDF, SVG or PNG, for one column or two. The "
        "colour and the marker of a\nlearner are the same in all of them.\n"
    ]
    for each in MATCHES:
        last = numbers["matches"][each.name][-1]
        about = f"{each.words} The regret at the end is {last:.4g}."
        parts.append(_section(each.name, each.title, about, each.command))
    parts.append(
        f"The next figures show one tournament:\n\n```\n{COMMAND}\n"
        "arena report --figures figures --columns two\n```\n\n"
        "`arena report -o report.html` makes the interactive page of the same tournament: one file of two megabytes, "
        "which opens\nfrom the disk and is not kept here. `-o report/` makes a folder, in which the worst matches have "
        "films that can be\nstepped through round by round.\n"
    )
    parts += [_section(name, title, words, "") for name, title, words in TOURNAMENT]
    return "\n".join(parts)


def _section(name: str, title: str, words: str, command: str) -> str:
    text = textwrap.fill(words, width=120, break_on_hyphens=False)
    again = f"\n```\n{command}\n```\n" if command else ""
    return f"## {title}\n\n{text}\n\n![{title}](gallery/{name}.png)\n{again}"


def main() -> None:
    """Play all matches, and write the page, the figures and the numbers."""
    numbers: dict[str, Any] = {"matches": {}}
    for each in MATCHES:
        run = each.play()
        numbers["matches"][each.name] = regret_samples(run)
        run.figure(each.theorem, columns="two").savefig(FOLDER / f"{each.name}.png", dpi=DOTS)
    with tempfile.TemporaryDirectory() as folder:
        Tournament(**PLAN).run(store=Path(folder) / "store", workers=1)
        numbers["tournament"] = means(Store(Path(folder) / "store"))
        for name, figure in drawn(Path(folder) / "store"):
            figure.savefig(FOLDER / f"{name}.png", dpi=DOTS)
    NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(numbers), encoding="utf-8")


if __name__ == "__main__":
    main()
