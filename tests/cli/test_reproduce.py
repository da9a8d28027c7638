"""`arena reproduce`, and the documentation's pages that are made by commands."""

import dataclasses
import json
from pathlib import Path

import pytest

from arena.cli import reproduce
from arena.cli.descriptions import shipped_statuses
from arena.papers import tightness
from arena.papers.errata import ERRATA, IN_WORDS, REMARKS
from arena.papers.markdown import tightness_page
from arena.papers.tightness import Suite, Tally, default_promises, promises, theorem_names
from arena.record.both_sides import BothSides
from arena.specs import registry
from arena_tests import FULL

DOCS = Path(__file__).resolve().parents[2] / "docs"
REMAKE_ERRATA = "run: arena reproduce errata --markdown > docs/errata.md"
REMAKE_THEOREMS = "run: arena list theorems --markdown > docs/theorems.md"
FAR_APART = {"kernel": "gaussian(bandwidth=0.01)"}
REMAKE_TIGHTNESS = (
    "run (2 minutes): arena reproduce tightness --markdown > tightness.md && mv tightness.md docs/results/tightness.md"
)
REMAKE_PROMISES = (
    "run (2 minutes): arena reproduce promises > promises.json && mv promises.json arena/cli/promises.json; then make "
    "wheel, unless the install is editable"
)


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
    assert (DOCS / "errata.md").read_text() == page, REMAKE_ERRATA
    assert all(erratum.printed.split("(")[0] in page for erratum in ERRATA)
    assert all(each.where in page and each.wrong.replace("|", "\\|") in page for each in IN_WORDS)
    assert all(each.judged().excess in page for each in ERRATA)
    errata, _, remarks = page.partition("## Remarks")
    assert all(where in remarks and what.replace("|", "\\|") not in errata for where, what in REMARKS)


def test_the_page_of_theorems_is_up_to_date(arena):
    page = arena("list", "theorems", "--markdown").output
    current = (DOCS / "theorems.md").read_text() == page  # compared here: the difference of two long pages says little
    assert current, REMAKE_THEOREMS
    assert all(f"`{name}`" in page for name in registry.entries("theorem"))


def test_the_page_of_tightness_names_every_true_theorem():
    page = (DOCS / "results" / "tightness.md").read_text()
    missing = [name for name in theorem_names() if f"| `{name}` |" not in page]
    assert not missing, f"the page lacks {missing}; {REMAKE_TIGHTNESS}"
    assert "no match" not in page


def test_only_theorems_have_such_a_page(arena):
    result = arena("list", "learners", "--markdown")
    assert result.exit_code == 2
    assert "arena list theorems --markdown" in result.output


def chosen_settings():
    """Return every sixth setting, and a setting of each adversary that is needed by theorems that rarely apply."""
    rare = ("minimax", "leverage", "orthogonal", "repeated(points=40)", "greedy")
    last = {each.adversary: each for each in tightness.LARGE if each.adversary.startswith(rare)}
    return (*tightness.LARGE[::6], *last.values())


def test_tightness_finds_every_theorem_at_work_and_no_violation(arena, monkeypatch):
    tightness.promised_lower_bounds()  # cached, with the adversaries of all settings
    monkeypatch.setattr(tightness, "LARGE", tightness.LARGE if FULL else chosen_settings())
    result = arena("reproduce", "tightness", "--rounds", 25, "--json")
    found = json.loads(result.output)
    rows = {row["theorem"]: row for row in found["theorems"]}
    assert result.exit_code == 0, {name: row for name, row in rows.items() if row["violations"]}
    assert set(rows) == set(theorem_names())
    assert not [name for name, row in rows.items() if not row["matches"]]
    assert rows["awv-leverage"]["ratio"] == pytest.approx(1.0, abs=1e-3)
    assert rows["pros-n-kons-regret"]["vacuous"] > 0
    assert rows["perceptron-mistakes"]["ratio"] is None
    assert rows["perceptron-mistakes"]["identities"] == rows["perceptron-mistakes"]["matches"]
    learners = {(row["learner"], row["theorem"]): row for row in found["learners"]}
    assert {learner for learner, _ in learners} >= set(promises())
    meeting = learners["kernel-awv", "awv-leverage"]["both_sides"]
    assert meeting["meet"]
    assert meeting["lower"] == pytest.approx(meeting["upper"])
    for row in learners.values():
        if (sides := row["both_sides"]) is not None:
            assert sides["lower"] <= sides["measured"] * (1 + 1e-6) <= sides["upper"] * (1 + 2e-6)


def test_the_row_of_a_learner_without_a_theorem_counts_each_match_once(monkeypatch):
    two_lower_bounds, none = (
        tightness.ExampleSetting("orthogonal(labels=contrary)", FAR_APART),
        tightness.ExampleSetting("drift"),
    )
    monkeypatch.setattr(tightness, "LARGE", (two_lower_bounds, none))
    assert len(two_lower_bounds.play("krr", rounds=9).lower_verdicts()) == 2
    (row,) = (row for row in tightness.suite(rounds=9, learners=["krr"]).promises if not row.theorem)
    assert (row.matches, row.applied) == (2, 1)
    assert row.ratio == pytest.approx(1.0)


def test_the_page_of_tightness_shows_both_sides_and_says_where_they_meet():
    page = (DOCS / "results" / "tightness.md").read_text()
    _, _, table = page.partition("## Both sides, for every learner")
    for learner in promises():
        assert f"| `{learner}` |" in table, f"{learner}: {REMAKE_TIGHTNESS}"
    line = next(line for line in table.splitlines() if line.startswith("| `kernel-awv` | `awv-leverage` |"))
    assert "they meet: 100 <= 100 <= 100" in line
    assert "an identity" in next(line for line in page.splitlines() if line.startswith("| `perceptron-mistakes` |"))


def test_a_bound_without_a_match_is_not_vacuous_in_all_of_them():
    page = tightness_page(Suite([Tally("awv-logdet")], []), 1)
    assert "| `awv-logdet` | no match | 0 |  |" in page


def test_the_shipped_table_of_promises_is_complete():
    table = {learner: set(statuses) for learner, statuses in shipped_statuses().items()}
    wanted = {name: {each.name for each in theorems} for name, theorems in default_promises().items() if theorems}
    assert table == wanted, REMAKE_PROMISES


def test_the_shipped_table_of_promises_is_what_matches_show(arena):
    """Only two learners are played again, since the number of all learners depends on the installed packages."""
    output = arena("reproduce", "promises", "--learner", "b-kons", "--learner", "perceptron").stdout
    assert json.loads(output) == {name: shipped_statuses()[name] for name in ("b-kons", "perceptron")}, REMAKE_PROMISES
    statuses = shipped_statuses()["b-kons"]
    for name in ("kors-accuracy", "kors-projection", "kors-overestimation", "kors-size"):
        assert statuses[name].startswith("never applies: beta >= 3 log(T/delta) / epsilon^2 (1 of ")
    assert "vacuous in" in statuses["pros-n-kons-regret"]


def test_promises_of_an_unknown_learner_are_a_message(arena):
    result = arena("reproduce", "promises", "--learner", "perceptorn")
    assert result.exit_code == 2
    assert "perceptron" in result.output


def test_tightness_for_a_person(arena, monkeypatch):
    rows = [
        Tally("ogd", applied=3, ratio=0.5, learner="fgd", adversary="alternating", vacuous=2),
        Tally("x", applied=2),
        Tally("y"),
        Tally("z", applied=1, violations=1),
        Tally("m", applied=4, identities=4),
    ]
    sides = BothSides("awv-leverage", "one-point", "regret", 1.0, 2.0, 3.0)
    row = Tally("awv-leverage", "kernel-awv", sides=sides, sides_adversary="minimax")
    monkeypatch.setattr(reproduce, "suite", lambda **_: Suite(rows, [row]))
    result = arena("reproduce", "tightness")
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.output.splitlines() if line.strip()]
    assert lines == ["ogd 50.00% 3 matches vacuous in 2 fgd against alternating", "x exact 2 matches",
                     "y no match 0 matches", "z exact 1 matches", "m an identity 4 matches",
                     "Both bounds apply, closest to each other:",
                     "kernel-awv against minimax: between one-point and awv-leverage: regret 2 in [1, 3], 50% of "
                     "the way"]  # fmt: skip


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
