"""The first commands of a newcomer: `arena` alone, help with examples, `arena doctor`, completion in a shell."""

import importlib
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from arena.cli import COMMANDS, main
from arena.cli.completion import specs
from arena.specs import registry

doctor_module = importlib.import_module("arena.cli.doctor")


def test_arena_alone_shows_one_thing_to_type(arena):
    commands = [line for line in arena().output.splitlines() if line.startswith("    ")]
    assert commands == ["    arena play kernel-awv greedy"]


def test_the_help_of_play_leads_with_three_examples(arena):
    text = arena("play", "--help").output
    before = text[: text.index("Play LEARNER against")]
    assert before.count("\n  arena play ") == 3
    assert max(map(len, before.splitlines())) <= 80


def test_the_examples_of_the_help_name_commands(arena):
    text = arena("--help").output
    typed = [line.split() for line in text.partition("Examples:")[2].splitlines() if line.startswith("  arena ")]
    assert len(typed) > 5
    assert {words[1] for words in typed} <= set(COMMANDS)


def test_doctor_plays_ten_rounds_and_names_its_findings(arena):
    result = arena("doctor", "--json")
    found = {each["about"]: each for each in json.loads(result.output)}
    assert result.exit_code == 0
    assert found["ten rounds"] == {"state": "fine", "about": "ten rounds", "found": "played and judged"}
    assert found["scipy"]["found"].split(".")[0].isdigit()
    assert "threads" in found["linear algebra"]["found"]
    assert "Next: arena play kernel-awv greedy" in arena("doctor").output


def test_doctor_names_the_bound_that_its_ten_rounds_violate(arena, monkeypatch):
    monkeypatch.setattr("arena.theorems.awv.AwvLogdet.allowed", lambda _, run: np.full(run.rounds, -1.0))
    found = {each["about"]: each for each in json.loads(arena("doctor", "--json").output)}
    assert found["ten rounds"]["state"] == "broken"
    assert "awv-logdet: violated" in found["ten rounds"]["found"]


def test_doctor_tries_bubblewrap_and_names_pytorch(arena, monkeypatch):
    monkeypatch.setattr("arena.engine.bubblewrap.why_not", lambda: "bubblewrap does not work here (exit code 1)")
    monkeypatch.setattr(doctor_module, "_version", lambda package: "" if package == "torch" else "1.0")
    found = {each["about"]: each for each in json.loads(arena("doctor", "--json").output)}
    assert found["bubblewrap"]["state"] == "absent"
    assert "does not work here (exit code 1); --isolate has resource limits alone" in found["bubblewrap"]["found"]
    assert found["torch"]["found"] == "for modules of PyTorch as learners: pip install torch"


def test_doctor_names_the_command_that_installs_a_lacking_package(arena, monkeypatch):
    monkeypatch.setattr(doctor_module, "_version", lambda package: "" if package in ("scipy", "river") else "1.0")
    result = arena("doctor", "--json")
    found = {each["about"]: each for each in json.loads(result.output)}
    assert result.exit_code == 2
    assert (found["scipy"]["state"], found["scipy"]["found"]) == ("broken", "not installed: pip install scipy")
    assert found["river"]["state"] == "absent"
    assert "pip install 'regret-arena[river]'" in found["river"]["found"]
    assert "Does not work: scipy." in arena("doctor").output


def test_doctor_names_extras_that_the_package_has():
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text()
    declared = tomllib.loads(project)["project"]["optional-dependencies"]
    assert {extra for extra, _ in doctor_module.EXTRAS.values() if extra} <= declared.keys()


@pytest.mark.parametrize(
    ("kinds", "start", "wanted"),
    [
        (("learner",), "kernel-a", ["kernel-awv"]),
        (("learner", "adversary"), "gre", ["greedy"]),
        (("adversary",), "greedy(sta", ["greedy(starts="]),
        (("kernel",), "polynomial(degree=3,off", ["polynomial(degree=3,offset="]),
        (("learner",), "pkawv(embedding=taylor(", ["pkawv(embedding=taylor(degree="]),
        (("learner",), "pkawv(embedding=taylor(degree=3), r", ["pkawv(embedding=taylor(degree=3), regularisation="]),
        (("learner",), "pkawv(embedding=taylor(degree=3)", []),
        (("learner",), "pkawv(embedding=no-such(", []),
        (("theorem",), "at-most(comparator=linear(inter", ["at-most(comparator=linear(intercept="]),
        (("theorem",), "at-most(comparator=linear(off", []),
        (("learner",), "hedge(experts=[krr(), kernel-awv(r", ["hedge(experts=[krr(), kernel-awv(regularisation="]),
        (("adversary",), "mixture(of=[greedy(sta", ["mixture(of=[greedy(starts="]),
        (
            ("adversary",),
            "arena.testing.moves:OneByOne(inner=greedy(sta",
            ["arena.testing.moves:OneByOne(inner=greedy(starts="],
        ),
        (("embedding",), "taylor(degree=[2, d", []),
        (("learner",), "hedge(experts=[krr(), r", []),
        (("learner",), "krr(regularisation=0.1,", []),
        (("learner",), "krr(regularisation=", []),
        (("learner",), "krr)(", []),
        (("learner",), "(", []),
        (("adversary",), "replay(file='a, (b', pos", ["replay(file='a, (b', positive="]),
        (("adversary",), "replay(file='a, pos", []),
        (("learner", "theorem"), "no-such(", []),
        (("learner",), "no-such(", []),
        (("learner",), "./mine.py", ["./mine.py"]),
    ],
)
def test_specs_are_completed(kinds, start, wanted):
    assert [item.value for item in specs(*kinds)(None, None, start)] == wanted


@given(st.text("degreulation()[],='\"\\ ", max_size=30))
def test_completing_any_text_fails_nowhere(end):
    for start in ("krr(" + end, "pkawv(embedding=taylor(" + end):
        assert all(item.value.startswith(start) for item in specs("learner")(None, None, start))


def test_every_learner_is_offered_where_nothing_is_typed_yet():
    assert {item.value for item in specs("learner")(None, None, "")} == set(registry.entries("learner"))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_a_shell_asks_arena(arena, shell):
    assert f"_ARENA_COMPLETE={shell}_complete" in arena("completion", shell).output


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("play", "kernel-a"), "kernel-awv"),
        (("play", "krr", "greedy", "--bound", "awv-l"), "awv-logdet"),
        (("play", "krr", "greedy", "--comparator", "la"), "last-label"),
        (("play", "krr", "greedy", "--loss", "hi"), "hinge"),
        (("hunt", "kernel-a"), "kernel-awv"),
        (("show", "gree"), "greedy"),
    ],
)
def test_arguments_and_options_are_completed(words, wanted):
    typed = {"COMP_WORDS": " ".join(("arena", *words)), "COMP_CWORD": str(len(words))}
    result = CliRunner().invoke(main, env={"_ARENA_COMPLETE": "zsh_complete", **typed}, prog_name="arena")
    assert wanted in result.output.split()


def test_completing_runs_no_code_and_checks_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise SystemExit('this code was run')")
    words = ("play", "krr", "greedy", "--comparator", "./mine.py:Mine", "--save", "nowhere/run.npz", "--loss", "hi")
    typed = {"COMP_WORDS": " ".join(("arena", *words)), "COMP_CWORD": str(len(words))}
    result = CliRunner().invoke(main, env={"_ARENA_COMPLETE": "zsh_complete", **typed}, prog_name="arena")
    assert "hinge" in result.output.split()
    assert "was run" not in result.output


def test_completing_a_spec_within_a_spec_runs_no_file(tmp_path):
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')\n\n\nclass Mine:\n    rate = 1\n")
    assert specs("learner")(None, None, f"hedge(experts=[{tmp_path}/mine.py:Mine(") == []
    assert not (tmp_path / "was-run").exists()


def test_seconds_are_a_number(arena):
    result = arena("play", "zero", "drift", "--hindsight-time", "nan")
    assert result.exit_code == 2
    assert "'nan' is not a number" in result.output
