"""The learner that is checked: how a new one is had, and how it plays without a referee looking on."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, describe_error
from arena.game.game import Game
from arena.players.learner import Guest, Learner, as_learner, overrides
from arena.players.referee import Foul, ask, legal_prediction, legal_predictions, prepare
from arena.specs.building import build
from arena.specs.grammar import Spec
from arena.specs.parameters import Configured
from arena.specs.spelling import identity
from arena.testing.checks.randomness import set_global_state
from arena.testing.checks.sequences import Kind, sequence

GAME = Game(dimension=3, label_bound=1.5)


def make(kind: str, given: Any) -> Any:
    """A new object of what was given: a spec, a class, a factory without arguments, or an object, which is copied."""
    plays = all(hasattr(given, method) for method in _METHODS[kind]) or isinstance(given, Configured)
    if isinstance(given, (str, Spec, type)):
        return build(kind, given)
    if callable(given) and not plays:
        return build(kind, given())
    try:
        return build(kind, copy.deepcopy(given))
    except ArenaError:
        raise
    except Exception as error:
        raise ArenaError(
            f"{type(given).__name__} cannot be copied ({describe_error(error)}): "
            "give its class, its spec or a function that makes it"
        ) from error


_METHODS = {"learner": ("predict",), "adversary": ("point", "label")}


class Subject:
    """A learner to be checked, in a game."""

    def __init__(self, given: Any, game: Game | None = None, seed: int = 0):
        self.given = given
        self.game = game or GAME
        self.seed = seed
        first = make("learner", given)
        self.name = identity(given, first)
        self.home = type(first).__module__
        self.learner = as_learner(first)  # to look at, never to play with
        self.foresight = self.learner.foresight

    def fresh(self) -> Learner:
        """A learner that has not begun, and the global random states in a known place."""
        set_global_state()
        return as_learner(make("learner", self.given))

    def begin(self, learner: Learner, rounds: int) -> Learner:
        """The learner in a match of so many rounds, before the first."""
        prepare("learner", learner.begin, self.game.replace(rounds=rounds), np.random.default_rng([self.seed, 1]))
        return learner

    def begun(self, rounds: int) -> Learner:
        """A new learner in a match of so many rounds, before the first."""
        return self.begin(self.fresh(), rounds)

    def midway(self, played: int = 13) -> tuple[Learner, Array, Array]:
        """A learner after some rounds, and rounds that are still to come."""
        X, y = self.sequence(played + 16)
        learner = self.begun(len(X))
        play_rounds(learner, X[:played], y[:played])
        return learner, X[played:], y[played:]

    def sequence(self, rounds: int, kind: Kind = "random", which: int = 0) -> tuple[Array, Array]:
        """Points and labels of the game."""
        return sequence(self.game, rounds, kind, [self.seed, which])

    def answers(self, X: Array, y: Array) -> Array:
        """The predictions of a new learner in these rounds, one by one unless it must see all of them first."""
        return self.play(self.begun(len(X)), X, y)

    def play(self, learner: Learner, X: Array, y: Array) -> Array:
        """Its predictions in these rounds, one by one unless it must see all of them first."""
        return play_together(learner, X, y) if self.foresight else play_rounds(learner, X, y)

    def offers(self, method: str) -> bool:
        """Whether it has a method of its own where a learner may have a slow or empty default."""
        learner = self.learner
        if method == "peek" and isinstance(learner, Guest):
            return hasattr(learner.guest, "peek")
        return overrides(learner, method)


def predict(learner: Learner, x: Array) -> float:
    """The learner's prediction at a copy of this point."""
    return legal_prediction(ask("learner", learner.predict, x.copy()))


def peek(learner: Learner, X: Array) -> Array:
    """The learner's predictions at copies of these points."""
    return legal_predictions(ask("learner", learner.peek, X.copy()), len(X), "peek")


def play_round(learner: Learner, x: Array, y: float) -> float:
    """One round; nothing that the learner is given is used again by anybody."""
    ask("learner", learner.reveal, x.copy())
    prediction = predict(learner, x)
    ask("learner", learner.update, x.copy(), float(y))
    return prediction


def play_rounds(learner: Learner, X: Array, y: Array) -> Array:
    """These rounds, one by one; the predictions."""
    predictions = np.empty(len(X))
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        try:
            predictions[t] = play_round(learner, x, label)
        except Foul as foul:
            raise Foul(foul.side, f"{foul.reason}, in round {t + 1}", foul.details) from foul
    return predictions


def play_together(learner: Learner, X: Array, y: Array) -> Array:
    """These rounds in one `replay`; the predictions."""
    return legal_predictions(ask("learner", learner.replay, X.copy(), y.copy()), len(X), "replay")
