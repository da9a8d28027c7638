"""Candidates: the matches that a hunt tries, as data that can be changed and played again."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array, clearly_above, first_best
from arena.game.game import Game
from arena.game.losses import Squared
from arena.guards.user_code import tolerated
from arena.players.adversary import Adversary, as_adversary
from arena.players.moves import GivenMoves
from arena.players.view import View
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build


@dataclass(frozen=True, eq=False)  # == of two arrays is an array, not a truth value
class Script:
    """A sequence of points and labels that an adversary plays.

    `adaptive_signs` is a mask of the rounds with adaptive signs, or None if there are none. In such a round the
    adversary `AdaptiveSigns` chooses the label's sign after the prediction, and takes only the label's size from
    `labels`.
    """

    points: Array
    labels: Array
    adaptive_signs: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def first(self, rounds: int) -> Script:
        """Return a script with the first `rounds` rounds of this one."""
        adaptive_signs = None if self.adaptive_signs is None else self.adaptive_signs[:rounds]
        return Script(self.points[:rounds], self.labels[:rounds], adaptive_signs)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A match that a hunt tries: a game, and either the spec of an adversary or a script of moves.

    `kind` describes the moves for the user. With `stepwise`, the moves are played round by round; otherwise they are
    played in blocks, by the learner's `replay`. If `spite` is a theorem, the adversary is `Spiteful`, which may replace
    moves to bring the match closer to a violation of this theorem.
    """

    kind: str
    game: Game
    seed: int = 0
    adversary: str | None = None
    moves: Script | None = None
    stepwise: bool = True
    spite: Theorem | None = None

    def opponent(self) -> Adversary:
        if self.moves is None:
            return as_adversary(build("adversary", self.adversary))
        if self.spite is not None:
            return Spiteful(self.moves, self.spite)
        if self.moves.adaptive_signs is not None:
            return AdaptiveSigns(self.moves)
        return GivenMoves(self.moves.points, self.moves.labels, one_by_one=self.stepwise)

    @property
    def label(self) -> str:
        """The adversary's name in the transcript: the adversary's spec or, for a script, `kind` in angle brackets."""
        return f"<{self.kind}>" if self.adversary is None else self.adversary

    @property
    def rounds(self) -> int:
        """The number of rounds of the script; without a script, the horizon of the game."""
        return len(self.moves) if self.moves is not None else self.game.rounds

    def replace(self, **changes: Any) -> Candidate:
        return dataclasses.replace(self, **changes)


class AdaptiveSigns(GivenMoves):
    """Adversary that plays given moves; in some rounds it chooses the label's sign after the prediction.

    With the squared loss, it chooses the sign that makes the regret larger. With other losses, it chooses the opposite
    of the prediction's sign.
    """

    def __init__(self, moves: Script):
        super().__init__(moves.points, moves.labels, one_by_one=True)
        self.adaptive_signs = moves.adaptive_signs

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        super().begin(game, rng)
        self.game, self.squared = game, isinstance(game.loss, Squared)

    def label(self, view: View, x: Array, prediction: float) -> float:
        assert self.adaptive_signs is not None
        label = super().label(view, x, prediction)
        if not self.adaptive_signs[view.round - 1]:
            return label
        fair = 0.0
        if self.squared:
            # A label y changes the regret by -2 y (p - m / s), plus terms that do not depend on the sign of y. Here p
            # is the prediction, m and v are the comparator's mean and variance, and s = 1 + v / lambda.
            mean, variance = view.posterior(x[np.newaxis])
            fair = float(mean[0]) / (1.0 + float(variance[0]) / self.game.regularisation)
        tied = not clearly_above(abs(prediction - fair), 0.0, scale=self.game.label_bound)
        return label if tied else -abs(label) * float(np.sign(prediction - fair))


class Spiteful(Adversary):
    """Adversary that tries a few moves in each round, and plays the one with the largest measured - allowed.

    Measured and allowed are the values of `theorem` after the round. The points that it tries are the point of this
    round in the script `moves`, a random past point, and a point near this past point. The labels that it tries at each
    of these points are B, -B and the script's label of this round.
    """

    oblivious = False

    def __init__(self, moves: Script, theorem: Theorem):
        self.moves, self.theorem = moves, theorem

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.game, self.rng = game, rng
        self.chosen = 0.0

    def point(self, view: View) -> Array | None:
        t = view.round - 1
        if t >= len(self.moves):
            return None
        points = [self.moves.points[t]]
        if t:
            past = view.points[self.rng.integers(t)]
            sides = self.game.high - self.game.low
            near = past + 0.2 * sides * self.rng.standard_normal(self.game.dimension)
            points += [past, self.game.on_grid(near)]
        bound, own = self.game.label_bound, float(self.moves.labels[t])
        labels = (bound, -bound) if abs(own) == bound else (bound, -bound, own)
        predictions = view.peek(np.array(points))
        moves = [(x, y, float(p)) for x, p in zip(points, predictions, strict=True) for y in labels]
        x, self.chosen, _ = moves[first_best(np.array([self._excess(view, *move) for move in moves]))]
        return np.asarray(x)

    def label(self, view: View, x: Array, prediction: float) -> float:
        return self.chosen

    def _excess(self, view: View, x: Array, y: float, prediction: float) -> float:
        """Return measured - allowed of `self.theorem` after a round with this point, label and prediction.

        The result is -infinity if the difference is not finite, and 0 if the theorem raises an error.
        """
        t = view.round
        run = Transcript(
            learner="",
            adversary="",
            game=self.game,
            seed=0,
            points=np.concatenate([view.points, x[np.newaxis]]),
            labels=np.append(view.labels, y),
            predictions=np.append(view.predictions, prediction),
            seconds=np.zeros(t),
            sizes=np.empty((0, 2)),
        )
        with tolerated(), np.errstate(all="ignore"):  # the theorem may need evidence, which exists at the end only
            excess = float(self.theorem.measured(run)[-1] - self.theorem.allowed(run)[-1])
            return excess if np.isfinite(excess) else -np.inf
        return 0.0
