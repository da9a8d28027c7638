"""Theorems on exact learners have the values of their formulas, and check their assumptions."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, play
from arena.record.theorem import ROUNDING
from arena.specs.building import build


@pytest.mark.parametrize(
    ("learner", "theorem"),
    [
        ("kernel-awv(regularisation=4)", "awv-leverage"),
        ("krr(regularisation=4)", "ridge-identity"),
        ("fgd(rate=0.3)", "ogd"),
    ],
)
def test_a_learner_with_its_own_parameter_is_judged_by_it(learner, theorem):
    run = play(learner, "greedy(starts=16, polished=0)", rounds=40)
    assert run.verdict(theorem).holds
    assert "4.0" in run.verdict(theorem).theorem or "0.3" in run.verdict(theorem).theorem


@pytest.mark.parametrize("regularisation", [None, 0.3])
def test_bounds_by_the_formulas_in_their_statements(regularisation):
    """Every allowed curve is computed again from dense matrices of every prefix."""

    class Mixed:
        oblivious = True

        def begin(self, game, rng):
            self.X, self.y = rng.uniform(-1, 1, size=(12, 2)), rng.uniform(-2, 2, size=12)

        def point(self, view):
            return self.X[view.round % 5]

        def label(self, view, x, prediction):
            return self.y[view.round - 1]

    run = play("fgd(rate=0.2)", Mixed(), rounds=12, label_bound=2.0, regularisation=0.7, kernel="polynomial")
    at = regularisation or 0.7
    K, t = run.game.kernel.gram(run.points, run.points), np.arange(1, 13)
    A = [K[:n, :n] + at * np.eye(n) for n in t]
    leverage = np.array([1 - at * np.linalg.inv(each)[-1, -1] for each in A])  # 1 / s_t = lambda (A^-1)_tt
    logdet = np.array([np.linalg.slogdet(each / at)[1] for each in A])
    dimension = np.array([np.trace(np.linalg.solve(each, K[: len(each), : len(each)])) for each in A])
    kappa = np.maximum.accumulate(K.diagonal())
    energy = np.cumsum(np.square(2 * (run.predictions - run.labels)) * K.diagonal())
    optimum = np.array(
        [at * run.labels[:n] @ np.linalg.solve(each, run.labels[:n]) for n, each in zip(t, A, strict=True)]
    )
    expected = {
        "awv-leverage": np.cumsum(leverage * run.labels**2),
        "awv-logdet": 4 * logdet,
        "awv-effective-dimension": 4 * dimension * np.log(np.e + np.e * t * kappa / at),
        "clipped-krr": 16 * np.cumsum(leverage),
        "ridge-identity": np.zeros(12),
    }
    for name, bound in expected.items():
        theorem = build("theorem", name if regularisation is None else f"{name}(regularisation={regularisation})")
        np.testing.assert_allclose(theorem.allowed(run), bound, rtol=1e-9, atol=1e-12)
        if name not in ("ridge-identity",):
            regret = np.cumsum(np.square(run.predictions - run.labels)) - optimum
            np.testing.assert_allclose(theorem.measured(run), regret, rtol=1e-8, atol=1e-9)
    ogd = build("theorem", "ogd(rate=0.2)")
    np.testing.assert_allclose(ogd.allowed(run), 0.1 * energy, rtol=1e-12)
    np.testing.assert_allclose(ogd.measured(run), run.regret_against(2.5))
    assert build("theorem", "ogd").allowed(run)[-1] == pytest.approx(energy[-1] / 2 / np.sqrt(12) / 9)  # k(x, x) <= 9


# ---- assumptions


SQUARED = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "ridge-identity", "clipped-krr", "ogd-ball"]


@pytest.mark.parametrize("theorem", SQUARED)
def test_another_loss(theorem):
    verdict = play("fgd", "alternating", rounds=5, loss="absolute").verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "the loss is squared (it is absolute)" in verdict.reason


@pytest.mark.parametrize("theorem", SQUARED)
def test_no_hindsight(theorem):
    verdict = play("zero", "alternating", rounds=5, hindsight="none").verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "the best predictor in hindsight was computed" in verdict.reason
    assert "switched off" in verdict.reason


@pytest.mark.parametrize("theorem", SQUARED[:-1])
def test_a_lambda_that_drowns_in_rounding_errors(theorem):
    """With a smaller lambda all digits of the comparator would be wrong, and correct learners would be accused."""
    run = play("zero", "alternating", rounds=50, regularisation=1e-15)
    reason = run.verdict(theorem).reason
    assert reason.startswith("lambda stands out of the rounding errors (1e-15, but 1.1e-13 is needed)")
    assert run.verdict(f"{theorem}(regularisation=1)").applicable
    assert play("zero", "alternating", rounds=50, regularisation=1e-12).verdict(theorem).applicable
    steep = play(
        "zero", "alternating(at=[1])", rounds=50, dimension=1, kernel="polynomial(degree=40)", regularisation=1e-3
    )
    assert not steep.verdict(theorem).applicable


@pytest.mark.parametrize("regularisation", [1e-12, 1e-10, 1e-8])
@pytest.mark.parametrize("adversary", ["alternating", "repeated(points=5)", "repeated(points=5, labels=contrary)"])
def test_no_false_alarm_at_a_small_lambda(adversary, regularisation):
    """The identity of clipped-krr may be not applicable, since its linear system is badly conditioned."""
    for learner in ("kernel-awv", "krr", "clipped-krr"):
        run = play(learner, adversary, rounds=300, regularisation=regularisation)
        assert all(each.holds or each.theorem == "clipped-krr-identity" for each in run.verdicts())
        run.comparator.exact.clear()  # as after a file is loaded: nothing of the learner's own factor is left
        assert all(each.holds or each.theorem == "clipped-krr-identity" for each in run.verdicts())


@pytest.mark.parametrize("theorem", ["awv-logdet", "awv-effective-dimension", "clipped-krr"])
def test_labels_beyond_the_bound(theorem):
    run = play("zero", "alternating", rounds=5, label_bound=2.0)
    cut = dataclasses.replace(run, game=run.game.replace(label_bound=1.5))
    verdict = cut.verdict(theorem)
    assert verdict.outcome == "not applicable"
    assert "labels within [-1.5, 1.5] (largest 2)" in verdict.reason
    assert [each.holds for each in verdict.assumptions].count(False) == 1
    assert run.verdict(theorem).applicable


@pytest.mark.parametrize("theorem", ["awv-leverage", "ridge-identity", "ogd"])
def test_theorems_that_need_no_bound_on_the_labels(theorem):
    run = play("kernel-awv", "alternating", rounds=5, label_bound=2.0)
    assert dataclasses.replace(run, game=run.game.replace(label_bound=0.5)).verdict(theorem).applicable


def test_predictions_beyond_the_bound():
    class Loud:
        def predict(self, x):
            return 1.5

        def update(self, x, y):
            pass

    verdict = play(Loud(), "alternating", rounds=5).verdict("clipped-krr")
    assert verdict.outcome == "not applicable"
    assert "predictions within [-1, 1] (largest 1.5)" in verdict.reason
    clipped = play("clipped-krr", "alternating", rounds=5, prediction_bound=2.0, regularisation=1e-3)
    assert clipped.verdict("clipped-krr").applicable == (np.abs(clipped.predictions).max() <= 1.0)


def test_descent_promises_what_its_steps_allow():
    promised = {
        "fgd": ["ogd", "ogd-ball", "ogd-any-loss"],
        "fgd(shrinkage=0.1)": ["ogd-any-loss"],
        "fgd(radius=1)": ["ogd-projected"],
        "fgd(steps=inverse, shrinkage=0.1)": ["ogd-strongly-convex", "ogd-logarithmic"],
        "fgd(steps=inverse)": [],
        "fgd(steps=inverse, shrinkage=0.1, rate=1)": [],
        "fgd(steps=square-root)": [],
        "fgd(radius=1, shrinkage=0.1)": [],
    }
    for spec, names in promised.items():
        assert [theorem.name for theorem in build("learner", spec).theorems] == [*names, "descent-identity"], spec


def test_the_page_of_formulas_states_the_slack_of_the_code():
    """Section H of docs/theory.md has the share that is allowed for rounding."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "theory.md").read_text()
    hygiene = " ".join(page.partition("## H. ")[2].split())
    share = f"{ROUNDING:.0e}".replace("e-0", "e-")
    assert f"exceeded by more than {share} of itself plus {share} of the scale of what it bounds" in hygiene
    assert "`Theorem.scale`" in hygiene


@pytest.mark.parametrize("claim", ["none", "auto"])
def test_a_verdict_on_no_theorem_is_an_error(claim):
    """The learner `zero` promises no theorem."""
    with pytest.raises(ArenaError, match=f"one theorem, such as 'awv-logdet', but '{claim}' names none"):
        play("zero", "alternating", rounds=3).verdict(claim)
