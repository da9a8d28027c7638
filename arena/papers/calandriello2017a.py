"""The experiment of section 6 of Calandriello, Lazaric and Valko 2017 (ICML), with alternating labels at one point."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from arena.arrays import Array
from arena.papers.reproduction.experiment import AlgorithmRow, Chosen, Experiment, Panels, Part

HORIZONS = np.unique(np.geomspace(10, 100_000, 33).round().astype(int))
LEARNERS = {
    "KONS": "kons",
    "Sketched-KONS, floor 0.1": "sketched-kons(floor=0.1)",
    "Sketched-KONS, floor 0.01": "sketched-kons(floor=0.01)",
    "PROS-N-KONS": "pros-n-kons",
    "CON-KONS": "con-kons",
    "gradient descent, steps 1/t": "fgd(steps=inverse, shrinkage=0.5)",
    "PKAWV with KORS": "pkawv-kors",
}


def regrets(weights: Array) -> tuple[float, float]:
    """Return R_G and R_D, the two terms of the paper's Proposition 1, for a dictionary of one repeated point.

    `weights` has the weight w_t of each round's atom. R_G is the sum over t of g^2 / (alpha + sigma g^2 (w_1 + ... +
    w_t)), and R_D is the sum of max(w_t - 1, 0). The learner predicts 0, so the derivative g of the loss is -2 or 2 in
    every round. The paper's parameters are alpha = 1 and sigma = 1/8.
    """
    gained = float(np.sum(4.0 / (1.0 + 0.5 * np.cumsum(weights))))
    return gained, float(np.sum(np.maximum(weights - 1.0, 0.0)))


def schedules(rounds: int) -> dict[str, Array]:
    """Return four arrays by name; entry t is the weight of the atom that round t adds, or 0 if it adds no atom.

    In the first array all weights are 1. In each of the other arrays about log(rounds) weights are nonzero.
    """
    budget = math.ceil(math.log(rounds))
    early, heavy, unbiased = np.zeros(rounds), np.zeros(rounds), np.zeros(rounds)
    early[:budget] = 1.0
    heavy[: budget + 1] = 1.0
    heavy[0] = rounds - budget
    powers = np.unique(np.minimum(2 ** np.arange(budget + 10), rounds))
    # an atom's weight is the number of rounds since the atom before it
    unbiased[powers - 1] = np.diff(powers, prepend=0)
    return {
        "every round, weight 1": np.ones(rounds),
        "the first log T rounds, weight 1 (W = B)": early,
        "log T atoms, the first of weight T - log T (W = T)": heavy,
        "atoms at rounds 1, 2, 4, ..., unbiased": unbiased,
    }


def lines() -> Panels:
    """Return three panels by title: R_G, R_D and their sum, as functions of the number of rounds T.

    R_G and R_D are the two terms of the bound of the paper's Proposition 1. A panel has one line for each array of
    weights in `schedules`.
    """
    panels: dict[str, dict[str, tuple[list[float], list[float]]]] = {"R_G": {}, "R_D": {}, "R_G + R_D": {}}
    for name in schedules(10):
        values = np.array([regrets(schedules(int(rounds))[name]) for rounds in HORIZONS])
        for panel, curve in zip(panels, (values[:, 0], values[:, 1], values.sum(axis=1)), strict=True):
            panels[panel][name] = HORIZONS.tolist(), curve.tolist()
    return panels


def parts(_chosen: Chosen) -> Sequence[Part]:
    """Return the experiment's only part: all rounds have the same point, and the labels alternate."""
    rows = [AlgorithmRow(name, spec) for name, spec in LEARNERS.items()]
    game = {"rounds": 4000, "regularisation": 1.0}
    return [Part("labels in turn at one point", rows, "regret", adversary="alternating", game=game, curves=True)]


SECTION6 = Experiment(
    name="calandriello2017a-section6",
    title="Weights that cannot work",
    paper="Calandriello, Lazaric and Valko 2017 (ICML), section 6",
    about="""The bound of Proposition 1 is R_G + R_D. A dictionary of one repeated point, whose atoms may only be
    re-weighted, has either few atoms and a linear R_G or R_D, or as many atoms as rounds. The learners themselves play
    the same labels.""",
    parts=parts,
    lines=lines,
    seeds=3,
    axes=("rounds", ""),
    settings=("The schedules are computed, for w = 0 in every round; the paper argues in the same way.",),
)
