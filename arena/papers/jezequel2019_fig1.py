"""Figure 1 of Jezequel, Gaillard and Rudi 2019: exponents of regret bounds against exponents of dictionary sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from arena.arrays import Array
from arena.papers.reproduction.experiment import ComputedLine, Experiment

CAPACITIES = {"gamma = 0.2": 0.2, "gamma = sqrt(2) - 1": 2**0.5 - 1, "gamma = 0.6": 0.6}
SIZES = np.linspace(0.0, 1.0, 101)  # values of a; a dictionary has n^a points
LAMBDAS = np.linspace(0.0, 1.0, 2001)  # values of l, where lambda = n^l


def rates(capacity: float) -> dict[str, Array]:
    """Return, for each learner, an array of exponents r: the bound on its regret in n rounds grows like n^r.

    Entry i is for a dictionary of n^a points with a = `SIZES[i]`, and for the best lambda. The formulas assume that the
    effective dimension is (n / lambda)^capacity. The dictionary leaves mu = n^(1 - a / capacity) unexplained. This adds
    n mu / lambda to the bounds of PROS-N-KONS and "PKAWV, features beforehand", and n^(1 + a) mu / lambda to that of
    PKAWV. PROS-N-KONS may use fewer points than n^a. No exponent is larger than 1.

    >>> optimal = 0.2 / 1.2
    >>> bool(np.isclose(rates(0.2)["PKAWV"][-1], optimal, atol=1e-3))
    True
    """
    statistical = np.maximum(LAMBDAS, capacity * (1.0 - LAMBDAS))  # exponent of lambda + d_eff(lambda)

    def best(bound: Callable[[float], Array]) -> Array:
        return np.array([float(np.minimum(bound(a), 1.0).min()) for a in SIZES])

    def price(a: float) -> Array:
        return np.asarray(2.0 - a / capacity - LAMBDAS)

    return {
        "PKAWV": best(lambda a: np.maximum(statistical, price(a) + a)),
        "PKAWV, features beforehand": best(lambda a: np.maximum(statistical, price(a))),
        "Sketched-KONS": best(lambda a: 1.0 - a + statistical),
        "PROS-N-KONS": np.minimum.accumulate(best(lambda a: np.maximum(a + statistical, price(a)))),
    }


def lines() -> Mapping[str, Sequence[ComputedLine]]:
    """Return the figure's panels, one for each capacity, with a line for each learner.

    The capacity is the exponent of the effective dimension (n / lambda)^capacity in n rounds.
    """
    return {
        name: [ComputedLine(learner, SIZES.tolist(), rate.tolist()) for learner, rate in rates(capacity).items()]
        for name, capacity in CAPACITIES.items()
    }


EXPERIMENT = Experiment(
    name="jezequel2019-fig1",
    title="Theoretical rates of regret",
    paper="Jezequel, Gaillard and Rudi 2019, figure 1",
    about="""Exponents of the bounds in equation (9), log R / log n against log m / log n for a dictionary of m points,
    with the best lambda for each m. Nothing is played.""",
    lines=lines,
    axes=("log m / log n", "log R / log n"),
    settings=(
        """PROS-N-KONS may use fewer points than m, so that its curve does not rise again. The text gives its
        lowest rate as 4 gamma / (1 + gamma)^2; the bound m (lambda + d_eff(lambda)) + n mu / lambda allows
        gamma (3 + gamma) / (1 + gamma)^2, which is lower.""",
    ),
)
