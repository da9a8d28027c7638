"""Draws a sequence diagram in Mermaid's language (`sequenceDiagram`) as SVG, with a column for each participant."""

from __future__ import annotations

import html
import re
import textwrap

COLUMN, LINE, LETTER, TOP = 138, 15, 6.3, 46  # width of a column; height of a line of text; width of a letter; heading
PARTICIPANT = re.compile(r"participant (\w+)(?: as (.*))?$")
MESSAGE = re.compile(r"(\w+)(--?)>>(\w+): (.*)$")


def sequence_chart(text: str, label: str) -> str:
    r"""Return the picture of the participants, messages and loops in the text.

    >>> sequence_chart("sequenceDiagram\n participant a\n participant b\n a->>b: hello", "x").count(">hello<")
    1
    """
    lines = [line.strip() for line in text.strip().splitlines()[1:]]
    names = [(found[1], found[2] or found[1]) for line in lines if (found := PARTICIPANT.match(line))]
    at = {name: COLUMN * (number + 0.5) for number, (name, _) in enumerate(names)}
    width, y, parts, loops = COLUMN * len(names), float(TOP), [], []
    for line in lines:
        if line.startswith("loop "):
            loops.append((y, line.removeprefix("loop ")))
            y += 1.6 * LINE
        elif line == "end":
            top, title = loops.pop()
            parts.append(_loop(top, y + 4, width, title))
            y += LINE
        elif found := MESSAGE.match(line):
            words = _wrapped(found[4], at[found[1]], at[found[3]])
            y += LINE * len(words) + 10
            parts.append(_message(at[found[1]], at[found[3]], y, words, answer=found[2] == "--"))
    height = y + 14
    lifelines = "".join(f'<line class="life" x1="{x}" x2="{x}" y1="{TOP}" y2="{height}"/>' for x in at.values())
    heads = "".join(_head(at[name], shown) for name, shown in names)
    return (
        f'<svg class="chart" role="img" aria-label="{html.escape(label)}" viewBox="0 0 {width} {height:.0f}" '
        f'style="width: {width}px"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
        f"{lifelines}{''.join(parts)}{heads}</svg>"
    )


def _wrapped(text: str, start: float, end: float) -> list[str]:
    room = max(abs(end - start), COLUMN * 1.6)
    return textwrap.wrap(text, int(room / LETTER), break_long_words=False)


def _message(start: float, end: float, y: float, words: list[str], *, answer: bool) -> str:
    kind = "answer" if answer else "message"
    middle = (start + end) / 2
    texts = "".join(
        f'<text x="{middle:.0f}" y="{y - 5 - LINE * (len(words) - 1 - number):.0f}">{html.escape(line)}</text>'
        for number, line in enumerate(words)
    )
    return f'{texts}<path class="arrow {kind}" marker-end="url(#arrow)" d="M{start:.0f} {y:.0f}H{end:.0f}"/>'


def _loop(top: float, bottom: float, width: float, title: str) -> str:
    return (
        f'<rect class="loop" x="4" y="{top + 6:.0f}" width="{width - 8}" height="{bottom - top:.0f}" rx="4"/>'
        f'<text class="title" x="12" y="{top + 6 + LINE:.0f}">loop: {html.escape(title)}</text>'
    )


def _head(x: float, name: str) -> str:
    words = textwrap.wrap(name, int((COLUMN - 12) / LETTER))
    texts = "".join(
        f'<text x="{x:.0f}" y="{22 + LINE * (number - (len(words) - 1) / 2):.0f}">{html.escape(line)}</text>'
        for number, line in enumerate(words)
    )
    return f'<rect x="{x - COLUMN / 2 + 4:.0f}" y="2" width="{COLUMN - 8}" height="{TOP - 8}" rx="4"/>{texts}'
