"""The report of one match in a browser: no requests, no errors, legible in both colour schemes and on a phone."""

import itertools
import re

import numpy as np
import pytest

from arena import Theorem, play
from arena.reports.page import write_report
from arena_tests import FULL
from arena_tests.browsing import DESK, PHONE, Visit, barriers

HOSTILE = "krr('</title><script>hacked = 1</script><img src=x onerror=\"hacked = 1\">', note=" + 300 * "x" + ")"
SCHEMES = ("light", "dark")
# Each scheme and each size once; with REGRET_ARENA_FULL=1 every scheme in every size.
MODES = list(itertools.product(SCHEMES, (DESK, PHONE))) if FULL else [("light", DESK), ("dark", PHONE)]


class Modest(Theorem):
    """A theorem whose bound, R <= 1, is violated during the match."""

    name, statement = "modest", "R <= 1"

    def allowed(self, run):
        return np.ones(run.rounds)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """One page for each kind of match."""
    folder = tmp_path_factory.mktemp("pages")
    ordinary = play("kernel-awv", "greedy(starts=32)", rounds=60)
    ordinary.sizes = np.array([[1.0, 1.0], [20.0, 7.0]])
    hostile = play("krr", "alternating", rounds=40, dimension=3)
    hostile.learner = hostile.adversary = HOSTILE
    hostile.header = {HOSTILE: HOSTILE}
    bounds = {"ordinary": ["awv-leverage", "awv-effective-dimension", Modest()], "hostile": ["ridge-identity"]}
    runs = {
        "ordinary": ordinary,
        "hostile": hostile,
        "long": play("zero", "alternating", rounds=30_000, dimension=1),
        "forfeit": play("zero", lost(), rounds=10),
    }
    return {
        name: write_report(run, folder / f"{name}.html", bound=bounds.get(name, "auto")) for name, run in runs.items()
    }


def lost():
    class Lost:
        def point(self, view):
            raise RuntimeError("<b>nowhere to go</b>")

        def label(self, view, x, prediction):
            return 0.0

    return Lost()


def luminance(colour):
    channels = [float(each) / 255 for each in re.findall(r"[\d.]+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


WORDS = """() => {
  const background = element => {
    const colour = getComputedStyle(element).backgroundColor;
    return /, 0\\)$|transparent/.test(colour) && element.parentElement ? background(element.parentElement) : colour;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const words = [];
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement, box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (!node.textContent.trim() || !box.width || element.closest('title, desc')) continue;
    const drawn = element.namespaceURI.endsWith('svg');
    const opacity = style.opacity * (drawn ? style.fillOpacity : 1);
    words.push([node.textContent.trim(), drawn, drawn ? style.fill : style.color, background(element), opacity,
                parseFloat(style.fontSize) * (drawn ? element.getScreenCTM().a : 1)]);
  }
  return words;
}"""
PICTURES = """() => [...document.querySelectorAll('figure')].map(figure => [...figure.querySelectorAll(':scope > svg')]
  .map(svg => svg.getBoundingClientRect()).filter(box => box.width > 0 && box.height > 0)
  .map(box => [box.left, box.width, box.height]))"""
WIDTHS = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
TOO_WIDE = """() => [...document.querySelectorAll('body *')].filter(element =>
  element.getBoundingClientRect().right > innerWidth + 0.5 && !element.closest('.unseen, thead, figure > svg'))
  .map(element => element.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("name", ["ordinary", "hostile", "long", "forfeit"])
def test_the_page_loads_nothing_and_prints_no_errors(browser, pages, name):
    for scheme in SCHEMES:
        with Visit(browser, pages[name], scheme) as visit:
            assert visit.requests == [visit.address]
            assert visit.messages == []


def test_the_policy_of_the_page_blocks_requests(browser, pages):
    """The content security policy stops an image that a script adds to the page from being loaded."""
    with Visit(browser, pages["ordinary"]) as visit:
        blocked = visit.page.evaluate("""() => new Promise(resolve => {
            document.addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective));
            document.body.appendChild(new Image()).src = 'https://example.invalid/pixel.png';
        })""")
        assert blocked == "img-src"


@pytest.mark.parametrize(("scheme", "size"), MODES)
def test_every_picture_is_shown_once_and_fills_the_width(browser, pages, scheme, size):
    for name, number in (("ordinary", 8), ("long", 7), ("hostile", 8)):
        with Visit(browser, pages[name], scheme, size) as visit:
            figures = visit.page.evaluate(PICTURES)
            assert len(figures) == number
            for shown in figures:
                ((left, width, height),) = shown
                assert left >= 0
                assert 300 <= width <= size[0]
                assert height >= 180


@pytest.mark.parametrize(("scheme", "size"), MODES)
def test_text_has_enough_contrast_with_its_background(browser, pages, scheme, size):
    for name in ("ordinary", "forfeit"):
        with Visit(browser, pages[name], scheme, size) as visit:
            words = visit.page.evaluate(WORDS)
            assert sum(drawn for _, drawn, *_ in words) >= (40 if name == "ordinary" else 0)
            for text, _, colour, background, opacity, height in words:
                assert contrast(colour, background) >= 4.5, (text, colour, background)
                assert opacity == 1, text
                assert height >= 11, (text, height)


def test_the_two_colour_schemes_differ(browser, pages):
    backgrounds = []
    for scheme in SCHEMES:
        with Visit(browser, pages["ordinary"], scheme) as visit:
            backgrounds.append(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert luminance(backgrounds[0]) > 0.8
    assert luminance(backgrounds[1]) < 0.05


def test_print_is_on_white_in_both_schemes(browser, pages):
    with Visit(browser, pages["ordinary"], "dark", PHONE) as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        assert luminance(visit.page.evaluate("getComputedStyle(document.body).backgroundColor")) > 0.8
        assert all(len(shown) == 1 for shown in visit.page.evaluate(PICTURES))


@pytest.mark.parametrize("name", ["ordinary", "hostile", "long", "forfeit"])
def test_a_phone_never_scrolls_sideways(browser, pages, name):
    with Visit(browser, pages[name], size=PHONE) as visit:
        width, window = visit.page.evaluate(WIDTHS)
        assert width <= window == PHONE[0]
        assert visit.page.evaluate(TOO_WIDE) == []


def test_specs_with_markup_are_escaped(browser, pages):
    with Visit(browser, pages["hostile"]) as visit:
        assert visit.page.evaluate("typeof hacked") == "undefined"
        assert visit.page.locator("script, img, iframe").count() == 0
        assert "<script>hacked = 1</script>" in visit.page.locator("section.settings").inner_text()
    with Visit(browser, pages["forfeit"]) as visit:
        assert "<b>nowhere to go</b>" in visit.page.locator(".verdict").inner_text()


@pytest.mark.parametrize(("scheme", "size"), MODES)
def test_axe_finds_no_barrier(browser, pages, scheme, size):
    for name in ("ordinary", "forfeit"):
        with Visit(browser, pages[name], scheme, size, bypass_csp=True) as visit:
            assert barriers(visit) == []


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_screen_readers_get_names_headings_in_order_and_tables(browser, pages, size):
    with Visit(browser, pages["ordinary"], size=size, java_script_enabled=False) as visit:
        tree = visit.page.locator("main").aria_snapshot()
        for title in ("Regret against what the theorems allow", "Cumulative loss", "Predictions and labels"):
            assert f'img "{title}' in tree
        levels = [int(each) for each in re.findall(r"heading .*\[level=(\d)\]", tree)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
        assert re.search(r'row "awv-leverage holds', tree)
        assert 'columnheader "Assumption"' in tree


def test_the_first_violation_is_marked_in_the_picture(browser, pages):
    with Visit(browser, pages["ordinary"]) as visit:
        words = visit.page.locator("svg.wide text", has_text="exceeded in round")
        assert words.count() == 1
        stated = re.search(r"first in round (\d+)", visit.page.locator(".verdict").inner_text())[1]
        assert words.text_content() == f"exceeded in round {stated}"
