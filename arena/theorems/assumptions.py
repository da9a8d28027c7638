"""What theorems on online Newton steps and on KORS assume of a match, each as one measured `Assumption`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arena.record.theorem import Assumption
from arena.record.transcript import Transcript
from arena.theorems.recomputed.kors import MOST_POINTS


def until_one_fails(*stages: Callable[[], Sequence[Assumption]]) -> tuple[Assumption, ...]:
    """The assumptions of each stage in turn; a stage is measured only if those before it are met."""
    found: list[Assumption] = []
    for stage in stages:
        found += stage()
        if not all(each.holds for each in found):
            break
    return tuple(found)


def slope_and_curvature(run: Transcript) -> tuple[float, float]:
    """L and sigma of the game's loss for predictions within [-C, C]."""
    game = run.game
    return game.loss.lipschitz(game.clip, game.label_bound), game.loss.curvature(game.clip, game.label_bound)


def curved(run: Transcript) -> Assumption:
    """Sigma is not zero."""
    _, sigma = slope_and_curvature(run)
    return Assumption("the loss has curvature", sigma > 0, f"sigma {sigma:g}")


def eta_is_sigma(run: Transcript, step: float | None) -> Assumption:
    """The steps are those of the paper for a loss with curvature."""
    _, sigma = slope_and_curvature(run)
    return Assumption("eta is sigma", step is None or step == sigma, f"eta {step}, sigma {sigma:g}")


def alpha_is_small(run: Transcript, alpha: float) -> Assumption:
    """Alpha is at most sqrt(T)."""
    return Assumption("alpha <= sqrt(T)", alpha <= run.rounds**0.5, f"{alpha:g}, T = {run.rounds}")


def unit_features(run: Transcript) -> Assumption:
    """k(x, x) = 1, which the papers on KONS and PROS-N-KONS assume throughout."""
    diagonal = run.game.kernel.diagonal(run.points)
    off = float(np.abs(diagonal - 1.0).max())
    return Assumption("k(x, x) = 1", off <= 1e-12, f"off by up to {off:g}")


def few_points(run: Transcript) -> Assumption:
    """The spectra of the different points can be computed in reasonable time."""
    points = len(np.unique(run.points + 0.0, axis=0))
    return Assumption(f"at most {MOST_POINTS} different points", points <= MOST_POINTS, f"{points}")
