"""The modules, paths and headings that the documents name exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.md")])
SOURCE = [path for folder in ("arena", "learners", "adversaries", "reports", "benchmarks", "tests", "docs")
          for path in sorted((ROOT / folder).rglob("*.py"))]  # fmt: skip
PLACE = re.compile(r"(?<![\w./-])(?:arena|learners|adversaries|reports|tests|benchmarks|docs)/[\w./-]*\w/?")


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
