"""Shrinking in a process of its own, for each family of theorems and for each way in which the process may end."""

import os
import pickle
import time

import pytest

from arena import play
from arena.counterexamples import shrinking_and_keeping
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.engine.workers import Unanswered, attempt_in_own_process
from arena_tests.planted.around import Around


def off(p):
    return p + 0.3


def contrary(p):
    return -3 * p


VIOLATED = [  # of each file of theorems, one that such a mistake violates within a dozen rounds
    ("adagrad", contrary, "adagrad-norms"),
    ("adagrad", contrary, "adagrad-identity"),
    ("averaged-perceptron", contrary, "averaged-perceptron-identity"),
    ("kernel-awv", contrary, "awv-logdet"),
    ("kernel-awv", contrary, "at-most(regret=0.5)"),
    ("nogd", contrary, "nogd-identity"),
    ("krr", off, "ridge-identity"),
    ("perceptron", contrary, "perceptron-identity"),
    ("dual-svrg", off, "dual-svrg-identity"),
    ("eg", contrary, "eg"),
    ("b-kons", off, "epoch-logdet"),
    ("kons(dimension=3)", off, "newton-identity"),
    ("perceptron", contrary, "perceptron-mistakes"),
    ("dual-sgd", contrary, "two-spaces-identity"),
    ("fgd(steps=inverse, shrinkage=0.5)", contrary, "ogd-strongly-convex(shrinkage=0.5)"),
    ("fogd", contrary, "ogd-features"),
    ("ons", contrary, "ons-gradients"),
    ("pa", contrary, "pa-steps(steps=pa)"),
    ("pkawv", off, "pkawv-identity"),
    ("pkawv-kors", contrary, "pkawv-kors-regret"),
    ("projectron", off, "projectron-identity"),
    ("rls", contrary, "rls-identity"),
    ("rls", contrary, "rls-regret"),
    ("sgd(rate=0.01)", off, "sgd-river"),
]


@pytest.mark.usefixtures("counted_trials")
@pytest.mark.parametrize(("spec", "say", "theorem"), VIOLATED, ids=[row[2] for row in VIOLATED])
def test_a_violation_of_each_family_is_shrunk_in_its_own_process(spec, say, theorem):
    learner = Around(spec, say)
    runs = (play(learner, adversary, rounds=12) for adversary in ("far-point", "repeated(points=3)", "greedy"))
    worst = next(run for run in runs if run.verdict(theorem).violated)
    result = shrink_and_keep(learner, worst, theorem, budget=5.0, own_process=True)
    assert result.problem == ""
    assert result.shrunk.worst is worst
    assert result.shrunk.rounds <= 12
    assert result.shrunk.verdict.violated


def test_a_judged_match_can_be_pickled_and_both_ends_share_what_it_remembers():
    run = play("rls", "greedy", rounds=12)
    assert run.verdict("rls-identity").holds
    assert run.remembered
    assert run.at_end("favourable").remembered is run.remembered
    again = pickle.loads(pickle.dumps(run))
    assert again.verdict("rls-identity").holds


def test_the_learners_theorems_stay_in_this_process():
    worst = play("krr", "greedy", rounds=20)
    shrunk = shrink_and_keep("krr", worst, "awv-logdet", budget=10.0, own_process=True).shrunk
    assert shrunk.smallest.promised == worst.promised != ()


def test_only_a_failure_that_does_not_come_again_is_elusive(monkeypatch):
    worst = play("krr", "greedy", rounds=20)
    passes = shrink_and_keep("kernel-awv", worst, "awv-logdet", budget=10.0, own_process=True)
    assert passes.elusive
    assert "does not come again" in passes.problem

    def broken(*_, **__):
        raise pickle.PicklingError("no such function")

    monkeypatch.setattr(shrinking_and_keeping, "shrink", broken)
    raised = shrink_and_keep("krr", worst, "awv-logdet", budget=10.0, own_process=True)
    assert not raised.elusive
    assert "shrinking raised PicklingError: no such function" in raised.problem

    monkeypatch.setattr(shrinking_and_keeping, "shrink", lambda *_, **__: os._exit(9))
    died = shrink_and_keep("krr", worst, "awv-logdet", budget=10.0, own_process=True)
    assert not died.elusive
    assert died.problem == "shrinking has no result: its process ended (exit code 9)"


def test_an_attempt_in_its_own_process_returns_raises_or_says_why_there_is_no_answer():
    assert attempt_in_own_process(lambda: None, 10.0) is None
    with pytest.raises(ZeroDivisionError):
        attempt_in_own_process(lambda: 1 / 0, 10.0)
    with pytest.raises(Unanswered, match="longer than 0 s"):
        attempt_in_own_process(lambda: time.sleep(60), 0.01)


def test_too_little_time_is_not_taken_for_chance(tmp_path):
    worst = play("krr", "greedy", rounds=30)
    result = shrink_and_keep("kernel-awv", worst, "awv-logdet", budget=1e-6, store=Failures(tmp_path))
    assert "give a larger budget" in result.problem
    assert not result.elusive
    assert shrink("krr", worst, "awv-logdet", budget=1e-6).rounds <= 30
