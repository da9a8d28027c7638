"""Every registered adversary keeps the contract; a new one is tested as soon as it is registered."""

import numpy as np
import pytest

from arena.adversaries import Replay
from arena.adversaries.from_data import FromData
from arena.specs import registry
from arena.specs.building import build
from arena.testing import parametrize_with_checks
from arena_tests import FULL


def data():
    rng = np.random.default_rng(0)
    return {"X": rng.uniform(-5, 5, size=(25, 3)), "y": rng.uniform(-9, 9, size=25)}


def all_rows():
    return Replay(**data(), shuffle=True, loop=True)


def chosen_rows():
    return FromData(**data(), again=True)


CANNOT_DO_WITHOUT = {"replay": all_rows, "from-data": chosen_rows}  # adversaries that need data
SMALL = {  # adversaries that search, with less effort
    "greedy": "greedy(starts=32, polished=2)",
    "joint": "joint(trials=80)",
    "lookahead": "lookahead(starts=32)",
}
CHECKED = CANNOT_DO_WITHOUT if FULL else {**CANNOT_DO_WITHOUT, **SMALL}
ADVERSARIES = [CHECKED.get(name, name) for name in registry.entries("adversary")]


@parametrize_with_checks(adversaries=ADVERSARIES)
def test_it_keeps_the_contract(check):
    assert check.result().outcome == "passed", str(check.result())


@pytest.mark.parametrize("name", sorted(set(registry.entries("adversary")) - set(CANNOT_DO_WITHOUT)))
def test_its_name_is_enough(name):
    assert build("adversary", name).name == name


@pytest.mark.parametrize("name", sorted(registry.entries("adversary")))
def test_its_paper_and_cost_stand_in_class_attributes_alone(name):
    adversary = registry.find("adversary", name)
    assert adversary.paper, f"{name}: name its paper in the class attribute `paper`"
    assert adversary.cost, f"{name}: state the time of a round in `cost`"
    summary = adversary.__doc__.split("\n\n")[0]
    assert " a round" not in summary, (
        f"{name}: `arena list` prints `cost` beside the docstring, which need not repeat it"
    )
