"""Names for people: short, different inside a table, and never in place of a spec."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import play
from arena.learners import KRR
from arena.specs import registry
from arena.specs.spelling import MOST_CHARACTERS, MOST_NAME_CHARACTERS, Names, declared_name, name_of, short, spec_text
from arena_tests.planted.by_hand import LastLabel

texts = st.text(max_size=80) | st.builds("{}({})".format, st.text(max_size=60), st.text(max_size=60))


class Declares(LastLabel):
    name = "last label"


class Inherits(Declares):
    pass


class Computes(LastLabel):
    @property
    def name(self):
        return f"the last of {2 + 1} labels"


class Raises(LastLabel):
    @property
    def name(self):
        raise RuntimeError("no name")


def of_object(name):
    made = LastLabel()
    made.name = name
    return made


@given(texts, texts | st.none() | st.integers())
def test_a_name_is_never_longer_than_the_limit(spec, given):
    assert len(name_of(spec, given)) <= MOST_CHARACTERS
    assert len(short(spec)) <= MOST_CHARACTERS


@given(st.lists(st.tuples(texts, texts), max_size=12), st.lists(st.text("ab(,)", max_size=60), max_size=12))
def test_names_in_a_table_are_short_and_different(pairs, specs):
    found = Names([*((spec, name_of(spec, name)) for spec, name in pairs), *((spec, "same") for spec in specs)])
    assert set(found) == {spec for spec, _ in pairs} | set(specs)
    assert len(set(found.values())) == len(found)
    assert all(len(name) <= MOST_CHARACTERS for name in found.values())
    assert found == Names(reversed(list(found.items())))


def test_learners_with_equal_names_are_shown_by_their_specs():
    assert Names([("krr", "krr"), ("./mine.py:Mine", "krr")]) == {"krr": "krr", "./mine.py:Mine": "mine.py:Mine"}
    long = [f"./mine.py:Mine(rates={[number] * 30})" for number in (1, 2)]
    assert list(Names((each, short(each)) for each in long).values()) == ["Mine(…)", "Mine(…) 2"]


def test_a_learner_that_is_in_no_match_of_the_table_has_a_name():
    assert Names()["./folder/mine.py:Mine"] == "mine.py:Mine"


@pytest.mark.parametrize("kind", ["learner", "adversary"])
def test_the_name_of_every_built_in_player_is_its_spec(kind):
    for spec in registry.entries(kind):
        cls = registry.find(kind, spec)
        assert name_of(spec, declared_name(cls.__new__(cls), spec)) == spec


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (Declares(), "last label"),
        (Declares, "last label"),
        (Computes(), "the last of 3 labels"),
        (of_object("my learner"), "my learner"),
        (Inherits(), None),
        (Raises(), None),
        *(
            (of_object(name), None)
            for name in ("", "  ", "two\nlines", "\x1b[2J", 3, None, "x" * (MOST_NAME_CHARACTERS + 1))
        ),
    ],
)
def test_a_declared_name_is_shown_and_a_name_that_is_none_is_not(learner, name):
    run = play(learner, "alternating", rounds=2)
    assert run.learner_name == (name or short(run.learner))
    assert name is None or name not in run.learner


def test_a_built_in_learner_may_be_named_as_an_object():
    learner = KRR()
    learner.name = "our ridge"
    run = play(learner, "alternating", rounds=2)
    assert (run.learner, run.learner_name) == ("krr", "our ridge")
    assert spec_text(learner) == "krr"
