"""`arena check` and `arena new learner`, and the parametrised test that a user writes."""

import inspect
import json

import pytest

from arena_tests.planted.contract.correct import Mean

MEAN = inspect.getsource(Mean)
IMPURE = MEAN.replace("        return", "        print('asked')\n        self.count += 1\n        return")
NOISE = """
import numpy as np
class Noise:
    def begin(self, game, rng):
        self.game, self.rng = game, rng
    def point(self, view):
        return self.rng.uniform(self.game.low, self.game.high)
    def label(self, view, x, prediction):
        return self.game.label_bound
"""


def outcomes(result):
    return {each["name"]: each["outcome"] for each in json.loads(result.stdout)["results"]}


def test_a_correct_learner_from_a_file_passes(arena, write):
    result = arena("check", write("mine.py", MEAN) + ":Mean")
    assert result.exit_code == 0
    assert "predict-is-pure" in result.output
    assert " failed" not in result.output
    assert "Again: arena check ./mine.py:Mean" in result.output


def test_a_wrong_learner_fails_and_the_output_gives_the_values(arena, write):
    result = arena("check", write("mine.py", IMPURE) + ":Mean", "--seed", 3)
    assert result.exit_code == 1
    assert "asked twice at (" in result.output
    assert "1 failed" in result.output
    assert "Again: arena check ./mine.py:Mean --seed 3" in result.output


LATE = """
class NotForLong:
    def __init__(self):
        self.rounds = 0
    def predict(self, x):
        return float("nan") if self.rounds >= 51 else 0.0
    def update(self, x, y):
        self.rounds += 1
"""


def test_a_failure_names_its_round(arena, write):
    result = arena("check", f"{write('late.py', LATE)}:NotForLong")
    assert "finite-after-repeated-points  the prediction is nan, in round 52" in result.output


def test_json_is_one_object_whatever_the_learner_prints(arena_process, write):
    done = arena_process("check", write("mine.py", IMPURE) + ":Mean", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert (result["kind"], result["ok"], result["counts"]["failed"]) == ("learner", False, 1)
    assert [each["name"] for each in result["results"] if each["outcome"] == "failed"] == ["predict-is-pure"]


def test_a_declared_failure_is_fine_until_it_passes(arena, write):
    wrong, right = write("wrong.py", IMPURE), write("right.py", MEAN)
    declared = ("--expect-failure", "predict-is-pure=it counts questions", "--json")
    result = arena("check", f"{wrong}:Mean", *declared)
    assert (result.exit_code, outcomes(result)["predict-is-pure"]) == (0, "expected failure")
    result = arena("check", f"{right}:Mean", *declared)
    assert (result.exit_code, outcomes(result)["predict-is-pure"]) == (1, "unexpected pass")


@pytest.mark.parametrize("spec", ["sklearn:linear_model.SGDRegressor()", "river:linear_model.LinearRegression()"])
def test_models_of_other_libraries_need_no_glue(arena, spec):
    result = arena("check", spec, "--json")
    assert result.exit_code == 0
    assert outcomes(result)["predict-is-pure"] == "passed"


def test_adversaries_are_recognised_by_name_and_by_methods(arena, write):
    for spec in ("alternating", write("noise.py", NOISE) + ":Noise"):
        result = arena("check", spec, "--json")
        assert result.exit_code == 0
        assert json.loads(result.output)["kind"] == "adversary"
        assert outcomes(result)["moves-are-legal"] == "passed"


def test_the_game_can_be_chosen(arena, write):
    picky = MEAN.replace("return self", "assert len(x) == 2 and x.min() >= 5; return self")
    spec = write("picky.py", picky) + ":Mean"
    assert arena("check", spec, "--json").exit_code == 1
    assert arena("check", spec, "--dimension", 2, "--box", "5,7", "--json").exit_code == 0
    assert arena("check", spec, "--dimension", 2, "--box", "5,7.5", "--json").exit_code == 0
    sides = MEAN.replace("return self", "assert x[0] >= 5 and x[1] <= 0 and len(x) == 2; return self")
    for text in ("[5,7],[-1,0]", "[[5,7],[-1,0]]"):
        assert arena("check", write("sides.py", sides) + ":Mean", "--box", text, "--json").exit_code == 0
    assert arena("check", "./sides.py:Mean", "--dimension", 2, "--box", "5,7", "--json").exit_code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kernel-avw"], "Did you mean 'kernel-awv'?"),
        (["fgd", "--expect-failure", "predict-is-pure"], "must be CHECK=REASON"),
        (["fgd", "--expect-failure", "predict=why"], "there is no check 'predict'"),
        (["fgd", "--box", "[0,"], "--box must be [low,high]"),
        (["fgd", "--box", "wide"], "--box must be [low,high]"),
    ],
)
def test_wrong_usage_exits_with_2_and_a_message(arena, words, message):
    result = arena("check", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_a_new_learner_passes_everything_as_written(arena, tmp_path, python):
    result = arena("new", "learner", "my-learner")
    assert result.exit_code == 0
    folder = tmp_path / "my-learner"
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "my_learner.py", "test_my_learner.py"]
    command = result.output.partition("Next:")[2].split()
    assert command == ["cd", "my-learner", "&&", "arena", "check", "./my_learner.py:MyLearner", "&&", "pytest",
                       "test_my_learner.py"]  # fmt: skip
    checked = arena("check", "my-learner/my_learner.py:MyLearner", "--json")
    assert checked.exit_code == 0
    assert outcomes(checked)["memory-grows-as-declared"] == "passed"
    tested = python("-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", ".", "test_my_learner.py", cwd=folder)
    assert tested.returncode == 0, tested.stdout
    assert " skipped" not in tested.stdout


def test_a_new_learner_overwrites_nothing(arena, tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "README.md").write_text("mine")
    result = arena("new", "learner", "my-learner", "--folder", "there")
    assert result.exit_code == 2
    assert "README.md exists already" in result.output
    assert [path.name for path in folder.iterdir()] == ["README.md"]
    assert (folder / "README.md").read_text() == "mine"


def test_it_says_of_several_files_that_they_exist(arena):
    arena("new", "learner", "my-learner")
    result = arena("new", "learner", "MyLearner")
    assert result.exit_code == 2
    assert "my-learner/test_my_learner.py, my-learner/README.md exist already; choose" in result.output


@pytest.mark.parametrize("name", ["my_learner", "MyLearner", "myLearner"])
def test_a_name_in_another_case_is_converted(arena, tmp_path, name):
    assert arena("new", "learner", name).exit_code == 0
    assert (tmp_path / "my-learner" / "my_learner.py").is_file()
    assert "class MyLearner(Learner)" in (tmp_path / "my-learner" / "my_learner.py").read_text()


@pytest.mark.parametrize("name", ["1st", "../up", "a--b", "class", "Class", "none", "True", "_private", ""])
def test_a_name_that_cannot_be_is_refused(arena, tmp_path, name):
    assert arena("new", "learner", name).exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["numpy", "math", "pytest", "arena", "conftest", "Multiprocessing", "sys", "usercustomize"]
)
def test_a_name_that_another_module_has_is_refused(arena, tmp_path, name):
    result = arena("new", "learner", name)
    assert result.exit_code == 2
    assert "which other programs import: choose another name, such as my-" in result.output
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_too_long_is_refused(arena, tmp_path):
    assert "a learner's name has at most 60 letters" in arena("new", "learner", "a" * 300).output
    assert arena("new", "learner", "mine", "--folder", "a" * 300).exit_code == 2
    assert not list(tmp_path.iterdir())


SUITE = (
    MEAN
    + IMPURE.replace("Mean", "Impure")
    + """
from arena.testing import parametrize_with_checks

@parametrize_with_checks([Mean, Impure, "no-such-learner"], adversaries=["alternating"])
def test_contract(check):
    check()

def declared(given):
    return {"predict-is-pure": "known"}

@parametrize_with_checks([Impure], expected_failures=declared)
def test_declared(check):
    check()

@parametrize_with_checks([Mean], expected_failures=declared)
def test_out_of_date(check):
    check()
"""
)


def test_each_check_is_a_named_test(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rA")
    text = result.stdout.str()
    failed = sorted(line.split("::")[1].split(" - ")[0] for line in text.splitlines() if line.startswith("FAILED"))
    assert len(failed) == 3, text
    assert failed[0].endswith("Impure-predict-is-pure]")
    assert failed[1] == "test_contract[no-such-learner-can-be-made]"
    assert failed[2].startswith("test_out_of_date[")
    assert "test_contract[alternating-moves-are-legal]" in text
    assert "unexpected pass: declared to fail (known), but it passed" in text
    assert result.parseoutcomes()["xfailed"] == 1
    assert "examination.py" not in text  # our own frames are hidden
