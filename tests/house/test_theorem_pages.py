"""The pages on theorems link each algorithm to its theorems, and the reference begins with bounds."""

import re

import pytest

from arena.papers.explanation import algorithm_rows
from arena.papers.tightness import default_promises
from arena.specs import registry
from arena_tests.pages import ROOT


def test_each_learner_with_theorems_is_in_the_table():
    promised = {name: {each.name for each in theorems} for name, theorems in default_promises().items() if theorems}
    assert {row["name"]: {*row["bounds"], *row["exact"]} for row in algorithm_rows()} == promised
    page = (ROOT / "docs" / "theorems.md").read_text()
    assert "| linear | Recursive least squares (`rls`) | `rls-identity` | `rls-regret` |" in page
    table = page.partition("## Which theorem is mine?")[2].partition("## All theorems")[0]
    for row in algorithm_rows():
        assert row["about"]
        listed = f"(`{row['name']}`)" in table
        assert listed, f"{row['name']} is not in the table: run: arena list theorems --markdown > docs/theorems.md"


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
