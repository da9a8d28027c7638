"""KONS and related online Newton steps, with every matrix computed and inverted anew in each round."""

import numpy as np

from arena_tests.slow import kors


def on_features(F, y, derivative, *, ridge, bound, steps, kept=None):
    """Return the predictions of online Newton steps on features, and the energies g_t^2 f_t' A_t^-1 f_t.

    A, w and u are the matrix and the vectors of the paper; f_t is row t of F, and g_t the derivative in round t. Rounds
    in which `kept` is false do not change A.
    """
    A, u = ridge * np.eye(F.shape[1]), np.zeros(F.shape[1])
    predictions, energies = [], []
    for t, (f, label) in enumerate(zip(F, y.tolist(), strict=True)):
        inverse = np.linalg.inv(A)
        ahead, q = f @ u, f @ inverse @ f
        predictions.append(min(max(ahead, -bound), bound))
        w = u - (ahead - predictions[-1]) / q * inverse @ f if q > 0 else u
        g = float(derivative(predictions[-1], label))
        if kept is None or kept[t]:
            A = A + steps[t] * g**2 * np.outer(f, f)
        u = w - np.linalg.solve(A, g * f)
        energies.append(g**2 * f @ np.linalg.solve(A, f))
    return np.array(predictions), np.array(energies)


def one_shot(X, y, game, *, alpha, eta, kept=None, missing_coin=False):
    """Return the predictions of KONS or Sketched-KONS in the kernel form of theory B7 and B8, with the coefficients c.

    Rounds in which `kept` is false do not enter the matrix. With `missing_coin`, their coefficients are wrong: the
    factor `kept` is forgotten there.
    """
    K = game.kernel.gram(X, X)
    c, D, predictions = np.zeros(len(X)), np.zeros(len(X)), np.empty(len(X))
    for t in range(len(X)):
        k, past = K[:t, t], K[:t, :t]
        scaled = D[:t] * np.linalg.solve(D[:t, np.newaxis] * past * D[:t] + alpha * np.eye(t), D[:t] * k)
        q = (K[t, t] - k @ scaled) / alpha
        ahead = (k @ c[:t] - scaled @ past @ c[:t]) / alpha
        predictions[t] = min(max(ahead, -game.clip), game.clip)
        g = float(game.loss.derivative(predictions[t], y[t]))
        z = 1.0 if kept is None else float(kept[t])
        back = (ahead - predictions[t]) / q if q > 0 else 0.0
        c[t] = (1.0 if missing_coin else z) * eta * g**2 * predictions[t] - g - back
        D[t] = z * g * eta**0.5
    return predictions


def papers_form(X, y, game, *, alpha, eta):
    """Return the predictions of KONS in the kernel form of its paper, with the scaled coefficients b_t.

    The coefficients need g_t != 0. `K_bar` is the kernel matrix of the scaled gradients.
    """
    predictions, b, D = np.empty(len(X)), np.zeros(len(X)), np.zeros(len(X))
    K = game.kernel.gram(X, X)
    for t in range(len(X)):
        bar = D[:t] * K[:t, t]
        inverse = np.linalg.inv(D[:t, np.newaxis] * K[:t, :t] * D[:t] + alpha * np.eye(t))
        K_bar = D[:t, np.newaxis] * K[:t, :t] * D[:t]
        ahead = (bar @ b[:t] - bar @ inverse @ K_bar @ b[:t]) / alpha
        predictions[t] = min(max(ahead, -game.clip), game.clip)
        g = float(game.loss.derivative(predictions[t], y[t]))
        D[t] = g * eta**0.5
        left = D[t] ** 2 * K[t, t] - D[t] ** 2 * (K[:t, t] * D[:t]) @ inverse @ (D[:t] * K[:t, t])
        excess = ahead - predictions[t]
        b[t] = D[t] * (predictions[t] - alpha * excess / left) - 1 / eta**0.5
    return predictions


class InTheSpan:
    """Newton steps in the span of a KORS dictionary, as printed, except for the round after a restart (theory B9).

    The matrices are computed anew in each round.
    """

    def __init__(self, settings, game, seed=3):
        self.settings, self.game, self.rng = settings, game, np.random.default_rng(seed)
        self.I, self.p = np.empty((0, game.dimension)), np.empty(0)
        self.E, self.u, self.A = np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0))
        self.eta = settings.step or game.loss.curvature(game.clip, game.label_bound) / 2
        self.restarts, self.restarts_when_it_grows = [], hasattr(settings, "restart_on_duplicate")

    def embedding(self):
        values, vectors = np.linalg.eigh(self.game.kernel.gram(self.I, self.I))
        keep = values > 1e-12 * values.max()
        return (vectors[:, keep] / np.sqrt(values[keep])).T

    def accepts(self, x):
        coin = self.rng.random()
        if len(self.I) >= getattr(self.settings, "max_size", np.inf):
            return False, 0.0
        sampling = {"ridge": self.settings.gamma, "beta": self.settings.beta, "epsilon": self.settings.epsilon}
        probability = kors.probability(self.game.kernel, self.I, self.p, x, **sampling)
        return coin < probability, probability

    def play(self, X, y):
        predictions = np.empty(len(X))
        for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
            accepted, probability = self.accepts(x)
            predictions[t] = self.step(x, label)
            if accepted:
                self.join(x, probability, t + 1)
        return predictions

    def step(self, x, label):
        if not len(self.I):
            return 0.0
        f = self.E @ self.game.kernel.gram(self.I, x[np.newaxis])[:, 0]
        inverse = np.linalg.inv(self.A)
        ahead, bound = f @ self.u, self.game.clip
        prediction = min(max(ahead, -bound), bound)
        w = self.u - (ahead - prediction) / (f @ inverse @ f) * inverse @ f
        g = float(self.game.loss.derivative(prediction, label))
        self.A = self.A + self.eta * g**2 * np.outer(f, f)
        self.u = w - np.linalg.solve(self.A, g * f)
        return prediction

    def join(self, x, probability, number):
        old, E_old, alpha = self.I, self.E, self.settings.alpha
        self.I, self.p = np.vstack([self.I, x]), np.append(self.p, probability)
        self.E = self.embedding()
        size = len(self.E)
        grew = size > len(E_old)
        if self.restarts_when_it_grows and (grew or self.settings.restart_on_duplicate):
            self.u, self.A = np.zeros(size), alpha * np.eye(size)
            self.restarts.append(number)
            return
        T = self.E @ self.game.kernel.gram(self.I, old) @ E_old.T
        self.u = T @ self.u
        self.A = T @ self.A @ T.T + alpha * (np.eye(size) - T @ T.T)
