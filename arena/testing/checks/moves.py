"""The moves of an adversary are legal, and the same seed gives the same ones."""

from __future__ import annotations

import contextlib

import numpy as np

from arena.errors import ArenaError
from arena.testing.checks import elsewhere
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.compare import same
from arena.testing.checks.opponent import ROUNDS, Opponent, same_moves
from arena.testing.checks.randomness import require_known_global_state, set_global_state

ODD_GAMES = (
    {"dimension": 1, "box": [3, 4], "label_bound": 0.1},
    {"dimension": 4, "kernel": "linear", "box": [[-1, 1], [0, 1], [2, 5], [-9, 0]]},
    {"dimension": 2, "kernel": "laplacian(bandwidth=0.01)", "regularisation": 1e-4},
)


@check("oblivious-never-looks")
def moves_are_legal(opponent: Opponent) -> None:
    """It raises nothing, its points stay in the box and its labels under the bound, in this game and in odd ones."""
    _legal(opponent.match())
    for fields in ODD_GAMES if opponent.any_game else ():
        with contextlib.suppress(ArenaError):  # its own dimension or loss: it says so, and that is fine
            _legal(opponent.match(game=opponent.game.replace(**fields)))


def _legal(run: object) -> None:
    forfeit = run.forfeit  # type: ignore[attr-defined]
    if forfeit:
        raise CheckFailed(f"{forfeit} (dimension {run.game.dimension}, box {run.game.box})")  # type: ignore[attr-defined]


@check("moves-are-legal")
def same_seed_same_moves(opponent: Opponent) -> None:
    """Two new adversaries with one seed make the same moves against the same learner."""
    same_moves(opponent.match(), opponent.match(), "two matches with one seed differ", points=ROUNDS, labels=ROUNDS)


@check("moves-are-legal", "same-seed-same-moves")
def begin_forgets(opponent: Opponent) -> None:
    """An adversary that is begun again makes the moves that a new one makes."""
    adversary = opponent.fresh()
    first = opponent.match(adversary=adversary)
    set_global_state()
    again = opponent.match(adversary=adversary)
    same_moves(first, again, "in its second match it moves otherwise", points=ROUNDS, labels=ROUNDS)


@check("moves-are-legal")
def global_random_state_is_untouched(opponent: Opponent) -> None:
    """It neither draws from nor seeds the global states of `random` and `numpy.random`."""
    opponent.match()
    require_known_global_state()


@check("moves-are-legal", "same-seed-same-moves", "global-random-state-is-untouched")
def same_moves_in_another_process(opponent: Opponent) -> None:
    """Another process, with other hashes of strings, sees the same moves."""
    there = elsewhere.call(
        _moves, elsewhere.portable(opponent.given, opponent.name, opponent.home), opponent.game, opponent.seed
    )
    run = opponent.match()
    if len(run.labels) != len(there):
        raise CheckFailed(f"here it played {len(run.labels)} rounds, in another process {len(there)}")
    same(np.column_stack([run.points, run.labels]).ravel(), there.ravel(), "this process and another one differ",
         tolerance=1e-9)  # fmt: skip


def _moves(given: object, game: object, seed: int) -> object:
    run = Opponent(given, game, seed).match()  # type: ignore[arg-type]
    return np.column_stack([run.points, run.labels])
