"""Identities of learners hold for all parameters, and find mistakes that bounds do not find."""

import dataclasses
import importlib

import numpy as np
import pytest

from arena import ArenaError, play
from arena.components.evidence_log import RemovalLog
from arena.components.kernel_sums import BudgetedSum
from arena.components.two_spaces import DualFunction
from arena.specs.building import build
from arena.specs.variants import free_parameters, variant, variant_changes
from arena.theorems.kernel_recursions import spectrum_is_clear
from arena.theorems.recursions import projected
from arena_tests import FULL

ADVERSARIES = ("alternating", "drift", "repeated(points=7)", "contrarian(source=drift)", "near-duplicates")
LOSSES = ("squared", "logistic", "hinge", "absolute")
LEARNERS = ["fgd", "fogd", "bogd", "bsgd", "kons", "sketched-kons", "con-kons", "pros-n-kons", "b-kons", "ewa",
            "perceptron", "forgetron", "dual-sgd(budget=8, moved=3)", "pkawv-kors",
            "bsgd(maintenance=remove, budget=5)", "projectron", "projectron-pp(budget=4)",
            "sgd", "adagrad", "ftrl-proximal", "eg", "winnow", "ons", "pa", "pa-1", "pa-2", "nogd(budget=8)",
            "rbp(budget=4)", "clipped-krr", "batch-krr", "hedge", "follow-the-leader", "dual-svrg(oracle=coverage)",
            "pkawv(embedding=pivoted-cholesky)"]  # fmt: skip


FILES = (
    "arena.theorems.recursions",
    "arena.theorems.removals",
    "arena.theorems.samplers",
    "arena.theorems.projectrons",
    "arena.theorems.linear_recursions",
    "arena.theorems.kernel_recursions",
    "arena.theorems.expert_recursions",
    "arena.theorems.dual_svrg_oracles",
    "arena.theorems.chosen_points",
)


def own(run):
    return [each for each in run.promised if type(each).__module__ in FILES]


@pytest.mark.parametrize("seed", range(3))
def test_the_leader_is_known_where_a_later_loss_is_many_times_as_large(seed):
    """Losses before a round are summed without the round's own loss, whose rounding would decide who leads."""
    game = {"loss": "logistic", "rounds": 15, "dimension": 3, "label_bound": 2.5e7}
    run = play("follow-the-leader", "repeated(points=20, labels=contrary)", seed=seed, **game)
    assert run.losses[1] > 1e11 * run.losses[0] > 0.0
    assert run.verdict("leader-identity").holds


@pytest.mark.parametrize("learner", ["kons(alpha=0.8, step=1.81)", "sketched-kons(step=1.81)", "con-kons", "b-kons"])
@pytest.mark.parametrize("box", [(0.0, 1000.0), (-1000.0, -500.0)])
def test_newton_steps_on_points_that_are_not_scaled(learner, box):
    """A step may lead 1e5 times beyond C; projected back, the weights keep the rounding error of the whole step."""
    for seed in range(8):
        game = {"rounds": 98, "dimension": 1, "box": box, "kernel": "linear", "label_bound": 0.001, "seed": seed}
        run = play(learner, "orthogonal", **game)
        assert not any(run.verdict(theorem).violated for theorem in own(run))


@pytest.mark.parametrize("learner", LEARNERS)
def test_they_hold_with_any_parameters(learner):
    built, rng, judged = build("learner", learner), np.random.default_rng(0), 0
    free = free_parameters(learner, built)
    for number in range(60 if FULL else 12):
        changed = variant(built, variant_changes(built, free, rng, number)) if free and number else built
        game = {
            "rounds": int(rng.choice([20, 60])),
            "dimension": int(rng.choice([1, 2, 5])),
            "loss": str(rng.choice(LOSSES)) if learner != "ewa" else "squared",
            "kernel": str(rng.choice(["gaussian", "gaussian(bandwidth=0.3)"])),
            "regularisation": float(10.0 ** rng.uniform(-2, 2)),
            "label_bound": float(rng.choice([0.1, 1.0, 5.0])),
        }
        try:
            run = play(changed, str(rng.choice(ADVERSARIES)), seed=number, **game)
        except ArenaError:  # parameters that do not go together
            continue
        for theorem in own(run):
            verdict = run.verdict(theorem)
            assert not verdict.violated, verdict
            judged += verdict.applicable
    assert judged >= (20 if FULL else 5)


@pytest.mark.parametrize("share", [0.99, 1.125, 1.3])
def test_recorded_factors_are_those_of_the_algorithm(share, monkeypatch):
    def shrink(self, factor, original=BudgetedSum.shrink):
        original(self, factor * share)

    def append(self, name, value, original=RemovalLog.append):
        original(self, name, value * share if name == "factors" else value)

    for rounds in (6, 40):  # before and after atoms are removed
        run = play("bogd(budget=8, rate=0.2)", "drift", rounds=rounds, kernel="gaussian(bandwidth=0.3)")
        assert run.verdict("removals-identity").holds
    monkeypatch.setattr(BudgetedSum, "shrink", shrink)
    monkeypatch.setattr(RemovalLog, "append", append)
    run = play("bogd(budget=100, rate=0.2)", "drift", rounds=40, kernel="gaussian(bandwidth=0.3)")
    assert run.verdict("removals-identity").violated


@pytest.mark.parametrize(
    ("learner", "field", "value"),
    [
        ("fgd(steps=square-root)", "rate", 0.9),
        ("fgd(shrinkage=0.3)", "shrinkage", 0.33),
        ("fgd(radius=0.5)", "radius", 0.55),
        ("fogd(frequencies=20)", "rate", 0.2),
        ("kons(alpha=2)", "alpha", 2.2),
        ("sketched-kons(step=0.3)", "step", 0.33),
        ("pros-n-kons(alpha=0.5)", "alpha", 0.55),
        ("forgetron(budget=3)", "budget", 4),
        ("pkawv-kors(mu=0.3)", "ridge", 0.33),
        ("con-kons(beta=0.5)", "beta", 0.55),
        ("pros-n-kons(beta=0.5)", "epsilon", 0.55),
        ("b-kons(max_size=3)", "limit", 4),
        ("dual-sgd(budget=5, moved=2)", "shrinkage", 1.1),
        ("sketched-kons(beta=0.5)", "beta", 0.55),
        ("bsgd(maintenance=remove, budget=3)", "budget", 4),
        ("projectron(threshold=0.5)", "threshold", 0.9),
        ("projectron-pp(threshold=0.9)", "threshold", 0.8),
    ],
)
def test_a_parameter_that_is_a_little_wrong_is_seen(learner, field, value):
    run = play(learner, "repeated(points=7)", rounds=60, dimension=2)
    theorem = next(each for each in own(run) if hasattr(each, field))
    assert run.verdict(theorem).holds
    assert run.verdict(dataclasses.replace(theorem, **{field: value})).violated


def test_other_weights_of_experts_are_seen():
    run = play("ewa", "drift", rounds=60)
    evidence = {**run.evidence, "expert_predictions": 0.99 * run.evidence["expert_predictions"]}
    assert run.verdict("ewa-identity").holds
    assert dataclasses.replace(run, evidence=evidence).verdict("ewa-identity").violated


def test_a_merger_that_is_not_the_best_is_seen():
    run = play("bsgd(budget=3)", "drift", rounds=60, dimension=2)
    assert run.verdict("best-mergers").holds
    weights = run.evidence["removed_weights"].copy()
    weights[2::3] *= 0.99
    evidence = {**run.evidence, "removed_weights": weights}
    assert dataclasses.replace(run, evidence=evidence).verdict("best-mergers").violated


def test_moving_another_atom_than_the_lightest_is_seen(monkeypatch):
    game = {"rounds": 60, "kernel": "gaussian(bandwidth=0.3)", "loss": "logistic"}
    assert play("dual-sgd(budget=5, moved=1)", "drift", **game).verdict("two-spaces-identity").holds
    lightest = DualFunction.lightest
    monkeypatch.setattr(DualFunction, "lightest", lambda self, count: lightest(self, count + 1)[1:])
    assert play("dual-sgd(budget=5, moved=1)", "drift", **game).verdict("two-spaces-identity").violated


def test_an_accepted_point_that_had_no_chance_is_seen():
    run = play("b-kons(max_size=3)", "drift", rounds=60)
    accepted = np.append(run.evidence["accepted"], 60.0)
    theorem = next(each for each in own(run) if each.name == "kors-identity")
    assert run.verdict(theorem).holds
    assert dataclasses.replace(run, evidence={**run.evidence, "accepted": accepted}).verdict(theorem).violated


@pytest.mark.parametrize("learner", ["perceptron", "forgetron"])
def test_a_mistake_that_is_not_noted_is_seen(learner):
    run = play(learner, "drift", rounds=60)
    (theorem,) = own(run)
    assert run.verdict(theorem).holds
    fewer = {"mistake_rounds": run.evidence["mistake_rounds"][:-1]}
    assert dataclasses.replace(run, evidence=fewer).verdict(theorem).violated


def test_removing_another_atom_than_the_lightest_is_seen(monkeypatch):
    spec, game = "bsgd(maintenance=remove, budget=3)", {"rounds": 60, "kernel": "polynomial(degree=2)"}
    assert play(spec, "drift", **game).verdict("lightest-removed").holds
    monkeypatch.setattr(BudgetedSum, "lightest", lambda _, sizes: int(np.argmax(sizes)))
    assert play(spec, "drift", **game).verdict("lightest-removed").violated


def test_predictions_of_denormal_size_are_rounding():
    """Kernel values of distant points underflow, so that terms of 1e-321 have only a few bits."""
    run = play("ewa", "repeated(points=40)", rounds=200, kernel="gaussian(bandwidth=0.01)")
    assert 0.0 < np.abs(run.predictions[1]) < np.finfo(float).tiny
    assert run.verdict("ewa-identity").holds


def test_nystrom_descent_that_never_learns_obeys_its_bounds_and_breaks_its_identity(monkeypatch):
    right = play("nogd", "alternating", rounds=40)
    monkeypatch.setattr(BudgetedSum, "put", lambda *_: None)
    wrong = play("nogd", "alternating", rounds=40)
    assert [each.violated for each in right.verdicts()] == [False, False, False]
    assert [each.violated for each in wrong.verdicts()] == [False, False, True]


@pytest.mark.parametrize(("choice", "change"), [
    ("coverage, radius=0.5", lambda moved: np.roll(moved, 1)),
    ("coverage, radius=0", lambda moved: np.zeros(len(moved))),  # a point that comes again is within any radius
    ("always-move", lambda moved: np.append(moved[:-1], 0.0)),
])  # fmt: skip
def test_another_choice_of_atoms_than_the_oracle_s_is_seen(choice, change):
    run = play(f"dual-svrg(oracle={choice}, frequencies=20)", "repeated(points=9)", rounds=30)
    name = f"dual-svrg-oracle(oracle={choice})"
    assert run.verdict(name).holds
    changed = dataclasses.replace(run, evidence={**run.evidence, "moved": change(run.evidence["moved"])})
    assert changed.verdict(name).violated


@pytest.mark.parametrize(
    ("learner", "theorem", "name", "files"),
    [
        ("ons", "ons-identity", "newton_rate", ["theorems.newton_steps", "learners.newton_steps"]),
        ("ons", "ons-identity", "newton_ridge", ["theorems.newton_steps", "learners.newton_steps"]),
        ("hedge", "hedge-identity", "hedge_rate", ["theorems.experts", "learners.experts"]),
        ("eg", "eg-identity", "exponentiated_rate", ["theorems.multiplicative", "learners.multiplicative"]),
    ],
)
def test_a_wrong_default_step_is_seen(learner, theorem, name, files, monkeypatch):
    """The learner and its bounds may share the default; the identity computes it by itself."""
    for module in [importlib.import_module(f"arena.{file}") for file in files]:
        right = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: 1.01 * right(*given))  # noqa: B023  both files have the same one
    run = play(learner, "repeated(points=5)", rounds=30, dimension=2)
    assert run.verdict(theorem).violated
    monkeypatch.undo()
    assert play(learner, "repeated(points=5)", rounds=30, dimension=2).verdict(theorem).holds


@pytest.mark.parametrize(("error", "clear"), [(0.0, True), (2e-13, True), (1e-9, False)])
def test_coordinates_that_are_rounding_errors_leave_epochs_clear(monkeypatch, error, clear):
    """An eigenvalue of 1.5e-15 of the largest, which some BLAS gives for 0, made points unclear that are all one."""
    run = play("b-kons", "alternating", rounds=200)
    assert len(run.evidence["accepted"]) > 1
    F = np.column_stack([np.ones(200), 0.5 * np.sqrt(error) * (-1.0) ** np.arange(200)])
    monkeypatch.setattr("arena.theorems.recursions.ambient", lambda _: F)
    assert projected(run)[1] == clear


@pytest.mark.parametrize("copies", [20, 200])
def test_the_spectrum_of_repeated_points_is_clear(copies):
    """Rounding errors of eigenvalues grow with their number, and on some machines exceed 1e-14 from 100 atoms on."""
    points = np.random.default_rng(0).uniform(-1, 1, size=(5, 2))
    run = play("zero", "alternating", rounds=3, kernel="gaussian(bandwidth=0.5)")
    run.evidence["atoms"] = np.repeat(points, copies, axis=0)
    assert spectrum_is_clear(run)
    run.evidence["atoms"] = np.vstack([points, points[:1] + 1e-5])
    assert not spectrum_is_clear(run)
