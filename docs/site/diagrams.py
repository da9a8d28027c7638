"""Replaces diagrams in Mermaid's language by pictures when the site is built, so that pages need no script."""

from __future__ import annotations

import re

from flow_chart import flow_chart
from sequence_chart import sequence_chart

BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def with_pictures(markdown: str) -> str:
    """Return the page with a picture in place of each diagram; the picture's label is the heading above it."""
    return BLOCK.sub(lambda found: _picture(found[1], _heading(markdown[: found.start()])), markdown)


def _picture(text: str, heading: str) -> str:
    draw = {"flowchart": flow_chart, "sequenceDiagram": sequence_chart}[text.split()[0]]
    label = f"Diagram: {heading}"
    return f'<div class="diagram" role="region" tabindex="0" aria-label="{label}">{draw(text, label)}</div>'


def _heading(before: str) -> str:
    found = re.findall(r"^#+ (.*)$", before, re.MULTILINE)
    return found[-1] if found else "the page"
