"""Variants of a learner vary every declared parameter within its range, except the given ones."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from arena import ArenaError
from arena.game.kernels import Gaussian, Kernel
from arena.specs.building import build
from arena.specs.parameters import Configured, annotated_fields, parameter
from arena.specs.registry import entries
from arena.specs.variants import free_parameters, variant, variant_changes


@dataclass
class Everything(Configured):
    """A class with a parameter of each kind."""

    size: float = parameter(2.0, "a size", above=0)
    share: float = parameter(0.5, "a share", at_least=0, at_most=1)
    below: float = parameter(-3.0, "a negative number", below=-1)
    count: int = parameter(100, "how many", at_least=1)
    most: int | None = parameter(None, "a limit (none: no limit)", at_least=2, at_most=5)
    power: int = parameter(2, "one of three", choices=(1, 2, 4))
    way: Literal["left", "right"] = parameter("left", "where to")
    careful: bool = parameter(True, "whether")
    kernel: Kernel = parameter(Gaussian(), "a part that is configured itself")
    undeclared: float = 1.0
    word: str = parameter("some", "any text")


def drawn(built, free, draws=200):
    rng = np.random.default_rng(0)
    return [variant(built, variant_changes(built, free, rng, number)) for number in range(draws)]


def test_all_that_is_declared_is_varied_within_its_range():
    free = free_parameters(Everything, Everything())
    assert free == ("size", "share", "below", "count", "most", "power", "way", "careful", "kernel")
    seen = drawn(Everything(), free)
    assert {each.way for each in seen} == {"left", "right"}
    assert {each.careful for each in seen} == {True, False}
    assert {each.power for each in seen} == {1, 2, 4}
    assert {each.most for each in seen} == {None, 2, 3, 4, 5}
    assert {0.0, 1.0} < {each.share for each in seen}
    assert min(each.size for each in seen) < 0.1 < 10 < max(each.size for each in seen)
    assert {1, 2, 3} < {each.count for each in seen}
    assert len({type(each.kernel) for each in seen}) > 2
    assert len({each.kernel for each in seen}) > 10
    assert {each.undeclared for each in seen} == {1.0}


@dataclass
class Few(Configured):
    """A class whose whole numbers have an upper limit that is excluded."""

    count: int = parameter(3, "how many", at_least=1, below=5)
    pairs: int = parameter(1, "one or two", above=0, below=2.5)
    none: int = parameter(0, "no choice", at_least=0, below=1)


def test_whole_numbers_stay_below_a_limit_that_is_excluded():
    seen = drawn(Few(), ("count", "pairs", "none"))
    assert {each.count for each in seen} == {1, 2, 3, 4}
    assert {each.pairs for each in seen} == {1, 2}
    assert {each.none for each in seen} == {0}


def test_each_variant_changes_the_parameter_whose_turn_it_is():
    rng, free = np.random.default_rng(0), ("way", "careful")
    for number in range(20):
        assert free[number % 2] in variant_changes(Everything(), free, rng, number)


@pytest.mark.parametrize("name", entries("learner"))
def test_every_declared_number_of_every_learner_is_varied(name):
    built = build("learner", name)
    free = free_parameters(name, built)
    declared = [field.name for field, _ in annotated_fields(type(built)) if str(field.metadata.get("range", ""))]
    assert set(declared) <= set(free)
    if free:
        changed = set()
        for number in range(6 * len(free)):
            changes = variant_changes(built, free, np.random.default_rng(number), number)
            assert type(variant(built, changes)) is type(built)
            changed |= {key for key, value in changes.items() if value != getattr(built, key)}
        assert changed == set(free)


@pytest.mark.parametrize(
    ("given", "free"),
    [
        ("projectron", ("threshold", "budget")),
        ("projectron(threshold=0.1)", ("budget",)),
        ("projectron(threshold=0.2, budget=3)", ()),
        ("pkawv(embedding=taylor(degree=3))", ("regularisation",)),
    ],
)
def test_what_the_spec_gives_stays(given, free):
    assert free_parameters(given, build("learner", given)) == free


def test_what_an_object_has_changed_stays():
    built = build("learner", "projectron(threshold=0.2)")
    assert free_parameters(built, built) == ("budget",)
    assert free_parameters(object(), object()) == ()


def test_parameters_that_do_not_go_together_are_an_arena_error():
    with pytest.raises(ArenaError, match="size must be"):
        variant(Everything(), {"size": -1.0})
