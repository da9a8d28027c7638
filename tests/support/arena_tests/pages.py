"""The pages of the documentation, by their blocks of code, and the text and the data of HTML pages."""

import html
import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"


class Block(NamedTuple):
    """A block of code; `file` is the name in a first line such as `# mine.py`, or an empty text."""

    language: str
    text: str
    file: str


def blocks(page, *languages):
    """Return the blocks of code of a page, given as a path, in these languages."""
    found = re.findall(r"^```(\w+)\n((?:# (\w+\.\w+)\n)?.*?)^```", Path(page).read_text(), re.DOTALL | re.MULTILINE)
    return [block for block in map(Block._make, found) if block.language in languages]


def first_cells(text):
    """Return the first cell of each row of a Markdown text's tables whose cell begins with code."""
    return re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)


def text_of(page):
    """Return the text of an HTML page or a part of one, without styles, pictures and tags."""
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def data_of(page):
    """Return the data that an HTML page contains for its script."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
