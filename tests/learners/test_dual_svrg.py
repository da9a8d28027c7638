"""DualSVRG equals its slow twin, which has one coefficient for every point and caches nothing."""

import numpy as np
import pytest

from arena import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena_tests.playing import assert_every_way, begun
from arena_tests.sequences import moves
from arena_tests.slow import gaussian
from arena_tests.slow.descent import features
from arena_tests.slow.dual_svrg import SLOPES, DualSvrg

ROUNDS = 180
BANDWIDTH = 0.6
COUNT = 12  # frequencies
SEQUENCES = ("random", "repeated", "one point", "contrary")


def game(rounds=ROUNDS, loss="squared"):
    return Game(rounds=rounds, kernel=Gaussian(BANDWIDTH), loss=loss, regularisation=0.1, label_bound=2.0)


def sequence(kind):
    learner = f"dual-svrg(frequencies={COUNT})"
    return moves(kind, ROUNDS, bound=2.0, learner=learner, game=game(), distinct=25)


def slow(X, y, keep, **settings):
    frequencies = np.random.default_rng(9).standard_normal((COUNT, 2)) / BANDWIDTH
    return DualSvrg(X, gaussian(X, X, BANDWIDTH), features(X, frequencies), y, keep, **settings)


ORACLES = {
    "budget": ("budget=15", lambda core, _: len(core) < 15),
    "coverage": ("radius=0.3", lambda core, x: all(np.sqrt(((x - c) ** 2).sum()) > 0.3 for c in core)),
    "coverage of many": ("radius=0.01", lambda core, x: all(np.sqrt(((x - c) ** 2).sum()) > 0.01 for c in core)),
    "always-move": ("budget=15", lambda *_: False),
}


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("loss", SLOPES)
def test_dual_svrg_is_its_algorithm(kind, oracle, loss):
    X, y = sequence(kind)
    setting, keep = ORACLES[oracle]
    memory, period = (37, 20) if kind != "repeated" else (10, 50)
    spec = (
        f"dual-svrg(oracle={oracle.split()[0]}, {setting}, loss={loss}, frequencies={COUNT}, memory={memory}, "
        f"period={period}, rate=0.1)"
    )
    plain = slow(X, y, keep, loss=loss, memory=memory, period=period, rate=0.1)
    chunks, _ = assert_every_way(spec, X, y, game(), plain.predictions)
    evidence = chunks.evidence()
    assert chunks.dictionary_size == len(plain.core)
    np.testing.assert_array_equal(evidence["moved"], plain.moved)
    np.testing.assert_allclose(evidence["checkpoint_values"], plain.checkpoint, rtol=0, atol=1e-8)
    checkpoints = [min(t, memory) for t in range(period, ROUNDS + 1, period)]
    assert len(evidence["memory_values"]) == sum(checkpoints)


@pytest.mark.parametrize("kind", SEQUENCES)
def test_the_defaults_are_the_papers_settings(kind):
    X, y = sequence(kind)
    plain = slow(X, y, lambda core, _: len(core) < 100, loss="smooth-hinge(tau=0.5)", memory=100, period=100)
    learner = begun(f"dual-svrg(frequencies={COUNT})", game())
    np.testing.assert_allclose(learner.replay(X, y), plain.predictions, rtol=0, atol=1e-8)


def test_memory_values_are_the_new_checkpoints_values_oldest_first():
    X, y = sequence("random")
    learner = begun("dual-svrg(oracle=always-move, frequencies=12, memory=7, period=30, rate=0.1)", game())
    learner.replay(X[:60], y[:60])
    values = learner.evidence()["memory_values"][-7:]
    np.testing.assert_allclose(values, learner.peek(X[53:60]), rtol=0, atol=1e-12)  # w returned to the checkpoint


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("oracle", ["budget", "coverage", "always-move"])
def test_the_core_of_theorem_1_holds_on_any_sequence(kind, oracle):
    """Random features change a prediction by at most sup |k - k~| times the sum of the moved coefficients.

    The coefficients of all points sum to at most 3 L / lambda.
    """
    X, y = sequence(kind)
    plain = slow(X, y, ORACLES[oracle][1], loss="smooth-hinge(tau=0.5)", memory=20, period=25, rate=0.2, strength=0.3)
    everything, moved = np.array(plain.sums).T
    assert (everything <= 3.0 / 0.3).all()
    assert (np.array(plain.gaps) <= plain.largest_gap * moved + 1e-12).all()
    assert everything[-1] > 0.1


def test_it_learns_from_its_own_loss_and_is_judged_by_the_games():
    X, y = sequence("random")
    learners = [begun("dual-svrg(frequencies=12)", game(loss=loss)) for loss in ("squared", "hinge")]
    np.testing.assert_array_equal(learners[0].replay(X, y), learners[1].replay(X, y))
    assert play("dual-svrg", "alternating", rounds=50).loss > 0


@pytest.mark.parametrize("loss", ["hinge", "squared", "absolute"])
def test_a_loss_with_kinks_is_refused(loss):
    with pytest.raises(ArenaError, match=f"loss is {loss}.*smooth-hinge"):
        begun(f"dual-svrg(loss={loss})", game())


def test_a_long_match_keeps_no_evidence():
    learner = begun("dual-svrg(frequencies=5)", game(rounds=20_001))
    learner.replay(*sequence("random"))
    assert learner.evidence() == {}
