"""Functions that fit the labels of a data set to a game: classes get opposite signs, numbers are scaled to [-B, B]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.adversaries._shared.columns import Stretching
from arena.arrays import Array
from arena.data import Extremes
from arena.errors import ArenaError
from arena.game.game import Game

SHOWN = 5  # largest number of label values that a message lists


@dataclass(frozen=True, eq=False)
class Fitted:
    """Labels as they are played, with a `note`: a sentence on how the played labels differ from the data's labels.

    The note is empty if the labels do not differ. If labels were scaled, a difference of 1 between two played labels is
    a difference of `unit` in the data.
    """

    labels: Array
    note: str = ""
    unit: float = 1.0


def signs_of_classes(y: Array, every: Array, game: Game, *, size: float, source: str) -> Fitted:
    """Return the labels `y` of two classes as -`size` and `size`; the smaller value becomes -`size`.

    `every` has the labels of the whole data set, and `y` those of the rows that are played. The two classes are the two
    values in `every`, or else the two values in `y`. If all labels in `every` are 1, or all are -1, the classes are -1
    and 1. In all other cases raise an `ArenaError`, whose message names the data by the text `source`.
    """
    # the values of the whole data set come first, so that a value keeps its sign if only one class is played
    values = np.unique(every)
    if len(values) > 2 and len(np.unique(y)) == 2:
        values = np.unique(y)
    if len(values) == 1 and abs(values[0]) == 1.0:  # the label is a sign, and the other sign does not appear
        values = np.array([-1.0, 1.0])
    if len(values) != 2:
        raise ArenaError(_not_two_classes(values, game, source))
    labels = np.where(y == values[1], size, -size)
    if np.array_equal(labels, y):
        return Fitted(y)
    return Fitted(labels, f"the labels {values[0]:g} and {values[1]:g} are played as {-size:g} and {size:g}")


def one_against_rest(y: Array, every: Array, positive: float, *, size: float, source: str) -> Fitted:
    """Return the labels `y` with `size` in place of `positive`, and -`size` in place of every other value.

    `every` has the labels of the whole data set. If `positive` is not among them, raise an `ArenaError`, whose message
    names the data by the text `source`.
    """
    others = len(np.unique(every[every != positive]))
    if len(np.unique(every)) == others:
        raise ArenaError(
            f"replay: no label of {source} is {positive:g}, which positive={positive:g} plays against the rest: there "
            f"are {_listed(np.unique(every))}"
        )
    rest = f" and the {others:,} other labels as {-size:g}" if others else ""
    note = f"the label {positive:g} is played as {size:g}{rest}"
    if others == 1:
        other = every[every != positive][0]
        note = f"the labels {positive:g} and {other:g} are played as {size:g} and {-size:g}"
    elif others:
        note += " (one against the rest: what is measured is about this class alone)"
    return Fitted(np.where(y == positive, size, -size), note)


def _listed(values: Array) -> str:
    return ", ".join(f"{value:g}" for value in values[:SHOWN]) + (", ..." if len(values) > SHOWN else "")


def _not_two_classes(values: Array, game: Game, source: str) -> str:
    loss = game.loss.name or type(game.loss).__name__
    if len(values) == 1:
        return (
            f"replay: all labels of {source} are {values[0]:g}, but the {loss} loss compares two classes: "
            "write them as -1 and 1"
        )
    some = _listed(values)
    return (
        f"replay: the labels of {source} have {len(values):,} different values ({some}), but the {loss} loss compares "
        f"two classes: write them as -1 and 1, choose rows of two classes, play one against the rest (positive="
        f"{values[0]:g}), or choose a loss of numbers, such as squared; scale_y=none plays the labels as they are"
    )


def moved_into_bound(y: Array, bound: float) -> Fitted:
    """Return the labels scaled so that the smallest becomes -B and the largest B; B is `bound`.

    If all labels are equal, they become B or -B and keep their sign; if all are zero, they stay zero.
    """
    smallest, largest = float(y.min()), float(y.max())
    if smallest == largest == 0.0 or (smallest, largest) == (-bound, bound):
        return Fitted(y)
    with np.errstate(over="ignore"):
        if smallest == largest:
            unit = float(np.divide(abs(smallest), bound))
            note = f"the labels, all {smallest:g}, were divided by {unit:g}"
            return Fitted(np.full_like(y, np.copysign(bound, smallest)), note, unit)
        unit = float(np.divide(largest / 2 - smallest / 2, bound))
    return Fitted(
        Stretching(Extremes(y.min(), y.max()), np.array(-bound), np.array(bound))(y),
        f"the labels were moved from [{smallest:g}, {largest:g}] to [{-bound:g}, {bound:g}], where 1 stands for "
        f"{unit:g} in the data",
        unit,
    )
