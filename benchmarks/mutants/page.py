"""Text of the page docs/results/mutants.md: how many mutants of each sample are caught, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .log import JudgedMutant, reading, why_equivalent
from .making import KINDS, Mutant, mutants

BY = {"check": "check", "hunt": "hunt", "hang": "processes that hang or die", "death": "processes that hang or die"}
UNREAD = "not read yet"


@dataclass(frozen=True)
class Sample:
    """A sample of `size` mutants, drawn with `seed`; `judged` has the results known so far."""

    size: int
    seed: int
    judged: Sequence[JudgedMutant]

    @property
    def equivalent(self) -> list[Mutant]:
        """The mutants that no match can distinguish from the original."""
        return [each.mutant for each in self.judged if not each.caught and why_equivalent(each.mutant)]

    @property
    def survivors(self) -> list[JudgedMutant]:
        """The mutants that nothing caught, without the equivalent ones."""
        return [each for each in self.judged if not each.caught and not why_equivalent(each.mutant)]

    @property
    def figures(self) -> list[str]:
        """The counts of the sample, as lines of a list."""
        real = len(self.judged) - len(self.equivalent)
        caught = real - len(self.survivors)
        by = Counter(BY[each.caught.split(" ")[0].rstrip(":")] for each in self.judged if each.caught)
        unhunted = sum(bool(each.remark) for each in self.survivors)
        missing = [f"- not judged yet: {self.size - len(self.judged)}"] if len(self.judged) < self.size else []
        missing += [f"- checked, and not hunted yet, which counts as surviving: {unhunted}"] if unhunted else []
        return [
            f"- sampled: {self.size}, with seed {self.seed}",
            *missing,
            f"- equivalent: {len(self.equivalent)}",
            f"- **caught: {caught} of the {real} others ({100 * caught / max(real, 1):.1f} %)**",
            *(f"- caught by {what}: {by[what]}" for what in dict.fromkeys(BY.values()) if by[what]),
        ]

    @property
    def table(self) -> list[str]:
        """The lines of a table that counts the mutants of each kind."""
        lines = ["| kind | mutants | equivalent | survived |", "| --- | ---: | ---: | ---: |"]
        groups = ([each.mutant for each in self.judged], self.equivalent, [each.mutant for each in self.survivors])
        for kind in KINDS:
            counts = [str(sum(each.kind == kind for each in group)) for group in groups]
            lines.append(f"| {kind} | {' | '.join(counts)} |")
        return lines

    @property
    def readings(self) -> list[str]:
        """The lines of two lists, survivors and equivalent mutants, each mutant with its reason in `read.toml`."""
        alive = [f"{_change(each.mutant)}: {_why(each)}" for each in self.survivors]
        same = [f"{_change(each)}: {why_equivalent(each)}" for each in self.equivalent]
        return ["### Survivors", "", *(alive or ["None."]), "", "### Equivalent", "", *(same or ["None."])]


def _why(survivor: JudgedMutant) -> str:
    return reading(survivor.mutant, "survivor") or survivor.remark or UNREAD


def _change(mutant: Mutant) -> str:
    before, after = mutant.lines
    return f"- `{mutant.file}:{mutant.line}`: `{before}` becomes `{after}`"


def page(main: Sample, fresh: Sample | None, budget: float) -> str:
    """Return the text of the page for a sample and, if there is one, for a fresh sample."""
    options = f"--sample {main.size} --seed {main.seed}" + (f" --fresh {fresh.size}" if fresh else "")
    lines = [
        "# One-token mutants of the learners, and how many are caught",
        "",
        f"Made by `python -m benchmarks.mutants {options} --budget {budget:g} --write`:",
        f"seeded samples of the {len(mutants()):,} mutants of `learners/` and of the modules of `arena/components/`",
        "that they use, as many of each kind, each in one token. Every learner that uses the mutated module is",
        f"checked, and the six nearest are hunted, {budget:g} s of processor time a learner. Mutants that nothing",
        "catches are read: either no match can distinguish them from the original, and they are *equivalent*, or they",
        "*survive*.",
        "",
        "## The sample",
        "",
        *main.figures,
        "",
        *main.table,
        "",
        *main.readings,
    ]
    if fresh:
        lines += [
            "",
            "## A fresh sample",
            "",
            "Drawn after checks and theorems had learnt from the first one, to show how far that carries. Mutants that",
            "stand in both samples are left out.",
            "",
            *fresh.figures,
            "",
            *fresh.readings,
        ]
    return "\n".join([*lines, ""])
