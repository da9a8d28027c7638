"""The report of many matches in a browser: no requests, values on hover, links, sorting, filtering, phones."""

import itertools
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena import Store, Tournament, play
from arena.reports.overview import write_overview
from arena.reports.sources import Matches, anchor
from arena_tests.browsing import DESK, Visit

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
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
    plan = Tournament(["krr", "kernel-awv", "zero"], ["alternating", "drift"], [{"rounds": 40}], seeds=1, bounds=bounds)
    plan.run(store=folder, workers=1)
    return Store(folder)


@pytest.fixture(scope="module")
def page(store):
    return write_overview(Matches([store.folder]), store.folder.parent / "report.html", title="Three learners")


def broken(store):
    return next(each for each in store.summaries() if each.learner == "krr" and each.violated)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_loads_nothing_and_prints_no_errors(browser, page, scheme):
    with Visit(browser, page, scheme, offline=True) as visit:
        for match in visit.page.locator("details.match > summary").all():
            match.click()
        visit.page.locator(".chart canvas").nth(6).wait_for()  # drawn when its section has opened
        assert visit.requests == [visit.address]
        assert visit.messages == []
        assert min(visit.page.evaluate(CONTRAST)) >= 4.5
        for measure in ("regret", "cost"):
            visit.page.locator(f"[name=measure][value={measure}]").check()
            assert min(visit.page.evaluate(CONTRAST)) >= 4.5


def test_a_cell_leads_to_its_match_and_back(browser, page, store):
    name = anchor(broken(store))
    with Visit(browser, page) as visit:
        cell = visit.page.locator(f"#to-{name}")
        assert re.search(r"✕.*violated", cell.inner_text(), re.DOTALL)
        assert not visit.page.locator(f"#{name} .facts").is_visible()
        cell.click()
        expect(visit.page.locator(f"#{name} .facts")).to_be_visible()
        visit.page.locator(f"#{name} .back").click()
        assert visit.page.url.endswith(f"#to-{name}")
        expect(cell).to_be_in_viewport()


def test_a_deep_link_opens_the_match(browser, page, store):
    name = anchor(broken(store))
    with Visit(browser, page) as visit:
        visit.page.goto(f"{visit.address}#{name}")
        visit.page.reload()
        expect(visit.page.locator(f"#{name} .u-over").first).to_be_visible()
        assert visit.page.locator("details.match[open]").count() == 1


def legend(chart):
    words = chart.locator(".u-series").evaluate_all(
        "all => all.map(each => ['.u-label', '.u-value'].map(part => each.querySelector(part).textContent))"
    )
    return dict(words)


def test_hover_shows_the_numbers_of_the_transcript(browser, page, store):
    match = broken(store)
    run = store.transcript(match.key)
    with Visit(browser, page) as visit:
        visit.page.goto(f"{visit.address}#{anchor(match)}")
        chart = visit.page.locator(f"#{anchor(match)} .chart").first
        expect(chart.locator(".u-value").nth(1)).to_have_text(f"{run.regret[-1]:.7g}")  # at rest: the last round
        for share in (0.3, 0.7):
            before = legend(chart)["round"]
            box = chart.locator(".u-over").bounding_box()
            chart.locator(".u-over").hover(position={"x": share * box["width"], "y": box["height"] / 2})
            expect(chart.locator(".u-value").first).not_to_have_text(before)
            shown = legend(chart)
            at = int(shown["round"]) - 1
            assert 8 < at < 32
            assert float(shown["regret"]) == float(f"{run.regret[at]:.7g}")
            (allowed,) = [text for name, text in shown.items() if name.startswith("awv-logdet allows")]
            assert float(allowed) == float(f"{run.verdict('awv-logdet').allowed_curve[at]:.7g}")


def test_curves_are_switched_off_zoomed_and_drawn_on_logarithmic_axes(browser, page, store):
    with Visit(browser, page) as visit:
        visit.page.goto(f"{visit.address}#{anchor(broken(store))}")
        chart = visit.page.locator("details.match[open] .chart").first
        expect(chart.locator(".u-value").nth(1)).to_have_text(re.compile(r"\d"))
        plot = "host => [host.plot.scales.x.min, host.plot.scales.x.max, host.plot.series.map(each => each.show)]"
        low, high, seen = chart.evaluate(plot)
        assert all(seen)
        name = chart.locator(".u-series th").nth(1)
        name.press("Enter")
        assert chart.evaluate(plot)[2][1] is False
        assert name.get_attribute("aria-pressed") == "false"
        box = chart.locator(".u-over").bounding_box()
        visit.page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 50)
        visit.page.mouse.down()
        visit.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
        visit.page.mouse.up()
        nearer, farther, _ = chart.evaluate(plot)
        assert low < nearer < farther < high
        chart.get_by_role("button", name="Show all rounds").click()
        assert chart.evaluate(plot)[:2] == [low, high]
        chart.get_by_label("logarithmic axes").check()
        assert chart.evaluate("host => host.plot.scales.y.distr") == 3


def test_many_curves_against_one_adversary_and_the_reverse(browser, page):
    with Visit(browser, page) as visit:
        chart = visit.page.locator("#joint-chart")
        assert set(legend(chart)) == {"round", "krr", "kernel-awv", "zero"}
        visit.page.locator("#joint-kind").select_option("learner")
        visit.page.locator("#joint-choice").select_option("krr")
        assert set(legend(chart)) == {"round", "alternating", "drift"}
        assert "Regret of krr against all adversaries" in chart.inner_text()
        chart.get_by_text("The same values as a table").click()
        chart.locator(".scroll tbody tr").nth(19).wait_for()


def test_tables_are_sorted_and_filtered(browser, page):
    with Visit(browser, page) as visit:
        rows = visit.page.locator("#ranking-table tbody tr")
        button = visit.page.locator("#ranking-table th button", has_text="Mean regret")
        numbers = "rows => rows.map(row => Number(row.cells[3].dataset.value))"
        button.click()
        rising = rows.evaluate_all(numbers)
        assert rising == sorted(rising)
        button.click()
        assert rows.evaluate_all(numbers) == rising[::-1]
        assert button.locator("..").get_attribute("aria-sort") == "descending"
        visit.page.locator("[data-filters=ranking-table]").fill("KERN")
        assert [row.is_visible() for row in rows.all()].count(True) == 1


def test_the_colour_is_switched_between_three_measures(browser, page, store):
    match = broken(store)
    with Visit(browser, page) as visit:
        cell = visit.page.locator(f"#to-{anchor(match)}")
        assert "%" in cell.inner_text()
        visit.page.locator("[name=measure][value=regret]").check()
        assert f"{match.regret:.4g}" in cell.inner_text()
        assert "%" not in cell.inner_text()
        visit.page.locator("[name=measure][value=cost]").check()
        assert re.search(r"\d ?(µs|ns|ms)", cell.inner_text())


def test_a_phone_never_scrolls_sideways(browser, page):
    with Visit(browser, page, size=NARROW) as visit:
        for match in visit.page.locator("details.match > summary").all():
            match.click()
        visit.page.locator("#joint-chart summary").click()
        width, window = visit.page.evaluate(WIDTHS)
        assert width <= window == NARROW[0]


def test_names_with_markup_stay_text(browser, tmp_path):
    run = play("krr", "alternating", rounds=10)
    run.learner = run.adversary = HOSTILE
    page = write_overview(Matches([run.save(tmp_path / "hostile.npz")]), tmp_path / "report.html", title=HOSTILE)
    with Visit(browser, page, size=DESK) as visit:
        visit.page.locator("details.match > summary").click()
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


@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", DESK), ("light", NARROW)])
def test_axe_finds_no_barrier(browser, page, store, scheme, size):
    """Contrast, labels, roles, order of headings: the rules of axe-core, on the page with an opened match."""
    with Visit(browser, page, scheme, size, bypass_csp=True) as visit:
        visit.page.goto(f"{visit.address}#{anchor(broken(store))}")
        expect(visit.page.locator("details.match[open] .u-over").first).to_be_visible()
        visit.page.evaluate(AXE.read_text())
        found = visit.page.evaluate("axe.run(document)")
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
        assert len(found["passes"]) > 20
