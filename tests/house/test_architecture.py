"""The page on the architecture shows the rooms as pyproject.toml has them, and each room says what it may call."""

import ast
import re
import runpy

import pytest

from arena_tests.pages import ROOT

DRAWING = runpy.run_path(str(ROOT / "docs" / "architecture.py"))
PAGE = DRAWING["PAGE"].read_text()
ROOMS = DRAWING["rooms"]()
DEPTH = {room: number for number, layer in enumerate(DRAWING["layers"]()) for room in layer}
FOUND_BY_NAME = {"learners", "adversaries"}  # protected in pyproject.toml: no other room imports them


def test_the_picture_is_drawn_from_the_imports():
    assert DRAWING["redrawn"](PAGE) == PAGE, "run: python docs/architecture.py"


def test_the_picture_agrees_with_the_contract():
    arrows = [(room, other) for room, others in DRAWING["imports"]().items() for other in others]
    assert arrows
    assert not [arrow for arrow in arrows if DEPTH[arrow[0]] >= DEPTH[arrow[1]]]


def test_essential_arrows_leave_out_those_that_follow():
    none = {room: set() for room in ROOMS}
    arrows = none | {"cli": {"engine", "game"}, "engine": {"game", "record"}, "record": {"game"}}
    assert DRAWING["essential"](arrows) == none | {"cli": {"engine"}, "engine": {"record"}, "record": {"game"}}


def test_the_table_names_every_room_from_top_to_bottom():
    table = PAGE.partition("| room, from top to bottom |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_states_what_it_may_call(room):
    """The docstring of the room's `__init__` has a line such as: May call `record` and the rooms below it."""
    folder = ROOT / room if (ROOT / room).is_dir() else ROOT / "arena" / room
    about = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    called = re.search(r"^May call `(\w+)` and the (?:rooms below|modules beside) it\b", about, re.MULTILINE)
    below = {name: depth for name, depth in DEPTH.items() if depth > DEPTH[room] and name not in FOUND_BY_NAME}
    highest = [name for name, depth in below.items() if depth == min(below.values())]
    wanted = " or ".join(f"May call `{name}` and the rooms below it." for name in highest)
    assert called, f"{folder}/__init__.py does not say what the room may call: {wanted}"
    assert called[1] in highest, f"{folder}/__init__.py names `{called[1]}`, but pyproject.toml allows more: {wanted}"
