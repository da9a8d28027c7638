"""Reports as folders, and reports of a store to which matches are being added."""

import re

import pytest

from arena import ArenaError, Store, Tournament
from arena.reports import folder as folders
from arena.reports.downsampled import plain
from arena.reports.folder import write_matches
from arena.reports.sources import Matches, anchor
from arena.reports.watching import WatchedReport
from arena_tests.pages import data_of


def fill(store, learners):
    plan = Tournament(learners, ["alternating", "drift"], [{"rounds": 12}], seeds=1)
    plan.run(store=store, workers=0)
    return Store(store)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("matches") / "store", ["krr", "kernel-awv"])


def test_every_link_of_the_index_leads_to_a_page_and_back(store, tmp_path):
    index = write_matches(Matches([store.folder]), tmp_path / "report", folder=True)
    assert index == tmp_path / "report" / "index.html"
    text = index.read_text(encoding="utf-8")
    linked = set(re.findall(r'href="(match-\w+\.html)"', text))
    assert linked == {path.name for path in index.parent.iterdir()} - {"index.html"}
    assert len(linked) == 4
    for name in linked:
        page = (index.parent / name).read_text(encoding="utf-8")
        back = re.search(r'class="back" href="index.html#([\w-]+)"', page)[1]
        assert f'id="{back}"' in text
        assert page.count("<script") == 2


def test_the_pages_hold_the_numbers_of_their_matches(store, tmp_path):
    index = write_matches(Matches([store.folder]), tmp_path / "report", folder=True)
    joint = data_of(index.read_text(encoding="utf-8"))["matches"]
    for summary in store.summaries():
        run, name = store.transcript(summary.key), anchor(summary)
        match = data_of((index.parent / f"{name}.html").read_text(encoding="utf-8"))["matches"][name]
        assert match["charts"][0]["measured"] == joint[name]["charts"][0]["measured"] == plain(run.regret)
        assert match["film"]["labels"] == plain(run.labels)
        assert "film" not in joint[name]


def test_too_many_matches_become_a_folder_beside_the_page(store, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "MOST_ON_ONE_PAGE", 3)
    monkeypatch.setattr(folders, "FILMED", 1)
    index = write_matches(Matches([store.folder]), tmp_path / "report.html")
    assert index == tmp_path / "report" / "index.html"
    assert not (tmp_path / "report.html").exists()
    films = [
        "film" in match
        for path in index.parent.glob("match-*.html")
        for match in data_of(path.read_text(encoding="utf-8"))["matches"].values()
    ]  # fmt: skip
    assert films.count(True) == 1


def test_a_page_of_the_user_in_the_folder_is_not_replaced(store, tmp_path):
    (tmp_path / "index.html").write_text("<p>mine</p>")
    with pytest.raises(ArenaError):
        write_matches(Matches([store.folder]), tmp_path, folder=True)
    assert (tmp_path / "index.html").read_text() == "<p>mine</p>"


def test_a_watched_report_is_written_when_matches_were_added_and_only_then(tmp_path):
    page, store = tmp_path / "live.html", tmp_path / "store"
    report = WatchedReport([store], page)
    assert not report.update()
    assert not report.finish()
    Store(store).prepare()
    assert not report.update()
    assert not page.exists()
    fill(store, ["krr"])
    assert report.update()
    first = report.version
    assert report.matches == 2
    assert f'data-live="live.live.js" data-version="{first}"' in page.read_text(encoding="utf-8")
    assert (tmp_path / "live.live.js").read_text() == f'regretArenaVersion("{first}");\n'
    assert not report.update()
    fill(store, ["krr", "zero"])
    assert report.update()
    assert report.version != first
    assert len(data_of(page.read_text(encoding="utf-8"))["matches"]) == 4
    assert report.finish()
    text = page.read_text(encoding="utf-8")
    assert "data-live" not in text
    assert "script-src 'sha256-" in text
    assert "file:" not in re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert report.version in (tmp_path / "live.live.js").read_text()


def test_a_script_of_the_user_is_not_replaced(tmp_path):
    fill(tmp_path / "store", ["krr"])
    (tmp_path / "live.live.js").write_text("mine()")
    with pytest.raises(ArenaError):
        WatchedReport([tmp_path / "store"], tmp_path / "live.html").update()
    assert (tmp_path / "live.live.js").read_text() == "mine()"
