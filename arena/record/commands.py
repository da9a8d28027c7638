"""The commands that repeat a match, to be copied into a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from arena.game.game import Game
from arena.record.comparing import NamedComparator
from arena.record.judging import claims_of
from arena.record.remarks import NAMED
from arena.record.repeating import OPTIONS
from arena.record.setting import options_of
from arena.record.theorem import Claim
from arena.record.transcript import Transcript
from arena.specs.addresses import names_code
from arena.specs.spelling import is_unnamed, spec_text


def play_command(
    run: Transcript,
    bound: Claim | Sequence[Claim] = "auto",
    *,
    seed: int | None = None,
    seeds: int = 1,
) -> str | None:
    """Return the `arena play` command that plays the match again, and judges it by the theorems `bound`.

    `seed` replaces the match's own seed. With `seeds` > 1 the command plays a series of that many seeds. The command
    has the options of `arena.record.repeating` with which the match was played. The result is None if a part of the
    match has no spec, or if a player's spec begins with a hyphen.
    """
    game = run.game.replace(features=()) if run.header.get(NAMED) else run.game
    words = _match(run.learner, run.adversary, game, run.seed if seed is None else seed)
    words += [word for option in OPTIONS.values() for word in option.words(run)]
    words += _bounds(bound)
    if any(map(is_unnamed, words)) or run.learner.startswith("-") or run.adversary.startswith("-"):
        return None
    return shlex.join(words if seeds == 1 else [*words, "--seeds", str(seeds)])


def match_command(
    learner: str, adversary: str, game: Game, bound: Sequence[Claim] = (), *, seed: int, isolate: bool = False
) -> str:
    """Return the `arena play` command for a match between two players that are given as specs.

    If the adversary reads a file, the command leaves out the names of the features, because the file has them.
    """
    if "file=" in adversary:
        game = game.replace(features=())
    return shlex.join([*_match(learner, adversary, game, seed), *["--isolate"] * isolate, *_bounds(bound)])


def _match(learner: str, adversary: str, game: Game, seed: int) -> list[str]:
    words = ["arena", "play", learner, adversary, *options_of(game)]
    return [*words, "--seed", str(seed)] if seed else words


def replay_command(
    file: str | Path,
    learner: str | None = None,
    bound: Claim | Sequence[Claim] = "auto",
    *,
    comparators: Sequence[NamedComparator] = (),
    one_by_one: bool = False,
    exact: bool = False,
    trust: bool = False,
) -> str:
    """Return the `arena replay` command that plays the moves in a file again; the arguments become its options.

    Without `learner`, the command plays the learner that the file names.
    """
    words = [
        "arena",
        "replay",
        f"./{file}" if str(file).startswith("-") else str(file),
        *([learner] if learner else []),
        *(word for each in comparators for word in ("--comparator", spec_text(each))),
        *_bounds(bound),
    ]
    return shlex.join(words + ["--exact"] * exact + ["--one-by-one"] * one_by_one + ["--trust"] * trust)


def command_for_file(
    file: str | Path, run: Transcript, bound: Claim | Sequence[Claim] = "auto", *, one_by_one: bool = False
) -> str | None:
    """Return the `arena replay` command for the file of a match; None if the learner or a part of the game has no spec.

    The command names the learner if the learner's code is outside the arena. It has the option --trust if the code of
    the game's kernel or loss is outside the arena.
    """
    parts = [spec_text(run.game.kernel), spec_text(run.game.loss)]
    if any(map(is_unnamed, [run.learner, *parts])):
        return None
    learner = run.learner if names_code(run.learner) else None
    return replay_command(file, learner, bound, one_by_one=one_by_one, trust=any(map(names_code, parts)))


def _bounds(bound: Claim | Sequence[Claim]) -> list[str]:
    """Return the words `--bound CLAIM` for each claim; [] for "auto" alone, which is the command's default."""
    claims = [each if isinstance(each, str) else spec_text(each) for each in claims_of(bound)]
    return [] if claims == ["auto"] else [word for each in claims for word in ("--bound", each)]
