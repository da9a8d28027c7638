"""Checks of a store's files: the key in a file's name must be the key of the match in the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.errors import DamagedFile
from arena.record.transcript import Transcript
from arena.tournament.plan import PlannedMatch
from arena.tournament.summary import Summary

AGAIN = ".again"  # added to a file's name if a foreign file has the usual name


@dataclass(frozen=True)
class Verified:
    """The result of `Store.verify` or `Store.merge`.

    - `matches` is the number of sound matches: their transcripts are whole, and belong to the keys in the files' names.
      For `merge` it is the number of copied matches.
    - `damaged` describes matches without a summary, and files that are incomplete or changed.
    - `foreign` describes files that the arena did not write.
    - `digest` is a hash of the keys and contents of the sound matches, without times; empty for `merge`. Stores with
      equal digests have the same moves.
    """

    matches: int
    damaged: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    digest: str = ""


def check_is_of(match: PlannedMatch, found: Summary | Transcript) -> None:
    """Raise `DamagedFile` if the match in a file has another learner, adversary or seed than the planned match."""
    planned = *match.names, match.seed
    if planned != (found.learner, found.adversary, found.seed):
        raise DamagedFile(
            f"{match.key} is {found.learner} against {found.adversary}, seed {found.seed}, and not the match of its "
            f"key, {planned[0]} against {planned[1]}, seed {planned[2]}"
        )


def key_in(path: Path, suffix: str) -> str:
    """Return the key in the name of a store's file that ends in `suffix`, such as ".npz"; empty for other files."""
    key = path.name.removesuffix(suffix).removesuffix(AGAIN)
    own = len(key) == 64 and not set(key) - set("0123456789abcdef") and path.parent.name == key[:2]
    return key if own and path.name.endswith(suffix) else ""
