"""Whatever a user's module or constructor raises, it is refused with a message."""

import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from arena import ArenaError
from arena.specs.building import build
from arena_tests.hostile import RAISED

MODULE = "from arena_tests.hostile import RAISED\n{}\n"
PLACES = {
    "import": "raise RAISED[{!r}]",
    "constructor": "class Mine:\n    def __init__(self): raise RAISED[{!r}]",
    "attribute of the module": "def __getattr__(name): raise RAISED[{!r}]",
    "function": "def Mine(): raise RAISED[{!r}]",
}


@pytest.mark.parametrize("as_module", [False, True])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("raised", RAISED)
def test_code_that_fails_is_refused(raised, place, as_module, tmp_path, monkeypatch):
    name = "hostile_module"
    (tmp_path / f"{name}.py").write_text(MODULE.format(PLACES[place].format(raised)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ArenaError, match=type(RAISED[raised]).__name__) as refused:
        build("learner", f"{name}:Mine" if as_module else f"{tmp_path}/{name}.py:Mine")
    sys.modules.pop(name, None)
    assert len(str(refused.value)) < 1500
    assert str(refused.value).isprintable()


def test_a_file_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text("")

    monkeypatch.setattr(Path, "read_bytes", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(ArenaError, match=r"cannot read .*Permission denied"):
        build("learner", f"{file}:Mine")


@pytest.mark.parametrize("path", ["x" * 300, "~nobody-of-this-name/x", "a\0b"])
def test_a_path_that_cannot_be_one_is_refused(path):
    with pytest.raises(ArenaError):
        build("learner", f"{path}.py:Mine")


def test_a_working_folder_that_is_gone_is_named(tmp_path, monkeypatch):
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ArenaError, match="working folder"):
        build("learner", "./mine.py:Mine")
