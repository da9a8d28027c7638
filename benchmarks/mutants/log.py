"""Results of a sample of mutants, read from a log; mutants that are not in the log are judged and added to it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .judging import Left, judge, processor_time
from .making import Mutant

READ = Path(__file__).with_name("read.toml")
UNHUNTED = "checked, and not hunted yet"


@dataclass(frozen=True)
class JudgedMutant:
    """A judged mutant, the failure that catches it ("" if nothing does), and a remark if it was not hunted."""

    mutant: Mutant
    caught: str
    remark: str = ""


def results(chosen: Sequence[Mutant], log: Path | None, budget: float, *, run: bool) -> list[JudgedMutant]:
    """Return the mutants of a sample with their results; mutants in the log are not run again.

    All mutants are checked before the first one is hunted, since a hunt that finds nothing uses the whole budget.
    Without `run`, mutants that are not in the log are left out.
    """
    known, left = dict[str, str](), dict[str, Left]()
    if log and log.exists():
        for row in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            if row.get("left"):
                left[row["place"]] = row["left"]
            else:
                known[row["place"]] = row["caught"]
    for hunted in (False, True) if run else ():
        for mutant in chosen:
            place = mutant.place
            if place in known or (place in left) > hunted or why_equivalent(mutant):
                continue
            started = processor_time()
            caught, after = judge(mutant, budget, left.get(place))
            row = {"place": place, "kind": mutant.kind, "caught": caught}
            if caught or hunted:
                known[place] = caught
            else:
                left[place] = row["left"] = after
            row["seconds"] = round(processor_time() - started, 1)
            word = "caught" if caught else "SURVIVED" if hunted else "left"
            print(f"{word:8} {row['seconds']:6.1f} s  {mutant.title}  {caught[:120]}", flush=True)
            if log:
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    judged = [each for each in chosen if each.place in known or each.place in left or why_equivalent(each)]
    return [
        JudgedMutant(each, known.get(each.place, ""), "" if each.place in known else UNHUNTED * (each.place in left))
        for each in judged
    ]


@cache
def readings() -> dict[str, tuple[dict[str, str], ...]]:
    """Return the tables of `read.toml` by kind ("equivalent" or "survivor").

    An entry has the file, the original line, the reason, and possibly the mutated line.
    """
    return {kind: tuple(rows) for kind, rows in tomllib.loads(READ.read_text(encoding="utf-8")).items()}


def reading(mutant: Mutant, kind: str) -> str:
    """Return the reason in `read.toml` why the mutant is an "equivalent" or a "survivor"; empty if there is none."""
    before, after = mutant.lines
    for row in readings().get(kind, ()):
        same_line = re.fullmatch(row["line"], before) if row.get("pattern") else row["line"] == before
        if row["file"] in ("*", mutant.file) and same_line and row.get("becomes", after) == after:
            return row["reason"]
    return ""


def why_equivalent(mutant: Mutant) -> str:
    """Return the reason why no match can distinguish the mutant from the original; empty if none is known."""
    return reading(mutant, "equivalent")
