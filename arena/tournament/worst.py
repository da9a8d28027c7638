"""Finds the worst match of each learner: forfeits are worst, then violations of theorems, then the largest regrets."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.engine.isolation import is_outside
from arena.errors import ArenaError
from arena.record.commands import match_command
from arena.record.fields import game_from_json
from arena.record.judgement import FORFEITED
from arena.tournament.scores import Scores, Setting, unpromised


@dataclass(frozen=True)
class Worst:
    """The worst match of a learner.

    `regret` has the ends of the final regret; None if it is unknown. `note` describes the forfeit or names the violated
    theorems; it is empty if there is neither. `bounds` names the violated theorems that the learner does not promise.
    """

    learner: str
    setting: Setting
    seed: int
    loss: float
    regret: tuple[float, float] | None
    note: str
    forfeited: bool
    bounds: tuple[str, ...]
    path: Path

    @property
    def command(self) -> str:
        """The command `arena play ...` that plays the match again.

        If command-line options cannot describe the game, this is `arena judge FILE` with the file of the match.
        """
        game = json.loads(self.setting.game)
        isolated = self.forfeited and is_outside(self.learner)  # since the learner may end its process
        return command_again(
            self.learner, self.setting.adversary, game, self.bounds, seed=self.seed, path=self.path, isolate=isolated
        )


def command_again(
    learner: str,
    adversary: str,
    game: Mapping[str, Any],
    bounds: Sequence[str],
    *,
    seed: int,
    path: Path,
    isolate: bool = False,
) -> str:
    """Return the command `arena play ...` that plays a match again and judges it by the theorems `bounds`.

    If command-line options cannot describe the game, return the command `arena judge` for the match's file `path`.
    """
    try:
        return match_command(learner, adversary, game_from_json(dict(game)), bounds, seed=seed, isolate=isolate)
    except ArenaError:
        return shlex.join(["arena", "judge", str(path), "--trust"])


def worst_matches(scores: Scores) -> dict[str, Worst]:
    """Return the worst match of each learner, by the learner's name.

    If several matches are equally bad, the one in the first setting and with the smallest seed is returned.
    """
    tier, loss = scores.column("tier"), scores.column("loss")
    upper = scores.column("upper")
    size = np.where(np.isnan(upper), loss, upper)
    worst: dict[int, tuple[tuple[float, float], tuple[int, int]]] = {}
    for (learner, setting, seed), row in sorted(scores.rows.items()):
        badness = (float(tier[row]), float(size[row]))
        if learner not in worst or badness > worst[learner][0]:
            worst[learner] = (badness, (setting, seed))
    found = {}
    for learner, (_, (setting, seed)) in worst.items():
        row = scores.rows[learner, setting, seed]
        found[scores.learners[learner]] = Worst(
            learner=scores.learners[learner],
            setting=scores.settings[setting],
            seed=seed,
            loss=float(loss[row]),
            regret=scores.ends(row),
            note=scores.note(row),
            forfeited=bool(tier[row] == FORFEITED),
            bounds=unpromised(scores.tables[row]),
            path=scores.tables[row].path,
        )
    return found
