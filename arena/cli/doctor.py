"""`arena doctor`: prints which parts of this installation are there, and which are missing."""

from __future__ import annotations

import importlib
import importlib.metadata
import math
import os
import platform
import shutil
import sys
from typing import NamedTuple

import click
from rich.console import Console

from arena.cli.options import json_option
from arena.cli.output import markup, print_json, terminal
from arena.cli.text_tables import print_columns
from arena.guards.machine import GIBIBYTE, physical_memory, processors
from arena.version import __version__

NEEDED = ("numpy", "scipy", "click", "rich", "jinja2", "matplotlib", "threadpoolctl")
EXTRAS = {  # package: the extra that installs it ("" if none does), and its use
    "scikit-learn": ("sklearn", "models of scikit-learn as learners"),
    "river": ("river", "models of river as learners"),
    "vowpalwabbit": ("vowpalwabbit", "workspaces of Vowpal Wabbit as learners"),
    "padasip": ("padasip", "adaptive filters of padasip as learners"),
    "torch": ("", "modules of PyTorch as learners"),
    "hypothesis": ("hypothesis", "arena.testing.strategies and arena.testing.stateful"),
    "pytest": ("test", "assert_regret in tests"),
    "distributed": ("cluster", "--cluster"),
    "pyarrow": ("data", "Parquet files: data sets, and arena store export"),
    "pooch": ("data", "arena data fetch"),
    "pandas": ("", "data frames, for scikit-learn pipelines that select columns by name"),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "open", "xdg-open")


class Finding(NamedTuple):
    """One line of the output of `arena doctor`, about one part of the installation.

    - `state` is "fine", "broken", or "absent" for an optional part that is missing.
    - `about` is the name of the part.
    - `found` is its version or another description; if the part is missing, the reason or the remedy.
    """

    state: str
    about: str
    found: str


@click.command("doctor")
@json_option
@click.pass_context
def doctor(context: click.Context, json_wanted: bool) -> None:
    """Print versions, processors, memory and optional parts, and play ten rounds.

    Exit codes: 0 everything that is needed works; 2 something that is needed does not.
    """
    findings = [*_versions(), *_machine(), *_extras(), _trial()]
    if json_wanted:
        print_json([finding._asdict() for finding in findings])
    else:
        _print(terminal(), findings)
    context.exit(2 if any(finding.state == "broken" for finding in findings) else 0)


def _versions() -> list[Finding]:
    python = f"{platform.python_version()} ({platform.python_implementation()}, {sys.platform})"
    findings = [Finding("fine", "regret-arena", __version__), Finding("fine", "Python", python)]
    return findings + [_part(each, _version(each), f"not installed: pip install {each}", "broken") for each in NEEDED]


def _part(about: str, found: str, lacking: str, otherwise: str = "absent") -> Finding:
    """Return a finding: "fine" and the text `found`; if this is empty, the state `otherwise` and `lacking`."""
    return Finding("fine" if found else otherwise, about, found or lacking)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _machine() -> list[Finding]:
    from threadpoolctl import threadpool_info

    importlib.import_module("scipy.linalg")  # loads its BLAS
    findings = [Finding("fine", "processors", f"{processors()} of {os.cpu_count()} may be used")]
    if math.isfinite(memory := physical_memory()):
        findings.append(Finding("fine", "memory", f"{memory / GIBIBYTE:.1f} GiB"))
    for each in threadpool_info():
        version = f" {each['version']}" if each.get("version") else ""
        threads = f"{each['num_threads']} threads; a match uses 1"
        findings.append(Finding("fine", "linear algebra", f"{each['internal_api']}{version}, {threads}"))
    return findings


def _extras() -> list[Finding]:
    from arena.engine.bubblewrap import why_not

    findings = []
    for package, (extra, use) in EXTRAS.items():
        wanted = f"'regret-arena[{extra}]'" if extra else package
        findings.append(_part(package, _version(package), f"for {use}: pip install {wanted}"))
    browser = next(filter(shutil.which, BROWSERS), "")
    findings.append(_part("browser", browser, "none found; pages (--report) open in any browser"))
    reason = why_not()  # on some machines bubblewrap is installed, but no process can start inside it
    lacking = f"{reason}; --isolate has resource limits alone (docs/security.md)"
    if reason:
        return [*findings, Finding("absent", "bubblewrap", lacking)]
    return [*findings, Finding("fine", "bubblewrap", shutil.which("bwrap") or "")]


def _trial() -> Finding:
    """Play and judge ten rounds; return a finding, "fine" if both worked and no bound was violated, else "broken"."""
    try:
        from arena.engine.match import play

        run = play("kernel-awv", "alternating", rounds=10)
        verdicts = run.verdicts()
    except Exception as error:  # any exception is a finding
        return Finding("broken", "ten rounds", f"cannot be played: {type(error).__name__}: {error}")
    if run.forfeit:
        return Finding("broken", "ten rounds", str(run.forfeit))
    broken = [str(verdict) for verdict in verdicts if verdict.violated]
    return Finding("broken" if broken else "fine", "ten rounds", "; ".join(broken) or "played and judged")


def _print(console: Console, findings: list[Finding]) -> None:
    marks = {"fine": ("✔", "+"), "absent": ("○", "o"), "broken": ("✘", "x")}
    plain = console.options.ascii_only
    columns = {
        " ": [marks[finding.state][plain] for finding in findings],
        "part": [finding.about for finding in findings],
        "found": [finding.found for finding in findings],
    }
    print_columns(console, columns)
    broken = [finding.about for finding in findings if finding.state == "broken"]
    console.print()
    if broken:
        console.print(f"Does not work: {markup(', '.join(broken))}.")
    else:
        console.print("Everything that is needed works. Next: arena play kernel-awv greedy")
