"""Translates arguments and calls of Python in messages of the lower rooms to options and commands of the terminal."""

from __future__ import annotations

import ast
import re
import shlex

# Lower rooms write an argument as `name=value`, in backticks; the value may be `...`. Other code stays as it is.
OPTIONS = {  # for each argument: its option
    "comparators": "--comparator",
    "data": "--data",
    "dimension": "--dimension",
    "box": "--box",
    "exact": "--exact",
    "features": "--features",
    "folder": "--to",
    "hindsight": "--hindsight",
    "isolate": "--isolate",
    "kernel": "--kernel",
    "label_bound": "--label-bound",
    "mirror": "--from",
    "quick": "--quick",
    "regularisation": "--regularisation",
    "rounds": "--rounds",
    "seeds": "--seeds",
    "theorems": "--bound",
    "trust": "--trust",
    "wait": "--cluster-wait",
}
CALLS = {  # for each call: the words that stand for it in a terminal
    "Effort(...)": "--hindsight-time",
    "check_learner(...)": "arena check",
    "entries('theorem')": "arena list theorems",
    "fetch(...)": "arena data fetch",
    "help(Shifts)": "`arena show shifts`",
    "read_data(...)": "arena data prepare",
    "Transcript.save(...)": "`arena play ... --save`",
    "registered_sets()": "arena data list",
}
_CODE = re.compile(r"`([^`\n]+)`")
_FETCH = re.compile(r"fetch\('([^']+)', (.+)\)")


def in_options(text: str) -> str:
    """Return a message with options and commands in place of arguments and calls of Python in backticks.

    >>> in_options("narrow it with `hindsight='exact'`; `trust=True` runs it; raise `regularisation=...`")
    'narrow it with --hindsight exact; --trust runs it; raise --regularisation'
    >>> in_options("`pkawv(degree=3)`, rounds=3 and `max_size`")
    '`pkawv(degree=3)`, rounds=3 and `max_size`'
    """
    return _CODE.sub(_translated, text) if "`" in text else text


def _translated(code: re.Match[str]) -> str:
    name, given, value = code[1].partition("=")
    if given and name in OPTIONS:
        option = OPTIONS[name]
        return option if value in ("...", "True") else " ".join(f"{option} {word}" for word in _words(value))
    if fetched := _FETCH.fullmatch(code[1]):
        return f"`arena data fetch {fetched[1]} --data {_words(fetched[2])[0]}`"
    return CALLS.get(code[1], code[0])


def _words(value: str) -> list[str]:
    """Return the words of a command line for a value as Python writes it, one for each item of a list.

    A text that is no value, such as SECONDS, stays as it is.
    """
    try:
        read = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return [value]
    return [shlex.quote(str(each)) for each in (read if isinstance(read, list) else [read])]
