"""`arena report`: the page, the tables, and mistakes of the user."""

import json
import re

import pytest

from arena.specs.spelling import short
from arena_tests.pages import data_of

HOSTILE = "</title><script>alert(1)</script>"


@pytest.fixture
def played(arena):
    done = arena(
        "tournament", "krr", "kernel-awv", "--against", "alternating", "--rounds", 20, "--seeds", 2, "--bound",
        "awv-logdet", "--workers", 0,
    )  # fmt: skip
    assert done.exit_code == 1, done.output
    return arena


def test_the_store_of_the_tournament_becomes_a_page(played, tmp_path):
    done = played("report", "-o", "page.html", "--title", HOSTILE)
    assert (done.exit_code, done.output) == (0, "Report: page.html\n")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<script") == 2
    assert "arena report .arena/store -o page.html --title" in page
    assert len(data_of((tmp_path / "page.html").read_text())["matches"]) == 2


def test_files_and_stores_go_into_one_page(played, tmp_path):
    assert played("play", "zero", "drift", "--rounds", 15, "--save", "one.npz").exit_code == 0
    assert played("report", ".arena/store", "one.npz").exit_code == 0
    data = data_of((tmp_path / "report.html").read_text())
    assert data["learners"] == ["kernel-awv", "krr", "zero"] or set(data["learners"]) == {"kernel-awv", "krr", "zero"}
    assert len(data["settings"]) == 2


def test_the_terminal_gets_the_same_facts(played, tmp_path):
    done = played("report", "--text")
    assert done.exit_code == 0
    matrix = done.output.partition("Regret over the rounds")[0]
    rest = done.output.partition("Theorems\n")[2]
    lines = {line.split()[0]: line for line in matrix.splitlines() if line}
    assert re.search(r"✘ \d+% violated", lines["krr"])
    assert re.search(r"✔ \d+%", lines["kernel-awv"])
    assert re.search(r"awv-logdet +2 +✘ 2 +\d+%", rest)
    assert "Ranking" in rest
    assert not list(tmp_path.glob("*.html"))


def test_the_terminal_gets_the_tables_of_matches_that_no_theorem_judged(arena):
    arena("tournament", "zero", "--against", "drift", "--rounds", 5, "--bound", "none", "--workers", 0)
    done = arena("report", "--text")
    assert done.exit_code == 0
    assert "Theorems" not in done.output
    assert "Ranking" in done.output


@pytest.mark.parametrize("other", ["drift", "./theirs.py:Far", "{folder}/theirs.py:Far"])
def test_headings_have_the_lists_in_the_specs_of_adversaries(arena, write, tmp_path, other):
    write("theirs.py", "from arena.adversaries import FarPoint\n\nclass Far(FarPoint): pass\n")
    mixture = f"mixture(of=[{other.format(folder=tmp_path)}, greedy])"
    played = arena("tournament", "zero", "--against", mixture, "--rounds", 5, "--workers", 0)
    assert played.exit_code == 0, played.output
    done = arena("report", "--text")
    assert done.exit_code == 0
    assert short(mixture) in done.output.splitlines()[1]


def test_the_terminal_shows_the_regret_to_other_comparators(arena):
    words = ("krr", "--against", "alternating", "--rounds", 20, "--comparator", "last-label", "--workers", 0)
    end = arena("tournament", *words).output
    assert re.search(r"\nkrr +alternating +1 .* -\d[\d.]*  [▁-█]+", end)
    lines = arena("report", "--text").output.partition("Regret to other comparators\n")[2].splitlines()
    assert lines[0].split("  ")[-1].strip() == "to last-label"
    regret = json.loads(arena("tournament", *words, "--json").output)["outcomes"][0]["comparators"]["last-label"][0]
    assert lines[1].split() == ["krr", "alternating", f"{regret:.4g}"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "This makes a store: arena tournament krr kernel-awv --against alternating greedy"),
        (("--text",), "there is no .arena/store: name the folder of a store"),
        ((".",), "there is no match to report"),
        ((".", "--text"), "there is no match to report"),
        ((".", "-o", "page.txt"), "must end in .html"),
        ((".", "--watch", "-o", "folder/"), "--watch writes one page"),
        ((".", "--watch", "--text"), "--watch writes one page"),
    ],
)
def test_mistakes_are_explained(arena, words, message):
    done = arena("report", *words)
    assert done.exit_code == 2
    assert message in done.output


def test_a_page_of_the_user_is_not_replaced(played, tmp_path):
    (tmp_path / "report.html").write_text("<p>mine</p>")
    done = played("report")
    assert done.exit_code == 2
    assert (tmp_path / "report.html").read_text() == "<p>mine</p>"


def test_figures_are_written_for_a_publication(played, tmp_path):
    done = played("report", "--figures", "figures", "--format", "svg", "--columns", "two")
    assert done.exit_code == 0, done.output
    written = sorted(each.name for each in (tmp_path / "figures").iterdir())
    assert {"ranking.svg", "tightness.svg", "regret-against-alternating.svg", "growth-against-alternating.svg"} <= {
        *written
    }
    assert sorted(re.findall(r"Figure: figures/(\S+)", done.output)) == written
    assert 'width="504pt"' in (tmp_path / "figures" / "ranking.svg").read_text()
    assert not list(tmp_path.glob("*.html"))


def test_a_figure_of_the_user_is_not_replaced(played, tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "ranking.pdf").write_text("mine")
    done = played("report", "--figures", "figures")
    assert done.exit_code == 2
    assert (tmp_path / "figures" / "ranking.pdf").read_text() == "mine"


def test_a_folder_gets_an_index_and_a_page_for_each_match(played, tmp_path):
    done = played("report", "-o", "pages/")
    assert (done.exit_code, done.output) == (0, "Report: pages/index.html\n")
    assert len(list((tmp_path / "pages").glob("match-*.html"))) == 2
    assert "arena report .arena/store -o pages/" in (tmp_path / "pages" / "index.html").read_text()


def test_watching_ends_cleanly_with_ctrl_c(played, tmp_path, monkeypatch):
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.report.time.sleep", pause)
    done = played("report", "--watch", "-o", "page.html")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines == ["Watching .arena/store; Ctrl-C ends.", "4 matches: page.html", "Report: page.html"]
    assert "data-live" not in (tmp_path / "page.html").read_text()
