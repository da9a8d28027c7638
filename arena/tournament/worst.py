"""The worst match of each learner: forfeits are worst, then violations of theorems, then the largest regrets."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from arena.engine.isolation import is_outside
from arena.errors import ArenaError
from arena.record.commands import match_command
from arena.record.fields import game_from_json
from arena.record.judgement import FORFEITED
from arena.record.tables import Row
from arena.tournament.scores import Scores, unpromised


def worst_matches(scores: Scores) -> dict[str, Row]:
    """Return the worst match of each learner, by the learner's name.

    If several matches are equally bad, the one in the first setting and with the smallest seed is returned.
    """
    matches: dict[str, list[Row]] = {}
    for (learner, _), rows in scores.groups().items():
        matches.setdefault(learner, []).extend(scores.tables[row] for row in rows)
    return {learner: max(rows, key=lambda row: row.badness) for learner, rows in matches.items()}


def command_again(match: Row, bounds: Sequence[str] | None = None) -> str:
    """Return the command `arena play ...` that plays a match again and judges it by the theorems `bounds`.

    By default, these are the violated theorems that the learner does not promise; and a learner outside the arena that
    forfeited the match is isolated, since it may end its process. If command-line options cannot describe the game,
    return the command `arena judge` for the match's file.
    """
    isolate = bounds is None and match.tier == FORFEITED and is_outside(match.learner)
    named = unpromised(match) if bounds is None else bounds
    try:
        game = game_from_json(match.game)
        return match_command(match.learner, match.adversary, game, named, seed=match.seed, isolate=isolate)
    except ArenaError:
        return shlex.join(["arena", "judge", str(match.path), "--trust"])
