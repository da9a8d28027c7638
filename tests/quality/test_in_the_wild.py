"""Five rows of the page on public models are computed again; models that cannot be measured are reported."""

import dataclasses
import doctest
import importlib
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from arena import play
from arena.players.learner import as_learner
from arena.specs.building import build
from arena_tests import FULL

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "in-the-wild.md"
catalogue, cells, measuring, model, page, row, running = (
    importlib.import_module(f"wild.{name}")
    for name in ("catalogue", "cells", "measuring", "model", "page", "row", "running")
)
FIVE = [
    ("padasip", "FilterRLS"),
    ("padasip", "FilterNLMS"),
    ("river", "BayesianLinearRegression"),
    ("river", "PARegressor mode 1"),
    ("scikit-learn", "SGDRegressor constant"),
]


def on_the_page(library, name):
    """Return the library's version and the cells of a model's row, as they are on the page."""
    sections = PAGE.read_text().split("\n## ")
    section = next(each for each in sections if each.startswith(f"{library} "))
    line = next(each for each in section.splitlines() if each.startswith(f"| {name} |"))
    return section.split()[1], [cell.strip() for cell in line.strip("|").split(" | ")]


def in_catalogue(library, name):
    [found] = [each for each in catalogue.CATALOGUE if (each.library, each.name) == (library, name)]
    return found


@pytest.fixture(scope="module", autouse=True)
def at_the_root():
    """Run the tests in the root of the checkout, since models of `glue` are named by paths from there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield


@pytest.mark.parametrize(("library", "name"), FIVE)
def test_five_rows_of_the_page_are_made_again(library, name):
    entry = in_catalogue(library, name)
    version, then = on_the_page(library, name)
    assert entry.version is not None, "the extra of this library belongs to the tests"
    if entry.version != version:
        pytest.skip(f"the page has {library} {version}, and {entry.version} is installed")
    now = cells.cells(entry, measuring.measure(entry))
    assert not cells.different_columns(then, now), f"python -m benchmarks.wild; now: {cells.markdown_row(now)}"


def test_some_library_has_the_version_of_the_page():
    """If all versions differ, all five rows are skipped: measure again with `python -m benchmarks.wild`."""
    assert any(on_the_page(*each)[0] == in_catalogue(*each).version for each in FIVE)


def test_models_have_names_of_their_own_and_a_theorem_or_a_reason():
    names = {(each.library, each.name) for each in catalogue.CATALOGUE}
    assert len(names) == len(catalogue.CATALOGUE) > 0
    assert not [each.name for each in catalogue.CATALOGUE if each.theorems and each.why]


@pytest.mark.parametrize("entry", catalogue.CATALOGUE[:: 1 if FULL else 12], ids=lambda entry: entry.name)
def test_models_of_installed_libraries_play(entry):
    if entry.version is None:
        pytest.skip(f"{entry.library} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = play(entry.spec, "drawn", rounds=12, dimension=3, loss=entry.loss, prediction_bound=1e9)
    if entry.name == "FilterOCNLMS":
        assert "predict changes the learner" in run.forfeit.reason
        return
    assert run.forfeit is None
    assert np.ptp(run.predictions) > 0 or entry.family == "tree", "it learns"
    promised = entry.theorems or as_learner(build("learner", entry.spec)).theorems
    assert bool(promised) != bool(entry.why), "a theorem, or the reason why there is none"


def test_what_is_missing_does_not_load_hangs_or_dies_gets_a_row(tmp_path):
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    (tmp_path / "dies.py").write_text("import os\n\n\nclass Dies:\n    def __init__(self):\n        os._exit(3)\n")
    missing = model.Model("no-such-library", "absent", "river:dummy.StatisticRegressor()", "constant")
    broken = dataclasses.replace(missing, library="numpy", name="broken", spec=f"{tmp_path}/broken.py:Model")
    dies = dataclasses.replace(broken, name="dies", spec=f"{tmp_path}/dies.py:Dies")
    rows = running.rows_of([missing, broken, dies], measuring.QUICK, workers=1, folder=tmp_path / "kept")
    assert [each.error.split(":")[0] for each in rows] == ["not installed", "cannot be made", "its process ended (3)"]
    assert "| absent | constant | not installed |" in page.table([missing, broken, dies], rows)
    assert not list((tmp_path / "kept").glob("*")), "what failed must be tried again"


def test_a_second_run_measures_what_is_missing(tmp_path):
    known = in_catalogue("padasip", "FilterLMS")
    measured = row.Row("padasip", "FilterLMS", known.version, passed=7, growth={"linear": [1.0, 0.5, "greedy"]})
    running._keep(measured, known, measuring.QUICK, tmp_path)
    assert running.rows_of([known], measuring.QUICK, workers=0, folder=tmp_path) == [measured]
    [file] = tmp_path.glob("*.json")
    file.write_text('{"library"')
    assert running.rows_of([known], measuring.QUICK, workers=0, folder=tmp_path)[0].error == "not measured"


def test_the_comparison_of_rows_sees_more_than_rounding():
    assert doctest.testmod(cells).failed == 0


def test_scripts_on_the_page_do_without_the_arena():
    blocks = PAGE.read_text().split("```text\n")[1:]
    scripts = [block.partition("```")[0] for block in blocks]
    assert scripts
    assert not [script for script in scripts if "import arena" in script]


def test_the_page_says_what_it_found():
    text = PAGE.read_text()
    for finding in ("`optim.FTRLProximal` predicts without", "`PARegressor` takes a label y as 2 y - 1"):
        assert finding in text
    assert str(ROOT) not in text
    assert sys.prefix not in text
