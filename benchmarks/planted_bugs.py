"""How many of the planted mistakes are caught, each in several doses: the page docs/results/planted.md.

    python benchmarks/planted_bugs.py [--budget 60] [--correct 200] [--only NAME] [--write]

Each wrong learner in tests/support/arena_tests/planted/doses is hunted with the defaults of `arena hunt`, for at most
`--budget` seconds. Wrong samplers promise bounds that hold with a probability, and are judged over several seeds
instead. The correct learners of that folder and of the arena are hunted, too; a violation by one of them is a false
alarm.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from _tools import publish, timed
from arena.hunt import hunt
from arena.specs import registry
from arena.specs.building import build
from arena.tournament.series import play_series

FOLDER = Path(__file__).parent.parent / "tests" / "support" / "arena_tests" / "planted" / "doses"
SEEDS, LONG = 5, 1000
ENOUGH = 0.95
INTRODUCTION = """\
Made by `python benchmarks/planted_bugs.py --write`. Each row is a mistake that a person could make, in a learner of its
own in `tests/support/arena_tests/planted/doses`. The doses go from gross to faint, and every dose breaks the theorem
that the learner promises in some match. The hunt runs with its defaults, for at most {budget:g} s each; samplers are
judged over many seeds instead. Mistakes that break the contract of a learner, such as a prediction that changes the
state, are in `tests/support/arena_tests/planted/contract`; `arena check` finds them.
"""


@dataclass(frozen=True)
class Specimen:
    """A correct or a wrong learner of the folder `planted/doses`.

    `dose` is the strength of the learner's mistake, or None if the learner is correct.
    """

    file: str
    made: Any
    dose: Any = None

    @property
    def name(self) -> str:
        """The names of the file and the class, since several files have classes of the same name."""
        return f"{self.file}:{self.made.__name__}"

    @property
    def title(self) -> str:
        """The name, followed by the dose if there is one."""
        return self.name if self.dose is None else f"{self.name}(dose={self.dose:g})"

    @property
    def tool(self) -> str:
        """The method that should find the mistake: "hunt", or "seeds" (judged over several seeds)."""
        return str(getattr(self.made, "tool", "hunt"))

    def learner(self) -> Any:
        """Return a new learner, with a mistake of this dose if there is a dose."""
        return self.made() if self.dose is None else self.made(dose=self.dose)


@dataclass(frozen=True)
class Finding:
    """Result of hunting a specimen: whether and how it was caught, in how many seconds and rounds."""

    specimen: Specimen
    caught: bool
    seconds: float
    rounds: int | None = None
    by: str = ""
    reason: str = ""


@cache
def modules() -> dict[str, ModuleType]:
    """Return the modules of the folder `planted/doses`, loaded from their files, by file name."""
    sys.path.append(str(FOLDER.parents[2]))  # the package with their base classes
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"planted_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        found[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[path.stem])
    return found


def classes() -> Iterator[tuple[str, Any]]:
    """Yield each class of the folder `planted/doses` with the name of its file."""
    for file, module in modules().items():
        for made in vars(module).values():
            if inspect.isclass(made) and made.__module__ == module.__name__ and hasattr(made, "doses"):
                yield file, made


def mistakes() -> list[Specimen]:
    """Return every wrong learner in every dose that can break the bound, from gross to faint."""
    return [Specimen(file, made, dose) for file, made in classes() for dose in vars(made).get("doses", ())]


def grossest() -> list[Specimen]:
    """Return every wrong learner in its grossest dose."""
    return list({specimen.name: specimen for specimen in reversed(mistakes())}.values())[::-1]


def correct() -> list[Specimen]:
    """Return the correct learners of the folder `planted/doses`."""
    own = [(file, made, vars(made)) for file, made in classes()]
    return [Specimen(file, made) for file, made, has in own if not has.get("doses") and not has.get("harmless")]


def caught(specimen: Specimen, *, seed: int = 0, **effort: Any) -> Finding:
    """Hunt a specimen and return the result; a sampler is judged over several seeds instead."""
    if specimen.tool == "seeds":
        finding, seconds = timed(lambda: judged_over_seeds(specimen, seed))
        return replace(finding, seconds=seconds)
    found, seconds = timed(lambda: hunt(specimen.learner(), seed=seed, **effort))
    violation = found.violation
    if violation is None:
        tightness = ", ".join(f"{each.tightness:.3g}" for each in found.closest if each.tightness is not None)
        return Finding(specimen, False, seconds, reason=f"tightness {tightness} in {found.matches} matches")
    rounds = None if violation.transcript is None else violation.transcript.rounds
    return Finding(specimen, True, seconds, rounds, f"hunt: {violation.adversary}", violation.reason)


def judged_over_seeds(specimen: Specimen, seed: int) -> Finding:
    """Judge a sampler over several seeds on two simple sequences, and return the result.

    The matches are long enough for the sampler to reject most points.
    """
    for opponent in ("alternating", "repeated(points=5)"):
        series = play_series(specimen.learner(), opponent, seeds=SEEDS, seed=seed, workers=1, rounds=LONG)
        broken = next((verdict for verdict in series.verdicts if verdict.violated), None)
        if broken is not None:
            return Finding(specimen, True, 0.0, LONG, f"{SEEDS} seeds: {opponent}", broken.reason)
    return Finding(specimen, False, 0.0, reason="holds over the seeds")


def innocents(count: int) -> Iterator[tuple[str, Any, int]]:
    """Yield the name, the learner and the seed for `count` hunts of correct learners.

    The learners are the correct learners of the folder `planted/doses`, and the built-in ones that promise theorems.
    """
    built_in = [name for name in registry.entries("learner") if tuple(build("learner", name).theorems)]
    everyone = [(each.name, each.learner) for each in correct() if each.tool == "hunt"]
    everyone += [(name, lambda name=name: build("learner", name)) for name in built_in]
    for number in range(count):
        name, made = everyone[number % len(everyone)]
        yield name, made(), number // len(everyone)


def alarms(count: int, budget: float) -> Iterator[tuple[str, str]]:
    """Yield each false alarm in `count` hunts of correct learners: the learner's name, and the reported violation."""
    for name, learner, seed in innocents(count):
        violation = hunt(learner, budget=budget, seed=seed).violation
        if violation is not None:
            yield f"{name}, seed {seed}", violation.reason


def page(findings: Iterable[Finding], accused: list[tuple[str, str]], peace: tuple[int, float], budget: float) -> str:
    """Return the text of the page docs/results/planted.md.

    `accused` has the false alarms. `peace` is a pair: the number of hunts of correct learners, and the seconds of one
    hunt.
    """
    found = list(findings)
    got = [each for each in found if each.caught]
    seconds = sorted(each.seconds for each in got)
    lines = [
        "# Wrong learners, and how they are caught",
        "",
        INTRODUCTION.format(budget=budget),
        f"- caught: {len(got)} of {len(found)} ({100 * len(got) / max(len(found), 1):.1f} %)",
        f"- seconds until caught: median {seconds[len(seconds) // 2]:.2g}, nine in ten within "
        f"{seconds[len(seconds) * 9 // 10]:.2g}, longest {seconds[-1]:.2g}"
        if seconds
        else "- none was caught",
        f"- false alarms: {len(accused)} in {peace[0]} hunts of correct learners, {peace[1]:g} s each",
        "",
        "| mistake | doses | caught | faintest dose caught | seconds | rounds | by |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in dict.fromkeys(each.specimen.name for each in found):
        own = [each for each in found if each.specimen.name == name]
        hits = [each for each in own if each.caught]
        doses = ", ".join(f"{each.specimen.dose:g}" for each in own)
        faintest = f"{hits[-1].specimen.dose:g}" if hits else "none"
        longest = f"{max(each.seconds for each in hits):.2g}" if hits else ""
        rounds = str(hits[-1].rounds) if hits else ""
        lines.append(
            f"| {name} | {doses} | {len(hits)} of {len(own)} | {faintest} | {longest} | {rounds} "
            f"| {hits[-1].by if hits else own[-1].reason} |"
        )
    harmless = [(file, made) for file, made in classes() if vars(made).get("harmless")]
    lines += ["", "Doses with which no known match breaks the bound; they do not count:", ""]
    lines += [
        f"- {file}:{made.__name__}: {', '.join(f'{dose:g}' for dose in made.harmless)}" for file, made in harmless
    ]
    missed = [each for each in found if not each.caught]
    lines += ["", "Missed:", "", *(f"- {each.specimen.title}: {each.reason}" for each in missed)] if missed else []
    lines += ["", "False alarms:", "", *(f"- {who}: {reason}" for who, reason in accused)] if accused else []
    tools = Counter(each.by.partition(":")[0] for each in got)
    lines += ["", "Caught by: " + ", ".join(f"{tool} {count}" for tool, count in tools.most_common()), ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each hunt")
    parser.add_argument("--correct-budget", type=float, default=None, help="the same for correct learners")
    parser.add_argument("--correct", type=int, default=200, help="hunts of correct learners")
    parser.add_argument("--only", default="", help="hunt only the mistakes whose names contain this")
    parser.add_argument("--write", action="store_true", help="write docs/results/planted.md")
    given = parser.parse_args()
    findings = []
    for specimen in mistakes():
        if given.only in specimen.name:
            findings.append(caught(specimen, budget=given.budget))
            each = findings[-1]
            print(f"{specimen.title}: {'caught' if each.caught else 'MISSED'} {each.seconds:.1f} s {each.reason}")
    accused, peaceful = [], given.correct_budget or given.budget
    for name, reason in alarms(given.correct, peaceful):
        accused.append((name, reason))
        print(f"ACCUSED {name}: {reason}")
    text = page(findings, accused, (given.correct, peaceful), given.budget)
    publish(text, "planted.md", write=given.write)


if __name__ == "__main__":
    main()
