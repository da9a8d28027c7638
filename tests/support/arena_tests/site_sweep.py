"""Checks of the site's pages in a browser, in a given colour scheme and window size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena_tests.browsing import Visit, barriers

DESK, PHONE = (1280, 900), (390, 844)
MODES = tuple(itertools.product(("light", "dark"), (PHONE, DESK)))
LOCAL = ("file:", "data:", "blob:")
WIDTH = "() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
# Elements of the text beyond the window's right edge that no scrolling box holds.
CUT_OFF = """() => [...document.querySelectorAll(".md-content *")].filter(element => {
  if (element.getBoundingClientRect().right <= innerWidth + 0.5) return false;
  for (let box = element.parentElement; box; box = box.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return false;
  return true;
}).map(element => element.outerHTML.slice(0, 100)).slice(0, 3)"""


def problems(browser: Any, pages: Sequence[Path], scheme: str, size: tuple[int, int]) -> Iterator[str]:
    """Yield a text for each fault of the pages in this colour scheme and window size.

    Faults are broken rules of axe-core, messages on the console, requests to other machines, and content that is too
    wide.
    """
    with Visit(browser, pages[0], scheme, size, bypass_csp=True) as visit:
        for page in pages:
            visit.requests.clear()
            visit.messages.clear()
            visit.page.goto(page.as_uri())
            yield from (f"{page.name}, {scheme}, {size[0]}: {each}" for each in _of_page(visit, size[0]))


def _of_page(visit: Visit, width: int) -> Iterator[str]:
    yield from (f"{rule}: {element}" for rule, element in barriers(visit))
    yield from (f"message: {each}" for each in visit.messages)
    yield from (f"request: {each}" for each in visit.requests if not each.startswith(LOCAL))
    if visit.page.evaluate(WIDTH) > width:
        yield f"the page is {visit.page.evaluate(WIDTH)} wide"
    yield from (f"cut off: {each}" for each in visit.page.evaluate(CUT_OFF))


def search(visit: Visit, words: str, page: str, heading: str) -> None:
    """Type the words into the site's search, and wait until a result links to this heading of this page.

    An error is raised after 30 s without such a result.
    """
    visit.page.goto(visit.address)  # without the results of an earlier search
    visit.page.click(".md-search__input")
    visit.page.keyboard.type(words)
    link = f'.md-search-result__link[href*="{page}"][href$="#{heading}"]'
    visit.page.wait_for_selector(link, state="attached")
