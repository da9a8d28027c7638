"""Variance-reduced gradient descent with few atoms, and with random Fourier features for all other points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.components.base_classes import SequentialLearner
from arena.components.evidence_log import EvidenceLog
from arena.components.two_spaces import DualSpace, DualVector, Memory
from arena.errors import ArenaError
from arena.game.distances import squared_distances
from arena.game.game import Game
from arena.game.losses import Loss, MarginLoss, SmoothHinge
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.dual_svrg import DualSvrgCoefficients, DualSvrgGap, DualSvrgIdentity
from arena.theorems.dual_svrg_oracles import CoverageCore, OracleMoves


@dataclass
class DualSVRG(SequentialLearner[DualVector]):
    """Variance-reduced gradient descent with a memory and a checkpoint.

    The function w predicts. The memory has the m latest rounds, and u is the checkpoint. The gradient of round s at a
    function f is written g_s(f). In round t, w moves against g_t(w) - g_t(u) plus the mean of g_s(u) over the rounds s
    in the memory. Every n rounds, u and w are set to the mean of w over the last n rounds.

    A point x is represented by k(x, .) if it becomes an atom, and otherwise by its random Fourier features. The
    parameter `oracle` decides:

    - `budget`: the first points become atoms, as many as the budget;
    - `coverage`: a point farther than `radius` from all atoms becomes an atom, as in the pseudo-code of Le, Nguyen and
      Phung 2022 (their text says the opposite);
    - `always-move`: no point becomes an atom.

    The objective is (lambda / 2) |f|^2 + `loss`, where `loss` compares f(x) with the label's sign. The loss of the game
    is not used. The authors' public code does five things differently (theory G3). In this class

    - the frequencies are drawn from the kernel's spectrum;
    - the smooth hinge has its true derivative;
    - the weights of both atoms and features shrink;
    - w is set to u when u changes;
    - `radius` is a distance, not a squared distance.

    >>> from arena import play
    >>> run = play(DualSVRG(oracle="always-move"), "alternating", rounds=100)
    >>> int(run.sizes[-1, 1])  # atoms after the last round
    0
    """

    name: ClassVar[str] = "dual-svrg"
    formula: ClassVar[str] = (
        r"$w_t = \frac{w_{t-1} - \eta v_t}{1 + \eta \lambda}$, $v_t = g_t(w_{t-1}) - g_t(u) + \frac{1}{m} "
        r"\sum_{s > t - m} g_s(u)$, $g_s(w)$ the gradient of round $s$ at $w$, $u$ the checkpoint"
    )
    family: ClassVar[str] = "first order, budgeted"
    paper: ClassVar[str] = "Le, Nguyen and Phung 2022, algorithm 1"
    cost: ClassVar[str] = "O((|I| + D) d) time a round for |I| atoms, O((|I| + m) (d + D)) memory"
    memory_growth: ClassVar[str] = "constant"

    oracle: Literal["budget", "coverage", "always-move"] = parameter("budget", "which points stay as atoms")
    budget: int = parameter(100, "B, atoms that the budget oracle keeps", at_least=1)
    radius: float = parameter(1.0, "theta, the distance within which the coverage oracle moves a point", at_least=0)
    frequencies: int = parameter(200, "D, random frequencies (2 D features)", at_least=1)
    memory: int = parameter(100, "m, rounds that are remembered", at_least=1)
    period: int = parameter(100, "n, rounds between checkpoints", at_least=1)
    loss: Loss = parameter(SmoothHinge(), "a smooth margin loss: smooth-hinge(tau=0.5) or logistic")
    rate: float | None = parameter(None, "eta, the step (none: 1/(76 M), M the loss's smoothness)", above=0)
    regularisation: float | None = parameter(
        None, "lambda of (lambda / 2) |f|^2 + mean loss (none: the game's; its own objective has 2 lambda / T)", above=0
    )

    @property
    def theorems(self) -> Sequence[Theorem]:
        # these hold for every sequence; the paper's rate is for independent draws, and so not among them
        own = (self.loss, self.regularisation, self.rate, self.memory, self.period)
        core = (CoverageCore(self.radius),) if self.oracle == "coverage" and self.radius else ()
        moves = OracleMoves(self.oracle, self.budget, self.radius)
        return (DualSvrgGap(*own), DualSvrgCoefficients(*own), *core, moves, DualSvrgIdentity(*own))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        if not isinstance(self.loss, MarginLoss) or math.isinf(self.loss.smoothness(math.inf, 1.0)):
            raise ArenaError(
                f"dual-svrg needs a margin loss without kinks, but loss is {self.loss.name}: "
                "use smooth-hinge(tau=0.5), logistic or squared-hinge"
            )
        self.eta = 1.0 / (76.0 * self.loss.smoothness(math.inf, 1.0)) if self.rate is None else self.rate
        self.decay = 1.0 / (1.0 + self.eta * game.at(self.regularisation))
        capacity = {"budget": self.budget, "coverage": None, "always-move": 0}[self.oracle]
        self.space = DualSpace(game, self.frequencies, capacity, rng)
        # `function`, by which the base class predicts, is w, and `checkpoint` is u; `sum_of_w` adds up w since the last
        # checkpoint, and `sum_of_gradients` adds up the gradients in the memory
        self.function, self.checkpoint = self.space.zero(), self.space.zero()
        self.sum_of_w, self.sum_of_gradients = self.space.zero(), self.space.zero()
        self.remembered = Memory(self.memory, game.dimension, self.space.embedding.dimension)
        self.round = 0
        self.log = EvidenceLog(game, moved=(), checkpoint_values=(), memory_values=())

    def learn(self, i: int, prediction: float, y: float) -> None:
        """Update the learner's function w with the newest round.

        After every `period` rounds, w and the checkpoint u are set to the mean of w over these rounds. The point x_t of
        the round is row `i` of the current block, `prediction` is w(x_t), and `y` is the label. The code follows lines
        4 to 12 of algorithm 1 of Le, Nguyen and Phung (2022).
        """
        # below, [x_t] is k(x_t, .) if x_t became an atom, and otherwise the Fourier features of x_t
        self.round += 1
        w, u, space, sign = self.function, self.checkpoint, self.space, float(np.sign(y))
        # line 4: x_t becomes an atom, with a place, if Z_t = 0; `place` is None if Z_t = 1
        place = space.join(i) if self._stays(space.atoms.next[i]) else None
        value_of_u = u.value(i)
        slope, slope_of_u = (self.loss.derivative_at(value, sign) for value in (prediction, value_of_u))
        self._remember(i, place, sign, slope_of_u)
        # line 5: v_t = (slope - slope_of_u) [x_t] + the memory's mean gradient at u
        # line 6: w_t = (w_{t-1} - eta v_t) / (1 + eta lambda)
        w.add_vector(-self.eta / len(self.remembered), self.sum_of_gradients)
        w.add(-self.eta * (slope - slope_of_u), place, space.features[i])
        w.scale(self.decay)
        self.sum_of_w.add_vector(1.0, w)
        # line 7: every n rounds
        if self.round % self.period == 0:
            # line 8: u is the mean of w_{t-n+1}, ..., w_t
            u.assign(1.0 / self.period, self.sum_of_w)
            # line 10: w is set to u
            w.assign(1.0, u)
            # lines 9, 11 and 12: the sums for the new u
            self.sum_of_w.scale(0.0)
            self._renew_gradients()
        self.log.append("moved", float(place is None))
        self.log.append("checkpoint_values", value_of_u)

    def _stays(self, x: Array) -> bool:
        """Return whether the point becomes an atom: Z_t = 0 in algorithms 2 to 4 of Le, Nguyen and Phung (2022)."""
        atoms = self.space.atoms
        if self.oracle == "coverage":
            return not len(atoms) or bool(squared_distances(x[None], atoms.points).min() > self.radius**2)
        return not atoms.full

    def _remember(self, i: int, place: int | None, sign: float, slope: float) -> None:
        """Put the newest round into the memory, and add its gradient at the checkpoint u to the sum of gradients.

        If the memory is full, the oldest round leaves it. The newest round's point x is row `i` of the current block,
        and `sign` is the sign of its label. `place` is the index of the atom at x, None if x is no atom. `slope` is the
        derivative of the loss at u(x).
        """
        space = self.space
        self.remembered.forget_oldest(self.sum_of_gradients)
        self.remembered.put(space.atoms.next[i], space.features[i], place, sign, slope)
        self.sum_of_gradients.add(slope, place, space.features[i])

    def _renew_gradients(self) -> None:
        """Compute the gradient of each round in the memory at the new checkpoint, and the sum of these gradients."""
        memory, rows = self.remembered, self.remembered.rows
        values = self.checkpoint.at(memory.points[rows], memory.features[rows])
        memory.slopes[rows] = self.loss.derivative(values, memory.signs[rows])
        memory.collect(self.sum_of_gradients)
        self.log.extend("memory_values", memory.in_order(values))

    def evidence(self) -> Mapping[str, Any]:
        """Return arrays that determine the coefficients of all points (theory E19).

        In a match of more than 20,000 rounds the result is {}.

        - `moved`: for each round 1 if the point is represented by Fourier features, and 0 if it became an atom.
        - `checkpoint_values`: for each round t the value u(x_t), where u is the checkpoint at the start of the round.
        - `memory_values`: for each new checkpoint its values at the points in the memory, oldest point first.
        - `dual_frequencies`: the frequencies of the Fourier features.
        """
        return self.log.arrays(dual_frequencies=self.space.embedding.spectrum)
