"""A page shows a lower bound once, as what the adversary forces, even if --bound names it."""

from arena import Tournament, play
from arena.reports.folder import write_matches
from arena.reports.page import report
from arena.reports.sources import Matches
from arena.reports.summary import facts, headline


def test_a_lower_bound_that_is_asked_for_is_forced_and_not_allowed():
    run = play("kernel-awv", "greedy", rounds=5)
    verdicts = run.verdicts("greedy-labels")
    text = headline(run, verdicts).sentence
    assert "greedy-labels forces at least" in text
    assert "allows" not in text
    regret = next(note for name, _, note in facts(run, verdicts) if name == "Regret")
    assert regret.endswith("forced by greedy-labels")
    legend = "<span>greedy-labels forces"
    assert report(run, bound="greedy-labels").count(legend) == report(run).count(legend) == 1


def test_named_lower_bounds_are_left_out_of_the_others():
    run = play("kernel-awv", "greedy", rounds=5)
    assert [each.name for each in run.lower_verdicts()] == ["greedy-labels"]
    assert [each.name for each in run.lower_verdicts("awv-logdet")] == ["greedy-labels"]
    assert [each.name for each in run.lower_verdicts([])] == ["greedy-labels"]
    assert run.lower_verdicts("greedy-labels") == []
    assert run.lower_verdicts("none") == []
    assert run.lower_verdicts(["none"]) == []


def test_pages_of_many_matches_draw_lower_bounds_too(tmp_path):
    Tournament(["kernel-awv"], ["greedy"], [{"rounds": 5}]).run(store=tmp_path / "store", workers=0)
    page = write_matches(Matches([tmp_path / "store"]), tmp_path / "page.html")
    assert "<span>greedy-labels forces" in page.read_text(encoding="utf-8")
