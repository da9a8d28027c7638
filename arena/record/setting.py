"""The fields of a game, written as short texts and as options of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.game.game import Game
from arena.record.storage import game_as_json
from arena.specs.grammar import format_value
from arena.specs.parameters import Configured
from arena.specs.spelling import changed_fields, spec_text

OTHERS = tuple(name for name in Game.__dataclass_fields__ if name not in ("dimension", "box", "features"))
LISTED = 6  # most names of features, or pairs of limits, that are printed

_named_boxes: dict[tuple[Any, ...], str] = {}  # texts of --box in this process, by limits and names of features


def fields_in_words(game: Game, names: Iterable[str]) -> list[str]:
    """Return a text "name value" for each of these fields; a long list is cut after six items.

    >>> fields_in_words(Game(dimension=9, features=tuple("abcdefghi")), ["dimension", "features"])
    ['dimension 9', 'features [a, b, c, d, e, f, ... 9 in all]']
    """
    values = game_as_json(game)
    return [f"{name.replace('_', ' ')} {_short(values[name])}" for name in names if name in values]


def _short(value: Any) -> str:
    if not isinstance(value, (tuple, list)) or len(value) <= LISTED:
        return str(value)
    return f"[{', '.join(map(str, value[:LISTED]))}, ... {len(value)} in all]"


def name_box(limits: Mapping[str, Any], text: str) -> None:
    """Make `options_of` return the option `--box text` for every game with the fields in `limits`.

    `limits` has the game's box, dimension and names of features, as the command line has read them from `text`.
    """
    game = Game().replace(**limits)
    _named_boxes[game.dimension, game.box, game.features] = text


def options_of(game: Game) -> list[str]:
    """Return the options of the command line for the fields of the game that differ from the defaults."""
    named = _named_boxes.get((game.dimension, game.box, game.features))
    words = []
    for name, value in changed_fields(game).items():
        if named is None or name in OTHERS:
            text = spec_text(value) if isinstance(value, Configured) else format_value(value)
            words += [f"--{name.replace('_', '-')}", text]
    return words if named is None else [*words, "--box", named]
