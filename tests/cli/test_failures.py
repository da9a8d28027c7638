"""`arena failures`: list, show, promote, clear."""

import json
from pathlib import Path

import pytest

from arena import play
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink


@pytest.fixture
def kept(arena):  # noqa: ARG001  # it changes into an empty folder
    return Failures().add(shrink("krr", play("krr", "alternating", rounds=30), "awv-logdet"))


def test_without_failures_it_prints_that_there_are_none(arena):
    result = arena("failures")
    assert result.exit_code == 0
    assert "No failures are kept in .arena" in result.output


@pytest.mark.parametrize("words", [[], ["list"], ["show"], ["promote"], ["clear"]])
def test_a_folder_that_is_no_folder_of_failures_is_refused_with_the_right_one(arena, kept, words):  # noqa: ARG001
    lost = arena("failures", *words, "--folder", "X")
    assert (lost.exit_code, "there is no folder X: name that of `pytest --arena-failures`" in lost.output) == (2, True)
    inner = arena("failures", *words, "--folder", ".arena/failures")
    assert (inner.exit_code, "--folder .arena" in inner.output.splitlines()[-1]) == (2, True)


def test_commands_name_a_folder_that_is_not_the_default(arena):  # noqa: ARG001  # it changes into an empty folder
    assert Failures().option == Failures(Path.cwd() / ".arena").option == ""
    assert Failures(Path.cwd() / "other one").option == " --folder 'other one'"
    assert Failures("/elsewhere").option == " --folder /elsewhere"


def test_they_are_listed(arena, kept):
    for words in (["failures"], ["failures", "list"]):
        assert f"{kept.id}  krr  awv-logdet  2 rounds" in arena(*words).output
    found = json.loads(arena("failures", "list", "--json").output)
    assert found["failures"][0]["id"] == kept.id
    assert found["damaged"] == []


def test_damaged_files_are_reported(arena, kept):
    path = Path(f".arena/failures/{kept.id}.json")
    path.write_bytes(path.read_bytes()[:60])
    result = arena("failures")
    assert result.exit_code == 0
    assert "Damaged, left where it is (`arena failures clear` deletes it)" in result.output
    assert path.exists()
    arena("failures", "clear")
    assert not path.exists()


def test_one_is_shown_as_a_script_that_runs(arena, kept, capsys):
    result = arena("failures", "show", kept.id[:5])
    assert f"# again: arena replay .arena/failures/{kept.id}.smallest.npz --bound awv-logdet" in result.output
    exec(result.output, {})
    assert "awv-logdet: violated" in capsys.readouterr().out


def test_one_becomes_a_test(arena, kept):
    Path("tests").mkdir()
    result = arena("failures", "promote", kept.id)
    path = Path(f"tests/test_krr_{kept.id[:8]}.py")
    assert f"Written: {path}" in result.output
    text = path.read_text()
    assert 'assert_regret("krr", Replay(X=points, y=labels), theorem="awv-logdet", rounds=2, dimension=1)' in text
    again = arena("failures", "promote", kept.id)
    assert (again.exit_code, "exists already" in again.output) == (2, True)
    assert arena("failures", "promote", kept.id, "--to", ".").exit_code == 0


@pytest.mark.usefixtures("kept")
def test_they_are_forgotten(arena):
    assert "1 forgotten" in arena("failures", "clear").output
    assert "No failures" in arena("failures").output
    assert "0 forgotten" in arena("failures", "clear").output


@pytest.mark.usefixtures("kept")
def test_mistakes_are_reported(arena):
    for command in ("show", "promote"):
        result = arena("failures", command, "nothing")
        assert result.exit_code == 2
        assert "no failure 'nothing' is kept" in result.output
