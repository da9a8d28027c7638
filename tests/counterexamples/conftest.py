"""A fixture that runs printed scripts."""

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
    """Return a function that runs a printed script and returns its output."""
    return _run_script
