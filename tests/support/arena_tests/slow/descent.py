"""Gradient descent in an RKHS, as the papers print it: FGD, NOGD, DualSGD, BOGD and BSGD.

The functions take the kernel matrix (or the points), the labels, and the derivative of the loss in the prediction, and
return the predictions.
"""

import numpy as np
from scipy.optimize import brentq

DERIVATIVES = {
    "squared": lambda p, y: 2.0 * (p - y),
    "hinge": lambda p, y: -y if y * p < 1.0 - 1e-10 else 0.0,
    "logistic": lambda p, y: -y / (1.0 + np.exp(y * p)),
    "smooth-hinge": lambda p, y: -y * min(max((1.0 - y * p) / 0.5, 0.0), 1.0),
    "absolute": lambda p, y: float(np.sign(p - y)) if abs(p - y) > 1e-10 else 0.0,
}


def features(X, frequencies):
    """Return the random Fourier features of the rows of X: cosines and sines for these frequencies."""
    phases = X @ frequencies.T
    return np.hstack([np.cos(phases), np.sin(phases)]) / np.sqrt(len(frequencies))


def fgd(K, y, derivative, eta, shrinkage=0.0, radius=None):
    a, predictions = np.zeros(len(K)), []
    for t in range(len(K)):
        predictions.append(a @ K[:, t])
        step = eta(t + 1)
        a *= 1.0 - step * shrinkage
        a[t] -= step * derivative(predictions[-1], y[t])
        norm = np.sqrt(max(a @ K @ a, 0.0))
        if radius is not None and norm > radius:
            a *= radius / norm
    return np.array(predictions)


def nogd(K, y, derivative, eta, budget, rank):
    a, chosen, predictions, start = np.zeros(len(K)), [], [], len(K)
    for t in range(len(K)):
        predictions.append(a @ K[:, t])
        a[t] = -eta * derivative(predictions[-1], y[t])
        if a[t]:
            chosen.append(t)
        if len(chosen) == budget:
            start = t + 1
            break
    if start == len(K):
        return np.array(predictions)
    values, vectors = np.linalg.eigh(K[np.ix_(chosen, chosen)])
    keep = [i for i in range(len(values)) if i >= len(values) - rank and values[i] > 1e-10 * values[-1]]
    V, L = vectors[:, keep], values[keep]
    K_I = K[chosen]
    base = (V @ V.T @ a[chosen]) @ K_I  # the projection of what was learnt
    approximate = K_I.T @ (V / L) @ V.T @ K_I  # the low-rank kernel
    c = np.zeros(len(K))
    for t in range(start, len(K)):
        predictions.append(base[t] + c @ approximate[:, t])
        c[t] = -eta * derivative(predictions[-1], y[t])
    return np.array(predictions)


def dual_sgd(K, features, y, derivative, strength, budget, moved, ball):
    core, w, predictions = {}, np.zeros(features.shape[1]), []  # round -> coefficient, in the order of the rounds
    for t in range(len(K)):
        predictions.append(sum(a * K[s, t] for s, a in core.items()) + w @ features[t])
        core = {s: a * (1.0 - 1.0 / (t + 1)) for s, a in core.items()}
        w = w * (1.0 - 1.0 / (t + 1))
        weight = -derivative(predictions[-1], y[t]) / (strength * (t + 1))
        if weight:
            if len(core) == budget:
                largest = max(map(abs, core.values()))
                for s in sorted(core, key=lambda s: (round(abs(core[s]) / largest, 9), s))[:moved]:
                    w = w + core.pop(s) * features[s]
            core[t] = weight
        rounds, a = list(core), np.array(list(core.values()))
        norm = a @ K[np.ix_(rounds, rounds)] @ a + w @ w if rounds else w @ w
        if norm > ball:
            core = {s: a * np.sqrt(ball / norm) for s, a in core.items()}
            w = w * np.sqrt(ball / norm)
    return np.array(predictions)


def bogd(K, y, derivative, eta, budget, shrinkage=0.0, cap=1.0):
    rng, atoms, predictions = np.random.default_rng(9), [], []
    for t in range(len(K)):
        predictions.append(sum(a * K[s, t] for s, a in atoms))
        weight = -eta * derivative(predictions[-1], y[t])
        atoms = [(s, a * (1.0 - eta * shrinkage)) for s, a in atoms]
        if not weight:
            continue
        if len(atoms) == budget:
            place = rng.integers(budget)
            atoms[place] = atoms[-1]
            atoms = [(s, a * budget / (budget - 1)) for s, a in atoms[:-1]]
        atoms.append((t, weight))
        atoms = [(s, max(-cap, min(cap, a))) for s, a in atoms]
    return np.array(predictions)


def bsgd(X, y, strength, budget, kernel, merge=None):
    atoms, predictions = [], []  # (point, coefficient), the oldest first
    for t in range(1, len(X) + 1):
        x, label = X[t - 1], y[t - 1]
        points, a = np.array([p for p, _ in atoms]).reshape(-1, 2), np.array([w for _, w in atoms])
        predictions.append(float(a @ kernel(points, x[np.newaxis])[:, 0]))
        atoms = [(p, w * (1 - 1 / t)) for p, w in atoms]
        if label * predictions[-1] < 1 - 1e-10:
            atoms.append((x, label / (strength * t)))
        if len(atoms) > budget:
            sizes = [abs(w) for _, w in atoms]
            light = next(i for i, size in enumerate(sizes) if size <= min(sizes) * (1 + 1e-9))
            x1, a1 = atoms.pop(light)
            if merge is not None:
                atoms = merge(atoms, x1, a1, kernel)
    return np.array(predictions)


def merge_by_brute_force(atoms, x1, a1, kernel):
    options = []
    for i, (x2, a2) in enumerate(atoms):
        between = float(kernel(x1[np.newaxis], x2[np.newaxis])[0, 0])
        h = best_share_by_brute_force(a1, a2, between)
        weight = float(a1 * between ** ((1 - h) ** 2) + a2 * between ** (h**2))
        options.append((max(a1**2 + a2**2 + 2 * a1 * a2 * between - weight**2, 0.0), i, h * x1 + (1 - h) * x2, weight))
    smallest = min(option[0] for option in options)
    _, partner, z, weight = next(option for option in options if option[0] <= smallest * (1 + 1e-9) + 1e-12 * a1**2)
    return [*atoms[:partner], *atoms[partner + 1 :], (z, weight)]


def best_share_by_brute_force(a, b, kernel):
    """Return the h with the largest |a k^((1 - h)^2) + b k^(h^2)|, where k is `kernel`.

    A grid gives an approximate h, and the root of the derivative between its neighbours the exact one.
    """
    L = -np.log(max(kernel, 1e-300))
    grid = np.linspace(0.0, 1.0, 4001) if a * b >= 0 else np.linspace(-5.0, 0.0, 20001)
    values = np.abs(a * np.exp(-L * (1 - grid) ** 2) + b * np.exp(-L * grid**2))
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]

    def slope(h):
        return a * (1 - h) * np.exp(-L * (1 - h) ** 2) - b * h * np.exp(-L * h**2)

    if slope(low) * slope(high) > 0:
        return float(grid[best])
    return brentq(slope, low, high, xtol=1e-15, rtol=1e-15)
