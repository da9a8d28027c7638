"""`CheckedAdversary`, an adversary that is being checked, and the learners against which it plays."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.match import play
from arena.game.game import Game, require_game_and_seed
from arena.players.adversary import Adversary, as_adversary
from arena.players.learner import Learner
from arena.record.transcript import Transcript
from arena.specs.spelling import identity
from arena.testing.checks.check import CheckFailed
from arena.testing.checks.checked_learner import GAME, make
from arena.testing.checks.global_random_state import set_global_state

ROUNDS = 40


class CheckedAdversary:
    """An adversary to be checked, with the game and the seed of its matches."""

    def __init__(self, given: Any, game: Game | None = None, seed: int = 0):
        require_game_and_seed(game, seed)
        self.given = given
        self.any_game = game is None
        self.game = game or GAME
        self.seed = seed
        first = make("adversary", given)
        self.name = identity(given, first)
        self.home = type(first).__module__
        self.adversary = as_adversary(first)  # for its attributes; it never plays

    def fresh(self) -> Adversary:
        """Seed the global random states, and return a new adversary for one match."""
        set_global_state()  # so that `require_unused_global_state` can detect its use
        return as_adversary(make("adversary", self.given))

    def match(self, learner: Any = None, adversary: Any = None, game: Game | None = None) -> Transcript:
        """Play 40 rounds, and return the transcript.

        By default, a new copy of the adversary plays against a learner with large steps, in the game `self.game`.
        """
        opposing = adversary or self.fresh()
        playing = learner or Moving()
        return play(playing, opposing, game=game or self.game, rounds=ROUNDS, seed=self.seed, hindsight="none")


class Still(Learner):
    """A learner that always predicts zero."""

    def predict(self, x: Array) -> float:
        return 0.0

    def update(self, x: Array, y: float) -> None:
        pass


class Moving(Learner):
    """A learner that fits a linear function to the labels by large, normalised steps.

    After `turn` rounds it negates its predictions; with `turn` None it never negates them.
    """

    def __init__(self, turn: int | None = None):
        self.turn = turn

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        self.weights, self.rounds, self.clip = np.zeros(game.dimension + 1), 0, game.clip
        self.heard: list[tuple[bytes, float]] = []

    def predict(self, x: Array) -> float:
        value = float(np.clip(np.append(x, 1.0) @ self.weights, -self.clip, self.clip))
        return value if self.turn is None or self.rounds < self.turn else -value

    def update(self, x: Array, y: float) -> None:
        features = np.append(x, 1.0)
        self.weights += 0.5 * (y - float(features @ self.weights)) * features / (features @ features)
        self.rounds += 1
        self.heard.append((x.tobytes(), float(y)))


def require_same_moves(first: Transcript, second: Transcript, what: str, *, rounds: int = ROUNDS) -> None:
    """Raise `CheckFailed` if the two matches differ in a point or a label of the first `rounds` rounds.

    They also differ if one match ends earlier, or if both are forfeits for different reasons. The message begins with
    `what`.
    """
    if first.forfeit and second.forfeit and str(first.forfeit) != str(second.forfeit):
        raise CheckFailed(f"{what}: {first.forfeit}, then {second.forfeit}")
    for t in range(rounds):
        for kind, one, other in (("point", first.points, second.points), ("label", first.labels, second.labels)):
            ended = t >= len(one), t >= len(other)
            if not all(ended) and (any(ended) or not np.array_equal(one[t], other[t])):
                raise CheckFailed(f"{what}: the {kind} of round {t + 1} differs")
