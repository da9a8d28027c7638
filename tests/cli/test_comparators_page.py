"""The page on comparators: its examples work as written, and its table names every comparator."""

import re
import shlex
from pathlib import Path

from arena.specs import registry

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "comparators.md").read_text()
BLOCKS = re.findall(r"^```(sh|python|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_work_as_written(tmp_path, arena, output_of):
    outputs, tests, printed = {}, [], ""
    for number, (language, text) in enumerate(BLOCKS):
        if language == "text":
            assert printed.strip() == text.strip()  # the page shows what is printed
            continue
        if language == "sh":
            for command in text.splitlines():
                words, _, code = command.partition("# exit code ")
                result = arena(*shlex.split(words)[1:])
                assert result.exit_code == int(code or 0), result.output
                outputs[command] = result.output
            continue
        named = re.match(r"# (\w+\.py)\n", text)
        file = named[1] if named else f"example_{number}.py"
        (tmp_path / file).write_text(text)
        if file.startswith("test_"):
            tests.append(file)
        else:
            printed = output_of(file) or printed
    assert "2 passed" in output_of("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    said = " ".join(outputs.values())
    for words in ("(it shifts in rounds 51, 101, 151)", "by largest |f|", "predicting half of the label bound",
                  "the best of 2 fixed models", "./models.py:Mean, which plays", "of the positive class"):  # fmt: skip
        assert words in said
    assert (tmp_path / "match.html").exists()


def test_the_table_names_every_comparator():
    rows = re.findall(r"^\| `([\w-]+)", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(registry.entries("comparator"))


def test_the_drift_is_linear_for_one_learner_and_not_for_the_other():
    [text] = [text for language, text in BLOCKS if language == "text"]
    for line in text.splitlines():
        regrets = [float(number) for number in re.findall(r"\d+\.\d", line)]
        assert len(regrets) == 4
        rise = (regrets[3] - regrets[2]) / (regrets[1] - regrets[0])
        assert rise > 3.5 if line.startswith("krr") else rise < 1.5
