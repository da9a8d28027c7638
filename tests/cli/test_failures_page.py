"""The page on failures: every command and every example works as written, in their order."""

import contextlib
import io
import re
from pathlib import Path

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "failures.md").read_text()
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_work_as_written(arena):
    said = []
    for language, text in BLOCKS:
        if language == "sh":
            for command in text.splitlines():
                words, _, code = command.partition("# exit code ")
                result = arena(*words.split()[1:])
                assert result.exit_code == int(code or 0), result.output
                said.append(result.output)
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, "page", "exec"), {})
        said.append(output.getvalue())
    printed, pasted, _, shortened, listed, shown = said[:6]
    assert 'learner = "fgd"' in shortened
    assert printed.strip() == BLOCKS[1][1].strip()  # the page shows what is printed
    assert pasted.startswith("awv-logdet: violated")
    assert "krr  awv-logdet  2 rounds" in listed
    assert "print(run.verdict(" in shown
    assert "still fails" in said[7]
    assert said[7].endswith("[]\n")
