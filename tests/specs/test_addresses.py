"""Addresses of classes in files and modules: how a class is found and named, and which code is never run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena import ArenaError, play
from arena.specs import registry
from arena.specs.building import build
from arena.specs.spelling import spec_of, spec_text
from arena_tests.sources import LEARNER


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, source):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


def test_a_class_in_a_file(folder):
    write(folder / "mine.py", LEARNER.format(name="Mine", spec=""))
    built = build("learner", "./mine.py:Mine(rate=0.5)")
    assert built.rate == 0.5
    assert str(spec_of(built)) == "./mine.py:Mine(rate=0.5)"
    assert play("./mine.py:Mine", "alternating", rounds=2).learner == "./mine.py:Mine"
    assert build("learner", f"{folder}/mine.py:Mine").rate == 1.0
    assert "arena_file_" not in spec_text(built)


def test_a_path_with_spaces_and_parentheses(folder):
    write(folder / "my (old) code" / "mine.py", LEARNER.format(name="Mine", spec=""))
    built = build("learner", "'./my (old) code/mine.py:Mine'(rate=3)")
    assert built.rate == 3
    assert build("learner", str(spec_of(built))).rate == 3


def test_a_factory_and_a_nested_class(folder):
    write(folder / "mine.py", LEARNER.format(name="Mine", spec="") + "def make(rate):\n    return Mine(rate * 2)\n")
    assert build("learner", "./mine.py:make(rate=2)").rate == 4
    write(folder / "nested.py", "class Outer:\n" + LEARNER.format(name="Inner", spec="").replace("\n", "\n    "))
    assert build("learner", "./nested.py:Outer.Inner(rate=2)").rate == 2


def test_neighbours_can_be_imported_while_the_file_is_loaded_and_the_path_is_put_back(folder):
    write(folder / "a" / "helper_of_mine.py", "RATE = 7.0\n")
    write(
        folder / "a" / "mine.py", "import helper_of_mine\n" + LEARNER.format(name="Mine", spec="").replace("1.0", "7.0")
    )
    before = list(sys.path)
    assert build("learner", "./a/mine.py:Mine").rate == 7.0
    assert sys.path == before
    sys.modules.pop("helper_of_mine")


def test_the_helper_of_another_folder_does_not_stand_in_for_ones_own(folder):
    """Two folders each have a file `utils_of_mine.py`."""
    source = "from utils_of_mine import RATE\n" + LEARNER.format(name="Mine", spec="").replace("1.0", "RATE")
    for name, rate in (("a", 1.0), ("b", 2.0)):
        write(folder / name / "utils_of_mine.py", f"RATE = {rate}\n")
        write(folder / name / "mine.py", source)
        write(folder / name / "another.py", source + "import math\n")
    assert build("learner", "./a/mine.py:Mine").rate == 1.0
    assert build("learner", "./a/another.py:Mine").rate == 1.0
    with pytest.raises(ArenaError) as caught:
        build("learner", "./b/mine.py:Mine")
    assert "./b/mine.py imports 'utils_of_mine'" in str(caught.value)
    assert str(folder / "a" / "utils_of_mine.py") in str(caught.value)
    sys.modules.pop("utils_of_mine")
    assert build("learner", "./b/mine.py:Mine").rate == 2.0
    sys.modules.pop("utils_of_mine")


def test_a_file_that_changed_is_loaded_anew_and_one_that_did_not_is_loaded_once(folder):
    path = write(folder / "mine.py", LEARNER.format(name="Mine", spec=""))
    first = registry.find("learner", "./mine.py:Mine")
    assert registry.find("learner", "./mine.py:Mine") is first
    path.write_text(path.read_text().replace("rate=1.0", "rate=9.0"))
    assert build("learner", "./mine.py:Mine").rate == 9.0


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def broken(:", "SyntaxError"),
        ("import no_such_package_at_all", "no_such_package_at_all"),
        ("1 / 0", "ZeroDivisionError: division by zero (mine.py, line 1)"),
        ("import sys\nsys.exit(3)", "SystemExit"),
        ("import sys\nsys.path.pop(0)\n1 / 0", "ZeroDivisionError"),
    ],
)
def test_files_that_cannot_be_loaded(folder, source, reason):
    write(folder / "mine.py", source)
    before, modules = list(sys.path), set(sys.modules)
    with pytest.raises(ArenaError) as caught:
        build("learner", "./mine.py:Mine")
    assert "./mine.py cannot be loaded" in str(caught.value)
    assert reason in str(caught.value)
    assert sys.path == before
    assert not {name for name in set(sys.modules) - modules if name.startswith("arena_file_")}


def test_ctrl_c_while_a_file_is_loaded_leaves_no_half_module_behind(folder):
    path = write(folder / "mine.py", "raise KeyboardInterrupt")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            build("learner", "./mine.py:Mine")
    path.write_text(LEARNER.format(name="Mine", spec=""))
    assert build("learner", "./mine.py:Mine")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./none.py:Mine", "there is no file ./none.py"),
        ("./mine.py:Mone", "./mine.py has no 'Mone'. Did you mean 'Mine'?"),
        ("./mine.py:NUMBER", "is not a class or a function"),
        ("./mine.py", "A class in a file is named like this: ./mine.py:MyClass"),
        ("./mine", "A class in a file is named like this: ./mine.py:MyClass"),
        ("no_such_module:Mine", "there is no module 'no_such_module'"),
        ("arena.players.learner:Lerner", "arena.players.learner has no 'Lerner'. Did you mean 'Learner'"),
        ("zeros", "Did you mean 'zero'?"),
    ],
)
def test_names_that_lead_nowhere(folder, name, message):
    write(folder / "mine.py", LEARNER.format(name="Mine", spec="") + "NUMBER = 5\n")
    with pytest.raises(ArenaError) as caught:
        build("learner", name)
    assert message in str(caught.value)


def test_a_class_of_the_wrong_kind(folder):
    write(folder / "mine.py", LEARNER.format(name="Mine", spec=""))
    with pytest.raises(ArenaError, match=r"is not an? adversary"):
        build("adversary", "./mine.py:Mine")


def test_modules_are_named_with_a_colon(folder, monkeypatch):
    write(folder / "pack_of_mine" / "__init__.py", "")
    write(folder / "pack_of_mine" / "deep.py", LEARNER.format(name="Mine", spec=""))
    monkeypatch.syspath_prepend(folder)
    built = build("learner", "pack_of_mine.deep:Mine(rate=2)")
    assert str(spec_of(built)) == "pack_of_mine.deep:Mine(rate=2)"
    assert build("learner", "pack_of_mine:deep.Mine").rate == 1.0  # a submodule not imported yet


def test_no_code_is_run_from_a_folder_that_was_not_named(folder):
    """Files in the current folder have names that a search for learners or plugins might import."""
    for name in ("learners", "adversaries", "mine", "zero", "kernel_awv", "arena_plugin", "conftest", "sitecustomize"):
        write(folder / f"{name}.py", f"import pathlib\npathlib.Path({str(folder / 'ran')!r}).write_text({name!r})\n")
    root = Path(arena.__file__).parent.parent
    code = """
import arena
from arena.specs.building import build
for name in ("kernel-awv", "mine", "./mine.py", "./mine"):
    try:
        build("learner", name)
    except arena.ArenaError as error:
        print(error)
arena.play("zero", "alternating", rounds=3)
"""
    script = write(folder / "elsewhere" / "script.py", code)
    answer = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "there is no learner named 'mine'" in answer.stdout
    assert not (folder / "ran").exists()


# ---- classes without an address


def test_a_class_made_inside_a_function_has_no_name():
    class Local:
        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    with pytest.raises(ArenaError, match="neither in a file nor in a module"):
        registry.name_of(Local)
    assert play(Local(), "alternating", rounds=2).learner == "<Local>"


def test_a_class_typed_at_a_prompt_has_no_name():
    root = Path(arena.__file__).parent.parent
    code = (
        LEARNER.format(name="Mine", spec="") + "import arena\nfrom arena.record.commands import play_command\n"
        "run = arena.play(Mine(), 'alternating', rounds=2)\nprint(run.learner, play_command(run))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == ["<Mine>", "None"]


def test_a_dotted_module_that_no_import_finds_is_named_by_its_file(folder, monkeypatch):
    write(folder / "suite" / "mine.py", LEARNER.format(name="Mine", spec=""))
    spec = importlib.util.spec_from_file_location("suite.mine", folder / "suite" / "mine.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "suite.mine", module)  # as a test runner does, without touching the path
    spec.loader.exec_module(module)
    assert registry.name_of(module.Mine) == "./suite/mine.py:Mine"
    monkeypatch.syspath_prepend(folder)
    assert registry.name_of(module.Mine) == "suite.mine:Mine"


def test_errors_name_the_line_of_the_users_code(folder):
    write(folder / "mine.py", LEARNER.format(name="Mine", spec="").replace("return 0.0", "return self.nothing"))
    reason = play("./mine.py:Mine", "greedy(starts=2, polished=0)", rounds=2).forfeit.reason
    assert reason.endswith("AttributeError: 'Mine' object has no attribute 'nothing' (mine.py, line 7)")
