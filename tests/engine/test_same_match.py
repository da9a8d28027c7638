"""Blocks and single rounds give the same match, `peek` changes nothing, and a match can be repeated."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arena
from arena import Game, Learner, play
from arena.specs.building import build
from arena.specs.registry import entries
from arena.testing import OneByOne
from arena_tests.players import Script

ROOT = Path(arena.__file__).parent.parent
LEARNERS = [name for name in sorted(entries("learner")) if not build("learner", name).foresight]
OBLIVIOUS = ("alternating", "repeated(points=7)", "repeated(points=7, labels=alternating)")


@pytest.mark.parametrize("name", LEARNERS)
def test_questions_change_nothing(name):
    """An adversary that calls `peek` before each round gets the same predictions as one that does not."""
    tosses_coins = type(build("learner", name)).reveal is not Learner.reveal

    class Peeker(OneByOne):
        def point(self, view):
            X = np.random.default_rng(view.round).uniform(-1, 1, size=(9, 2))
            assert np.array_equal(view.peek(X), view.peek(X))
            np.testing.assert_allclose(view.peek(X[3:4]), view.peek(X)[3:4], rtol=0, atol=1e-10)
            view.posterior(X)
            return super().point(view)

        def label(self, view, x, prediction):
            if not tosses_coins:  # a coin may have been tossed since, which `peek` does not know of
                assert view.peek(x[np.newaxis])[0] == pytest.approx(prediction, abs=1e-10)
            return super().label(view, x, prediction)

    quiet = play(name, OneByOne("repeated(points=7)"), rounds=40)
    peeked = play(name, Peeker("repeated(points=7)"), rounds=40)
    assert peeked.ended == "completed", peeked.forfeit
    np.testing.assert_allclose(peeked.predictions, quiet.predictions, rtol=0, atol=1e-12)


@pytest.mark.parametrize("adversary", OBLIVIOUS)
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("regularisation", [1e-3, 1.0])
def test_blocks_give_the_predictions_of_the_round_by_round_game(name, adversary, regularisation):
    fields = {"rounds": 150, "regularisation": regularisation, "seed": 3}
    blocks, rounds = play(name, adversary, **fields), play(name, OneByOne(adversary), **fields)
    assert np.array_equal(blocks.points, rounds.points)
    assert np.array_equal(blocks.labels, rounds.labels)
    np.testing.assert_allclose(blocks.predictions, rounds.predictions, rtol=0, atol=1e-8)
    np.testing.assert_allclose(blocks.regret, rounds.regret, rtol=0, atol=1e-7)


@pytest.mark.parametrize("rate", [0.5, 0.25])
def test_gradient_descent_that_forgets_everything_in_a_round_forgets_it_in_blocks(rate):
    """The factor 1 - eta lambda is 0, or so small that its powers underflow inside a block."""
    for shrinkage in (1.0 / rate, 0.999 / rate):
        spec = f"fgd(rate={rate}, shrinkage={shrinkage})"
        blocks = play(spec, "repeated(points=300)", rounds=700)
        rounds = play(spec, OneByOne("repeated(points=300)"), rounds=700)
        np.testing.assert_allclose(blocks.predictions, rounds.predictions, rtol=0, atol=1e-10)


def test_a_match_longer_than_a_block(monkeypatch):
    monkeypatch.setattr("arena.engine.match.BLOCK", 64)
    for name in LEARNERS:
        blocks = play(name, "repeated(points=5)", rounds=150)
        monkeypatch.setattr("arena.engine.match.BLOCK", 4096)
        whole = play(name, "repeated(points=5)", rounds=150)
        monkeypatch.setattr("arena.engine.match.BLOCK", 64)
        np.testing.assert_allclose(blocks.predictions, whole.predictions, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [*LEARNERS, "fgd(radius=1)"])
@pytest.mark.parametrize("moves", [0, 1, 64, 70, 128])
def test_an_adversary_that_runs_out_of_moves(monkeypatch, name, moves):
    """The moves may end at the edge of a block, so that the next block is empty."""
    monkeypatch.setattr("arena.engine.match.BLOCK", 64)
    known = [(np.full(2, 0.1 * (t % 7)), 1.0) for t in range(moves)]
    for oblivious in (True, False):
        run = play(name, Script(known, oblivious), rounds=500)
        assert run.forfeit is None
        assert run.ended == "exhausted"
        assert run.rounds == len(run.predictions) == len(run.seconds) == moves


@pytest.mark.parametrize("name", LEARNERS)
def test_objects_may_be_used_for_a_second_match(name):
    learner, adversary = build("learner", name), build("adversary", "repeated(points=5)")
    first = play(learner, adversary, rounds=30, seed=2)
    play(learner, adversary, rounds=17, seed=9, dimension=3)
    again = play(learner, adversary, rounds=30, seed=2)
    assert np.array_equal(first.points, again.points)
    assert np.array_equal(first.predictions, again.predictions)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("adversary", ["repeated(points=5)", "greedy(starts=8, polished=1, steps=2)"])
def test_the_global_random_state_is_neither_read_nor_changed(name, adversary):
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    before, plain = np.random.get_state(), random.getstate()  # noqa: NPY002
    first = play(name, adversary, rounds=12)
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert np.array_equal(before[1], after[1])
    assert before[2:] == after[2:]
    assert random.getstate() == plain
    np.random.seed(77)  # noqa: NPY002
    random.seed(77)
    assert np.array_equal(play(name, adversary, rounds=12).predictions, first.predictions)


def test_the_seed_matters_and_each_side_has_its_own_stream():
    drawn = {}

    class Draws(Learner):
        extra = 0

        def begin(self, game, rng):
            drawn["learner"] = rng.random(4)
            rng.random(self.extra)

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    class Throws(Script):
        def begin(self, game, rng):
            super().begin(game, rng)
            drawn["adversary"] = rng.random(4)

    play(Draws(), Throws([]), rounds=3, seed=5)
    first = dict(drawn)
    assert not np.array_equal(first["learner"], first["adversary"])
    play(Draws(), Throws([]), rounds=3, seed=5)
    assert all(np.array_equal(first[side], drawn[side]) for side in first)
    play(Draws(), Throws([]), rounds=3, seed=6)
    assert not any(np.array_equal(first[side], drawn[side]) for side in first)
    Draws.extra = 3  # a learner that needs more coins does not change the adversary's
    play(Draws(), Throws([]), rounds=3, seed=5)
    assert np.array_equal(first["adversary"], drawn["adversary"])


ELSEWHERE = """
import json, sys, arena
for words in json.load(sys.stdin):
    run = arena.play(*words, rounds=12, seed=4, game=arena.Game(dimension=3))
    print(json.dumps([run.points.tolist(), run.labels.tolist(), run.predictions.tolist(), run.regret.tolist()]))
"""


def test_another_process_plays_the_same_match_in_another_order():
    matches = [(name, adversary) for name in LEARNERS for adversary in ("repeated(points=5)", "greedy(starts=8)")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    answer = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=json.dumps(matches[::-1]),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    theirs = [json.loads(line) for line in answer.stdout.splitlines()]
    for (learner, adversary), other in zip(matches[::-1], theirs, strict=True):
        run = play(learner, adversary, rounds=12, seed=4, game=Game(dimension=3))
        for mine, got in zip((run.points, run.labels, run.predictions, run.regret), other, strict=True):
            assert mine.tolist() == got, (learner, adversary)
