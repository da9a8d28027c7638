"""Pages show a theorem's formula as MathML, or its plain statement if it has no formula."""

from arena import play
from arena.reports.folder import write_matches
from arena.reports.page import report
from arena.reports.sources import Matches
from arena.specs.building import build
from arena.theorems.formulas import formula_html


def test_the_page_of_a_match_has_mathml_for_theorems_and_lower_bounds():
    run = play("kernel-awv", "greedy", rounds=10)
    page = report(run)
    for name in (*run.theorems, "greedy-labels"):
        assert formula_html(build("theorem", name)) in page, name
    assert "R_lambda" not in page


def test_the_page_of_many_matches_has_mathml_in_its_table(tmp_path):
    run = play("kernel-awv", "alternating", rounds=10)
    page = write_matches(Matches([run.save(tmp_path / "one.npz")]), tmp_path / "page.html").read_text(encoding="utf-8")
    assert formula_html(build("theorem", "awv-logdet")) in page[page.index('id="theorem-table"') :]


def test_a_statement_that_parameters_change_stays_text():
    demand = build("theorem", "at-most(comparator=constant)")
    page = report(play("krr", "alternating", rounds=10), bound=[demand])
    assert "<math" not in page
    assert "the number, at the end" in page
