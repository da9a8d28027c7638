"""A page shows a lower bound once, as what the adversary forces, and says so if a match refutes it."""

import dataclasses
import re
from typing import ClassVar

import numpy as np
import pytest

from arena import Theorem, Tournament, play
from arena.record.judgement import Judgement
from arena.record.judging import judge
from arena.reports.folder import write_matches
from arena.reports.page import report
from arena.reports.sources import Matches
from arena.reports.summary import facts
from arena_tests.pages import text_of


def test_a_lower_bound_that_is_asked_for_is_forced_and_not_allowed():
    run = play("kernel-awv", "greedy", rounds=5)
    judgement = run.judgement("greedy-labels")
    text = judgement.headline.sentence
    assert "greedy-labels forces at least" in text
    assert "allows" not in text
    regret = next(note for name, _, note in facts(run, judgement) if name == "Regret")
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


class Lenient:
    """An adversary that promises a lower bound, and plays the labels that the learner predicts after a small one."""

    lower_bounds = ("one-point",)

    def point(self, view):
        return np.zeros(view.game.dimension)

    def label(self, view, x, prediction):
        return prediction if len(view.labels) else 0.1


@pytest.fixture(scope="module")
def refuted():
    run = play("kernel-awv", Lenient(), rounds=5)
    (verdict,) = run.lower_verdicts()
    assert verdict.violated
    assert all(each.holds for each in run.verdicts())
    return run


def test_a_refuted_lower_bound_is_in_the_headline_and_wherever_the_page_names_it(refuted):
    page = report(refuted)
    text = text_of(page)
    assert "<title>Bound broken: kernel-awv" in page
    assert "✕ Bound broken one-point is violated: regret 0." in text
    assert "Bounds kept" not in text
    (verdict,) = refuted.lower_verdicts()
    regret = next(note for name, _, note in facts(refuted, refuted.judgement()) if name == "Regret")
    assert regret == "less than one-point forces"
    (table,) = re.findall(r"The verdict of each lower bound</caption>.*?</table>", page, re.DOTALL)
    assert f"✕ violated {verdict.reason}" in text_of(table)
    assert f"undercut in round {verdict.round}<" in page
    assert f"one-point is undercut in round {verdict.round}" in page
    assert "exceeded in round" not in page


def test_a_refuted_lower_bound_is_named_beside_a_violated_theorem(refuted):
    (lower,) = refuted.lower_verdicts()
    theorem = dataclasses.replace(lower, theorem="too-small", lower=False, round=4)
    found = Judgement((theorem,), (lower,)).headline
    assert found.word == "Bounds broken"
    assert found.sentence.startswith("one-point is violated: ")
    assert found.sentence.endswith(" So is too-small.")


def test_the_page_of_many_matches_leads_to_the_match_that_refutes_the_lower_bound(refuted, tmp_path):
    """Another seed has a larger regret and keeps all bounds."""
    other = dataclasses.replace(play("kernel-awv", "minimax", rounds=5, seed=1), adversary=refuted.adversary)
    assert [each.outcome for each in other.lower_verdicts()] == ["holds"]
    assert other.regret[-1] > refuted.regret[-1]
    paths = [run.save(tmp_path / f"{run.seed}.npz") for run in (refuted, other)]
    page = write_matches(Matches(paths), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A theorem violated in 1 of 1 pairing" in page
    (linked,) = re.findall(r'<td role="cell" class="violated".*?href="#(match-\w+)"', page)
    section = text_of(page.partition(f'<details class="match" id="{linked}">')[2].partition("</details>")[0])
    assert section.startswith("✕ Bound broken")
    assert "less than one-point forces" in section


def test_an_undecided_lower_bound_has_its_reason():
    run = play("kernel-awv", "repeated(points=20)", rounds=60, hindsight="interval")
    run.comparator.interval(features=0)
    low, high = (ends[-1] for ends in run.regret_interval)

    @dataclasses.dataclass(frozen=True)
    class Forced(Theorem):
        """A lower bound between the two ends of the regret's wide interval."""

        name: ClassVar[str] = "forced"
        lower, at_the_end, monotone = True, True, True

        def allowed(self, run):
            return np.full(run.rounds, (low + high) / 2)

    verdict = judge(run, Forced())
    assert verdict.outcome == "undecided"
    page = report(run, judgement=Judgement((), (verdict,)))
    (table,) = re.findall(r"The verdict of each lower bound</caption>.*?</table>", page, re.DOTALL)
    assert text_of(table).endswith(f"○ undecided {verdict.reason}")
    assert verdict.reason.startswith(f"regret between {low:.6g} and {high:.6g}, ")
