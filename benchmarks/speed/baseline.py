"""The ratios kept in the repository (the baseline), and the comparison of new ratios with them.

Larger ratios are better. A new ratio has fallen if its upper quartile, multiplied by a factor above 1, is below the
lower quartile of the ratio in the baseline.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .measuring import Result, Spread

FILE = Path(__file__).with_name("baseline.json")
FACTOR = {"full": 1.5, "quick": 4.0}  # quick runs are short, and machines of CI differ from the baseline's

Ratios = Mapping[str, Spread]


@dataclass(frozen=True)
class Fall:
    """A ratio that has fallen: its name, and its quartiles in the baseline and now."""

    name: str
    before: Spread
    now: Spread

    def __str__(self) -> str:
        return f"{self.name}: {self.now.median:.3g} now, {self.before.median:.3g} in the baseline"


def ratios_of(results: Iterable[Result]) -> dict[str, Spread]:
    """Return the ratios that are compared with the baseline; the keys have the form "GROUP/ROW: RATIO"."""
    return {
        f"{result.group}/{result.name}: {name}": spread
        for result in results
        if result.guarded
        for name, spread in result.ratios.items()
    }


def fallen(now: Ratios, before: Ratios, factor: float) -> list[Fall]:
    """Return the ratios that have fallen; a ratio without a value in `before` is left out."""
    return [
        Fall(name, before[name], spread)
        for name, spread in now.items()
        if name in before and spread.high * factor < before[name].low
    ]


def read(mode: str, path: Path | None = None) -> dict[str, Spread]:
    """Return the baseline of a mode, "quick" or "full"."""
    path = path or FILE
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Spread(*values) for name, values in kept.get(mode, {}).items()}


def write(mode: str, ratios: Ratios, path: Path | None = None) -> None:
    """Write new ratios of a mode into the baseline; ratios that were not measured again stay as they are."""
    path = path or FILE
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rounded = {name: [float(f"{each:.4g}") for each in (s.median, s.low, s.high)] for name, s in ratios.items()}
    kept[mode] = dict(sorted({**kept.get(mode, {}), **rounded}.items()))
    lines = ",\n".join(
        f" {json.dumps(each)}: {{\n" + ",\n".join(f"  {json.dumps(k)}: {v}" for k, v in kept[each].items()) + "\n }"
        for each in sorted(kept)
    )
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
