"""Gradient descent on features compared with the RKHS: its bounds hold for all losses, and find planted mistakes."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import play
from arena.specs.building import build
from arena.theorems.descent_features import stand_ins
from arena.theorems.recomputed.subspaces import subspaces_of
from arena_tests import FULL, judging
from arena_tests.planted.around import Around

LOSSES = ["squared", "logistic", "hinge", "absolute"]
ADVERSARIES = ["alternating", "repeated(points=20)", "repeated(points=8, labels=contrary)", "realisable", "orthogonal"]
LEARNERS = ["fogd(frequencies=10, rate=0.3)", "fogd(frequencies=500)", "nogd(budget=8, rank=3)", "nogd(budget=12)"]
GAMES = [{"kernel": "gaussian(bandwidth=0.5)"}, {"label_bound": 3.0}]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_promises_are_kept(learner, loss):
    games = [{**game, "loss": loss} for game in GAMES]
    names = {theorem.name for theorem in build("learner", learner).theorems}
    for run in judging.matches(learner, ADVERSARIES, games, range(20 if FULL else 1), rounds=50):
        assert judging.names_that_hold([run]) == names


@pytest.mark.parametrize("learner", LEARNERS)
def test_stand_ins_by_their_definition(learner):
    run = play(learner, "repeated(points=9)", rounds=30, loss="logistic", kernel="gaussian(bandwidth=0.4)")
    K = run.game.kernel.gram(run.points, run.points)
    F = subspaces_of(run).coordinates
    few = stand_ins(run)
    assert few.kernel_error == pytest.approx(np.abs(F @ F.T - K).max())
    assert few.masses[0] == few.squared_norms[0] == 0.0
    assert len(few.masses) == 11
    for j in range(1, 11):
        assert few.squared_norms[j] <= few.masses[j] ** 2 + 1e-9
        assert (few.losses[:, j] >= 0).all()
    if "nogd" in learner:
        np.testing.assert_allclose(few.residuals**2, np.maximum(K.diagonal() - (F * F).sum(axis=1), 0.0), atol=1e-9)


@pytest.mark.parametrize("box", [(-1000.0, 0.0), (500.0, 1000.0), (-1e-3, 1e-3)])
def test_norms_of_comparators_on_points_that_are_not_scaled(box):
    """On a line, |f| is |f(x)| / |x| at every point x, although the coefficients of f cancel in A' K A."""
    run = play("nogd", "drawn", rounds=100, dimension=1, box=box, kernel="linear")
    found = stand_ins(run)
    farthest = int(np.abs(run.points[:, 0]).argmax())
    # the loss of f, and so |f(x)|, is known from the squared loss up to the sign of f(x) - y
    x, y = run.points[farthest, 0], run.labels[farthest]
    roots = np.sqrt(found.losses[farthest])
    gaps = np.minimum(*(np.abs(np.square((y + sign * roots) / x) - found.squared_norms) for sign in (1.0, -1.0)))
    assert (gaps <= 1e-9 * (found.squared_norms + (y / x) ** 2)).all()
    assert run.verdict("ogd-nystrom-rkhs").holds


@settings(max_examples=200 if FULL else 30)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from(LOSSES), nystrom=st.booleans())
def test_the_bound_holds_for_any_function(seed, loss, nystrom):
    """The functions have random coefficients, and some points are repeated."""
    rng = np.random.default_rng(seed)
    learner = "nogd(budget=6, rank=4, rate=0.2)" if nystrom else "fogd(frequencies=20, rate=0.2)"
    adversary = ["repeated(points=5)", "drift", "orthogonal"][seed % 3]
    run = play(learner, adversary, rounds=25, loss=loss, seed=seed, kernel="gaussian(bandwidth=0.5)")
    K, F = run.game.kernel.gram(run.points, run.points), subspaces_of(run).coordinates
    a = rng.normal(size=25) * rng.choice([0.01, 0.1, 1.0], size=25) * (rng.random(25) < 0.4)
    values, norm = K @ a, float(a @ K @ a)
    slopes = np.abs(run.game.loss.derivative(F @ (F.T @ a), run.labels))
    energy = 0.1 * np.sum(np.square(run.game.loss.derivative(run.predictions, run.labels)))
    if nystrom:
        missed = np.sqrt(np.maximum(K.diagonal() - (F * F).sum(axis=1), 0.0))
        allowed = norm / 0.4 + np.sqrt(max(norm, 0.0)) * (slopes @ missed)
    else:
        epsilon, mass = np.abs(F @ F.T - K).max(), np.abs(a).sum()
        allowed = (norm + epsilon * mass**2) / 0.4 + epsilon * mass * slopes.sum()
    regret = run.loss - float(np.sum(run.game.loss.value(values, run.labels)))
    assert regret <= allowed + energy + 1e-9


@pytest.mark.parametrize(
    "learner",
    ["fogd(frequencies=300)", "pkawv(embedding=taylor(degree=8))", "nogd(budget=12, rank=12)"],
)
def test_points_that_come_again_need_no_more_coordinates_than_there_are_points(learner, monkeypatch):
    """Otherwise 100,000 rounds with 2,000 features would need 4 GB."""
    run = play(learner, "repeated(points=9)", rounds=60)
    few = subspaces_of(run)
    assert few.coordinates.shape == (60, 9)
    monkeypatch.setattr("arena.theorems.recomputed.subspaces.FEW", 0)
    all_of_them = subspaces_of(play(learner, "repeated(points=9)", rounds=60))
    assert all_of_them.coordinates.shape[1] >= 9
    F, G = few.coordinates, all_of_them.coordinates
    np.testing.assert_allclose(F @ F.T, G @ G.T, atol=1e-12)
    assert (few.fixed, few.within) == (all_of_them.fixed, all_of_them.within)


# ---- planted mistakes


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("learner", "theorem"),
    [
        ("fogd(frequencies=300, rate=0.05)", "ogd-fourier-rkhs(rate=0.05)"),
        ("nogd(budget=12, rank=12, rate=0.05)", "ogd-nystrom-rkhs(rate=0.05)"),
        ("nogd(budget=12, rank=12, rate=0.05)", "ogd-features(rate=0.05)"),
    ],
)
def test_predictions_with_the_wrong_sign_violate_it(learner, theorem, loss):
    run = play(Around(learner, np.negative), "far-point", rounds=200, loss=loss)
    assert run.verdict(theorem).violated


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_predictions_with_the_wrong_sign_violate_ogd(loss):
    learner = Around("fgd(rate=0.05)", np.negative)
    assert play(learner, "far-point", rounds=200, loss=loss).verdict("ogd(rate=0.05)").violated


# ---- assumptions


def test_when_they_do_not_apply(monkeypatch):
    run = play("fgd", "alternating", rounds=5)
    assert "as evidence" in run.verdict("ogd-fourier-rkhs").reason
    fourier, nystrom = (play(name, "repeated(points=9)", rounds=20) for name in ("fogd", "nogd(budget=5)"))
    assert "frequencies as evidence" in nystrom.verdict("ogd-fourier-rkhs").reason
    assert "functions of the RKHS" in fourier.verdict("ogd-nystrom-rkhs").reason
    growing = play("pkawv-kors", "repeated(points=9)", rounds=30)
    assert "fixed beforehand" in growing.verdict("ogd-nystrom-rkhs").reason
    monkeypatch.setattr("arena.theorems.descent_features.MOST_ROUNDS", 10)
    assert "at most 10 rounds (there are 20)" in nystrom.verdict("ogd-nystrom-rkhs").reason


def test_they_need_no_hindsight():
    run = dataclasses.replace(play("fogd", "alternating", rounds=9), hindsight_mode="none")
    assert run.verdict("ogd-fourier-rkhs").holds
