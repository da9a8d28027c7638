"""Learners and adversaries to be checked, and functions that play a learner round by round without the engine."""

from __future__ import annotations

import contextlib
import copy
import random
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from arena.arrays import Array
from arena.engine.match import play
from arena.errors import ArenaError, describe_error
from arena.game.game import Game, require_game_and_seed
from arena.guards.user_code import guarded, tolerated
from arena.players.adversary import Adversary, as_adversary
from arena.players.learner import Learner, UserLearner, as_learner, overrides
from arena.players.referee import SET_UP, Foul, ask, fouls_of, legal_prediction, legal_predictions
from arena.record.transcript import Transcript
from arena.specs.building import build, makes_players
from arena.specs.spelling import identity
from arena.specs.variants import free_parameters, variant, variant_changes
from arena.testing.checks.check import CheckFailed

GAME = Game(dimension=3, label_bound=1.5)
FEWEST_VARIANTS, MOST_VARIANTS = 6, 24
ELSEWHERE: tuple[dict[str, Any], ...] = (  # fields of the other games that differ from `GAME`
    {"kernel": "polynomial(degree=2)", "label_bound": 1.0},
    {"kernel": "gaussian(bandwidth=0.3)", "loss": "logistic", "label_bound": 1.0, "prediction_bound": 3.0},
    {"kernel": "linear(offset=1)", "loss": "hinge", "label_bound": 0.6},
    {"kernel": "gaussian(bandwidth=0.3)", "loss": "absolute"},
    {"kernel": "laplacian", "label_bound": 0.1, "regularisation": 0.2},
    {"kernel": "matern(smoothness=1.5)", "loss": "smooth-hinge", "prediction_bound": 0.5},
    {"kernel": "gaussian", "dimension": 1, "box": (-0.5, 2.0), "regularisation": 5.0, "prediction_bound": 2.0},
)
DIVERGED = 1e6  # a learner diverges if a prediction exceeds the label bound times this number
ROUNDS = 40  # of a match of an adversary
Kind = Literal["random", "repeated", "rank one", "corners"]
GLOBAL_SEED = 20_021  # a player that draws from a global state draws the same numbers in each run


class Subject:
    """A learner or an adversary to be checked, with the game and the seed of its matches.

    `given` is a spec, a class, a function that makes players, or an object, which is copied.
    """

    kind: ClassVar[str]

    def __init__(self, given: Any, game: Game | None = None, seed: int = 0):
        require_game_and_seed(game, seed)
        self.given, self.game, self.seed = given, game or GAME, seed
        self.first = self.made()  # for its attributes; it never plays
        self.name = identity(given, self.first)
        self.home = type(self.first).__module__

    def made(self) -> Any:
        """Return a new player."""
        if makes_players(self.given):
            return build(self.kind, self.given)
        advice = "give its class, its spec or a function that makes it"
        name = type(self.given).__name__
        with guarded(lambda error: ArenaError(f"{name} cannot be copied ({describe_error(error)}): {advice}")):
            return build(self.kind, copy.deepcopy(self.given))


class CheckedLearner(Subject):
    """A learner to be checked; a variant, a copy with other parameters, has a `number`."""

    kind = "learner"

    def __init__(self, given: Any, game: Game | None = None, seed: int = 0, *, number: int | None = None):
        super().__init__(given, game, seed)
        self.number, self.is_variant = number, number is not None
        self._default_game = self.game == GAME
        self.learner = as_learner(self.first)
        self.foresight = self.learner.foresight

    def variants(self) -> Iterator[CheckedLearner]:
        """Yield copies of the learner with other values of declared parameters that the user did not set.

        Copies that refuse the game, or whose predictions diverge, are left out.
        """
        free = free_parameters(self.given, self.first)
        rng = np.random.default_rng([self.seed, 2])
        for number in range(min(max(FEWEST_VARIANTS, 3 * len(free)), MOST_VARIANTS) if free else 0):
            changes = variant_changes(self.first, free, rng, number)
            with contextlib.suppress(ArenaError):
                subject = CheckedLearner(variant(self.first, changes), self.game, self.seed, number=number)
                if not subject.diverges():  # the step size of this variant may be too large
                    yield subject

    @property
    def is_built_in(self) -> bool:
        """True if the learner's class is in `learners/`."""
        return self.home.startswith("arena.learners.")

    @contextlib.contextmanager
    def in_game(self, game: Game) -> Iterator[None]:
        """Context manager: inside the block the checks play in this game."""
        before, self.game = self.game, game
        try:
            yield
        finally:
            self.game = before

    @property
    def other_games(self) -> list[Game]:
        """Games with other kernels and losses, in which some checks of a built-in learner are repeated.

        The list has one game if the subject is a variant (a copy with other parameters). It is empty if the learner is
        a user's, or if the user gave a game.
        """
        # a user's learner may have been written for one kernel and one loss
        if not (self._default_game and self.is_built_in):
            return []
        if self.number is None:
            return [self.game.replace(**changes) for changes in ELSEWHERE]
        # shifted after each pass through the games, so that every parameter is tried in all of them
        return [self.game.replace(**ELSEWHERE[(self.number + self.number // len(ELSEWHERE)) % len(ELSEWHERE)])]

    def diverges(self) -> bool:
        """Return whether some prediction in 80 rounds is NaN, or exceeds 1e6 times the label bound in absolute value.

        The result is false if the learner raises an exception.
        """
        X, y = self.sequence(80, "repeated")
        learner = self.begun(len(X))
        with tolerated():  # a wrong shape or an exception is reported by the checks
            with np.errstate(all="ignore"):
                raw = learner.replay(X, y)
            predictions = np.asarray(raw, dtype=float)
            return not bool((np.abs(predictions) <= DIVERGED * self.game.label_bound).all())
        return False

    def fresh(self) -> Learner:
        """Seed the global random states, and return a new learner for one match."""
        set_global_state()  # so that `require_unused_global_state` can detect its use
        return as_learner(self.made())

    def begin(self, learner: Learner, rounds: int) -> Learner:
        """Call the learner's `begin` for a match of `rounds` rounds; return the learner."""
        with fouls_of("learner", "begin", passing=SET_UP):
            learner.begin(self.game.replace(rounds=rounds), np.random.default_rng([self.seed, 1]))
        return learner

    def begun(self, rounds: int) -> Learner:
        """Return a new learner whose match of `rounds` rounds has begun."""
        return self.begin(self.fresh(), rounds)

    def midway(self, played: int = 13) -> tuple[Learner, Array, Array]:
        """Return a learner after `played` rounds, and the points and labels of the next 16 rounds."""
        X, y = self.sequence(played + 16)
        learner = self.begun(len(X))
        play_rounds(learner, X[:played], y[:played])
        return learner, X[played:], y[played:]

    def sequence(self, rounds: int, kind: Kind = "random", which: int = 0) -> tuple[Array, Array]:
        """Return points in the game's box, and labels B and -B with random signs.

        `kind` says where the points lie: anywhere, at five places, on the diagonal of the box ("rank one"), or in its
        corners. Different numbers `which` give different sequences.
        """
        game, rng = self.game, np.random.default_rng([self.seed, which])
        share = rng.uniform(size=(rounds, game.dimension))
        if kind == "repeated":
            share = share[rng.integers(5, size=rounds)]
        if kind == "rank one":
            share = np.repeat(share[:, :1], game.dimension, axis=1)
        if kind == "corners":
            share = np.round(share)
        X = np.clip(game.low + share * (game.high - game.low), game.low, game.high)
        return X, game.label_bound * rng.choice([-1.0, 1.0], size=rounds)

    def answers(self, X: Array, y: Array) -> Array:
        """Return the predictions of a new copy of the learner in the rounds with these points and labels."""
        return self.play(self.begun(len(X)), X, y)

    def play(self, learner: Learner, X: Array, y: Array) -> Array:
        """Return the learner's predictions in these rounds, which are played one by one.

        A learner with foresight gets all rounds in one call of `replay` instead.
        """
        return play_together(learner, X, y) if self.foresight else play_rounds(learner, X, y)

    def offers(self, method: str) -> bool:
        """Return whether the learner's class defines this method, such as `peek`, instead of inheriting the default."""
        learner = self.learner
        if method == "peek" and isinstance(learner, UserLearner):
            return hasattr(learner.given, "peek")
        return overrides(learner, method)

    def declared(self, attribute: str) -> Any:
        """Return the value of the learner's attribute with this name; None if there is no such attribute."""
        learner = self.learner
        return getattr(learner.given if isinstance(learner, UserLearner) else learner, attribute, None)


def predict(learner: Learner, x: Array) -> float:
    """Return the learner's prediction at a copy of this point; raise a foul if the prediction is not legal."""
    return legal_prediction(ask("learner", learner.predict, x.copy()))


def peek(learner: Learner, X: Array) -> Array:
    """Return the learner's predictions at copies of these points."""
    return legal_predictions(ask("learner", learner.peek, X.copy()), len(X), "peek")


def play_round(learner: Learner, x: Array, y: float) -> float:
    """Play one round and return the prediction; each method of the learner gets its own copy of the point."""
    ask("learner", learner.reveal, x.copy())
    prediction = predict(learner, x)
    ask("learner", learner.update, x.copy(), float(y))
    return prediction


def play_rounds(learner: Learner, X: Array, y: Array) -> Array:
    """Play these rounds one by one, and return the predictions."""
    predictions = np.empty(len(X))
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        try:
            predictions[t] = play_round(learner, x, label)
        except Foul as foul:
            raise Foul(foul.side, f"{foul.reason}, in round {t + 1}", foul.details) from foul
    return predictions


def play_together(learner: Learner, X: Array, y: Array) -> Array:
    """Play these rounds by one call of `replay`, and return the predictions."""
    return legal_predictions(ask("learner", learner.replay, X.copy(), y.copy()), len(X), "replay")


def needs_rounds(subject: CheckedLearner) -> str | None:
    """Return the reason why the learner cannot be played round by round; None if there is no reason."""
    return "it must know the whole sequence beforehand, so there are no rounds to check" if subject.foresight else None


def needs_own_replay(subject: CheckedLearner) -> str | None:
    """Return the reason to skip checks of `replay`; None if there is no reason.

    Learners with foresight are skipped, and learners that do not define `replay`.
    """
    return needs_rounds(subject) or (None if subject.offers("replay") else "it has no replay of its own")


class CheckedAdversary(Subject):
    """An adversary to be checked."""

    kind = "adversary"

    def __init__(self, given: Any, game: Game | None = None, seed: int = 0):
        super().__init__(given, game, seed)
        self.any_game = game is None
        self.adversary = as_adversary(self.first)

    def fresh(self) -> Adversary:
        """Seed the global random states, and return a new adversary for one match."""
        set_global_state()  # so that `require_unused_global_state` can detect its use
        return as_adversary(self.made())

    def match(self, learner: Any = None, adversary: Any = None, game: Game | None = None) -> Transcript:
        """Play 40 rounds, and return the transcript.

        By default, a new copy of the adversary plays against a learner with large steps, in the game `self.game`.
        """
        players = learner or Moving(), adversary or self.fresh()
        return play(*players, game=game or self.game, rounds=ROUNDS, seed=self.seed, hindsight="none")


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


@contextlib.contextmanager
def restored_global_state() -> Iterator[None]:
    """Context manager: saves the states of `random` and `numpy.random`, and restores them at the end of the block."""
    before, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(legacy)  # noqa: NPY002


def set_global_state() -> None:
    """Seed the global states of `random` and `numpy.random` with a fixed number."""
    random.seed(GLOBAL_SEED)
    np.random.seed(GLOBAL_SEED)  # noqa: NPY002


def require_unused_global_state() -> None:
    """Raise `CheckFailed` if anything drew from or seeded the global states of `random` and `numpy.random`.

    Uses before the last call of `set_global_state` do not count.
    """
    after = _global_state()
    set_global_state()
    if _global_state() != after:
        raise CheckFailed("it used the global random state: draw from the rng that begin receives")


def _global_state() -> tuple[Any, ...]:
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), kind, tuple(np.asarray(keys).tolist()), *rest
