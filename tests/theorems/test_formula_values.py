"""The formulas in LaTeX, evaluated by a small parser, equal the allowed values of the theorems."""

import re

import numpy as np
import pytest

from arena import play
from arena.specs import registry
from arena.theorems.formulas import parts

TOKEN = re.compile(r"\\[A-Za-z]+|\d+(?:\.\d+)?|[A-Za-z]|\S")
IGNORED = re.compile(r"\\left|\\right|\\,|\\ ")


class Reader:
    """A recursive-descent evaluator of LaTeX formulas; `names` has the values of names with their subscripts."""

    def __init__(self, latex, names):
        self.tokens, self.at, self.names = TOKEN.findall(IGNORED.sub(" ", latex)), 0, names

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=""):
        token = self.peek()
        assert not expected or token == expected, (token, expected, self.tokens)
        self.at += 1
        return token

    def value(self):
        found = self.sum()
        assert not self.peek(), self.tokens[self.at :]
        return found

    def sum(self):
        total = -self.product() if self.peek() == "-" and self.take() else self.product()
        while self.peek() in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self):
        total = self.power()
        while self.peek() and self.peek() not in [*"+-)]},", r"\rvert"]:
            total = total / self.power() if self.peek() == "/" and self.take() else total * self.power()
        return total

    def power(self):
        base = self.base()
        if self.peek() == "^":
            self.take()
            base = base ** (self.group() if self.peek() == "{" else float(self.take()))
        return base

    def group(self, opened="{", closed="}"):
        self.take(opened)
        found = self.sum()
        self.take(closed)
        return found

    def base(self):
        token = self.peek()
        if token in ("(", "["):
            return self.group(token, {"(": ")", "[": "]"}[token])
        if token == "{":
            return self.group()
        self.take()
        if token[0].isdigit():
            return float(token)
        if token == "\\frac":
            return self.group() / self.group()
        if token == "\\sqrt":
            return np.sqrt(self.group())
        if token == "\\log":
            if self.peek() == "\\det":
                self.take()
                return np.linalg.slogdet(self.base())[1]
            return np.log(self.power())
        if token == "\\operatorname":
            word = "".join(iter(lambda: self.take().strip("{}"), ""))
            assert word == "tr", word
            return np.trace(self.base())
        if token == r"\lvert":
            found = np.abs(self.sum())
            self.take(r"\rvert")
            return found
        if token == r"\max" and self.peek() == "(":
            self.take()
            first = self.sum()
            self.take(",")
            found = np.maximum(first, self.sum())
            self.take(")")
            return found
        if token in ("\\sum", "\\max"):
            self.subscript()
            return np.sum(self.product()) if token == "\\sum" else np.max(self.power())
        return self.name(token.lstrip("\\"))

    def subscript(self):
        if self.peek() != "_":
            return ""
        self.take()
        if self.peek() != "{":
            return self.take()
        inside = ""
        depth = 0
        while True:
            token = self.take()
            depth += {"{": 1, "}": -1}.get(token, 0)
            inside += token.replace("\\text", "").strip("{}")
            if not depth:
                return inside

    def name(self, letter):
        below = self.subscript()
        found = self.names[f"{letter}_{below}" if below else letter]
        if callable(found):
            self.take("(")
            given = [self.sum()]
            while self.peek() == ",":
                self.take()
                given.append(self.sum())
            self.take(")")
            return found(*given)
        return found


def right_side(name):
    """Return the LaTeX between the first inequality sign of the theorem's formula and the next one."""
    first = next(text for text, is_math in parts(registry.find("theorem", name).formula) if is_math)
    return re.split(r"\\[lg]e(?![A-Za-z])", first)[1]


def names_of(run):
    """Return the values of the formulas' letters, computed from the transcript and dense matrices."""
    game, T = run.game, run.rounds
    K, lam, eye = game.kernel.gram(run.points, run.points), game.regularisation, np.eye(run.rounds)
    mean, variance = np.zeros(T), np.zeros(T)
    for t in range(T):
        weights = np.linalg.solve(K[:t, :t] + lam * np.eye(t), K[:t, t]) if t else np.zeros(0)
        mean[t], variance[t] = weights @ run.labels[:t], K[t, t] - weights @ K[:t, t]
    return {
        "I": eye, "K_T": K, "lambda": lam, "B": game.label_bound, "C": game.clip, "T": float(T), "e": np.e,
        "s_t": 1 + variance / lam, "m_t": mean, "y_t": run.labels, "g_t": 2 * (run.predictions - run.labels),
        "x_t": None, "k": lambda *_: np.diag(K), "kappa": np.sqrt(np.diag(K).max()),
        "d_eff": lambda at: np.trace(K @ np.linalg.inv(K + at * eye)),
        "d_onl": lambda at: np.sum(1 - 1 / (1 + variance / at)),
    }  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return play("kernel-awv", "realisable", rounds=25, regularisation=0.7, label_bound=2.0)


BY_POINTS = ["awv-logdet", "awv-leverage", "awv-effective-dimension", "clipped-krr", "log-determinant-trace",
             "online-dimension", "greedy-labels"]  # fmt: skip


@pytest.mark.parametrize("name", BY_POINTS)
def test_bounds_by_the_points_are_what_the_formula_says(run, name):
    expected = Reader(right_side(name), names_of(run)).value()
    assert registry.find("theorem", name)().allowed(run)[-1] == pytest.approx(expected, rel=1e-6)


def test_orthogonal_points():
    run = play("krr", "orthogonal", rounds=8, dimension=8, kernel="linear", regularisation=0.5)
    allowed = registry.find("theorem", "orthogonal-points")().allowed(run)[-1]
    second = right_side("orthogonal-points").split("=")[1]  # it equals the first where all points are orthogonal
    assert Reader(second, names_of(run)).value() == pytest.approx(allowed, rel=1e-9)


@pytest.mark.parametrize("name", ["ogd", "ogd-ball"])
def test_gradient_descent(name):
    run = play("fgd(rate=0.1, shrinkage=0)", "drift", rounds=30)
    verdict = run.verdict(name)
    names = names_of(run) | {"eta": 0.1}
    steepest = float(np.max(np.abs(names["g_t"]) * np.sqrt(names["k"]())))
    names |= {"L": steepest, "U": 0.1 * steepest * np.sqrt(30.0)}
    assert verdict.allowed == pytest.approx(Reader(right_side(name), names).value(), rel=1e-9)


def test_followers():
    run = play("fgd(rate=0.1, shrinkage=0)", "alternating", rounds=20)
    share = run.predictions[1] / run.labels[0]
    names = {"B": 1.0, "T": 20.0, "a": share / (2 - share)}
    verdict = run.verdict("followers")
    assert verdict.allowed == pytest.approx(Reader(right_side("followers"), names).value(), rel=1e-9)
