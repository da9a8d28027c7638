"""One-token mutants of the learners and their components: how many `arena check` and `arena hunt` catch.

    python -m benchmarks.mutants [--sample 200] [--seed 0] [--fresh 40] [--budget 30] [--log FILE] [--write]

A mutant is the source with one token changed: a constant, an operator, a comparison or a name, or with one statement
left out. A separate process loads the mutant in place of the original; no file of the checkout is changed. Each learner
that uses the mutated module is first checked and then hunted. The check and the hunt of a learner together take at most
`--budget` seconds of processor time. The mutant is caught by the first failed check or violation.

With `--log FILE` each result is appended to the file, and mutants that have a result in the file are not run again. A
long run can therefore be interrupted and continued, even after small changes of the sources.

The file `read.toml` has two lists of mutants, written by hand. "Survivors" are mutants that no check and no hunt
catches, each with the reason. "Equivalent" mutants cannot be distinguished from the original by any match; they are not
run.
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
    parser.add_argument("--log", type=Path, help="file of results, one on each line")
    parser.add_argument("--write", action="store_true", help="write docs/results/mutants.md")
    parser.add_argument("--judged", action="store_true", help="only judge the results in the log; run nothing")
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
