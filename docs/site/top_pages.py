"""The files of the repository's top folder as pages of the site."""

from __future__ import annotations

import re

TOP_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(!?)\[([^\]]+)\]\(([^)\s]+)\)")


def for_the_site(text: str) -> str:
    """Return the text with links to pages of the site; links to other files of the repository become plain text.

    >>> for_the_site("[a](docs/hunt.md#b), [c](CONTRIBUTING.md), [d](Makefile), [e](https://example.org), [f](#g)")
    '[a](hunt.md#b), [c](contributing.md), d, [e](https://example.org), [f](#g)'
    >>> for_the_site("![h](docs/gallery/holds.png)")
    '![h](gallery/holds.png)'
    """
    return LINK.sub(_link, text)


def _link(found: re.Match[str]) -> str:
    picture, words, target = found.groups()
    if "://" in target or target.startswith("#"):
        return found[0]
    file, sharp, anchor = target.partition("#")
    page = TOP_PAGES.get(file) or (file.removeprefix("docs/") if file.startswith("docs/") else "")
    return f"{picture}[{words}]({page}{sharp}{anchor})" if page else words
