"""One-token mutants of the learners and their components: how many `arena check` and `arena hunt` catch.

    python -m benchmarks.mutants [--sample 200] [--seed 0] [--fresh 40] [--budget 30] [--log FILE] [--write]

A mutant differs from the source in one token: a constant, an operator, a comparison, a name, or a statement that is
dropped. It is loaded in place of the original in a process of its own; no file of the checkout is changed. Each learner
that uses the mutated module is checked and then hunted. Check and hunt of a learner take at most `--budget` seconds of
processor time together. The first violation or failed check catches the mutant.

With `--log` results are appended to a file, and mutants that are in the file are not run again. So a long run can be
interrupted and continued, also after small changes of the sources.

Mutants that nothing catches are read by a person, and `read.toml` has the result. Mutants that no match can distinguish
from the original are listed there with the reason; they are not run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .judging import judge_here
from .log import results
from .making import Mutant, sample
from .page import Sample, page
from .sources import ROOT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=200, help="mutants")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample; a fresh sample has the next one")
    parser.add_argument("--fresh", type=int, default=0, help="mutants of a fresh sample")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for check and hunt of one learner")
    parser.add_argument("--log", type=Path, help="file of results, one a line")
    parser.add_argument("--write", action="store_true", help="write docs/results/mutants.md")
    parser.add_argument("--judged", action="store_true", help="only what stands in the log: nothing is run")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        task = json.loads(given.task)
        caught, left = judge_here(Mutant(**task["mutant"]), task["budget"], task["left"], task["matches"])
        print(json.dumps({"caught": caught, "left": left}), flush=True)
        return
    first = sample(given.sample, given.seed)
    second = [each for each in sample(given.fresh, given.seed + 1) if each not in first]
    main_sample, fresh = (
        Sample(len(chosen), seed, results(chosen, given.log, given.budget, run=not given.judged))
        for chosen, seed in ((first, given.seed), (second, given.seed + 1))
    )
    text = page(main_sample, fresh if second else None, given.budget)
    if given.write:
        (ROOT / "docs/results/mutants.md").write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
