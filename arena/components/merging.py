"""Merging of two atoms of a Gaussian kernel sum into one atom, at the best point of the line through both.

The sum a k(x, .) + b k(x', .) is replaced by one atom at z = h x + (1 - h) x'. With kappa = k(x, x') the best
coefficient of this atom is a kappa^((1-h)^2) + b kappa^(h^2). The share h is chosen so that the coefficient is largest
in absolute value. The squared distance between the sum and the new atom is a^2 + b^2 + 2 a b kappa minus the squared
coefficient (Wang, Crammer and Vucetic 2012; theory B15).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from arena.arrays import Array

FARTHEST = 5.0  # largest distance to the heavier atom if the signs differ, in units of the atoms' distance
STEPS = 12  # largest number of steps of Newton's method, each of which doubles the number of correct digits
SETTLED = 1e-14  # Newton's method ends after a step of at most this size
SMALLEST = 1e-300  # least argument of a logarithm
EVEN = 1e-12  # multiple of a^2 below which a difference of squared distances is due to rounding


@dataclass(frozen=True)
class Merger:
    """Result of merging an atom at the point x with another atom at x', the partner.

    - `partner` is the index of the partner among the atoms.
    - The new atom is at h x + (1 - h) x', where h is `share`. Its coefficient is `weight`.
    - `lost` is the squared RKHS distance between the kernel sums before and after merging.
    """

    partner: int
    share: float
    weight: float
    lost: float


def best_merger(weights: Array, lightest: int, kernels: Array, choose: Callable[[Array, float], int]) -> Merger:
    """Return the merger of the atom with the index `lightest` and the atom that `choose` selects.

    - `weights` has the coefficient of each atom, and `kernels` its kernel value with the atom `lightest`. The atom
      `lightest` must have the smallest absolute coefficient.
    - `choose(changes, slack)` returns the index of the partner, the atom with the smallest change. `changes` has for
      each atom the squared RKHS distance between the kernel sums before and after merging (infinity for `lightest`
      itself). Changes within `slack` of the smallest count as equal to it.
    """
    a = float(weights[lightest])
    shares = merging_shares(a, weights, kernels)
    merged = merged_weights(a, weights, kernels, shares)
    lost = np.maximum(a**2 + np.square(weights) + 2.0 * a * weights * kernels - np.square(merged), 0.0)
    lost[lightest] = np.inf
    partner = choose(lost, EVEN * a**2)
    return Merger(partner, float(shares[partner]), float(merged[partner]), float(lost[partner]))


def merged_weights(a: float, b: Array, kernels: Array, shares: Array) -> Array:
    """Return the coefficient of the merged atom for each of several atoms x' with which the atom x may be merged.

    The merged atom is at h x + (1 - h) x', and its coefficient is a kappa^((1-h)^2) + b kappa^(h^2). Here a is the
    coefficient of x. For each x', `b` has its coefficient, `kernels` has kappa = k(x, x'), and `shares` has h.
    """
    distance = -np.log(np.maximum(kernels, SMALLEST))
    return np.asarray(a * np.exp(-distance * np.square(1.0 - shares)) + b * np.exp(-distance * np.square(shares)))


def merging_shares(a: float, b: Array, kernels: Array) -> Array:
    """Return for each of several atoms x' the best share h; merging x and x' gives an atom at h x + (1 - h) x'.

    The best share makes the coefficient of the merged atom largest in absolute value. It lies in [0, 1/2], or in
    [-5, 0] if the coefficients of x and x' have different signs.

    `a` is the coefficient of x. For each x', `b` has its coefficient, and `kernels` has k(x, x'). |a| <= |b| must hold.
    """
    distance = -np.log(np.maximum(kernels, SMALLEST))
    ratio = np.minimum(np.log(max(abs(a), SMALLEST)) - np.log(np.maximum(np.abs(b), SMALLEST)), 0.0)
    same, shares = a * b >= 0.0, np.empty(len(b))
    shares[same] = _share_between(distance[same], ratio[same])
    shares[~same] = -_share_beyond(distance[~same], ratio[~same])
    return shares


def _share_between(distance: Array, ratio: Array) -> Array:
    """Return the best shares h in [0, 1/2] for merging atoms at x and x' into one at h x + (1 - h) x'.

    The coefficients a of x and b of x' have equal signs, `ratio` is log |a / b| <= 0, and `distance` is -log k(x, x').
    The share h solves logit(h) + distance (1 - 2 h) = ratio.
    """
    # for h <= 1/2 the left side is concave in q = logit(h), so Newton's method converges from the left
    q = ratio - distance  # left of the root
    for _ in range(STEPS):
        h = scipy.special.expit(q)
        excess = q + distance * (1.0 - 2.0 * h) - ratio
        slope = 1.0 - 2.0 * distance * h * (1.0 - h)
        before, q = q, np.minimum(q - excess / np.maximum(slope, 1e-3), 0.0)
        if np.abs(q - before).max(initial=0.0) <= SETTLED:
            break
    return np.asarray(scipy.special.expit(q))


def _share_beyond(distance: Array, ratio: Array) -> Array:
    """Return u = -h for the best shares h in [-5, 0] for merging atoms at x and x' into one at h x + (1 - h) x'.

    The coefficients a of x and b of x' have different signs, `ratio` is log |a / b| <= 0, and `distance` is
    -log k(x, x'). The number u solves log(1 + 1/u) - distance (1 + 2 u) + ratio = 0, or is 5 if the solution is larger.
    """
    # the left side is convex and decreasing in u, so Newton's method converges from the left
    u = np.maximum(0.47 * np.exp(ratio - distance), SMALLEST)  # left of the root
    for _ in range(STEPS):
        excess = np.log1p(1.0 / u) - distance * (1.0 + 2.0 * u) + ratio
        slope = 1.0 / (u * (1.0 + u)) + 2.0 * distance
        before, u = u, np.minimum(u + np.maximum(excess, 0.0) / slope, FARTHEST)
        if np.abs(u - before).max(initial=0.0) <= SETTLED:
            break
    return u
