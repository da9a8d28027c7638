"""The modules, paths and headings that the documents name exist, and so do the formulas that docstrings cite."""

import importlib
import re

import pytest

from arena_tests.pages import DOCS, ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.md")])
SOURCE = [path for folder in ("arena", "learners", "adversaries", "reports", "benchmarks", "tests", "docs")
          for path in sorted((ROOT / folder).rglob("*.py"))]  # fmt: skip
PLACE = re.compile(r"(?<![\w./-])(?:arena|learners|adversaries|reports|tests|benchmarks|docs)/[\w./-]*\w/?")
ITEM = r"[A-Z]\d*'?"
ITEMS = rf"{ITEM}(?:(?:, | and | with |-){ITEM})*"  # such as E2, E4-E6
MARK = re.compile(rf"\btheory ({ITEMS})(?!\w)")
HEAD = re.compile(rf"^## ({ITEM})\.|\*\*({ITEMS})\*\*|^\| ({ITEMS}) \|", re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_and_links_lead_somewhere(document):
    text = document.read_text()
    lost = [place for place in PLACE.findall(text) if not (ROOT / place).exists()]
    links = [link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    lost += [link for link, _, _ in links if not (document.parent / link).exists()]
    headings = {
        re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in text.splitlines() if line[:1] == "#"
    }
    lost += [anchor for link, _, anchor in links if not link and anchor not in headings]
    assert not lost


def test_paths_in_the_source_lead_somewhere():
    lost = {
        (str(path.relative_to(ROOT)), place)
        for path in SOURCE
        for place in re.findall(r"(?<![\w./-])(?:docs|benchmarks|tests)/[\w/-]+\.(?:py|md)\b", path.read_text())
        if not (ROOT / place).exists()
    }
    assert not lost


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_dotted_names_can_be_imported(document):
    names = set(re.findall(r"(?<![\w./-])arena(?:\.[A-Za-z_]\w*)+", document.read_text()))
    assert not [name for name in sorted(names) if not exists(name)]


def exists(name):
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module += f".{part}"
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
    return True


def marked(text):
    """Return the items of the formulas that the marks in this text name, such as {"E2", "E4"} for "(theory E2, E4)"."""
    return {item for mark in MARK.findall(" ".join(text.split())) for item in each_of(mark)}


def each_of(listed):
    """Return the single items of a list that may have ranges: E4, E5 and E7 for "E4-E5, E7"."""
    found = set()
    for part in re.split(", | and | with ", listed):
        first, dash, last = part.partition("-")
        numbers = range(int(first[1:]), int(last[1:]) + 1) if dash else ()
        found |= {f"{first[0]}{number}" for number in numbers} or {first}
    return found


def formulas():
    """Return the items of docs/theory.md, which are in headings, in bold, or in the first cell of a table's row."""
    page = (ROOT / "docs" / "theory.md").read_text()
    return set().union(*(each_of("".join(head)) for head in HEAD.findall(page)))


def test_lists_and_ranges_of_marks_are_understood():
    assert marked("(theory E2,\n    E4-E6; theory C1, E1'), theory B7 and B8, as in theory H") == (
        {"E2", "E4", "E5", "E6", "C1", "E1'", "B7", "B8", "H"}
    )
    assert {"A", "B0", "B5", "C4", "D3", "E1", "E1'", "F7", "F8", "F11", "H"} <= formulas()


def test_marks_name_items_of_the_formulas():
    known = formulas()
    paths = [path for path in [*SOURCE, *ROOT.glob("docs/**/*.md"), *DOCUMENTS] if path.name != "test_documents.py"]
    lost = {(str(path.relative_to(ROOT)), item) for path in paths for item in marked(path.read_text()) - known}
    assert not lost
    assert any(marked(path.read_text()) for path in SOURCE)


def test_the_ten_rounds_of_the_page_on_regret_cost_what_its_table_says():
    page = (DOCS / "regret-in-pictures.md").read_text()
    labels = [(-1) ** number for number in range(10)]
    repeated = sum((guess - label) ** 2 for guess, label in zip([0, *labels], labels, strict=False))
    best = min(sum((constant / 10 - label) ** 2 for label in labels) for constant in range(-10, 11))
    printed = re.search(r"= (\d+) \|\n\| the best constant.* \| (\d+) \|\n\| regret \| \| (\d+) \|", page)
    assert [float(each) for each in printed.groups()] == [repeated, best, repeated - best]


def test_pictures_have_words_for_those_who_do_not_see_them():
    pictures = [words for path in DOCS.rglob("*.md") for words in re.findall(r"!\[([^\]]*)\]\(", path.read_text())]
    assert pictures
    assert all(pictures)
