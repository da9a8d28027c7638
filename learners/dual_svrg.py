"""Variance-reduced gradient descent in two spaces: few atoms, and random Fourier features for the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from arena.arrays import GrowingArray
from arena.components.dual_vectors import CHECKPOINT, CURRENT, MEMORY, TOTAL, DualVectors, Memory
from arena.components.removals import RECORDED
from arena.components.sequential import SequentialLearner
from arena.components.transformer_oracles import AlwaysMoveOracle, BudgetOracle, CoverageOracle, TransformerOracle
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.losses import Loss, MarginLoss, SmoothHinge
from arena.record.theorem import Theorem
from arena.specs.parameters import parameter
from arena.theorems.dual_svrg import DualSvrgCoefficients, DualSvrgGap, DualSvrgIdentity


@dataclass
class DualSVRG(SequentialLearner[DualVectors]):
    """Variance-reduced descent with a memory and a checkpoint (Le et al. 2022, algorithm 1); O((|I| + D) d) a round.

    The gradient at the checkpoint u is averaged over the m latest rounds, and only its difference to that of w is
    stochastic; every n rounds u becomes the average of w. An oracle says whether a point stays as an atom or moves to
    Fourier features: `budget` keeps the first B for ever, `coverage` keeps a point farther than a radius from all
    others (as the paper's pseudo-code has it, its text says the opposite), `always-move` keeps none.

    It minimises (lambda / 2) |f|^2 + its own smooth margin loss, with y the label's sign, whatever the game's loss is.
    Unlike in the public code, frequencies have the kernel's spectrum, the slope of the smooth hinge is that of the
    loss, the regulariser shrinks both parts, w returns to u at a checkpoint, and the coverage radius is a distance, not
    its square (theory G).

    >>> from arena import play
    >>> int(play(DualSVRG(oracle="always-move"), "alternating", rounds=100).sizes[-1, 1])
    0
    """

    name: ClassVar[str] = "dual-svrg"
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
        """What holds on any sequence; the paper's rate is for independent draws."""
        own = (self.loss, self.regularisation, self.rate, self.memory, self.period)
        return (DualSvrgGap(*own), DualSvrgCoefficients(*own), DualSvrgIdentity(*own))

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Draw the frequencies; w = u = 0, nothing remembered."""
        if not isinstance(self.loss, MarginLoss) or math.isinf(self.loss.smoothness(math.inf, 1.0)):
            raise ArenaError(
                f"dual-svrg needs a margin loss without kinks, but loss is {self.loss.name}: "
                "use smooth-hinge(tau=0.5), logistic or squared-hinge"
            )
        self.eta = 1.0 / (76.0 * self.loss.smoothness(math.inf, 1.0)) if self.rate is None else self.rate
        self.decay = 1.0 / (1.0 + self.eta * (self.regularisation or game.regularisation))
        self.chooses = self._oracle()
        self.function = DualVectors(game, self.frequencies, self.chooses.capacity, rng)
        self.remembered = Memory(self.memory, game.dimension, self.function.embedding.dimension)
        self.round = 0
        self.recording = game.rounds <= RECORDED
        self.moved, self.checkpoint_values, self.memory_values = GrowingArray(), GrowingArray(), GrowingArray()

    def learn(self, i: int, prediction: float, y: float) -> None:
        """One step: lines 4 to 12 of the algorithm."""
        self.round += 1
        w, sign = self.function, float(np.sign(y))
        kept = self.chooses.keeps(w.atoms, w.atoms.next[i])
        place = w.join(i) if kept else None
        checkpoint_value = w.value(i, CHECKPOINT)
        slope = self._slope(prediction, sign)
        slope_at_checkpoint = self._slope(checkpoint_value, sign)
        if self.recording:
            self.moved.append(float(not kept))
            self.checkpoint_values.append(checkpoint_value)
        self._remember(i, place, sign, slope_at_checkpoint)

        w.step(CURRENT, MEMORY, -self.eta / len(self.remembered))
        w.add(CURRENT, i, place, -self.eta * (slope - slope_at_checkpoint))
        w.scale(CURRENT, self.decay)
        w.step(TOTAL, CURRENT, 1.0)
        if self.round % self.period == 0:
            self._checkpoint()

    def evidence(self) -> Mapping[str, Any]:
        """What the coefficients of all points follow from (theory E19), unless the match is a long one.

        For each round whether its point moved to Fourier features, and the checkpoint's value there; for each new
        checkpoint its values at the remembered points, the oldest first. And the frequencies.
        """
        if not self.recording:
            return {}
        names = ("moved", "checkpoint_values", "memory_values")
        recorded = {name: getattr(self, name).view().copy() for name in names}
        return {**recorded, "dual_frequencies": self.function.embedding.spectrum}

    def _oracle(self) -> TransformerOracle:
        if self.oracle == "budget":
            return BudgetOracle(self.budget)
        return CoverageOracle(self.radius) if self.oracle == "coverage" else AlwaysMoveOracle()

    def _slope(self, value: float, sign: float) -> float:
        """The derivative of loss(sign * value) in the value."""
        return self.loss.derivative_at(value, sign)

    def _remember(self, i: int, place: int | None, sign: float, slope: float) -> None:
        """The newest round enters the memory's mean gradient, the oldest leaves it."""
        w, memory = self.function, self.remembered
        if memory.full:
            w.add_remembered(MEMORY, memory, -memory.slopes[memory.oldest])
        memory.put(w.atoms.next[i], w.features(i), place, sign, slope)
        w.add(MEMORY, i, place, slope)

    def _checkpoint(self) -> None:
        """U becomes the average of w since the last checkpoint, w returns to it, the memory's gradients are renewed."""
        w, memory = self.function, self.remembered
        w.copy(CHECKPOINT, TOTAL, 1.0 / self.period)
        w.copy(CURRENT, CHECKPOINT, 1.0)
        w.copy(TOTAL, TOTAL, 0.0)
        values = w.at(memory.points, memory.features, CHECKPOINT)
        memory.slopes[: len(memory)] = self.loss.derivative(values, memory.signs)
        w.collect(MEMORY, memory)
        if self.recording:
            self.memory_values.extend(np.roll(values, -memory.oldest) if memory.full else values)
