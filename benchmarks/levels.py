"""Simulates how often rankings and comparisons of stores find a difference where there is none: tables of comparing.md.

All learners of a simulated tournament are exchangeable, and a second one is played by the same learners. Regrets are
normal, or one of the numbers 0, 1 and 2. A ranking is wrong if any two learners do not share all their places. A
comparison is wrong if any learner has changed, on average or in a setting. Decisions are those of
`arena.tournament.ranking` and `arena.tournament.comparing`, for many tournaments at once.

    python benchmarks/levels.py                prints the tables
    python benchmarks/levels.py --write        puts them into docs/comparing.md
    python benchmarks/levels.py --trials 1000  simulates fewer tournaments for each number (40,000 / learners)
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.tournament.ranking import block_ranks
from arena.tournament.resampling import LEVEL
from arena.tournament.sign_flips import ALL_SIGNS, holm, p_values

PAGE = Path(__file__).parents[1] / "docs" / "comparing.md"
BATCH = 25  # tournaments that are simulated at once
LEARNERS, SETTINGS, SEEDS = (2, 3, 5, 10), (1, 3, 5), (2, 3, 5, 10)
MARKS = "<!-- {}: benchmarks/levels.py -->"
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
MEASURES: dict[str, Draw] = {
    "continuous": lambda rng, shape: rng.normal(size=shape),
    "discrete": lambda rng, shape: rng.integers(0, 3, shape).astype(float),
}


def wrong_rankings(regrets: Array) -> NDArray[np.bool_]:
    """Return for each tournament whether any two learners are called different.

    The axes of `regrets` are tournaments, learners, settings and seeds.
    """
    trials, learners, settings, seeds = regrets.shape
    flat = regrets.swapaxes(0, 1).reshape(learners, -1)
    ranks = block_ranks(flat, flat, np.zeros(flat.shape)).reshape(learners, trials, settings * seeds)
    one, other = np.triu_indices(learners, 1)
    found, least = tested((ranks[other] - ranks[one]).swapaxes(0, 1), sides=2)
    return np.array([any(holm(p, q, 1 - LEVEL)) for p, q in zip(found, least, strict=True)])


def wrong_comparisons(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return for each pair of tournaments whether any learner has changed, on average or in a setting.

    The axes of `before` and `after` are tournaments, learners, settings and seeds.
    """
    trials, learners, settings, seeds = before.shape
    level, wrong = (1 - LEVEL) / (1 if settings == 1 else 2), np.zeros(trials, dtype=bool)
    for shape in ((trials, learners, settings * seeds), (trials, learners * settings, seeds)):
        increases = (after - before).reshape(shape)
        found, least = tested(np.concatenate([increases, -increases], axis=1), sides=1)
        wrong |= [any(holm(p, q, level)) for p, q in zip(found, least, strict=True)]
    return wrong


def tested(differences: Array, *, sides: int) -> tuple[list[list[float]], list[list[float]]]:
    """Return p-values and smallest p-values for each tournament; axes are tournaments, tests and differences."""
    trials, tests, count = differences.shape
    found, least = p_values(differences.reshape(-1, count).T, sides=sides)
    return found.reshape(trials, tests).tolist(), least.reshape(trials, tests).tolist()


def levels(draw: Draw, learners: int, settings: int, seeds: int, trials: int) -> tuple[float, float]:
    """Return the shares of wrong rankings and of wrong comparisons in this many simulated tournaments."""
    rng = np.random.default_rng([learners, settings, seeds])
    wrong = np.zeros(2)
    for begin in range(0, trials, BATCH):
        shape = (min(BATCH, trials - begin), learners, settings, seeds)
        before, after = draw(rng, shape), draw(rng, shape)
        wrong += wrong_rankings(before).sum(), wrong_comparisons(before, after).sum()
    return float(wrong[0]) / trials, float(wrong[1]) / trials


def tables(trials: int) -> str:
    """Return both tables as Markdown: a row for settings x seeds, columns for learners and kinds of regrets."""
    columns = [(count, kind) for kind in MEASURES for count in LEARNERS]
    head = "| settings x seeds \\ learners | " + " | ".join(f"{count}, {kind}" for count, kind in columns) + " |\n"
    head += "| --- |" + " --- |" * len(columns) + "\n"
    rankings, comparisons = [head], [head]
    for settings in SETTINGS:
        for seeds in SEEDS:
            times = 1 if settings * seeds > ALL_SIGNS else 2  # all signs are counted faster than random ones
            row = [levels(MEASURES[kind], count, settings, seeds, times * trials // count) for count, kind in columns]
            for table, at in ((rankings, 0), (comparisons, 1)):
                table.append(f"| {settings} x {seeds} | " + " | ".join(f"{each[at]:.1%}" for each in row) + " |\n")
            print(rankings[-1] + comparisons[-1], end="", flush=True)
    return f"Rankings:\n\n{''.join(rankings)}\nComparisons:\n\n{''.join(comparisons)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate the levels of rankings and of comparisons of stores.")
    parser.add_argument("--trials", type=int, default=40_000, help="simulated tournaments, times learners (40000)")
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
