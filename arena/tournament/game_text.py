"""The function `game_text`, which describes a game in tables and figures."""

from __future__ import annotations

from typing import Any

from arena.errors import ArenaError
from arena.record.fields import game_from_json
from arena.record.tables import GAME_FIELDS
from arena.specs.spelling import changed_fields


def game_text(values: dict[str, Any]) -> str:
    """Return as text the fields of a game that differ from the default game; "the usual" if no field differs.

    `values` has the game's fields as plain values, as in the column "game" of `arena.record.tables`.
    """
    try:
        changed = changed_fields(game_from_json(values))
    except ArenaError:  # a kernel or loss of the user's own
        changed = {name: value for name, value in values.items() if name in GAME_FIELDS}
    return ", ".join(f"{name.replace('_', ' ')} {values[name]}" for name in changed) or "the usual"
