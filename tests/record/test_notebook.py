"""The HTML of objects in notebooks has the objects' numbers, and all text is escaped."""

import re
from html import escape

from arena import Tournament, play
from arena.hunt.hunting import hunt

HOSTILE = "<script>alert(1)</script>"


def cells(html):
    return re.findall(r"<td>(.*?)</td>", html)


def test_a_transcript_shows_its_last_values_and_verdicts():
    run = play("kernel-awv", "alternating", rounds=30)
    html = run._repr_html_()
    assert f"{run.regret[-1]:.6g}" in cells(html)
    for verdict in run.verdicts():
        assert verdict.theorem in cells(html)
        assert f"{verdict.allowed:.6g}" in cells(html)


def test_a_regret_that_is_known_in_an_interval_has_both_ends():
    run = play("fgd", "repeated(points=7, labels=contrary)", rounds=60, loss="hinge", regularisation=1e-11)
    low, high = run.final_regret
    assert f"{low:.6g} to {high:.6g}" in cells(run._repr_html_())
    narrow = play("zero", "alternating", rounds=9, loss="hinge")
    assert f"{narrow.final_regret[0]:.6g}" in cells(narrow._repr_html_())


def test_names_stay_text_and_code_that_is_not_trusted_is_not_run():
    run = play("zero", "alternating", rounds=5)
    run.learner, run.theorems, run.trusted, run.promised = HOSTILE, ("./mine.py:Mine",), False, ()
    html = run._repr_html_()
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html
    assert "not judged: " in html


def test_a_tournament_shows_its_ranking():
    found = Tournament(["krr", "zero"], ["alternating"], [{"rounds": 20}]).run(workers=1)
    html = found._repr_html_()
    assert "2 matches played" in html
    assert "<th>place</th>" in html
    assert [each for each in cells(html) if each in ("krr", "zero")] == [
        each.learner for each in found.ranking().standings
    ]


def test_a_hunt_shows_how_close_it_came():
    found = hunt("krr", ["awv-logdet"], matches=3, workers=1)
    html = found._repr_html_()
    assert "awv-logdet" in cells(html)
    assert f"{found.matches:,} matches" in html
    for each in found.closest:
        assert escape(each.command or each.reason) in cells(html)
