"""The pictures of a match that run along its rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.arrays import Array
from arena.record.theorem import ROUNDING, Verdict
from arena.record.transcript import Transcript
from arena.reports.curves import Curve, beyond, draw_curves, drawable, scale_for
from arena.reports.frame import Size, along_rounds, place, plain
from arena.reports.ink import ink
from arena.reports.picture import Key, Picture, picture
from arena.reports.thinning import envelope, kept_rounds
from arena.reports.wording import count, number, percent, short

FEW = 240  # rounds that can be drawn one by one


def regret_picture(name: str, measured: Array, verdicts: Sequence[Verdict], quantity: str, run: Transcript) -> Picture:
    """What the theorems bound, what each allows, and where it is first exceeded."""
    quantity = quantity.rstrip(",")
    curves = [Curve(measured, Key(f"{quantity}, {number(measured[-1])} at the end", "learner"), 2.4)]
    dashes = ("7 3", "2 2.5", "9 3 2 3", "4 2")
    for place_, verdict in enumerate(verdicts):
        if verdict.allowed_curve is None:
            continue
        used = f" ({percent(verdict.tightness)} used)" if percent(verdict.tightness) else ""
        text = f"{short(verdict.theorem)} allows {number(verdict.allowed)}{used}"
        key = Key(text, f"bound-{place_ % 4 + 1}", dashes=dashes[place_ % 4])
        curves.append(Curve(verdict.allowed_curve, key, 1.8))
    if any(not np.any(curve.values) for curve in curves[1:]):
        slack = ROUNDING * (1.0 + run.cumulative_losses)
        curves.append(Curve(slack, Key("what rounding may do", "muted", dashes="2 2.5"), 1.2))
    broken = [each for each in verdicts if each.violated and each.round]
    scale = scale_for(measured, *(curve.values for curve in curves[1:]))

    def draw(size: Size, figure: Figure) -> None:
        axes = place(figure, size)
        scale.frame(axes, quantity)
        along_rounds(axes, run.rounds, 4 if size.is_narrow else 8)
        draw_curves(axes, curves, size)
        scale.tidy(axes)
        for line, first in enumerate(sorted({each.round or 1 for each in broken})[:3]):
            _mark_violation(axes, first, float(drawable(measured)[first - 1]), run.rounds, line)

    words = [curve.key.text for curve in curves] + [
        f"{each.theorem} is exceeded in round {each.round}" for each in broken
    ]
    title = (
        f"{quantity[:1].upper()}{quantity[1:]} {'against what the theorems allow' if verdicts else 'over the rounds'}"
    )
    keys = [*(curve.key for curve in curves), *([Key("first round beyond a bound", "bad", "ring")] if broken else [])]
    description = f"{_over(run)}: {'; '.join(words)}."
    note = beyond(*(curve.values for curve in curves))
    return picture(name, title, draw, heights=(340, 300), description=description, note=note, keys=keys)


def loss_picture(run: Transcript) -> Picture:
    """The learner's loss so far beside what hindsight and silence would have paid."""
    losses = run.cumulative_losses
    silent = np.cumsum(run.game.loss.value(np.zeros(run.rounds), run.labels))
    curves = [Curve(losses, Key(f"the learner, {number(losses[-1])}", "learner"), 2.4)]
    if run.has_hindsight:
        best = np.cumsum(run.hindsight().plain_losses)
        text = f"the best in hindsight, without its penalty, {number(best[-1])}"
        curves.append(Curve(best, Key(text, "hindsight", dashes="7 3")))
    curves.append(Curve(silent, Key(f"always zero, {number(silent[-1])}", "muted", dashes="2 2.5"), 1.6))
    scale = scale_for(min((curve.values for curve in curves), key=lambda values: values[-1]), losses, factor=1000)

    def draw(size: Size, figure: Figure) -> None:
        axes = place(figure, size)
        scale.frame(axes, f"cumulative {run.game.loss.name} loss")
        along_rounds(axes, run.rounds, 4 if size.is_narrow else 8)
        draw_curves(axes, curves, size)
        scale.tidy(axes)

    description = f"{_over(run)}: {'; '.join(curve.key.text for curve in curves)}."
    keys, note = [curve.key for curve in curves], beyond(losses)
    return picture("loss", "Cumulative loss", draw, heights=(280, 280), description=description, note=note, keys=keys)


def moves_picture(run: Transcript) -> Picture:
    """Predictions and labels, one by one or, when there are many, as the range of each stretch of rounds."""
    few = run.rounds <= FEW
    scale = scale_for(run.labels, run.predictions, factor=100)

    def draw(size: Size, figure: Figure) -> None:
        axes = place(figure, size)
        scale.frame(axes, "prediction, label")
        along_rounds(axes, run.rounds, 4 if size.is_narrow else 8)
        for values, colour in ((run.labels, "label"), (run.predictions, "learner")):
            (_draw_each if few else _draw_range)(axes, drawable(values), colour, size)
        scale.tidy(axes)

    note = "" if few else "A field spans the lowest and the highest value of a stretch of rounds, its line their mean."
    description = (
        f"{_over(run)}: labels from {number(run.labels.min())} to {number(run.labels.max())}, "
        f"predictions from {number(run.predictions.min())} to {number(run.predictions.max())}."
    )
    keys = (
        Key("labels", "label", "ring" if few else "patch"),
        Key("predictions", "learner", "mark" if few else "patch"),
    )
    title = "Predictions and labels"
    return picture("moves", title, draw, heights=(280, 280), description=description, note=note, keys=keys)


def size_picture(run: Transcript) -> Picture:
    """How much the learner keeps."""
    rounds, sizes = run.sizes[:, 0], run.sizes[:, 1]
    kept = kept_rounds(sizes, 400)
    x, y = np.append(rounds[kept], run.rounds), np.append(sizes[kept], sizes[-1])

    def draw(size: Size, figure: Figure) -> None:
        axes = place(figure, size)
        plain(axes, "elements kept")
        along_rounds(axes, run.rounds, 4 if size.is_narrow else 8)
        axes.plot(x, y, color=ink("learner"), linewidth=2.0, drawstyle="steps-post")
        axes.set_ylim(0, max(float(y.max()), 1.0) * 1.08)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))

    text = f"{count(int(sizes[-1]), 'element')} at the end, {int(sizes.max()):,} at most"
    keys = [Key(text, "learner")]
    title = "Size of the dictionary"
    return picture("sizes", title, draw, heights=(220, 220), description=f"{_over(run)}: {text}.", keys=keys)


def _over(run: Transcript) -> str:
    return f"{short(run.learner)} against {short(run.adversary)} over {count(run.rounds, 'round')}"


def _draw_each(axes: Axes, values: Array, colour: str, size: Size) -> None:
    area = 12 if size.is_narrow else 20
    face = "none" if colour == "label" else ink(colour)
    axes.scatter(np.arange(1, len(values) + 1), values, s=area, facecolors=face, edgecolors=ink(colour), linewidths=1.2)


def _draw_range(axes: Axes, values: Array, colour: str, size: Size) -> None:
    middle, lowest, means, highest = envelope(values, size.width // 4)
    axes.fill_between(middle, lowest, highest, color=ink(colour), alpha=0.22, linewidth=0)
    axes.plot(middle, means, color=ink(colour), linewidth=1.6)


def _mark_violation(axes: Axes, first: int, value: float, rounds: int, line: int) -> None:
    axes.axvline(first, color=ink("bad"), linewidth=1, linestyle=(0, (2, 2)))
    axes.plot([first], [value], marker="o", markersize=9, color=ink("bad"), markerfacecolor="none", markeredgewidth=2)
    late = first > 0.5 * rounds
    axes.annotate(
        f"exceeded in round {first:,}",
        (first, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-7 if late else 7, -4 - 16 * line),
        textcoords="offset points",
        ha="right" if late else "left",
        va="top",
        color=ink("bad"),
    )
