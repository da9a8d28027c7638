"""DualSVRG equals its algorithm in coefficient form: one coefficient for every point seen, nothing moved or cached."""

import numpy as np
import pytest

from arena import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.game.kernels import Gaussian
from arena.specs.building import build

ROUNDS = 180
BANDWIDTH = 0.6
COUNT = 12  # frequencies
SLOPES = {
    "smooth-hinge(tau=0.5)": lambda m: -min(max((1.0 - m) / 0.5, 0.0), 1.0),
    "logistic": lambda m: -1.0 / (1.0 + np.exp(m)),
    "squared-hinge": lambda m: -2.0 * max(0.0, 1.0 - m),
}
SMOOTHNESS = {"smooth-hinge(tau=0.5)": 2.0, "logistic": 0.25, "squared-hinge": 2.0}
SEQUENCES = ("random", "repeated", "rank one", "contrary")


def game(rounds=ROUNDS, loss="squared"):
    return Game(rounds=rounds, kernel=Gaussian(BANDWIDTH), loss=loss, regularisation=0.1, label_bound=2.0)


def sequence(kind, learner="dual-svrg(frequencies=12)"):
    rng = np.random.default_rng(len(kind))
    X, y = rng.uniform(-1, 1, (ROUNDS, 2)), rng.choice([-2.0, 2.0], ROUNDS)
    if kind == "repeated":
        which = rng.integers(0, 25, ROUNDS)
        return X[which], y[which]
    if kind == "rank one":
        return np.tile(X[0], (ROUNDS, 1)), np.where(np.arange(ROUNDS) % 2, 1.0, -1.0)
    if kind == "contrary":
        run = play(learner, "repeated(points=25, labels=contrary)", game=game(), seed=3, hindsight="none")
        return run.points, run.labels
    return X, y


def kernel_matrix(X, Z):
    return np.exp(-((X[:, np.newaxis] - Z[np.newaxis]) ** 2).sum(axis=2) / (2 * BANDWIDTH**2))


def explicit_features(X):
    frequencies = np.random.default_rng(9).standard_normal((COUNT, 2)) / BANDWIDTH
    return np.hstack([np.cos(X @ frequencies.T), np.sin(X @ frequencies.T)]) / np.sqrt(COUNT)


class Plain:
    """Theory B13, literally: coefficients over all rounds, where[i] says in which space point i lives."""

    def __init__(self, X, y, keep, *, loss, memory, period, rate=None, strength=0.1):
        slope, y = SLOPES[loss], np.sign(y)
        eta = 1.0 / (76.0 * SMOOTHNESS[loss]) if rate is None else rate
        kernels, features = kernel_matrix(X, X), explicit_features(X)
        fourier = features @ features.T
        w, u, past = np.zeros(len(X)), np.zeros(len(X)), []
        moved, self.core, self.checkpoint = np.zeros(len(X), dtype=bool), [], []
        self.predictions, self.sums, self.gaps = [], [], []
        for t in range(len(X)):
            inner = np.where(moved[:, np.newaxis], fourier, kernels)  # row i: the space where i lives
            self.predictions.append(w @ inner[:, t])
            self.gaps.append(abs(w @ kernels[:, t] - self.predictions[-1]))
            self.sums.append((np.abs(w).sum(), np.abs(w[moved]).sum()))
            self.checkpoint.append(u @ inner[:, t])
            if keep(X[self.core], X[t]):
                self.core.append(t)
            else:
                moved[t] = True
            v = np.zeros(len(X))
            v[t] = y[t] * (slope(y[t] * self.predictions[-1]) - slope(y[t] * self.checkpoint[-1]))
            remembered = range(max(0, t - memory + 1), t + 1)
            at_checkpoint = u @ np.where(moved[:, np.newaxis], fourier, kernels)
            for i in remembered:
                v[i] += slope(y[i] * at_checkpoint[i]) * y[i] / len(remembered)
            w = (w - eta * v) / (1.0 + eta * strength)
            past.append(w)
            if (t + 1) % period == 0:
                u = np.mean(past[-period:], axis=0)
                w = u
        self.moved, self.largest_gap = moved, np.abs(kernels - fourier).max()


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
    plain = Plain(X, y, keep, loss=loss, memory=memory, period=period, rate=0.1)
    by_replay, by_round = build("learner", spec), build("learner", spec)
    by_replay.begin(game(), np.random.default_rng(9))
    by_round.begin(game(), np.random.default_rng(9))
    replayed = [by_replay.replay(X[a:b], y[a:b]) for a, b in ((0, 1), (1, 150), (150, ROUNDS))]
    np.testing.assert_allclose(np.concatenate(replayed), plain.predictions, rtol=0, atol=1e-8)
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        assert by_round.predict(x) == pytest.approx(plain.predictions[t], abs=1e-8)
        if t % 40 == 0:
            assert by_round.peek(X[t : t + 2])[0] == pytest.approx(plain.predictions[t], abs=1e-8)
        by_round.update(x, label)
    evidence = by_replay.evidence()
    assert by_replay.dictionary_size == len(plain.core)
    np.testing.assert_array_equal(evidence["moved"], plain.moved)
    np.testing.assert_allclose(evidence["checkpoint_values"], plain.checkpoint, rtol=0, atol=1e-8)
    checkpoints = [min(t, memory) for t in range(period, ROUNDS + 1, period)]
    assert len(evidence["memory_values"]) == sum(checkpoints)


@pytest.mark.parametrize("kind", SEQUENCES)
def test_the_papers_settings_are_the_defaults(kind):
    X, y = sequence(kind)
    plain = Plain(X, y, lambda core, _: len(core) < 100, loss="smooth-hinge(tau=0.5)", memory=100, period=100)
    learner = build("learner", f"dual-svrg(frequencies={COUNT})")
    learner.begin(game(), np.random.default_rng(9))
    np.testing.assert_allclose(learner.replay(X, y), plain.predictions, rtol=0, atol=1e-8)


def test_memory_values_are_the_new_checkpoints_values_oldest_first():
    X, y = sequence("random")
    learner = build("learner", "dual-svrg(oracle=always-move, frequencies=12, memory=7, period=30, rate=0.1)")
    learner.begin(game(), np.random.default_rng(9))
    learner.replay(X[:60], y[:60])
    values = learner.evidence()["memory_values"][-7:]
    np.testing.assert_allclose(values, learner.peek(X[53:60]), rtol=0, atol=1e-12)  # w returned to the checkpoint


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("oracle", ["budget", "coverage", "always-move"])
def test_the_core_of_theorem_1_holds_on_any_sequence(kind, oracle):
    """|f - f_dual| <= sup|k - k~| sum of the moved coefficients, and all coefficients sum to at most 3 L / lambda."""
    X, y = sequence(kind)
    plain = Plain(X, y, ORACLES[oracle][1], loss="smooth-hinge(tau=0.5)", memory=20, period=25, rate=0.2, strength=0.3)
    everything, moved = np.array(plain.sums).T
    assert (everything <= 3.0 / 0.3).all()
    assert (np.array(plain.gaps) <= plain.largest_gap * moved + 1e-12).all()
    assert everything[-1] > 0.1


def test_its_own_loss_is_for_learning_and_the_games_for_judging():
    X, y = sequence("random")
    learners = [build("learner", "dual-svrg(frequencies=12)") for _ in range(2)]
    for learner, loss in zip(learners, ("squared", "hinge"), strict=True):
        learner.begin(game(loss=loss), np.random.default_rng(9))
    np.testing.assert_array_equal(learners[0].replay(X, y), learners[1].replay(X, y))
    assert play("dual-svrg", "alternating", rounds=50).loss > 0


@pytest.mark.parametrize("loss", ["hinge", "squared", "absolute"])
def test_a_loss_with_kinks_is_refused(loss):
    with pytest.raises(ArenaError, match=f"loss is {loss}.*smooth-hinge"):
        build("learner", f"dual-svrg(loss={loss})").begin(game(), np.random.default_rng(0))


def test_a_long_match_keeps_no_evidence():
    learner = build("learner", "dual-svrg(frequencies=5)")
    learner.begin(game(rounds=20_001), np.random.default_rng(0))
    learner.replay(*sequence("random"))
    assert learner.evidence() == {}


@pytest.mark.parametrize("strength", [1e-8, 1e8])
@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize("oracle", ["budget", "coverage", "always-move"])
def test_extreme_input_does_no_harm(strength, bandwidth, oracle):
    spec = f"dual-svrg(oracle={oracle}, frequencies=12, regularisation={strength})"
    for adversary, rounds in (("alternating", 5000), ("repeated(points=150, labels=contrary)", 400)):
        run = play(spec, adversary, rounds=rounds, kernel=Gaussian(bandwidth), hindsight="none")
        assert run.ended == "completed"
        assert np.isfinite(run.predictions).all()
