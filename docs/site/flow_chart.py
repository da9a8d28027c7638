"""Draws a flow chart in Mermaid's language (`flowchart TD`) as SVG: boxes in rows, arrows from row to row."""

from __future__ import annotations

import html
import itertools
import re

GAP, ROW, HEIGHT, LETTER = 14, 62, 26, 7.4  # between boxes; from row to row; of a box; width of a letter
SWEEPS = 12
Edge = tuple[str, str]


def flow_chart(text: str, label: str) -> str:
    r"""Return the picture of the arrows `a & b --> c & d` in the text.

    >>> flow_chart("flowchart TD\n  a --> b & c\n  b --> c", "x").count("<rect")
    3
    """
    edges = _edges(text)
    rows, chains = _rows(edges)
    places = _places(rows, chains)
    width = max(x + _width(name) / 2 for name, (x, _) in places.items()) + GAP
    height = len(rows) * ROW - ROW + HEIGHT + 2 * GAP
    arrows = "".join(f'<path class="arrow" marker-end="url(#tip)" d="{_path(chain, places)}"/>' for chain in chains)
    boxes = "".join(_box(name, *places[name]) for row in rows for name in row if not _is_bend(name))
    return (
        f'<svg class="chart" role="img" aria-label="{html.escape(label)}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'style="width: {width:.0f}px"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>{arrows}{boxes}</svg>'
    )


def _edges(text: str) -> list[Edge]:
    found = []
    for before, after in re.findall(r"^\s*(\S.*?)\s*-->\s*(.*?)\s*$", text, re.MULTILINE):
        found += [(one, other) for one in re.split(r"\s*&\s*", before) for other in re.split(r"\s*&\s*", after)]
    return found


def _rows(edges: list[Edge]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the boxes row by row, and each arrow as a chain of boxes and bends.

    An arrow has a bend in every row that it crosses.
    """
    level = {name: 0 for edge in edges for name in edge}
    for _ in level:
        for one, other in edges:
            level[other] = max(level[other], level[one] + 1)
    rows: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for name, number in level.items():
        rows[number].append(name)
    chains = []
    for one, other in edges:
        bends = [f"{one}>{other}@{number}" for number in range(level[one] + 1, level[other])]
        for number, bend in enumerate(bends, start=level[one] + 1):
            rows[number].append(bend)
        chains.append([one, *bends, other])
    return rows, chains


def _places(rows: list[list[str]], chains: list[list[str]]) -> dict[str, tuple[float, float]]:
    """Return the middle of each box and bend, near the middle of the boxes and bends to which it is connected."""
    above: dict[str, list[str]] = {name: [] for row in rows for name in row}
    below: dict[str, list[str]] = {name: [] for row in rows for name in row}
    for chain in chains:
        for one, other in itertools.pairwise(chain):
            above[other].append(one)
            below[one].append(other)
    x: dict[str, float] = {}
    for row in rows:
        x |= _side_by_side(row, {name: float(place) for place, name in enumerate(row)})
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = {name: (above if sweep % 2 == 0 else below)[name] or [*above[name], *below[name]] for name in row}
            wanted = {
                name: sum(x[each] for each in near[name]) / len(near[name]) if near[name] else x[name] for name in row
            }
            x |= _side_by_side(sorted(row, key=wanted.__getitem__), wanted)
    left = min(x[name] - _width(name) / 2 for name in x) - GAP
    return {name: (x[name] - left, GAP + HEIGHT / 2 + ROW * number) for number, row in enumerate(rows) for name in row}


def _side_by_side(row: list[str], wanted: dict[str, float]) -> dict[str, float]:
    """Return horizontal positions for the boxes of a row, in this order, near the `wanted` ones and without overlap."""
    found, right = {}, float("-inf")
    for name in row:
        found[name] = max(wanted[name], right + _width(name) / 2)
        right = found[name] + _width(name) / 2 + GAP
    shift = sum(wanted[name] - found[name] for name in row) / len(row)
    return {name: place + shift for name, place in found.items()}


def _path(chain: list[str], places: dict[str, tuple[float, float]]) -> str:
    points = [places[name] for name in chain]
    x, y = points[0]
    path = f"M{x:.0f} {y + HEIGHT / 2:.0f}"
    y += HEIGHT / 2
    for number, (next_x, middle) in enumerate(points[1:], start=2):
        end = middle - HEIGHT / 2
        half = (end - y) / 2
        path += f"C{x:.0f} {y + half:.0f} {next_x:.0f} {end - half:.0f} {next_x:.0f} {end:.0f}"
        x, y = next_x, end
        if number < len(points):  # straight through the row of other boxes
            y = middle + HEIGHT / 2
            path += f"V{y:.0f}"
    return path


def _box(name: str, x: float, y: float) -> str:
    width = _width(name)
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="4"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{html.escape(name)}</text>'
    )


def _width(name: str) -> float:
    return 6.0 if _is_bend(name) else LETTER * len(name) + 18


def _is_bend(name: str) -> bool:
    return "@" in name
