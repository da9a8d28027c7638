"""`arena reproduce`, and the pages of the documentation that commands make."""

import dataclasses
import json
from pathlib import Path

import pytest

from arena.cli import reproduce
from arena.papers.errata import ERRATA, IN_WORDS, REMARKS
from arena.papers.tightness import theorem_names
from arena.specs import registry

DOCS = Path(__file__).resolve().parents[2] / "docs"
REMAKE = "run `make docs`, or the command that the page names at its top"


def test_errata_prints_both_verdicts_and_exits_with_0(arena):
    result = arena("reproduce", "errata")
    assert result.exit_code == 0
    text = " ".join(result.output.split())
    for erratum in ERRATA:
        assert f"{erratum.name}: " in text
        assert erratum.wrong in text
        assert erratum.assumes in text
        assert f"({erratum.place}): {erratum.seriousness} " in text
    assert f"{len(ERRATA)} of {len(ERRATA)} reproduced." in text


def test_errata_as_json(arena):
    rows = json.loads(arena("reproduce", "errata", "--json").output)
    assert [row["name"] for row in rows] == [erratum.name for erratum in ERRATA]
    assert all(row["reproduced"] for row in rows)
    assert all(row["printed"]["outcome"] == "violated" for row in rows)
    assert all(row["premises_met"] for row in rows)
    assert [row["seriousness"] for row in rows] == [erratum.seriousness for erratum in ERRATA]


@pytest.mark.parametrize("option", [(), ("--json",), ("--markdown",)])
def test_an_erratum_that_does_not_reproduce_exits_with_1(arena, monkeypatch, option):
    false = next(erratum for erratum in ERRATA if not erratum.lacks)
    wrong = dataclasses.replace(false, corrected=false.printed)
    monkeypatch.setattr(reproduce, "ERRATA", (wrong,))
    assert arena("reproduce", "errata", *option).exit_code == 1


def test_the_page_of_errata_is_up_to_date(arena):
    page = arena("reproduce", "errata", "--markdown").output
    assert (DOCS / "errata.md").read_text() == page, REMAKE
    assert all(erratum.printed.split("(")[0] in page for erratum in ERRATA)
    assert all(each.where in page and each.wrong.replace("|", "\\|") in page for each in IN_WORDS)
    assert all(each.judged().excess in page for each in ERRATA)
    errata, _, remarks = page.partition("## Remarks")
    assert all(where in remarks and what.replace("|", "\\|") not in errata for where, what in REMARKS)


def test_the_page_of_theorems_is_up_to_date(arena):
    page = arena("list", "theorems", "--markdown").output
    assert (DOCS / "theorems.md").read_text() == page, REMAKE
    assert all(f"`{name}`" in page for name in registry.entries("theorem"))


def test_the_page_of_tightness_names_every_true_theorem():
    page = (DOCS / "results" / "tightness.md").read_text()
    missing = [name for name in theorem_names() if f"| `{name}` |" not in page]
    assert not missing, f"the page lacks {missing}: {REMAKE}"
    assert "no match" not in page


def test_only_theorems_have_such_a_page(arena):
    result = arena("list", "learners", "--markdown")
    assert result.exit_code == 2
    assert "arena list theorems --markdown" in result.output


def test_tightness_finds_every_theorem_at_work_and_no_violation(arena):
    result = arena("reproduce", "tightness", "--rounds", 25, "--json")
    rows = {row["theorem"]: row for row in json.loads(result.output)}
    assert result.exit_code == 0, {name: row for name, row in rows.items() if row["violations"]}
    assert set(rows) == set(theorem_names())
    assert not [name for name, row in rows.items() if not row["matches"]]
    assert rows["awv-leverage"]["ratio"] == pytest.approx(1.0, abs=1e-3)


def test_tightness_for_a_person(arena, monkeypatch):
    from arena.papers.tightness import Tightness

    rows = [Tightness("ogd", 3, 0, 0.5, "fgd", "alternating"), Tightness("x", 2), Tightness("y"), Tightness("z", 1, 1)]
    monkeypatch.setattr(reproduce, "tightness", lambda **_: rows)
    result = arena("reproduce", "tightness")
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.output.splitlines() if line.strip()]
    assert lines == ["ogd 50.00% 3 matches fgd against alternating", "x exact 2 matches", "y no match 0 matches",
                     "z exact 1 matches"]  # fmt: skip


@pytest.mark.parametrize("name", ["awv-logdet", ERRATA[0].name])
def test_show_plays_a_small_match_that_a_theorem_judges(arena, name):
    result = arena("show", name)
    assert "\nassumes\n" in result.output
    assert "\nat work\n  $ arena " in result.output
    shown = json.loads(arena("show", name, "--json").output)
    assert shown["assumes"]
    assert shown["example"]["command"] in result.output
    assert all(verdict in result.output for verdict in shown["example"]["verdicts"])
    again = arena(*shown["example"]["command"].split()[1:])
    assert again.exit_code == 0
    assert shown["example"]["verdicts"][0].split(":")[0].partition("(")[0] in again.output
