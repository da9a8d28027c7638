"""Fixtures that open pages in a real browser."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

VARIABLE = "REGRET_ARENA_BROWSER"
COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable(playwright):
    """Return the path of a browser, or None if there is none.

    It is the first of these that exists: the browser named in the environment, one on the path, and playwright's own.
    """
    named = [os.environ[VARIABLE]] if os.environ.get(VARIABLE) else []
    found = [path for path in map(shutil.which, COMMANDS) if path]
    brought = Path(playwright.chromium.executable_path)
    return next(iter([*named, *found, *([str(brought)] if brought.exists() else [])]), None)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        path = executable(playwright)
        if path is None:
            message = f"no Chromium was found: install one, or name it in {VARIABLE}; tried {', '.join(COMMANDS)}"
            pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-background-networking"])
        yield browser
        browser.close()
