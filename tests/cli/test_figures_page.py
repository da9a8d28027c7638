"""The examples of docs/figures.md run as they are printed, and write what the page says."""

import re
import shlex
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_commands_write_the_figures_of_the_table(arena, tmp_path):
    for line in blocks("sh")[0].splitlines():
        done = arena(*shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    written = {each.stem for each in (tmp_path / "figures").glob("*.pdf")}
    table = {
        name for cell in re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(.*?)`", cell)
    }
    named = {each.replace("ADVERSARY", "drift").replace("LEARNER", "krr") for each in table}
    named -= {"size", "match-..."}  # these learners report no dictionary
    assert named <= written
    assert any(each.startswith("match-") for each in written)


def test_the_python_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = blocks("python")
    exec(compile(example, "figures.md", "exec"), {})
    assert (tmp_path / "match.pdf").read_bytes().startswith(b"%PDF")
    assert {each.name for each in tmp_path.iterdir()} >= {"match.pdf", "ranking.svg", "tightness.png"}
