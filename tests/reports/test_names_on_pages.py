"""Names on pages: titles, tables and charts show them, and commands keep the specs."""

import re

from arena import Tournament, play
from arena.reports.folder import write_matches
from arena.reports.page import report
from arena.reports.sources import Matches


def test_a_page_of_one_match_has_the_names():
    page = report(play("krr", "alternating", rounds=8, name="<our ridge>"))
    assert re.search("<title>.*: &lt;our ridge&gt; against alternating</title>", page)
    assert "arena play krr alternating" in page
    assert "<our ridge>" not in page


def test_a_page_of_many_matches_has_the_names(tmp_path):
    plan = Tournament(["krr", "fgd"], ["alternating", "drift"], [{"rounds": 8}], names=["our ridge", "their steps"])
    plan.run(store=tmp_path / "store", workers=0)
    page = write_matches(Matches([tmp_path / "store"]), tmp_path / "page.html").read_text(encoding="utf-8")
    for name, spec in (("our ridge", "krr"), ("their steps", "fgd")):
        assert f'<th role="rowheader" scope="row" title="{spec}">{name}</th>' in page
        assert f"arena play {spec} drift" in page
        assert f'"learner": "{name}"' in page or f'"learner":"{name}"' in page
    assert ">krr<" not in page
