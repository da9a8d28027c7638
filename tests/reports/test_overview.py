"""The report of many matches as text: it has the transcripts' numbers, and all foreign text is escaped."""

import itertools
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, Store, Tournament, play
from arena.reports.cost_figure import cost_figures
from arena.reports.downsampled import charts_of, columns_for, plain
from arena.reports.folder import write_matches
from arena.reports.match_section import MEASURED_EACH, Detail, SectionMaker
from arena.reports.overview import OverviewPage
from arena.reports.pairings import Overview
from arena.reports.sources import Matches, anchor
from arena.specs.spelling import short
from arena.tournament.efficiency import Cost
from arena.tournament.ranking import ranking
from arena_tests.pages import data_of, text_of
from arena_tests.summaries import summary

HOSTILE = "</script><script>hacked = 1</script><img src=x onerror='hacked = 1'>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matches") / "store"
    plan = Tournament(
        ["krr", "kernel-awv"], ["alternating", "drift"], [{"rounds": 40}], seeds=2, bounds=["auto", "awv-logdet"]
    )
    plan.run(store=folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return overview(Matches([folder]), command="arena report store")


def overview(matches, **texts):
    """Return the text of the page of these matches."""
    with tempfile.TemporaryDirectory() as folder:
        return write_matches(matches, Path(folder) / "page.html", **texts).read_text(encoding="utf-8")


def cells_of(page):
    """Return the state, the name and the text of every cell of the matrix."""
    table = re.search(r'<table role="table" class="matrix.*?</table>', page, re.DOTALL)[0]
    cells = re.findall(r'<td role="cell" class="(\w+)" data-name="(.*?)".*?>(.*?)</td>', table, re.DOTALL)
    return [(state, name, text_of(text)) for state, name, text in cells]


def test_no_measure_has_both_a_chart_and_a_static_figure(folder):
    """The learner's time, too, which has another name where whole blocks of rounds were answered."""
    matches = Matches([folder])
    maker = SectionMaker(matches, Detail.of(8))
    for each in matches.tables():
        section = maker.section(each, "")
        static = {figure.name.removeprefix(f"{section.anchor}-") for figure in section.figures}
        charts = {measure["measure"] for measure in maker.charts[section.anchor]["measures"]}
        assert "seconds-of-blocks" in charts
        assert not static & charts


def test_every_number_of_a_curve_is_that_of_the_transcript(folder, page):
    found = data_of(page)["matches"]
    store = Store(folder)
    shown = {anchor(each): each for each in store.summaries() if anchor(each) in found}
    assert len(shown) == len(found) >= 4
    for name, each in shown.items():
        run = store.transcript(each.key)
        (chart, *_) = found[name]["charts"]
        rounds = np.array(chart["round"]) - 1
        assert len(rounds) == 40
        assert chart["measured"] == plain(run.regret[rounds])
        assert chart["bounds"]
        for bound in chart["bounds"]:
            assert bound["allowed"] == plain(run.verdict(bound["theorem"]).allowed_curve[rounds])


def test_the_matrix_and_the_ranking_show_what_the_summaries_say(folder, page):
    summaries = list(Store(folder).summaries())
    table = re.search(r'id="matrix-table".*?</table>', page, re.DOTALL)[0]
    shown = {float(each) for each in re.findall(r'data-regret="([^"]*)"', table)}
    means = {
        np.mean([s.regret for s in summaries if (s.learner, s.adversary) == pair])
        for pair in {(s.learner, s.adversary) for s in summaries}
    }
    assert sorted(shown) == pytest.approx(sorted(means), rel=1e-12)
    ranks = re.findall(r'data-name="average rank" data-value="([^"]*)"', page)
    assert [float(each) for each in ranks] == [each.rank for each in ranking(summaries).standings]


def test_a_violated_cell_says_so_in_words_and_links_to_its_match(folder, page):
    violated = {(s.learner, s.adversary) for s in Store(folder).summaries() if s.violated}
    assert violated
    cells = cells_of(page)
    assert sum(state == "violated" for state, *_ in cells) == len(violated)
    for state, _, text in cells:
        assert ("✕" in text and "violated" in text) == (state == "violated")
    linked = set(re.findall(r'<td role="cell" class="violated".*?href="#(match-\w+)"', page))
    assert linked <= set(re.findall(r'<details class="match" id="(match-\w+)"', page))
    assert "Bound broken" in page
    assert f"A theorem violated in {len(violated)} of 4 pairings" in page
    assert "krr violates awv-logdet against" in page


def test_the_theorem_table_counts_the_verdicts(folder, page):
    counts = {"holds": 0, "violated": 0}
    for each in Store(folder).summaries():
        verdict = each.verdict("awv-logdet")
        counts[verdict.outcome] += 1
    table = re.search(r'id="theorem-table".*?</table>', page, re.DOTALL)[0]
    row = next(each for each in table.split("<tr ") if "<code>awv-logdet</code>" in each)
    for outcome, count in counts.items():
        assert re.search(rf'data-name="{outcome}" data-value="{count}"', row), outcome
    assert "--bound awv-logdet" in row
    assert "Promised by kernel-awv." in row


def test_ids_are_unique_and_every_link_inside_the_page_has_its_end(page):
    body = page[: page.index('<script type="application/json"')]
    ids = re.findall(r'\sid="([^"]*)"', body)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', body)) <= set(ids)


def test_the_page_loads_nothing_and_allows_its_own_script_alone(page):
    assert re.search(r"default-src 'none'; script-src 'sha256-[\w+/=]+'", page)
    body = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not [each for each in re.findall(r'(?:src|href|action)="([^"]*)"', body) if re.match(r"(https?:)?//", each)]
    assert not re.search(r"<(iframe|img|object|embed)|@import|\son\w+=", body)
    assert page.count("<script") == 2


def test_text_of_others_stays_text(tmp_path):
    run = play("krr", "alternating", rounds=10)
    run.learner = run.adversary = HOSTILE
    run.header = {**run.header, HOSTILE: HOSTILE}
    path = run.save(tmp_path / "hostile.npz")
    page = overview(Matches([path]), title=HOSTILE, command=HOSTILE)
    assert page.count("<script") == 2
    assert "<img" not in page
    assert data_of(page)["learners"] == [short(HOSTILE)]
    assert "&lt;/script&gt;" in page


def test_a_file_and_its_store_count_once(folder):
    store = Store(folder)
    summary = next(iter(store.summaries()))
    alone = overview(Matches([summary.path]))
    assert list(data_of(alone)["matches"]) == [anchor(summary)]
    both = Overview.of(Matches([folder, summary.path]).tables())
    assert both.matches == len(store.keys())


def test_a_damaged_transcript_leaves_its_summary_on_the_page(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    damaged = next(iter(Store(copy).summaries()))
    damaged.path.write_bytes(damaged.path.read_bytes()[:-100])
    page = overview(Matches([copy]))
    assert page.count("The transcript cannot be shown") == (anchor(damaged) in page)
    assert len(cells_of(page)) == 4


def test_the_page_is_the_same_each_time_and_replaces_only_pages(folder, page, tmp_path):
    assert overview(Matches([folder]), command="arena report store") == page
    target = write_matches(Matches([folder]), tmp_path / "page.html", command="arena report store")
    assert target.read_text(encoding="utf-8") == page
    (tmp_path / "mine.html").write_text("<p>mine</p>")
    with pytest.raises(ArenaError):
        write_matches(Matches([folder]), tmp_path / "mine.html")


def test_an_empty_store_is_refused(tmp_path):
    Store(tmp_path / "empty").prepare()
    with pytest.raises(ArenaError, match="there is no match to report"):
        overview(Matches([tmp_path / "empty"]))


def test_long_curves_are_downsampled_without_losing_extremes():
    run = play("zero", "alternating", rounds=5000, dimension=1, hindsight="exact")
    run.predictions = np.where(np.arange(5000) == 2500, 30.0, run.predictions)
    (chart, *_) = charts_of(run, [], 20)
    assert len(chart["round"]) <= 4 * 20 + 2
    kept = [each for each in chart["measured"] if each is not None]
    assert [min(kept), max(kept)] == plain(np.array([run.regret.min(), run.regret.max()]))
    assert columns_for(240) * 4 * 3 * 240 < 60_000


def test_forfeits_and_learners_that_played_little_are_in_the_matrix():
    matches = [summary("a", "x"), summary("b", "x", forfeit="learner"), summary("c", "y", violated=["awv-logdet"])]
    found = Overview.of(matches)
    states = {each.learner: each.state for each in found.pairings}
    assert states == {"a": "open", "b": "forfeit", "c": "violated"}
    assert [each.learner for each in found.shown] == ["b", "c", "a"]


def test_figures_are_left_out_where_they_would_make_the_page_large(folder, monkeypatch):
    monkeypatch.setattr("arena.reports.match_section.MOST_DRAWN", 0)
    page = overview(Matches([folder]))
    found = data_of(page)["matches"]
    assert page.count("To keep this page small, figures are left out.") == len(found)
    assert 'id="cost-time-rank-wide-title"' in page
    assert page.count('class="wide"') == 2  # time against rank, and against regret
    assert len(page) < 160_000 + MEASURED_EACH * len(found)


def test_cost_against_regret_names_each_learner_and_dims_what_is_beaten():
    costs = [Cost("quick", 1.0, 1e-5, 9, 1.0, None), Cost("slow", 9.0, 1e-3, 7, 2.0, "quick")]
    drawn = {each.name: each for each in cost_figures(costs, ())}
    assert set(drawn) == {"cost-time-rank", "cost-size-rank"}  # no regret is known
    assert [entry.colour for entry in drawn["cost-time-rank"].legend] == ["learner", "muted"]
    assert [entry.colour for entry in drawn["cost-size-rank"].legend] == ["learner"]  # the slow one keeps less
    wide = drawn["cost-time-rank"].drawings[0]
    assert ">quick</text>" in wide
    assert ">slow</text>" in wide
    place = {colour: float(x) for colour, x in re.findall(r'<g [^>]*fill="var\(--(\w+)\)".*?cx="([\d.]+)"', wide)}
    assert place["learner"] < place["muted"]
    assert cost_figures(costs[:1], ()) == []


def test_each_of_twenty_learners_is_named_and_no_name_covers_another():
    rng = np.random.default_rng(0)
    names = [f"learner-{each}" for each in "abcdefghijklmnopqrst"]
    spent, ranks = 10 ** rng.uniform(-6, -4, 20), rng.uniform(1, 20, 20)
    costs = [Cost(*row) for row in zip(names, [1.0] * 20, spent, [None] * 20, ranks, [None] * 20, strict=True)]
    (found,) = cost_figures(costs, ())
    for drawing in found.drawings:
        places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(learner-\w)<', drawing)
        assert sorted(name for *_, name in places) == names
        for (x, y, _), (u, v, _) in itertools.combinations(places, 2):
            assert abs(float(x) - float(u)) >= 55 or abs(float(y) - float(v)) >= 12


def test_matches_without_a_round_and_with_an_interval_have_sections(tmp_path):
    class Lost:
        def point(self, view):
            raise RuntimeError("<b>nowhere to go</b>")

        def label(self, view, x, prediction):
            return 0.0

    lost = play("zero", Lost(), rounds=10)
    wide = play("kernel-awv", "realisable", rounds=60, hindsight="interval")
    page = overview(Matches([lost.save(tmp_path / "lost.npz"), wide.save(tmp_path / "wide.npz")]))
    assert "&lt;b&gt;nowhere to go&lt;/b&gt;" in page
    assert "A match forfeited in 1 of 2 pairings" in page
    (chart, *_) = next(each["charts"] for each in data_of(page)["matches"].values() if each["charts"])
    low, high = wide.regret_interval
    rounds = np.array(chart["round"]) - 1
    assert chart["measured"] == plain(high[rounds])
    assert chart["lower"] == plain(low[rounds])


def test_an_undecided_bound_is_not_called_kept():
    wide = play("kernel-awv", "repeated(points=20)", rounds=60, hindsight="interval")
    wide.comparator.interval(features=12)
    outcomes = [each.outcome for each in wide.verdicts()[:2]]
    assert outcomes == ["undecided", "holds"]
    verdicts = tuple(each.without_curves() for each in wide.verdicts()[:2])
    for judged in (verdicts, verdicts[:1]):
        found = Overview.of([summary("a", "x", verdicts=judged), summary("b", "x", verdicts=verdicts[1:])])
        page = OverviewPage(Matches([]), found)
        assert page.headline().word == "Undecided in 1 of 2 pairings"
        assert "awv-leverage" in page.headline().sentence
        cells = {learner: cell for learner, ((_, cell),) in page.rows()}
        assert (cells["a"].state, cells["a"].words) == ("open", "undecided")
        assert (cells["b"].state, cells["b"].words) == ("holds", "")
        assert cells["a"].about.startswith("a against x: undecided")


def test_a_bound_that_forbids_nothing_is_called_vacuous(tmp_path):
    run = play("kernel-awv", "alternating", rounds=2, regularisation=1e-9)
    vacuous = [each.theorem for each in run.verdicts() if each.vacuous]
    assert vacuous
    page = overview(Matches([run.save(tmp_path / "short.npz")]))
    assert page.count("Vacuous in 1 of these matches") == page.count("vacuous here:") == len(vacuous)
