"""Every registered theorem keeps the contract; a new one is tested as soon as it is registered."""

import dataclasses
import functools
import json
import re

import numpy as np
import pytest

from arena import play
from arena.papers.tightness import example, promised_by, theorem_names
from arena.record.judging import judge
from arena.record.verdict import Verdict
from arena.specs import registry
from arena.specs.building import build
from arena_tests import FULL

EVERY = sorted(registry.entries("theorem"))
TRUE = theorem_names()
LEARNERS = ["kernel-awv", "zero", "ewa", "pkawv", "pkawv-kors", "kons", "sketched-kons", "pros-n-kons", "perceptron",
            "projectron-pp", "forgetron", "fgd", "fogd", "dual-svrg"]  # fmt: skip

NEVER_APPLIES = """{name} has no example: it applies to none of the small matches of the learners that promise it.
- If no learner promises it with its default parameters, add one with others to THEORY_PARAMETERS in
  arena/papers/tightness.py;
- if it needs a special game or adversary, add one to LARGE there, for instance
    ExampleSetting("alternating", {{"kernel": "linear", "dimension": 1}}),"""
NOTHING_ASSUMED = """{name} assumes nothing. Return what it needs from its method `assumptions`;
if it holds in every match, say so in its class:
    assumes: ClassVar[tuple[str, ...]] = ("nothing: it holds in every match",)"""


class Stops:
    """A learner that predicts NaN in round 7, which is a foul."""

    def __init__(self):
        self.t = 0

    def predict(self, x):
        return 0.5 if self.t < 6 else float("nan")

    def update(self, x, y):
        self.t += 1


class Shouts(Stops):
    """A learner that predicts 1e60 in each round."""

    def predict(self, x):
        return 1e60


class NoMoves:
    """An adversary that ends the match before round 1."""

    def point(self, view):
        return None

    def label(self, view, x, prediction):
        return 0.0


def cut(run, rounds):
    """Return the match as if it was interrupted after `rounds` rounds, with the evidence of the whole match."""
    arrays = {name: getattr(run, name)[:rounds] for name in ("points", "labels", "predictions", "seconds")}
    return dataclasses.replace(run, **arrays, ended="interrupted")


@functools.cache
def matches():
    """Return matches of many kinds, by names that describe them."""
    fields = {"rounds": 20, "dimension": 2}
    runs = {f"{name}, {loss}": play(name, "repeated(points=4)", loss=loss, **fields)
            for name in LEARNERS for loss in ("squared", "hinge")}  # fmt: skip
    for name in LEARNERS:
        runs[f"{name}, one round"] = play(name, "alternating", rounds=1)
        runs[f"{name}, interrupted"] = cut(runs[f"{name}, squared"], 5)
        runs[f"{name}, no hindsight"] = play(name, "alternating", hindsight="none", **fields)
        runs[f"{name}, no evidence"] = dataclasses.replace(runs[f"{name}, squared"], evidence={})
    for loss in ("absolute", "logistic", "smooth-hinge", "squared-hinge", "epsilon-insensitive"):
        runs[loss] = play("kons", "alternating", loss=loss, **fields)
    runs["forfeit"] = play(Stops(), "alternating", **fields)
    runs["huge predictions"] = play(Shouts(), "alternating", **fields)
    runs["no kernel"] = play("kons", "alternating(at=[0, 0])", kernel="linear", **fields)
    runs["tiny lambda"] = play("kernel-awv", "alternating", regularisation=1e-14, **fields)
    runs["large lambda"] = play("kernel-awv", "alternating", regularisation=1e12, **fields)
    runs["large labels"] = play("kons", "alternating", label_bound=1e6, **fields)
    runs["small clip"] = play("kons", "alternating", prediction_bound=0.1, **fields)
    return runs


@pytest.mark.parametrize("name", EVERY)
def test_it_has_a_statement_and_a_citation(name):
    theorem = build("theorem", name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert theorem.quantity
    assert theorem.paper, f"{name}: name its paper in the class attribute `paper`"
    assert theorem.statement, f"{name}: state it in the class attribute `statement`"
    assert (type(theorem).__doc__ or "").strip().endswith((".", "."))
    assert 0.0 <= theorem.confidence <= 1.0
    assert build("theorem", theorem) == theorem
    hash(theorem)


@pytest.mark.parametrize("name", EVERY)
def test_it_judges_any_match_without_a_warning_or_an_exception(name):
    theorem = build("theorem", name)
    own = {"zero", "kons", *(spec.partition("(")[0] for spec in promised_by(name))}
    for which, run in matches().items():
        if not FULL and which.partition(",")[0] in set(LEARNERS) - own:  # the others lack the same evidence
            continue
        verdict = judge(run, theorem)
        assert isinstance(verdict, Verdict), which
        json.dumps(verdict.as_json())
        assert str(verdict).startswith(name)
        assert verdict.name == name
        assert run.verdict(theorem).outcome == (
            verdict.outcome if theorem.confidence == 1 and not theorem.in_expectation else "not applicable"
        )
        if not verdict.applicable:
            assert verdict.reason, which
            assert not all(each.holds for each in verdict.assumptions), which
            continue
        assert all(each.holds for each in verdict.assumptions), which
        for curve in (verdict.measured_curve, verdict.allowed_curve):
            assert curve.shape == (run.rounds,), which
            assert curve.dtype == float, which
        assert not np.isnan(verdict.allowed_curve).any(), which


@pytest.mark.parametrize("name", EVERY)
def test_no_round_no_verdict(name):
    for learner in ("zero", "pkawv-kors", "kons"):
        verdict = play(learner, NoMoves(), rounds=5).verdict(name)
        assert verdict.outcome == "not applicable"
        assert verdict.reason == "no round was played"


@pytest.mark.parametrize("name", EVERY)
def test_it_changes_nothing(name):
    run = matches()["pkawv-kors, squared"]
    before = [run.points.copy(), run.labels.copy(), {key: value.copy() for key, value in run.evidence.items()}]
    first, second = (judge(run, build("theorem", name)) for _ in range(2))
    assert first == second
    np.testing.assert_array_equal(run.points, before[0])
    np.testing.assert_array_equal(run.labels, before[1])
    for key, value in before[2].items():
        np.testing.assert_array_equal(run.evidence[key], value)


@pytest.mark.parametrize("name", TRUE)
def test_it_can_be_seen_at_work_and_holds_there(name):
    shown = example(name)
    assert shown is not None, NEVER_APPLIES.format(name=name)
    assert shown.command.startswith("arena play ")
    assert "violated" not in shown.verdict


@pytest.mark.parametrize("name", TRUE)
def test_assumptions_are_listed_without_a_match(name):
    theorem, shown = build("theorem", name), example(name)
    assert shown is not None, NEVER_APPLIES.format(name=name)
    assert theorem.assumes or theorem.assumptions(shown.run) or not promised_by(name), NOTHING_ASSUMED.format(name=name)
