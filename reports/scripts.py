"""Pages that contain a script: the styles, the script with its hash, and the data that the script reads."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from arena.reports.downsampled import script_json
from arena.reports.page import template

PARTS = ("charts.js", "film.js", "tables.js", "live.js", "overview.js")


@dataclass(frozen=True)
class Live:
    """The `version` of a page that refreshes itself, and the name of the `file` that announces newer versions.

    The file is a script in the page's folder, and contains the newest version's number. The page loads the file
    repeatedly, and reloads itself if this number is not its own `version`.
    """

    file: str
    version: str


def scripted(name: str, data: Mapping[str, Any], content: Mapping[str, Any], *, live: Live | None = None) -> str:
    """Return the page that the template `name` makes from the variables `content`, with a script and its `data`.

    The script is made of uPlot and the files `PARTS`, and is the same on every page. With `live`, the page refreshes
    itself.
    """
    parts = "\n".join(map(_text, PARTS))
    script = f'{_text("vendor/uPlot.iife.min.js")}\n(() => {{\n"use strict";\n{parts}}})();'
    page = template(name).render(
        **content,
        live=live,
        data=script_json(json.dumps(data, allow_nan=False, separators=(",", ":"))),
        script=Markup(script),
        script_hash=_hash(script),
        plot_style=Markup(_text("vendor/uPlot.min.css")),
    )
    body, mark, end = page.rpartition('<script type="application/json"')
    return re.sub(r"\n\s+", "\n", body) + mark + end  # indentation is a tenth of a page of many matches


def _text(name: str) -> str:
    return files("arena.reports").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return the hash of the page's script; the page's content security policy allows only a script with this hash."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
