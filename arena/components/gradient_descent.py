"""Gradient descent: its default step size, and descent with constant steps on the weights of given features."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy

from arena.arrays import Array
from arena.game.game import Game
from arena.game.kernels import Linear
from arena.game.losses import Loss, Squared

BLOCK = 48  # rounds whose features are multiplied with each other; larger blocks are slower


def gradient_rate(game: Game) -> float:
    """Return gradient descent's default step: 1 / sqrt(T), divided by the largest k(x, x) if that is above one.

    It is at most the step of `longest_step`.

    >>> gradient_rate(Game(rounds=100)), gradient_rate(Game(rounds=100, kernel="polynomial(degree=2)"))
    (0.1, 0.011111111111111112)
    """
    return min(float(game.rounds**-0.5), longest_step(game)) / largest_diagonal(game)


def longest_step(game: Game) -> float:
    """Return the longest step of gradient descent that does not diverge where k(x, x) <= 1.

    It is infinite if the slopes of the loss are bounded. A step eta changes the prediction at x by -eta g k(x, x),
    where g is the derivative of the loss at the prediction. If the derivative has the Lipschitz constant M, descent
    with eta > 2 / (M k(x, x)) overshoots further in every round, until the numbers overflow.

    >>> longest_step(Game()), longest_step(Game(loss="squared-hinge", label_bound=10)), longest_step(Game(loss="hinge"))
    (1.0, 0.01, inf)
    """
    if math.isfinite(game.loss.lipschitz(math.inf, game.label_bound)):
        return math.inf
    return 2.0 / game.loss.smoothness(game.clip, game.label_bound)


def linear_rate(game: Game) -> float:
    """Return gradient descent's default step for linear predictors with an intercept, whatever the game's kernel is.

    It is 1 / sqrt(T), divided by the largest |x|^2 + 1 in the box; x'z + 1 is the kernel of these predictors.

    >>> round(linear_rate(Game(rounds=100, dimension=1)), 9)
    0.05
    """
    return gradient_rate(game.replace(kernel=Linear(offset=1.0)))


def largest_diagonal(game: Game) -> float:
    """Return the largest k(x, x) in the game's box, or 1 if that is larger.

    For the kernels of this package k(x, x) is largest at the corner of the box farthest from the origin.
    """
    corner = np.where(np.abs(game.low) > np.abs(game.high), game.low, game.high)
    return max(float(game.kernel.diagonal(corner[np.newaxis])[0]), 1.0)


class LinearDescent:
    """Gradient descent with a constant step eta on the weights w of given features.

    In a round with the features f, the prediction is w'f. Then eta g f is subtracted from w, where g is the derivative
    of the loss at the prediction.

    >>> from arena.game.losses import Squared
    >>> descent = LinearDescent(np.zeros(1), Squared(), eta=0.25)
    >>> descent.replay(np.array([[1.0], [1.0]]), np.array([1.0, 1.0]), lambda X: X)
    array([0. , 0.5])
    """

    def __init__(self, weights: Array, loss: Loss, eta: float):
        self.weights, self.loss, self.eta = weights, loss, eta

    def at(self, features: Array) -> Array:
        """Return the prediction w'f for each row f of `features`, where w are the weights."""
        return np.asarray(features @ self.weights)

    def step(self, features: Array, y: float) -> None:
        """Play one round: subtract eta g `features` from the weights; g is the loss's derivative at the prediction."""
        self.weights -= self.eta * self.loss.derivative_at(float(features @ self.weights), y) * features

    def replay(self, X: Array, y: Array, embed: Callable[[Array], Array]) -> Array:
        """Play the rounds of `X` and `y`, and return the predictions; `embed` computes the features of rows of `X`."""
        blocks = [self._block(embed(X[i : i + BLOCK]), y[i : i + BLOCK]) for i in range(0, len(X), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def _block(self, features: Array, y: Array) -> Array:
        before, gram = self.at(features), features @ features.T
        solve = self._linear_recursion if isinstance(self.loss, Squared) else self._recursion
        predictions, steps = solve(before, gram, y)
        self.weights += steps @ features
        return predictions

    def _linear_recursion(self, before: Array, gram: Array, y: Array) -> tuple[Array, Array]:
        """Return a block's (predictions, steps) for squared loss: round i adds steps[i] * features[i] to the weights.

        `before` has the predictions that the weights at the block's start give for all its rounds. `gram` has the
        inner products of the rounds' features.
        """
        # the predictions p solve (I + P) p = before + P y, where P is `past`
        past = 2.0 * self.eta * np.tril(gram, -1)
        predictions = scipy.linalg.solve_triangular(
            past, before + past @ y, lower=True, unit_diagonal=True, check_finite=False
        )
        return predictions, -2.0 * self.eta * (predictions - y)

    def _recursion(self, predictions: Array, gram: Array, y: Array) -> tuple[Array, Array]:
        """Return a block's (predictions, steps) for any loss: round i adds steps[i] * features[i] to the weights.

        `predictions` has the predictions that the weights at the block's start give for all its rounds; it is changed
        in place. `gram` has the inner products of the rounds' features.
        """
        steps, derivative, eta = np.zeros(len(y)), self.loss.derivative_at, self.eta
        for i, label in enumerate(y.tolist()):
            slope = derivative(predictions.item(i), label)
            if slope:
                steps[i] = -eta * slope
                predictions[i + 1 :] += steps[i] * gram[i, i + 1 :]
        return predictions, steps
