"""How a printed script is run."""

import contextlib
import io

import pytest


def _run_script(text):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, "pasted", "exec"), {})
    return said.getvalue()


@pytest.fixture(scope="session")
def run_script():
    """Runs a script that was printed; what it printed itself."""
    return _run_script
