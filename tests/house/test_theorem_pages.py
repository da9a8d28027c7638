"""The pages on theorems link each algorithm to its theorems, and the reference begins with bounds."""

import re

import pytest

from arena.papers.explanation import algorithm_rows
from arena.papers.tightness import default_promises
from arena.specs import registry
from arena_tests.pages import ROOT


def test_the_table_has_learners_with_theorems():
    promised = {name: {each.name for each in theorems} for name, theorems in default_promises().items() if theorems}
    assert {row["name"]: {*row["bounds"], *row["exact"]} for row in algorithm_rows()} == promised
    page = (ROOT / "docs" / "theorems.md").read_text()  # written by `make docs`; it may lack new learners
    assert "| linear | Recursive least squares (`rls`) | `rls-identity` | `rls-regret` |" in page
    table = page.partition("## Which theorem is mine?")[2].partition("## All theorems")[0]
    listed = set(re.findall(r"\(`([^`]+)`\) \|", table))
    assert len(listed) > 30
    assert listed <= set(promised), "run: arena list theorems --markdown > docs/theorems.md"
    assert all(row["about"] for row in algorithm_rows())


def test_the_reference_begins_with_bounds_and_ends_with_demands(monkeypatch):
    pytest.importorskip("mkdocs")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "site"))
    import reference_pages

    # without the examples, which take minutes to play
    monkeypatch.setattr(reference_pages, "_entry", lambda _, name, _cls, level: [f"{level} `{name}` "])
    names = re.findall(r"^#+ `([\w-]+)` ", reference_pages._kind("theorem"), re.MULTILINE)
    assert sorted(names) == sorted(registry.entries("theorem"))
    ranks = [reference_pages._rank(registry.find("theorem", name)) for name in names]
    assert ranks[0] == 0
    assert names[-1] == "at-most"
    assert "pivoted-points" not in names[:20]
    places = {rank: [place for place, each in enumerate(ranks) if each == rank] for rank in set(ranks)}
    means = [sum(places[rank]) / len(places[rank]) for rank in sorted(places)]
    assert means == sorted(means)
