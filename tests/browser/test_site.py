"""The site builds without warnings, its links work, it loads nothing from other machines, and its search works."""

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
from arena_tests import FULL
from arena_tests.browsing import Visit
from arena_tests.site_sweep import LOCAL, MODES, problems, search

pytest.importorskip("mkdocs")
pytest.importorskip("material")
ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"([^\"]+)\"|<link[^>]*\shref=\"([^\"]+)\"")
FOREIGN = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import")
# Pages of each kind, each in one mode; all pages in all modes with REGRET_ARENA_FULL=1.
SAMPLE = {
    MODES[0]: ("index.html", "five-minutes.html", "reference/index.html"),
    MODES[1]: ("regret-in-pictures.html", "security.html", "gallery.html"),
    MODES[2]: ("reference/kernels.html", "architecture.html"),
    MODES[3]: ("reference/adversaries.html", "testing-model.html"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site_is_whole_and_asks_no_other_machine(site):
    texts = {path: path.read_text() for path in site.rglob("*.html")}
    assert not lost_links(texts)
    for path, text in texts.items():
        loaded = [one or other for one, other in LOADED.findall(text)]
        assert not [address for address in loaded if re.match(r"(?:https?:)?//", address)], path
    assert not [path for path in site.rglob("*.css") if FOREIGN.search(path.read_text())]
    for kind in registry.KINDS:
        page = texts[site / "reference" / f"{registry.KINDS[kind].plural}.html"]
        assert not [name for name in registry.entries(kind) if f'id="{name}"' not in page]
    assert not [path for path, text in texts.items() if re.search(r"formula\d+ofmath|\$`", text)]
    rooms = texts[site / "architecture.html"]
    assert rooms.count('<svg class="chart"') == 2
    assert ">counterexamples</text>" in rooms
    assert "mermaid" not in re.sub(r"<[^>]+>", "", rooms)
    assert not (site / "404.html").exists()  # the theme's finds its style at the root of a server alone
    theorems = texts[site / "reference" / "theorems.html"]
    assert theorems.count('<figure class="match-picture"') > 50
    assert "arena play kernel-awv alternating --rounds 20" in re.sub("<[^>]+>", "", theorems)


def test_every_learner_and_adversary_has_an_example_and_a_picture(site):
    for kind in ("learner", "adversary"):
        text = (site / "reference" / f"{registry.KINDS[kind].plural}.html").read_text()
        for name in registry.entries(kind):
            entry = re.split(r"<h[123] ", text.partition(f'id="{name}"')[2])[0]
            words = re.sub("<[^>]+>", "", entry)
            assert re.search(rf"arena play .*{re.escape(name)}.* --rounds \d+", words), name
            assert re.search(r"^(regret|loss) -?\d", words, re.MULTILINE), name
            assert '<figure class="match-picture"' in entry, name
            rule = registry.find(kind, name).formula
            assert entry.count("<math") >= rule.count("$") // 2, name
            assert "Rule: " in words or not rule, name
            assert "\\" not in words, f"{name}: LaTeX that MathML lacks"


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_pages_are_without_barriers_in_both_schemes_and_sizes(site, browser, mode):
    pages = sorted(site.rglob("*.html")) if FULL else [site / name for name in SAMPLE[mode]]
    assert list(problems(browser, pages, *mode)) == []


def test_the_search_of_a_page_from_the_disk_finds_players_by_name(site, browser):
    with Visit(browser, site / "index.html") as visit:
        for kind, names in (("learner", ("kernel-awv", "pa")), ("adversary", ("minimax",))):
            for name in registry.entries(kind) if FULL else names:
                search(visit, name, f"reference/{registry.KINDS[kind].plural}.html", name)
        search(visit, "kernel", "reference/learners.html", "kernel-awv")  # the beginning of a word
        assert not [address for address in visit.requests if not address.startswith(LOCAL)]
        assert visit.messages == [], "\n".join(visit.messages)


@pytest.mark.parametrize("script", ["top_pages", "flow_chart", "sequence_chart"])
def test_the_scripts_of_the_site_do_what_their_examples_say(script):
    spec = importlib.util.spec_from_file_location(script, ROOT / "docs" / "site" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    result = doctest.testmod(module)
    assert (result.failed, result.attempted > 0) == (0, True)


def lost_links(texts):
    """Return the links to pages and headings that do not exist."""
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
