"""The pages of the documentation: their examples work as written, and their tables name what there is."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import polars
import pytest

from arena.papers.experiments import NAMES
from arena.specs import registry
from arena.testing.checks import LEARNER_CHECKS
from arena.tournament.conditions import COUNTED, read_condition
from arena.tournament.league import KEYS
from arena.tournament.pairing import MEASURES
from arena.version import __version__
from arena_tests.pages import DOCS, ROOT, blocks, first_cells

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
ALONE = ("-c", "/dev/null", "--rootdir", ".")  # without the configuration of a folder above


@pytest.fixture
def printed_by(arena, output_of, tmp_path):
    """Run the examples of a page as written, in their order, and return the output of each.

    Named blocks are written to their files. Files of tests run together at the end, and their output comes last. A
    block of text must be what the example before it printed.
    """

    def run(name):
        outputs, tests, configured = [], [], False
        for number, (language, text, file) in enumerate(blocks(DOCS / name, "sh", "python", "toml", "ini", "text")):
            if language == "sh":
                for line in text.splitlines():
                    words, _, code = line.partition("# exit code ")
                    result = arena(*shlex.split(words, comments=True)[1:])
                    assert result.exit_code == int(code or 0), (line, result.output)
                    outputs.append(result.output)
                continue
            if language == "text":
                assert outputs[-1].strip() == text.strip()
                continue
            path = tmp_path / (file or f"example_{number}.py")
            path.write_text(text)
            configured = configured or language == "ini"
            if path.name.startswith("test_"):
                tests.append(path.name)
            elif language == "python":
                outputs.append(output_of(path.name))
        if tests:
            outputs.append(output_of(*PYTEST, *(() if configured else ALONE), *tests))
        return outputs

    return run


def rows_of(name):
    """Return the names in the first cells of the page's tables."""
    return re.findall(r"`([\w-]+)", " ".join(first_cells((DOCS / name).read_text())))


def test_comparators(printed_by, tmp_path):
    outputs = printed_by("comparators.md")
    assert "2 passed" in outputs[-1]
    for words in ("(it shifts in rounds 51, 101, 151)", "by largest |f|", "predicting half of the label bound",
                  "the best of 2 fixed models", "./models.py:Mean, which plays", "of the positive class"):  # fmt: skip
        assert words in " ".join(outputs)
    assert (tmp_path / "match.html").exists()
    assert sorted(rows_of("comparators.md")) == sorted(registry.entries("comparator"))


def test_comparators_the_drift_is_linear_for_one_learner_and_not_for_the_other():
    (table,) = blocks(DOCS / "comparators.md", "text")
    for line in table.text.splitlines():
        regrets = [float(number) for number in re.findall(r"\d+\.\d", line)]
        assert len(regrets) == 4
        rise = (regrets[3] - regrets[2]) / (regrets[1] - regrets[0])
        assert rise > 3.5 if line.startswith("krr") else rise < 1.5


def test_comparing_the_conditions_are_those_that_can_be_read():
    table = (DOCS / "comparing.md").read_text().partition("| condition |")[2].partition("\n\n")[0]
    named = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:]))
    assert {read_condition(each).measure for each in named} == {*MEASURES, *COUNTED}


def test_failures(printed_by):
    shortened, pasted, _, shrunk, listed, shown, _, replayed, *_ = printed_by("failures.md")
    assert shortened.strip() == blocks(DOCS / "failures.md", "python")[1].text.strip()  # the page shows what is printed
    assert pasted.startswith("awv-logdet: violated")
    assert 'learner = "fgd"' in shrunk
    assert "krr  awv-logdet  2 rounds" in listed
    assert "print(run.verdict(" in shown
    assert "still fails" in replayed
    assert replayed.endswith("[]\n")


def test_figures(printed_by, tmp_path):
    printed_by("figures.md")
    written = {each.stem for each in (tmp_path / "figures").glob("*.pdf")}
    table = set(re.findall(r"`(.*?)`", " ".join(first_cells((DOCS / "figures.md").read_text()))))
    named = {each.replace("ADVERSARY", "drift").replace("LEARNER", "krr") for each in table}
    assert named - {"size", "match-..."} <= written  # these learners report no dictionary
    assert any(each.startswith("match-") for each in written)
    assert (tmp_path / "match.pdf").read_bytes().startswith(b"%PDF")
    assert {each.name for each in tmp_path.iterdir()} >= {"match.pdf", "ranking.svg", "tightness.png"}


def test_five_minutes(printed_by, tmp_path):
    assert "2 passed" in printed_by("five-minutes.md")[-1]
    assert (tmp_path / "match.html").exists()
    typed = re.findall(r"^\$ (.+)$", (DOCS / "five-minutes.md").read_text(), re.MULTILINE)
    assert typed[-1] == "pytest test_first.py"
    assert "arena doctor" in typed


def test_long_streams(printed_by):
    _, match, lambdas, *printed = printed_by("long-streams.md")
    assert "interval" in match
    assert "by lambda: 0.01: " in lambdas
    for words in ("every prediction within", "2000 rounds, lambda 10.0: between"):
        assert words in "".join(printed)


def test_papers(printed_by, write):
    write("mine.csv", "0,2,5\n4,3,6\n2,1,8\n")
    printed_by("papers.md")
    page = Path("small/jezequel2019-fig4.md").read_text()
    assert "PKRR Taylor M=2" in page
    assert "an extract of 240 rows of casp; each of 9 columns to [0,1]" in page
    assert "<svg" in Path("small/jezequel2019-fig4.html").read_text()
    named = re.findall(r"`((?:jezequel|calandriello|le)20\d\d\w?-\w+)`", (DOCS / "papers.md").read_text())
    assert set(named) == set(NAMES)


TESTING = {"testing.md": 2, "testing-theorem.md": 5, "testing-model.md": 5, "testing-own-theorem.md": 2}


@pytest.mark.parametrize("page", TESTING)
def test_testing(page, printed_by, tmp_path):
    output = printed_by(page)[-1]
    assert len([*tmp_path.glob("test_*.py")]) == TESTING[page]
    assert re.search(r"\d+ passed", output)
    assert "skipped" not in output
    assert (tmp_path / "report.html").exists() == (page == "testing.md")


def test_testing_names_every_check_and_option():
    checks, _, plugin = (DOCS / "testing.md").read_text().partition("## In a pytest run")
    assert re.findall(r"`([\w-]+)`", " ".join(first_cells(checks))) == [check.name for check in LEARNER_CHECKS]
    options = set(re.findall(r'"(--arena-\w+)"', (ROOT / "arena" / "pytest_plugin.py").read_text()))
    assert options == set(re.findall(r"\| `(--arena-\w+)=", plugin))


def test_testing_leads_to_its_other_pages():
    linked = re.findall(r"\((testing-[\w-]+\.md)\)", (DOCS / "testing.md").read_text())
    assert set(linked) == set(TESTING) - {"testing.md"}


def test_tournaments(printed_by):
    first, second, listed, planned, some, rest, verified, merged, thinned, page, tables, folder, python = printed_by(
        "tournaments.md"
    )
    assert "12 played, 0 kept before" in first
    assert "8 played, 12 kept before" in second
    assert listed.count("\n") == 20
    assert "24 matches, 0 kept" in planned
    assert "4 played, 0 kept before" in some
    assert "20 played, 4 kept before" in rest
    assert "44 matches sound, digest" in verified
    assert "44 matches copied" in merged
    assert "24 matches deleted" in thinned
    assert page == "Report: report.html\n"
    assert "Who broke whom" in tables
    assert folder == "Report: pages/index.html\n"
    assert python == "12 0 0 0\n"
    keys = re.findall(r"`\[?(\w+)\]?`", " ".join(first_cells((DOCS / "tournaments.md").read_text())))
    assert set(keys) == set(KEYS)


@pytest.mark.parametrize("program", ["scheduler", "worker"])
def test_tournaments_the_commands_of_dask_have_the_options_of_the_page(program):
    pytest.importorskip("distributed")
    pages = [path.read_text() for path in (DOCS / "tournaments.md", ROOT / "README.md")]
    (command,) = {each for page in pages for each in re.findall(rf"^\$ dask {program} .*$", page, re.MULTILINE)}
    done = subprocess.run([sys.executable, "-m", "dask", program, "--help"], capture_output=True, text=True, check=True)
    assert set(re.findall(r"--[\w-]+", command)) <= set(re.findall(r"--[\w-]+", done.stdout))


@pytest.fixture
def steps():
    """The steps of the workflow of the page on CI."""
    yaml = pytest.importorskip("yaml")
    (block,) = blocks(DOCS / "ci.md", "yaml")
    workflow = yaml.safe_load(block.text)
    assert set(workflow) == {"name", True, "jobs"}  # YAML 1.1 reads the key `on` as true, as everywhere
    return workflow["jobs"]["arena"]["steps"]


def ci_command(steps, program):
    (line,) = [step["run"] for step in steps if step.get("run", "").startswith(program)]
    return shlex.split(line)


def test_ci_is_a_workflow_that_installs_this_version(steps):
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) for step in steps if "uses" in step)
    wheel, extras = re.fullmatch(r"\./wheels/(.*)\[(.*)\]", ci_command(steps, "pip")[2]).groups()
    assert wheel == f"regret_arena-{__version__}-py3-none-any.whl"
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras.split(",")) <= set(declared)


CI_TEST = """
from arena.testing import assert_no_violation, assert_regret

def test_it():
    assert_regret("zero", "label-blocks", rounds=5, at_most={limit})

def test_a_hunt():
    assert_no_violation("kernel-awv", matches=2, rounds=10)
"""


@pytest.mark.parametrize(("limit", "code"), [(100, 0), (1, 1)])
def test_ci_uploads_what_pytest_writes(steps, limit, code, tmp_path, python):
    (tmp_path / "test_model.py").write_text(CI_TEST.format(limit=limit))
    done = python("-m", *ci_command(steps, "pytest"), *ALONE, "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.returncode == code, done.stdout
    (upload,) = [step for step in steps if "upload" in step.get("uses", "")]
    assert upload["if"] == "always()"
    report, failures = upload["with"]["path"].split()
    assert "</html>" in (tmp_path / report).read_text()
    assert upload["with"]["include-hidden-files"] is True
    assert (tmp_path / failures).is_dir() == bool(code)


def test_ci_has_commands_that_run(printed_by):
    assert printed_by("ci.md")


@pytest.mark.usefixtures("without_bubblewrap")  # faster; it lasts until the end of the module
def test_comparing(printed_by, tmp_path):
    whole = "\n".join(printed_by("comparing.md"))
    for table in ("Ranking", "Critical difference", "Cost against regret", "Worst match of each learner"):
        assert table in whole
    assert "✘ regret:10% holds: mine.py:Mean on average" in whole
    assert "./mine.py:Mean worse" in whole
    assert "zero equal 0.0" in whole
    assert len(polars.read_parquet(tmp_path / "matches.parquet")) == 40
