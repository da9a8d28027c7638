"""The report of many matches in a browser: no requests, values on hover, links, sorting, filtering, films, phones.

The tests with a large window and light colours share one opened page, since opening a page is slow.
"""

import itertools
import math
import re

import pytest
from playwright.sync_api import expect

from arena import Store, Tournament, play
from arena.reports.folder import write_matches
from arena.reports.growth_curves import growth_of
from arena.reports.sources import Matches, anchor
from arena.reports.watching import WatchedReport
from arena_tests.browsing import DESK, Visit, barriers

HOSTILE = "krr('</script><script>hacked = 1</script><img src=x onerror=\"hacked = 1\">')"
NARROW = (390, 800)
WIDTHS = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
CONTRAST = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).slice(0, 3)
    .map(each => /srgb/.test(colour) ? Number(each) : each / 255);
  const light = colour => channels(colour)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  return [...document.querySelectorAll('.matrix td a, .matrix td a .words')].map(link => {
    const one = light(getComputedStyle(link).color);
    const other = light(getComputedStyle(link.closest('td')).backgroundColor);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  });
}"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matches") / "store"
    bounds = ["auto", "awv-logdet"]
    learners = ["krr", "kernel-awv", "pkawv-kors"]
    plan = Tournament(learners, ["alternating", "drift"], [{"rounds": 70}], seeds=1, bounds=bounds)
    plan.run(store=folder, workers=1)
    return Store(folder)


@pytest.fixture(scope="module")
def page(store):
    return write_matches(Matches([store.folder]), store.folder.parent / "report.html", title="Three learners")


@pytest.fixture(scope="module")
def opened(browser, page):
    with Visit(browser, page, offline=True) as visit:
        yield visit


@pytest.fixture
def desk(opened):
    """The shared page after a reload, at its top."""
    opened.page.goto(opened.address)
    opened.page.reload()
    return opened


def broken(store):
    return next(each for each in store.summaries() if each.learner == "krr" and each.violated)


def at_match(visit, summary):
    visit.page.goto(f"{visit.address}#{anchor(summary)}")
    return visit.page.locator(f"#{anchor(summary)}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_loads_nothing_and_prints_no_errors(browser, page, scheme):
    with Visit(browser, page, scheme, offline=True) as visit:
        visit.page.evaluate("document.querySelectorAll('details.match').forEach(each => each.open = true)")
        visit.page.locator("details.match").last.locator(".chart canvas").nth(3).wait_for()
        assert visit.requests == [visit.address]
        assert visit.messages == []
        assert min(visit.page.evaluate(CONTRAST)) >= 4.5
        for measure in ("regret", "cost"):
            visit.page.locator(f"[name=measure][value={measure}]").check()
            assert min(visit.page.evaluate(CONTRAST)) >= 4.5


def test_a_cell_leads_to_its_match_and_back(desk, store):
    name = anchor(broken(store))
    cell = desk.page.locator(f"#to-{name}")
    assert re.search(r"✕.*violated", cell.inner_text(), re.DOTALL)
    kept = desk.page.locator(".matrix td.holds").first
    background = "cell => getComputedStyle(cell).backgroundColor"
    assert cell.locator("..").evaluate(background) != kept.evaluate(background)
    assert not desk.page.locator(f"#{name} .facts").is_visible()
    cell.click()
    expect(desk.page.locator(f"#{name} .facts")).to_be_visible()
    desk.page.locator(f"#{name} .back").click()
    assert desk.page.url.endswith(f"#to-{name}")
    expect(cell).to_be_in_viewport()


def test_a_deep_link_opens_the_match(desk, store):
    section = at_match(desk, broken(store))
    desk.page.reload()
    expect(section.locator(".u-over").first).to_be_visible()
    assert desk.page.locator("details.match[open]").count() == 1


def legend(chart):
    words = chart.locator(".u-series").evaluate_all(
        "all => all.map(each => ['.u-label', '.u-value'].map(part => each.querySelector(part).textContent))"
    )
    return dict(words)


def hovered(chart, share):
    """Move the pointer to this share of the chart's width, and return the legend that the chart then shows."""
    before = legend(chart)["round"]
    box = chart.locator(".u-over").bounding_box()
    chart.locator(".u-over").hover(position={"x": share * box["width"], "y": box["height"] / 2})
    expect(chart.locator(".u-value").first).not_to_have_text(before)
    return legend(chart)


def test_hover_shows_the_numbers_of_the_transcript(desk, store):
    match = broken(store)
    run = store.transcript(match.key)
    section = at_match(desk, match)
    chart = section.locator(".chart").first
    expect(chart.locator(".u-value").nth(1)).to_have_text(f"{run.regret[-1]:.7g}")  # at rest: the last round
    for share in (0.3, 0.7):
        shown = hovered(chart, share)
        at = int(shown["round"]) - 1
        assert 14 < at < 56
        assert float(shown["regret"]) == float(f"{run.regret[at]:.7g}")
        (allowed,) = [text for name, text in shown.items() if name.startswith("awv-logdet allows")]
        assert float(allowed) == float(f"{run.verdict('awv-logdet').allowed_curve[at]:.7g}")
    leverage = section.locator(".chart", has=desk.page.get_by_role("heading", name="How new each point was"))
    leverage.scroll_into_view_if_needed()
    shown = hovered(leverage, 0.5)
    (value,) = [text for name, text in shown.items() if name.startswith("leverage")]
    assert float(value) == float(f"{run.hindsight().leverage[int(shown['round']) - 1]:.7g}")


def test_curves_are_switched_off_zoomed_and_drawn_on_other_axes(desk, store):
    chart = at_match(desk, broken(store)).locator(".chart").first
    expect(chart.locator(".u-value").nth(1)).to_have_text(re.compile(r"\d"))
    plot = "host => [host.plot.scales.x.min, host.plot.scales.x.max, host.plot.series.map(each => each.show)]"
    low, high, seen = chart.evaluate(plot)
    assert all(seen)
    name = chart.locator(".u-series th").nth(1)
    name.press("Enter")
    assert chart.evaluate(plot)[2][1] is False
    assert name.get_attribute("aria-pressed") == "false"
    box = chart.locator(".u-over").bounding_box()
    desk.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 50)
    desk.page.mouse.down()
    desk.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    desk.page.mouse.up()
    nearer, farther, _ = chart.evaluate(plot)
    assert low < nearer < farther < high
    chart.get_by_role("button", name="Show all rounds").click()
    assert chart.evaluate(plot)[:2] == [low, high]
    scales = "host => [host.plot.scales.x.distr, host.plot.scales.y.distr]"
    for value, expected in (("rounds", [3, 1]), ("log-log", [3, 3]), ("linear", [1, 1])):
        chart.get_by_label("Axes").select_option(value)
        assert chart.evaluate(scales) == expected


def test_the_growth_is_named_and_its_law_is_drawn(desk, store):
    match = broken(store)
    growth = growth_of(store.transcript(match.key).regret, match.loss, limits=True)
    chart = at_match(desk, match).locator(".chart").first
    (name,) = [each for each in legend(chart) if each.startswith("fit: ")]
    assert name == f"fit: {growth.name}"
    drawn = chart.evaluate("host => host.plot.data.at(-1).at(-1)")
    law = math.log(70) if growth.exponent == 0 else 70**growth.exponent
    assert drawn == pytest.approx(growth.factor * law + growth.constant, rel=1e-6)
    chart.get_by_label("fitted growth").uncheck()
    assert not [each for each in legend(chart) if each.startswith("fit: ")]


def test_many_curves_against_one_adversary_and_the_reverse(desk):
    chart = desk.page.locator("#joint-chart")
    assert {each.split(",")[0] for each in legend(chart)} == {"round", "krr", "kernel-awv", "pkawv-kors"}
    assert any("grows like" in each for each in legend(chart))
    desk.page.locator("#joint-kind").select_option("learner")
    desk.page.locator("#joint-choice").select_option("krr")
    assert {each.split(",")[0] for each in legend(chart)} == {"round", "alternating", "drift"}
    assert "Regret of krr against all adversaries" in chart.inner_text()
    chart.get_by_text("The same values as a table").click()
    chart.locator(".scroll tbody tr").nth(19).wait_for()


def test_tables_are_sorted_and_filtered(desk):
    rows = desk.page.locator("#ranking-table tbody tr")
    button = desk.page.locator("#ranking-table th button", has_text="Mean regret")
    numbers = "rows => rows.map(row => Number(row.cells[3].dataset.value))"
    button.click()
    rising = rows.evaluate_all(numbers)
    assert rising == sorted(rising)
    button.click()
    assert rows.evaluate_all(numbers) == rising[::-1]
    assert button.locator("..").get_attribute("aria-sort") == "descending"
    desk.page.locator("[data-filters=ranking-table]").fill("KERN")
    assert [row.is_visible() for row in rows.all()].count(True) == 1


def test_the_colour_is_switched_between_three_measures_and_the_cost_between_two(desk, store):
    match = broken(store)
    cell = desk.page.locator(f"#to-{anchor(match)}")
    assert "%" in cell.inner_text()
    desk.page.locator("[name=measure][value=regret]").check()
    assert f"{match.regret:.4g}" in cell.inner_text()
    assert "%" not in cell.inner_text()
    desk.page.locator("[name=measure][value=cost]").check()
    assert re.search(r"\d ?(µs|ns|ms)", cell.inner_text())
    seen = desk.page.locator(".costs h4:visible")
    assert seen.all_inner_texts() == ["Time against average rank: the lower left corner is best"]
    desk.page.locator("[name=up][value=regret]").check()
    assert seen.all_inner_texts() == ["Time against mean regret: the lower left corner is best"]
    assert desk.page.locator("[name=cost][value=size]").is_disabled()  # only one learner has a dictionary


def test_closed_matches_are_printed_open(desk):
    summaries = desk.page.locator("details.match .facts")
    assert not summaries.first.is_visible()
    desk.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    desk.page.emulate_media(media="print")
    assert all(each.is_visible() for each in summaries.all())
    assert desk.page.locator("details.match .chart canvas").first.is_visible()
    desk.page.evaluate("dispatchEvent(new Event('afterprint'))")
    desk.page.emulate_media(media="screen")
    assert not summaries.first.is_visible()


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """For each dimension, a match and the path of a page about this match alone."""
    folder, found = tmp_path_factory.mktemp("film"), {}
    for dimension in (1, 2):
        run = play("kernel-awv", "greedy(starts=16, polished=0)", rounds=12, dimension=dimension)
        matches = Matches([run.save(folder / f"{dimension}.npz")])
        found[dimension] = run, write_matches(matches, folder / f"{dimension}.html")
    return found


@pytest.mark.parametrize("dimension", [1, 2])
def test_a_film_is_stepped_through_by_buttons_keys_and_slider(browser, filmed, dimension):
    run, page = filmed[dimension]
    with Visit(browser, page, offline=True) as visit:
        visit.page.locator("details.match > summary").click()
        film = visit.page.locator(".film")
        story, slider, stage = film.locator(".story"), film.get_by_label("Round", exact=True), film.locator(".stage")

        def shows(t):
            words = story.inner_text()
            assert words.startswith(f"Round {t} of 12:")
            for values in (run.points[t - 1], [run.predictions[t - 1], run.losses[t - 1], run.regret[t - 1]]):
                assert all(any(abs(float(n) - v) <= 1e-6 * (1 + abs(v)) for n in numbers(words)) for v in values), words

        shows(12)
        film.get_by_role("button", name="First round").click()
        shows(1)
        film.get_by_role("button", name="Next round").click()
        shows(2)
        stage.press("ArrowRight")
        shows(3)
        stage.press("End")
        shows(12)
        stage.press("ArrowLeft")
        shows(11)
        slider.fill("4")
        shows(5)
        before = film.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
        slider.press("ArrowRight")
        shows(6)
        assert film.locator("canvas").first.evaluate("canvas => canvas.toDataURL()") != before
        picture = film.locator("canvas:not(.scale)").last
        picture.scroll_into_view_if_needed()
        picture.hover()
        expect(film.locator(".pointed")).to_have_text(re.compile(r"Near .* predictor .* slack of the bound [-\d.]+"))
        assert visit.messages == []
        assert visit.requests == [visit.address]


def numbers(words):
    return re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", words)


def test_a_folder_has_an_index_and_a_page_for_each_match(browser, store, tmp_path, monkeypatch):
    monkeypatch.setattr("arena.reports.folder.FILMED", 1)
    index = write_matches(Matches([store.folder]), tmp_path / "report", folder=True, title="Three learners")
    name = anchor(broken(store))
    with Visit(browser, index, offline=True) as visit:
        visit.page.locator(f"#to-{name}").click()
        assert visit.page.url == (index.parent / f"{name}.html").as_uri()
        expect(visit.page.locator(".chart .u-over").first).to_be_visible()
        expect(visit.page.locator(".film .story")).to_contain_text("Round 70 of 70")
        visit.page.locator(".back").click()
        assert visit.page.url == f"{index.as_uri()}#to-{name}"
        assert "krr" in visit.page.locator("#joint-chart").inner_text()
        assert visit.messages == []


def test_a_watched_page_refreshes_itself_while_a_store_is_filled(browser, tmp_path):
    store = tmp_path / "store"
    report = WatchedReport([store], tmp_path / "live.html")
    assert not report.update()  # there is no store yet

    def fill(learners):
        Tournament(learners, ["alternating"], [{"rounds": 8}], seeds=1).run(store=store, workers=0)
        assert report.update()
        assert not report.update()

    fill(["krr"])
    with Visit(browser, tmp_path / "live.html", offline=True) as visit:
        matches = visit.page.locator(".eyebrow")
        assert "1 match" in matches.inner_text()
        visit.page.locator("[name=measure][value=cost]").check()
        visit.page.locator("details.match > summary").click()
        fill(["krr", "zero"])
        expect(matches).to_contain_text("2 matches")
        assert visit.page.locator("[name=measure]:checked").get_attribute("value") == "cost"
        assert visit.page.locator("details.match[open]").count() == 1
        report.finish()
        expect(visit.page.locator("body:not([data-live])")).to_be_visible()
        assert visit.messages == []


def test_a_phone_never_scrolls_sideways(browser, page, filmed):
    for each in (page, filmed[1][1], filmed[2][1]):
        with Visit(browser, each, size=NARROW) as visit:
            visit.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            visit.page.locator("details.match .chart .u-over").first.wait_for()
            width, window = visit.page.evaluate(WIDTHS)
            assert width <= window == NARROW[0]


def test_names_with_markup_stay_text(browser, tmp_path):
    run = play("krr", "alternating", rounds=10)
    run.learner = run.adversary = HOSTILE
    page = write_matches(Matches([run.save(tmp_path / "hostile.npz")]), tmp_path / "report.html", title=HOSTILE)
    with Visit(browser, page, size=DESK) as visit:
        visit.page.locator("details.match > summary").click()
        expect(visit.page.locator(".film .story")).to_contain_text("Round 10 of 10")
        assert visit.page.evaluate("typeof hacked") == "undefined"
        assert visit.page.locator("img, iframe").count() == 0
        assert visit.page.locator("h1").inner_text() == HOSTILE
        assert visit.messages == []


def test_without_a_script_tables_and_figures_remain(browser, page):
    with Visit(browser, page, java_script_enabled=False) as visit:
        match = visit.page.locator("details.match > summary").first
        match.click()
        assert visit.page.locator("details.match[open] figure svg.wide").first.is_visible()
        tree = visit.page.locator("main").aria_snapshot()
        levels = [int(each) for each in re.findall(r"heading .*\[level=(\d)\]", tree)]
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
        regret = visit.page.locator(
            "details.match[open] noscript h4", has_text="Regret against what the theorems allow"
        )
        assert regret.is_visible()


@pytest.mark.parametrize(
    ("scheme", "size", "dimension"), [("light", DESK, 0), ("dark", NARROW, 0), ("light", NARROW, 1), ("dark", DESK, 2)]
)
def test_axe_finds_no_barrier(browser, page, filmed, scheme, size, dimension):
    """The page, with up to two opened matches, passes the rules of axe-core, such as contrast, labels and headings."""
    with Visit(browser, filmed[dimension][1] if dimension else page, scheme, size, bypass_csp=True) as visit:
        visit.page.evaluate(
            "[...document.querySelectorAll('details.match')].slice(0, 2).forEach(each => each.open = true)"
        )
        expect(visit.page.locator("details.match[open] .u-over").last).to_be_visible()
        assert barriers(visit) == []
