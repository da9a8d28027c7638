"""A store of matches that keeps judgements and curves with few points, in place of transcripts.

A match of 580,000 rounds, whose points have 54 coordinates, takes 20 kB here, and 250 MB as a transcript. Each match
has one file, named by the match's key.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import ArenaError, DamagedFile
from arena.guards.whole_files import writing
from arena.record.judging import judge
from arena.record.tables import Entry
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.tournament.entries import entry_bytes, is_entry, read_entry
from arena.tournament.plan import PlannedMatch
from arena.tournament.playing import Played
from arena.tournament.store_files import CURVES, FAILURES, StoreFiles

POINTS = 100  # points of a curve, evenly spread on a logarithmic axis
REGRETS = 5000  # rounds of the longest match whose regrets and bounds are computed


def kept_rounds(rounds: int, also: Sequence[int] = ()) -> Array:
    """Return the rounds at which curves are kept: about 100 in geometric steps, the last one, and the rounds `also`."""
    steps = np.unique(np.geomspace(1, max(rounds, 1), POINTS).round().astype(int))
    return np.unique([*steps, *(each for each in also if each <= rounds), rounds])


def curves_of(run: Transcript, also: Sequence[int] = (), bounds: Sequence[str] = ()) -> dict[str, list[float]]:
    """Return the values of a match's curves at about 100 rounds, by the curves' names.

    The curve "rounds" has the numbers of these rounds; the last round and the rounds `also` are among them. The curves
    "loss", "errors" and "seconds" are cumulative sums. If the match has at most 5,000 rounds and its regret is known,
    there are also "regret", "plain regret" and "bound X" for each theorem X in `bounds` that applies. The dictionary is
    empty if the match has no rounds.
    """
    at = kept_rounds(run.rounds, also)
    places = at - 1
    curves: dict[str, Array] = {"rounds": at}
    if not run.rounds:
        return {}
    wrong = np.sign(run.predictions) * np.sign(run.labels) <= 0
    for name, values in (("loss", run.losses), ("errors", wrong), ("seconds", run.seconds)):
        curves[name] = np.cumsum(values)[places]
    if run.rounds <= REGRETS and not run.comparator.why_unknown:
        for name, curve in (("regret", run.regret), ("plain regret", run.plain_regret)):
            if curve is not None:
                curves[name] = curve[places]
        for theorem in bounds:
            verdict = judge(run, theorem)
            if verdict.applicable and verdict.allowed_curve is not None:
                curves[f"bound {theorem}"] = verdict.allowed_curve[places]
    return {name: np.asarray(curve, dtype=float).tolist() for name, curve in curves.items()}


def pack_curves(run: Transcript, *, also: Sequence[int], bounds: Sequence[str]) -> Callable[[bytes], bytes]:
    """Return a function that makes the content of a match's file, given the match's judgement.

    The content is JSON with the judgement and the curves (loss, errors, seconds and others). `also` has further rounds
    at which curves are kept. `bounds` has the theorems whose bounds are kept as curves.
    """
    curves = curves_of(run, also, bounds)
    return lambda judged: json.dumps({"judged": json.loads(judged), "curves": curves}).encode()


class CurveStore(StoreFiles):
    """A store that keeps the judgement of each match, and its curves (loss, errors and others) at about 100 rounds.

    `also` has further rounds at which curves are kept. `bounds` has the theorems whose bounds are kept as curves.
    """

    def __init__(self, folder: str | Path, *, also: Sequence[int] = (), bounds: Sequence[str] = ()):
        super().__init__(folder)
        self.pack = functools.partial(pack_curves, also=tuple(sorted(also)), bounds=tuple(bounds))

    def has(self, key: str) -> bool:
        return self._path(CURVES, key).exists()

    def find(
        self,
        match: PlannedMatch,
        claims: Any = "auto",
        comparators: Sequence[Any] = (),
        promised: Sequence[Theorem] = (),
    ) -> tuple[Entry, Path] | None:
        found = self.read(match.key)
        return None if found is None else (found[0], self._path(CURVES, match.key))

    def read(self, key: str) -> tuple[Entry, dict[str, Array]] | None:
        """Return the entry and the curves of a match; None if the store has no whole and unchanged file of the match.

        A damaged file is moved to the store's folder damaged/.
        """
        path = self._path(CURVES, key)
        try:
            values = read_entry(path, "summary")
            curves = {name: np.array(curve) for name, curve in values["curves"].items()}
            return Entry.read(json.dumps(values["judged"]).encode()), curves
        except (DamagedFile, KeyError, TypeError) as error:
            self._set_aside(CURVES, path, str(error))
        except ArenaError:  # there is no such file
            pass
        return None

    def add(self, match: PlannedMatch, played: Played) -> tuple[Entry, Path]:
        assert played.file is not None
        path = self._place(CURVES, match.key)
        with writing(path, is_entry, durable=False) as file:
            file.write(entry_bytes("summary", {"determined": match.determined, **json.loads(played.file)}))
        self._path(FAILURES, match.key).unlink(missing_ok=True)
        return Entry.read(played.entry), path
