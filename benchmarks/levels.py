"""Simulates how often rankings and comparisons of stores find a difference where there is none: tables of comparing.md.

All learners of a simulated tournament are exchangeable, and a second one is played by the same learners. Regrets are
normal, or one of the numbers 0, 1 and 2. A ranking is wrong if any two learners do not share all their places. A
comparison is wrong if any learner has changed, on average or in a setting.

    python benchmarks/levels.py                prints the tables
    python benchmarks/levels.py --write        puts them into docs/comparing.md
    python benchmarks/levels.py --trials 200   simulates fewer tournaments for each number (20,000 / learners)
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.arrays import Array
from arena.tournament.comparing import StoreComparison
from arena.tournament.pairing import Pairs
from arena.tournament.ranking import block_ranks
from arena.tournament.resampling import LEVEL
from arena.tournament.scores import Setting
from arena.tournament.sign_flips import separated

PAGE = Path(__file__).parents[1] / "docs" / "comparing.md"
LEARNERS, SETTINGS, SEEDS = (2, 5, 10), (1, 3, 5), (2, 3, 5, 10)
MARKS = "<!-- {}: benchmarks/levels.py -->"
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
MEASURES: dict[str, Draw] = {
    "continuous": lambda rng, shape: rng.normal(size=shape),
    "discrete": lambda rng, shape: rng.integers(0, 3, shape).astype(float),
}


@dataclass(frozen=True)
class Simulated:
    """Pairs of simulated matches, in place of those of two stores."""

    found: tuple[Pairs, ...]

    def pairs(self, measure: str) -> tuple[Pairs, ...]:
        """Return the simulated pairs, whatever the measure."""
        return self.found


def wrong_ranking(regrets: Array) -> bool:
    """Return whether any two learners are called different; `regrets` has axes for learners, settings and seeds."""
    learners, settings, seeds = regrets.shape
    flat = regrets.reshape(learners, -1)
    ranks = block_ranks(flat, flat, np.zeros(flat.shape)).reshape(learners, settings, seeds)
    return bool(separated([ranks[:, each].T for each in range(settings)], 1 - LEVEL).any())


def wrong_comparison(before: Array, after: Array) -> bool:
    """Return whether any learner has changed; `before` and `after` have axes for learners, settings and seeds."""
    seeds = before.shape[2]
    pairs = tuple(
        Pairs(
            f"learner {learner}",
            Setting(f"adversary {setting}", "{}"),
            np.tile(before[learner, setting][:, None], 2),
            np.tile(after[learner, setting][:, None], 2),
            np.zeros(seeds),
            np.zeros(seeds, dtype=bool),
        )
        for learner in range(before.shape[0])
        for setting in range(before.shape[1])
    )
    found = StoreComparison(Simulated(pairs))  # type: ignore[arg-type]
    outcomes = [each.outcome for by in (False, True) for each in found.changes("regret", by_setting=by)]
    return "worse" in outcomes or "better" in outcomes


def levels(draw: Draw, learners: int, settings: int, seeds: int, trials: int) -> tuple[float, float]:
    """Return the shares of wrong rankings and of wrong comparisons in this many simulated tournaments."""
    rng = np.random.default_rng([learners, settings, seeds])
    shape, wrong = (learners, settings, seeds), [0, 0]
    for _ in range(trials):
        before, after = draw(rng, shape), draw(rng, shape)
        wrong[0] += wrong_ranking(before)
        wrong[1] += wrong_comparison(before, after)
    return wrong[0] / trials, wrong[1] / trials


def tables(trials: int) -> str:
    """Return both tables as Markdown: a row for settings x seeds, columns for learners and kinds of regrets."""
    columns = [(count, kind) for kind in MEASURES for count in LEARNERS]
    head = "| settings x seeds | " + " | ".join(f"{count} learners, {kind}" for count, kind in columns) + " |\n"
    head += "| --- |" + " --- |" * len(columns) + "\n"
    rankings, comparisons = [head], [head]
    for settings in SETTINGS:
        for seeds in SEEDS:
            row = [levels(MEASURES[kind], count, settings, seeds, trials // count) for count, kind in columns]
            for table, at in ((rankings, 0), (comparisons, 1)):
                table.append(f"| {settings} x {seeds} | " + " | ".join(f"{each[at]:.1%}" for each in row) + " |\n")
            print(rankings[-1] + comparisons[-1], end="", flush=True)
    return f"Rankings:\n\n{''.join(rankings)}\nComparisons:\n\n{''.join(comparisons)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate the levels of rankings and of comparisons of stores.")
    parser.add_argument("--trials", type=int, default=20_000, help="simulated tournaments, times learners (20000)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/comparing.md")
    options = parser.parse_args()
    text = tables(options.trials)
    if options.write:
        begin, end = MARKS.format("begin"), MARKS.format("end")
        page = PAGE.read_text(encoding="utf-8")
        whole = re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}{end}", page, flags=re.DOTALL)
        PAGE.write_text(whole, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
