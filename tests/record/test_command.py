"""The command that plays a match again gives the same match."""

import shlex
from dataclasses import fields

import numpy as np
import pytest

from arena import (
    Game,
    Laplacian,
    Transcript,
    play,
)
from arena.game.losses import Hinge
from arena.record.commands import play_command
from arena.specs.grammar import parse_spec
from arena_tests.players import EndsAtOnce, LeavesEvidence

GAMES = [
    Game(),
    Game(rounds=77),
    Game(dimension=5),
    Game(box=(-2, 3)),
    Game(dimension=2, box=[(0, 1), (-0.5, 1e-3)]),
    Game(label_bound=2.5),
    Game(prediction_bound=0.1),
    Game(kernel=Laplacian(bandwidth=1 / 3)),
    Game(regularisation=1e-7),
    Game(loss=Hinge()),
    Game(features=["temp", "a, b's"]),
]


def test_a_game_for_every_field():
    assert {field.name for game in GAMES for field in fields(Game) if getattr(game, field.name) != field.default} == {
        field.name for field in fields(Game)
    }


def read_back(command):
    """Return the learner, adversary, seed and game that the command line reads from a command."""
    program, verb, learner, adversary, *options = shlex.split(command)
    assert (program, verb) == ("arena", "play")
    given = dict(zip(options[::2], options[1::2], strict=True))
    seed = int(given.pop("--seed", 0))
    names = {"--" + field.name.replace("_", "-"): field.name for field in fields(Game)}
    values = {names[flag]: dict(parse_spec(f"game(value={text})").parameters)["value"] for flag, text in given.items()}
    return learner, adversary, seed, Game(**values)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game)[:0])
@pytest.mark.parametrize("seed", [0, 12])
@pytest.mark.parametrize("learner", ["fgd", "fgd(rate=0.1, steps=square-root)", "./my code/it's.py:Mine(word='a b')"])
def test_the_command_gives_back_learner_adversary_seed_and_game(game, seed, learner):
    nothing = np.empty(0)
    adversary = "alternating(at=[0.5, -0.5])"
    run = Transcript(learner, adversary, game, seed, nothing, nothing, nothing, nothing, nothing)
    assert read_back(play_command(run)) == (learner, adversary, seed, game)


def test_the_command_plays_the_same_match():
    run = play(
        "fgd(rate=0.3)", "repeated(points=3)", rounds=20, seed=5, box=[(0, 1), (0, 2)], kernel="linear(offset=0.5)"
    )
    learner, adversary, seed, game = read_back(play_command(run))
    again = play(learner, adversary, game=game, seed=seed)
    assert np.array_equal(run.points, again.points)
    assert np.array_equal(run.predictions, again.predictions)
    assert play_command(play("zero", "alternating")) == "arena play zero alternating"


def test_there_is_no_command_without_a_spec_of_both_sides():
    assert play_command(play(LeavesEvidence({"a": np.zeros(1)}), "alternating", rounds=2)) is None or "Tells" in str(
        play_command(play(LeavesEvidence(), "alternating", rounds=2))
    )

    class Local(LeavesEvidence):
        pass

    assert play_command(play(Local(), "alternating", rounds=2)) is None
    assert play_command(play("zero", EndsAtOnce(), rounds=2))
