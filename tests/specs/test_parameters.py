"""Parameters are checked when an object is made, by a spec or in Python."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from arena import ArenaError, Gaussian, Kernel, parameter
from arena.specs.building import build
from arena.specs.grammar import Spec
from arena.specs.parameters import Configured, Range, annotated_fields, convert, describe
from arena.specs.spelling import spec_of


@dataclass
class Thing(Configured):
    name: ClassVar[str] = "thing"
    size: float = parameter(1.0, "how large", above=0, at_most=10)
    count: int = parameter(3, "how many", at_least=1, below=5)
    flag: bool = False
    word: str = "plain"
    maybe: float | None = parameter(None, "perhaps", at_least=0)
    mode: Literal["slow", "fast"] = "slow"
    level: Literal[1, 2.5] = 1
    kernel: Kernel = Gaussian()
    numbers: Sequence[float] = (1.0,)
    either: int | str = 0
    anything: Any = None


ACCEPTED = [
    ("size", 2, 2.0),
    ("size", np.float64(2.5), 2.5),
    ("size", 10, 10.0),
    ("count", np.int32(4), 4),
    ("flag", True, True),
    ("word", "", ""),
    ("maybe", None, None),
    ("maybe", 0, 0.0),
    ("mode", "fast", "fast"),
    ("level", np.float64(2.5), 2.5),
    ("level", 1.0, 1),
    ("kernel", "gaussian(bandwidth=2)", Gaussian(2.0)),
    ("kernel", Spec("gaussian", (("bandwidth", 2),)), Gaussian(2.0)),
    ("numbers", [1, 2], (1.0, 2.0)),
    ("numbers", np.array([1.5, 2]), (1.5, 2.0)),
    ("numbers", (), ()),
    ("either", "x", "x"),
    ("either", 5, 5),
    ("anything", object, object),
]


@pytest.mark.parametrize(("field", "given", "kept"), ACCEPTED)
def test_accepted_and_brought_into_the_fields_own_type(field, given, kept):
    value = getattr(Thing(**{field: given}), field)
    assert value == kept
    assert type(value) is type(kept)


REJECTED = [
    ("size", 0, "thing: size must be a finite number > 0 and <= 10, but it is 0"),
    ("size", 10.5, "> 0 and <= 10, but it is 10.5"),
    ("size", "big", "size must be a finite number > 0 and <= 10, but it is 'big'"),
    ("size", True, "finite number"),
    ("size", float("inf"), "finite number"),
    ("size", None, "finite number"),
    ("count", 0, ">= 1 and < 5, but it is 0"),
    ("count", 5, "< 5"),
    ("count", 2.0, "a whole number"),
    ("count", False, "a whole number"),
    ("flag", 1, "true or false"),
    ("word", 3, "a word"),
    ("maybe", -1, "a finite number >= 0, or none, but it is -1"),
    ("maybe", "x", "a finite number >= 0, or none"),
    ("mode", "medium", "one of slow, fast"),
    ("mode", np.array(["slow"]), "one of slow, fast"),
    ("level", True, "one of 1, 2.5"),
    ("kernel", "hinge", "there is no kernel named 'hinge'"),
    ("kernel", 1, "a kernel"),
    ("numbers", "12", "a list such as"),
    ("numbers", 3, "a list such as"),
    ("numbers", [1, "x"], "a finite number, but it is 'x'"),
    ("either", 2.5, "a whole number, or a word"),
]


@pytest.mark.parametrize(("field", "given", "message"), REJECTED)
def test_wrong_values_are_rejected_with_the_allowed_ones(field, given, message):
    with pytest.raises(ArenaError) as caught:
        Thing(**{field: given})
    assert message in str(caught.value)
    assert "thing: " + field in str(caught.value) or field == "kernel"


def test_a_class_without_a_name_is_called_by_its_own():
    @dataclass
    class Nameless(Configured):
        size: float = parameter(1.0, above=0)

    with pytest.raises(ArenaError, match="Nameless: size must be a finite number > 0, but it is -2"):
        Nameless(-2)


def test_a_parameter_may_have_no_default():
    @dataclass
    class Needs(Configured):
        size: float = parameter(about="how large", above=0)

    assert Needs(size=1).size == 1.0
    with pytest.raises(TypeError):
        Needs()


def test_inherited_fields_and_frozen_classes_are_checked_too():
    @dataclass(frozen=True)
    class Base(Configured):
        size: float = parameter(1.0, above=0)

    @dataclass(frozen=True)
    class Derived(Base):
        count: int = parameter(1, at_least=0)

    assert Derived(size=2).size == 2.0
    for wrong in ({"size": 0}, {"count": -1}):
        with pytest.raises(ArenaError):
            Derived(**wrong)


def test_a_class_that_is_no_dataclass_is_left_alone():
    class Free(Configured):
        def __init__(self, size):
            self.size = size

    assert Free("anything").size == "anything"


def test_ranges():
    assert 1 in Range()
    assert str(Range()) == ""
    assert str(Range(above=0, at_most=2.5)) == "> 0 and <= 2.5"
    inside = Range(at_least=0, below=1)
    assert [value in inside for value in (-0.1, 0, 0.5, 1)] == [False, True, True, False]
    outside = Range(above=0, at_most=1)
    assert [value in outside for value in (0, 1e-9, 1, 1.1)] == [False, True, True, False]


def test_types_in_words():
    assert describe(float | None) == "a finite number, or none"
    assert describe(Literal["a", "b"]) == "one of a, b"
    assert describe(Sequence[float]) == "a list such as [0, 1]"
    assert describe(Kernel) == "a kernel"
    assert describe(bool | str) == "true or false, or a word"


def test_fields_have_descriptions():
    about = {field.name: field.metadata.get("about") for field, _ in annotated_fields(Thing)}
    assert about["size"] == "how large"
    assert "name" not in about


def test_unknown_kinds_of_annotation_accept_everything():
    class Colour(enum.Enum):
        RED = 1

    assert convert(Colour.RED, Colour, label="x") is Colour.RED
    assert convert(5, "a text", label="x") == 5
    with pytest.raises(ArenaError, match="x must be a colour"):
        convert("red", Colour, label="x")


def test_numpy_numbers_never_get_into_a_spec():
    kernel = build("kernel", "matern")
    assert str(spec_of(type(kernel)(smoothness=np.float64(2.5)))) == "matern(smoothness=2.5)"
    thing = Thing(anything=np.float64(0.5), either=np.int64(3))
    assert str(spec_of(thing)).endswith(":Thing(either=3, anything=0.5)")
    nested = Thing(anything=[np.float32(0.5), np.int8(2), (np.float64(1.0),)])
    assert str(spec_of(nested)).endswith(":Thing(anything=[0.5, 2, [1.0]])")


def test_the_order_of_a_union_decides_although_unions_of_other_orders_are_equal():
    assert (describe(int | float), describe(float | int)) == (
        "a whole number, or a finite number",
        "a finite number, or a whole number",
    )
    assert type(convert(3, int | float, label="size")) is int
    assert type(convert(3, float | int, label="size")) is float
