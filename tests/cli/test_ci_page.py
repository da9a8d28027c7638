"""The page on CI: its workflow is valid, its commands run, and they fail, with a report, if a test fails."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from arena.version import __version__

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text()
WORKFLOW = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[1])
STEPS = WORKFLOW["jobs"]["arena"]["steps"]
TEST = """
from arena.testing import assert_no_violation, assert_regret

def test_it():
    assert_regret("zero", "label-blocks", rounds=5, at_most={limit})

def test_a_hunt():
    assert_no_violation("kernel-awv", matches=2, rounds=10)
"""


def command(program):
    (line,) = [step["run"] for step in STEPS if step.get("run", "").startswith(program)]
    return shlex.split(line)


def test_it_is_a_workflow():
    assert set(WORKFLOW) == {"name", True, "jobs"}  # YAML 1.1 reads the key `on` as true, as everywhere
    assert all(("uses" in step) != ("run" in step) for step in STEPS)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) for step in STEPS if "uses" in step)


def test_the_wheel_has_this_version_and_these_extras():
    wheel, extras = re.fullmatch(r"\./wheels/(.*)\[(.*)\]", command("pip")[2]).groups()
    assert wheel == f"regret_arena-{__version__}-py3-none-any.whl"
    assert set(extras.split(",")) <= set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    )


@pytest.mark.parametrize(("limit", "code"), [(100, 0), (1, 1)])
def test_pytest_writes_what_is_uploaded(limit, code, tmp_path, python):
    (tmp_path / "test_model.py").write_text(TEST.format(limit=limit))
    words = ["-m", *command("pytest"), "-c", "/dev/null", "--rootdir", ".", "-p", "no:cacheprovider"]
    done = python(*words, cwd=tmp_path)
    assert done.returncode == code, done.stdout
    (upload,) = [step for step in STEPS if "upload" in step.get("uses", "")]
    assert upload["if"] == "always()"
    report, failures = upload["with"]["path"].split()
    assert "</html>" in (tmp_path / report).read_text()
    assert upload["with"]["include-hidden-files"] is True
    assert (tmp_path / failures).is_dir() == bool(code)


def test_the_commands_without_pytest_run(arena):
    for line in re.search(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[1].splitlines():
        assert arena(*shlex.split(line)[1:]).exit_code == 0, line
