"""Hooks of MkDocs: they add pages and repair links, and turn formulas into MathML and diagrams into SVG."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(Path(__file__).parent), str(ROOT / "docs")]  # scripts beside this one

from diagrams import with_pictures

import reference_pages
from mathml import mathml
from top_pages import TOP_PAGES, for_the_site

FORMULA = re.compile(r"\$`([^`]+)`\$")
TOKEN = "formula{}of{}"  # letters and digits, which Markdown leaves alone
FIGURE = re.compile(r'<p>(<img alt="([^"]*)"[^>]*>)</p>')
EMPTY_HEADING = re.compile(r"<th([^>]*)></th>")
SEARCH = 'data-md-component="search" role="dialog"'
# lunr merges nodes of the search's index whose edges have the same text: for each edge, its character and the number of
# the node to which it leads. Without commas the numbers run together with characters that are digits.
NODE, NODE_WITH_COMMAS = "e=e+s+o.id}return e", 'e=e+s+o.id+","}return e'
_formulas: list[str] = []


def on_config(config: Any) -> Any:
    """Add the guides and results in docs/ that the navigation does not name."""
    named = repr(config.nav)
    for title, folder in (("How-to guides", ""), ("Results", "results/")):
        [section] = [each[title] for each in config.nav if title in each]
        paths = sorted(f"{folder}{path.name}" for path in (ROOT / "docs" / folder).glob("*.md"))
        section += [path for path in paths if f"'{path}'" not in named]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the files of the repository's top folder and the pages of the reference."""
    made = {page: for_the_site((ROOT / name).read_text(encoding="utf-8")) for name, page in TOP_PAGES.items()}
    for path, text in {**made, **reference_pages.pages()}.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Draw diagrams, and replace each formula by a token, since Markdown would interpret the formula's characters.

    A page that is in no section gets no navigation beside it.
    """
    if page.file.src_uri in ("reference/learners.md", "reference/adversaries.md"):
        page.meta["search"] = {"boost": 4}  # their names occur on every page of results
    if page.parent is None:
        page.meta["hide"] = ["navigation"]
    return FORMULA.sub(_token, with_pictures(markdown))


def on_page_content(html: str, **_: Any) -> str:
    """Replace the tokens of formulas by MathML, and make figures and empty table headings accessible."""
    html = FIGURE.sub(r'<div class="figure" role="region" tabindex="0" aria-label="Figure: \2">\1</div>', html)
    html = EMPTY_HEADING.sub(r"<td\1></td>", html)
    return re.sub(TOKEN.format(r"(\d+)", "math"), lambda found: mathml(_formulas[int(found[1])]), html)


def on_post_page(output: str, **_: Any) -> str:
    """Give the search a name for screen readers, since the theme gives it none."""
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')


def on_post_build(config: Any, **_: Any) -> None:
    """Delete the theme's page for wrong addresses (404.html), and repair the search.

    The page finds its style only at the root of a server. The search (lunr 2.3.9) merges nodes of its index whose edges
    are written alike: an edge "1" to node 23 has the same text as an edge "1" to node 2 followed by an edge "3". This
    makes the search find words that the index does not have, and fail for beginnings of words. The repair puts a comma
    after each edge.
    """
    (Path(config.site_dir) / "404.html").unlink(missing_ok=True)
    [script] = (Path(config.site_dir) / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    script.write_text(script.read_text(encoding="utf-8").replace(NODE, NODE_WITH_COMMAS), encoding="utf-8")


def _token(found: re.Match[str]) -> str:
    _formulas.append(found[1])
    return TOKEN.format(len(_formulas) - 1, "math")
