"""`arena check` and hunts find mutants of the learners' source, and no file is changed.

Here a few mutants are tried that show only with unusual parameters or games. benchmarks/mutants tries a sample of 200,
and counts the mutants that are found in docs/results/mutants.md.
"""

import ast

import pytest
from mutants.judging import judge
from mutants.log import JudgedMutant, readings, why_equivalent
from mutants.making import KINDS, Mutant, mutants, sample
from mutants.page import Sample, page
from mutants.sources import ROOT

CAUGHT = [
    ("learners/descent.py", "eta /= self.round**0.5", "eta /= self.round*0.5", "fgd"),
    ("learners/ewa.py", "self.eta = 1.0 / (8.0 * game", "self.eta = 1.0 / (9 * game", "ewa"),
    ("learners/kons.py", "ridge=self.alpha)\n        self.steps", "ridge=1)\n        self.steps", "kons"),
    ("learners/budgeted.py", "self.log.remove(self.round, *self.function.part(place))", "pass", "bsgd"),
    ("learners/forgetron.py", "SHARE = 15 / 32", "SHARE = 16 / 32", "forgetron"),
]


@pytest.mark.parametrize(("file", "before", "after", "learner"), CAUGHT)
def test_a_mutant_is_caught(file, before, after, learner):
    source = (ROOT / file).read_bytes()
    start = source.index(before.encode())
    mutant = Mutant(file, "fixed", start, start + len(before.encode()), after)
    found, left = judge(mutant, 30.0)  # by checks, or else by the hunt of the learner
    assert found or judge(mutant, 30.0, {learner: left[learner]}, matches=150)[0]
    assert (ROOT / file).read_bytes() == source


def test_the_original_survives():
    harmless = Mutant("learners/zero.py", "fixed", 0, 0, "")
    assert judge(harmless, 30.0, {"forgetron": 2.0}, matches=5)[0] == ""


def test_every_mutant_of_a_sample_is_a_program_and_another_one():
    chosen = sample(100, 1)
    assert {each.kind for each in chosen} == set(KINDS)
    for each in chosen:
        ast.parse(each.source)
        before, after = each.lines
        assert before != after


def test_every_reading_has_a_reason_and_a_file():
    assert set(readings()) <= {"equivalent", "survivor"}
    for row in (row for rows in readings().values() for row in rows):
        assert row["reason"].strip()
        assert row["file"] == "*" or (ROOT / row["file"]).exists()


def test_the_page_counts_each_mutant_once():
    caught, same, alive = Mutant("learners/zero.py", "name", 0, 0, ""), *_one_of_each()
    found = [JudgedMutant(caught, "hunt zero: why"), JudgedMutant(same, ""), JudgedMutant(alive, "")]
    text = page(Sample(3, 5, found), None, 30.0)
    assert "caught: 1 of the 2 others (50.0 %)" in text
    assert "caught by hunt: 1" in text
    assert "equivalent: 1" in text
    assert f"`{alive.file}:{alive.line}`" in text


def _one_of_each() -> tuple[Mutant, Mutant]:
    """Return a mutant that is known to equal the original, and one that does not."""
    known = next(each for each in mutants() if why_equivalent(each))
    return known, next(each for each in mutants() if each.file == known.file and not why_equivalent(each))
