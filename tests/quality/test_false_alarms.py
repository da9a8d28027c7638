"""No tool accuses a correct learner, with any seed: 1,000 runs with REGRET_ARENA_FULL=1, otherwise a few."""

import itertools

import pytest
from hypothesis import Phase, seed, settings

from arena import ArenaError
from arena.specs.building import build
from arena.specs.registry import entries
from arena.testing import assert_growth, assert_no_violation, assert_regret, check_learner, raise_on_failure
from arena.testing.stateful import learner_machine
from arena_tests import FULL

ONLINE = [name for name in entries("learner") if not build("learner", name).foresight]
PROMISING = [name for name in ONLINE if build("learner", name).theorems and name != "ewa"]
EXACT = ["kernel-awv", "krr", "clipped-krr", "fgd", "fogd", "kons", "pkawv-kors"]
OPPONENTS = ["alternating", "repeated(points=5)", "repeated(points=5, labels=contrary)", "drawn"]
LAWS = {  # of the alternating adversary at one point
    "kernel-awv": "log",
    "clipped-krr": "log",
    "pkawv": "log",
    "fgd": "sqrt",
    "fogd": "sqrt",
    "nogd(budget=20)": "sqrt",
    "fgd(steps=inverse)": "log",
}


def runs(full, few):
    """Return the seeds of the runs: `full` seeds at full size, otherwise `few`."""
    return range(full if FULL else few)


def in_turn(choices, number):
    return next(itertools.islice(itertools.cycle(choices), number, None))


@pytest.mark.parametrize("number", runs(400, 8))
def test_assert_regret(number):
    learner, opponent = in_turn(PROMISING, number), in_turn(OPPONENTS, number // len(PROMISING))
    loss = {} if number % 2 else {"label_bound": 0.5 + number % 7}
    try:
        assert_regret(learner, opponent, rounds=60, seed=number, **loss)
    except ArenaError as error:
        if "nothing was checked" not in str(error):  # its theorems are about another loss
            raise


@pytest.mark.parametrize("number", runs(200, 5))
def test_assert_growth(number):
    learner = in_turn(list(LAWS), number)
    assert_growth(learner, "alternating", at_most=LAWS[learner], rounds=512, seed=number)


@pytest.mark.parametrize("number", runs(200, 3))
def test_assert_no_violation(number):
    assert_no_violation(in_turn(EXACT[:4], number), matches=15, rounds=60, seed=number, workers=0)


@pytest.mark.parametrize("number", runs(100, 2))
def test_check_learner(number):
    raise_on_failure(check_learner(in_turn(ONLINE, number), seed=number))


@pytest.mark.parametrize("number", runs(100, 3))
def test_learner_machine(number):
    case = learner_machine(in_turn([name for name in ONLINE if name != "ewa"], number), seed=number)
    machine = seed(number)(case.machine)
    machine.TestCase.settings = settings(
        max_examples=10, deadline=None, database=None, phases=[Phase.generate, Phase.target]
    )
    machine.TestCase("runTest").runTest()
