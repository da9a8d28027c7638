"""The figure of cost against regret: each learner's time for a round, and its average rank by regret."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.arrays import Array
from arena.reports.drawing import Axis, Drawing, Figure, LegendEntry, Panel, Scale, figure
from arena.reports.formatting import duration, short
from arena.tournament.efficiency import Cost

APART = 14.0  # pixels between the names of two learners


def cost_figure(costs: Sequence[Cost]) -> Figure | None:
    """Return the figure of time for a round against average rank; None for fewer than two learners with a time."""
    known = [each for each in costs if each.a_round]
    if len(known) < 2:
        return None
    micros = np.array([1e6 * (each.a_round or 0.0) for each in known])
    ranks = np.array([each.rank for each in known])
    beaten = [each.beaten_by is not None for each in known]

    def draw(drawing: Drawing) -> None:
        up = (float(ranks.min()), max(float(ranks.max()), float(ranks.min()) + 0.5))
        panel = Panel(drawing, (0.0, 1.0), up, margins=(0.0, 0.12))
        reach = (float(micros.min()), max(float(micros.max()), 1.01 * float(micros.min())))
        panel.x = Axis(*reach, panel.left, panel.right, scale=Scale("log"), margin=0.08)
        across = panel.x.levels(8)
        below = "microseconds a round (logarithmic scale)"
        panel.draw_axes("average rank by regret (1 is best)", below, across, panel.y.levels(6), grid="xy")
        for colour, chosen in (("muted", np.array(beaten)), ("learner", ~np.array(beaten))):
            panel.dots(micros[chosen], ranks[chosen], 5.0, fill=colour)
        _name(panel, [short(each.learner) for each in known], panel.x(micros), panel.y(ranks), beaten)

    text = "; ".join(f"{each.learner}: {duration(each.a_round or 0.0)} a round, rank {each.rank:.2f}" for each in known)
    legend = [LegendEntry("no ranked learner is faster and better", "learner", "mark")]
    if any(beaten):
        legend.append(LegendEntry("another learner is faster and better beyond the spread", "muted", "mark"))
    return figure(
        "cost",
        "Cost against regret",
        draw,
        heights=(360, 340),
        description=f"Average rank by regret over the learner's time for a round. {text}.",
        legend=legend,
        note="Time: the learner's own seconds, mean over settings. Lower is better, further left is faster.",
    )


def _name(panel: Panel, names: Sequence[str], across: Array, up: Array, beaten: Sequence[bool]) -> None:
    """Write each name beside its dot, on the side with room, and leave out names that would cover another one."""
    middle = (panel.left + panel.right) / 2
    taken: list[tuple[float, bool]] = []
    for at in np.argsort(up)[::-1]:
        x, y, is_left = float(across[at]), float(up[at]) + 4.0, bool(across[at] > middle)
        if any(abs(y - other) < APART and is_left == side for other, side in taken):
            continue
        taken.append((y, is_left))
        colour = "muted" if beaten[at] else "text"
        panel.text(x - 9 if is_left else x + 9, y, names[at], colour=colour, anchor="end" if is_left else "start")
