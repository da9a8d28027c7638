"""A project outside the repository, in an environment of its own, that uses the arena as the documentation says.

REGRET_ARENA_UPDATE=1 rewrites the expected outputs.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of a new environment that finds the packages of this environment; nothing is downloaded."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    interpreter = folder / "bin" / "python"
    ask = [interpreter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    also = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    lines = [f"import site; site.addsitedir({path!r})" for path in sorted(also)]
    (Path(packages) / "packages.pth").write_text("\n".join(lines) + "\n")
    return interpreter


@pytest.fixture
def project(python, tmp_path):
    """Return a function that runs pytest in a fresh copy of the project."""
    folder = tmp_path / "project"
    shutil.copytree(HERE / "project", folder)

    def run(*words):
        command = [python, "-m", "pytest", "--no-header", "-p", "no:cacheprovider", "--color", "no", *words]
        environment = {**os.environ, "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}
        for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "CI", "BUILD_NUMBER"):
            environment.pop(name, None)
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment
        )

    run.folder = folder
    return run


SMALLEST = (
    "smallest sequence, 2 rounds: regret 3, bound 1.09861229, margin 1.9 in round 2",
    "  points = [[0.0], [0.0]]",
    "  labels = [1.0, -1.0]",
    "  game: rounds 2, dimension 1; seed 0",
    "  again: arena play ./models.py:Eager 'arena.testing.moves:Moves(X=[[0.0], [0.0]], y=[1.0, -1.0])' "
    "--rounds 2 --dimension 1 --bound awv-logdet",
)


def normalised(output, folder):
    """Return the output with placeholders for times, ids and paths, which differ between runs."""
    output = output.replace(str(folder), "<project>")
    output = re.sub(r"in \d+\.\d+s(?: \([\d:]+\))?", "in <time>", output)
    output = re.sub(r"\b0x[0-9a-f]+", "<address>", output)
    output = re.sub(r"known since \d{4}-\d\d-\d\d", "known since <date>", output)
    output = re.sub(r"\b[0-9a-f]{12}\b", "<id>", output)
    output = re.sub(r"={4,}", "====", re.sub(r"_{4,}", "____", output))
    return "\n".join(line.rstrip() for line in output.splitlines()) + "\n"


def check(output, name):
    expected = HERE / f"{name}.txt"
    if os.environ.get("REGRET_ARENA_UPDATE"):
        expected.write_text(output)
    assert output == expected.read_text()


def test_passing_assertions(project):
    done = project("test_passing.py", "--arena-report", "report.html", "-rfE")
    assert done.returncode == 0, done.stdout + done.stderr
    output = normalised(done.stdout, project.folder)  # hypothesis varies the number of matches
    check(re.sub(r"\d[\d,.]*(?= (?:assertions|hunts|match|round)|%)", "<n>", output), "passing")
    page = (project.folder / "report.html").read_text()
    for learner in ("models.py:RunningMean", "SGDRegressor", "LinearRegression"):
        assert learner in page
    assert not (project.folder / ".arena").exists()


def test_failures_are_kept_and_fail_again_at_once(project):
    done = project("test_failing.py")
    assert done.returncode == 1
    check(normalised(done.stdout, project.folder), "failing")
    hunted = project("test_hunted.py")
    assert hunted.returncode == 1
    for line in SMALLEST:  # what comes before it depends on how the hunt goes
        assert f"E         {line}\n" in hunted.stdout
    again = project("test_failing.py", "test_hunted.py", "--numprocesses", "2", "-k", "theorem or hunt or foul")
    assert again.returncode == 1
    assert again.stdout.count("known since 20") == 3
    assert "smallest sequence" not in again.stdout


@pytest.mark.parametrize(
    "model",
    [
        "./models.py:RunningMean",
        "sklearn:linear_model.SGDRegressor(random_state=0)",
        "river:linear_model.LinearRegression()",
    ],
)
def test_the_models_play_and_are_hunted_from_the_command_line(model, tmp_path, monkeypatch):
    shutil.copytree(HERE / "project", tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    for words in (
        ["play", model, "alternating", "--rounds", "50", "--report", "page.html"],
        ["hunt", model, "--bound", "./theorems.py:BoundedPredictions", "--matches", "5", "--rounds", "30"],
    ):
        result = CliRunner().invoke(main, words, prog_name="arena")
        assert result.exit_code == 0, result.output
    assert model.rpartition(".")[2].partition("(")[0].rpartition(":")[2] in Path("page.html").read_text()
