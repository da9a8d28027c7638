"""The kernel Perceptron and its relatives, with one coefficient for each mistake.

The functions return the predictions and the rounds of the mistakes.
"""

import numpy as np


def perceptron(K, y, on_mistake):
    """Return the predictions and the rounds of the mistakes of a Perceptron with the update `on_mistake`.

    An atom is a pair of a round and a coefficient. `on_mistake(atoms, t, sign, K, mistakes)` returns the new atoms;
    `mistakes` is the number of mistakes so far.
    """
    atoms, predictions, mistakes = [], [], []
    for t in range(len(K)):
        predictions.append(sum(a * K[s, t] for s, a in atoms))
        if y[t] and np.sign(y[t]) * predictions[-1] <= 1e-10:
            mistakes.append(t + 1)
            atoms = on_mistake(atoms, t, np.sign(y[t]), K, len(mistakes))
    return np.array(predictions), mistakes


def projectron(K, y, threshold, budget=None, aggressive=False):
    atoms, a, predictions, mistakes = [], np.empty(0), [], []
    for t in range(len(K)):
        predictions.append(float(a @ K[atoms, t]))
        sign, margin = np.sign(y[t]), np.sign(y[t]) * predictions[-1]
        if not sign or margin >= 1.0:
            continue
        coefficients = np.linalg.solve(K[np.ix_(atoms, atoms)], K[atoms, t])
        norm = float(coefficients @ K[atoms, t])
        distance = np.sqrt(max(1.0 - norm, 0.0))
        if margin <= 1e-10:
            mistakes.append(t + 1)
            if distance <= threshold or len(atoms) == budget:
                a = a + sign * coefficients
            else:
                atoms, a = [*atoms, t], np.append(a, sign)
        elif aggressive and norm > 0 and 1.0 - margin >= distance / threshold:
            hinge = 1.0 - margin
            step = min(hinge / norm, 2 * (hinge - distance / threshold) / norm, 1.0)
            a = a + sign * step * coefficients
    return np.array(predictions), mistakes
