"""The site: built strictly, its links lead somewhere, it asks no other machine, and the search works from the disk."""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from arena.specs import registry
from arena_tests.browsing import Visit, barriers

pytest.importorskip("mkdocs")
pytest.importorskip("material")
ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"([^\"]+)\"|<link[^>]*\shref=\"([^\"]+)\"")
FOREIGN = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import")
DESK, PHONE = (1280, 900), (390, 800)
VISITS = (
    ("five-minutes.html", "light", DESK),
    ("regret-in-pictures.html", "dark", DESK),
    ("reference/adversaries.html", "light", PHONE),
    ("reference/kernels.html", "dark", PHONE),
    ("architecture.html", "dark", PHONE),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site_is_whole_and_asks_no_other_machine(site, browser):
    texts = {path: path.read_text() for path in site.rglob("*.html")}
    assert not lost_links(texts)
    for path, text in texts.items():
        loaded = [one or other for one, other in LOADED.findall(text)]
        assert not [address for address in loaded if re.match(r"(?:https?:)?//", address)], path
    assert not [path for path in site.rglob("*.css") if FOREIGN.search(path.read_text())]
    for kind in registry.KINDS:
        page = texts[site / "reference" / f"{registry.plural(kind)}.html"]
        assert not [name for name in registry.entries(kind) if f'id="{name}"' not in page]
    assert not [path for path, text in texts.items() if re.search(r"formula\d+ofmath|\$`", text)]
    rooms = texts[site / "architecture.html"]
    assert rooms.count('<svg class="chart"') == 2
    assert ">counterexamples</text>" in rooms
    assert "mermaid" not in re.sub(r"<[^>]+>", "", rooms)
    assert not (site / "404.html").exists()  # the theme's finds its style at the root of a server alone
    theorems = texts[site / "reference" / "theorems.html"]
    assert theorems.count('<svg class="course"') > 50
    assert "arena play kernel-awv alternating --rounds 20" in re.sub("<[^>]+>", "", theorems)
    search_works(site, browser)


@pytest.mark.parametrize("script", ["top_pages", "flow_chart", "sequence_chart"])
def test_the_scripts_of_the_site_do_what_their_examples_say(script):
    spec = importlib.util.spec_from_file_location(script, ROOT / "docs" / "site" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module) == (0, 1)


def search_works(site, browser):
    """Words typed into the search of a page from the disk find the reference, and nothing is fetched from a network."""
    with Visit(browser, site / "index.html") as visit:
        visit.page.click(".md-search__input")
        visit.page.keyboard.type("minimax")
        visit.page.wait_for_selector(".md-search-result__item")
        found = [link.get_attribute("href") for link in visit.page.query_selector_all(".md-search-result__link")]
        assert any("reference/adversaries.html" in address for address in found)
        assert not [address for address in visit.requests if not address.startswith(("file:", "data:"))]
        assert visit.messages == []
    for page, scheme, size in VISITS:
        with Visit(browser, site / page, scheme, size, bypass_csp=True) as visit:
            assert not barriers(visit), page
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= size[0]


def lost_links(texts):
    """The links to pages and headings that do not exist."""
    names = {path: set(re.findall(r"\s(?:id|name)=\"([^\"]+)\"", text)) for path, text in texts.items()}
    lost = []
    for path, text in texts.items():
        for address in set(re.findall(r"<a[^>]*\shref=\"([^\"]+)\"", text)):
            if re.match(r"[a-z]+:", address):
                continue
            file, anchor = urldefrag(address)
            target = (path.parent / unquote(file)).resolve() if file else path
            if not target.exists() or (anchor and target in names and unquote(anchor) not in names[target]):
                lost.append((path.name, address))
    return lost
