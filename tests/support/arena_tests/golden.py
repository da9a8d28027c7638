"""Golden transcripts: about 200 small matches as they are played on every processor.

    python -m arena_tests.golden           play them all, and print those that differ from the file
    python -m arena_tests.golden --write   write the file anew

They stand in `tests/engine/golden.jsonl`, one match a line. A learner or adversary that has none yet is no mistake: the
file gets its matches when it is written the next time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena import ArenaError, Transcript, play
from arena.adversaries.from_data import FromData
from arena.adversaries.replay import Replay
from arena.specs.registry import entries
from arena.tournament.plan import ALGORITHM

FILE = Path(__file__).parents[2] / "engine" / "golden.jsonl"
ACCURACY = 1e-9  # of predictions and the final regret, or loss, in units of the largest one, or of B if that is larger
ROUNDS = 20
# Solvers of other libraries stop within their tolerance, somewhere else on each processor.
ELSEWHERE = {"libsvm", "llsvm"}
OF_DATA = {"replay": Replay, "from-data": FromData}


def matches() -> Iterator[dict[str, Any]]:
    """Yield the learner, the adversary and the game of each match."""
    for learner in entries("learner"):
        for adversary in ("greedy", "drawn", "repeated(points=5, labels=contrary)", "orthogonal"):
            if learner not in ELSEWHERE:
                yield {"learner": learner, "adversary": adversary, "rounds": ROUNDS}
    for adversary in entries("adversary"):
        for learner in ("kernel-awv", "fgd"):
            yield {"learner": learner, "adversary": adversary, "rounds": ROUNDS + 5, "dimension": 3}
    for loss in entries("loss"):
        yield {"learner": "fgd", "adversary": "contrarian(source=drawn)", "rounds": ROUNDS, "loss": loss}
    for kernel in entries("kernel"):
        yield {"learner": "krr", "adversary": "greedy", "rounds": ROUNDS, "kernel": kernel, "label_bound": 3.0}
    yield {"learner": "kernel-awv", "adversary": "greedy", "rounds": 100}
    yield {"learner": "krr", "adversary": "mixture(stretch=5)", "rounds": 60, "dimension": 5, "regularisation": 0.1}


def data(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows for the adversaries that need data: points, and signs that mostly follow from them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(100, dimension))
    return X, np.where(X.sum(axis=1) + 0.3 * rng.uniform(-1.0, 1.0, size=len(X)) > 0.0, 1.0, -1.0)


def played(match: dict[str, Any]) -> Transcript:
    """Play the match and return its transcript."""
    given = dict(match)
    if given["adversary"] in OF_DATA:
        X, y = data(given.get("dimension", 2))
        given["adversary"] = OF_DATA[given["adversary"]](X=X, y=y)
    return play(given.pop("learner"), given.pop("adversary"), **given)


def record(match: dict[str, Any]) -> dict[str, Any]:
    """Play the match and return it with what every processor must give."""
    run = played(match)
    final = run.cumulative_losses[-1] if run.regret is None else run.regret[-1]
    return {
        "match": match,
        "ended": run.ended,
        "moves": np.column_stack([run.points, run.labels]).tolist(),
        "predictions": [float(f"{value:.12g}") for value in run.predictions.tolist()],
        "final": float(f"{final:.12g}"),
        "verdicts": {each.theorem: each.outcome for each in (*run.verdicts(), *run.lower_verdicts())},
    }


def known() -> list[dict[str, Any]]:
    """Return the records in the file, whose first line has the version of the algorithms that played them."""
    first, *lines = FILE.read_text().splitlines()
    assert json.loads(first) == {"algorithm": ALGORITHM}, "the algorithms have changed: write the file anew"
    return list(map(json.loads, lines))


def difference(golden: dict[str, Any]) -> str:
    """Play a match of the file again; return in what it differs now, or "" if it does not."""
    found = record(golden["match"])
    if found["ended"] != golden["ended"]:
        return f"it ended as {found['ended']}, not {golden['ended']}"
    for number, (new, old) in enumerate(zip(found["moves"], golden["moves"], strict=True), 1):
        if new != old:
            return f"another move in round {number}: {new}, not {old}"
    numbers = np.array([*golden["predictions"], golden["final"]])
    off = np.abs(np.array([*found["predictions"], found["final"]]) - numbers)
    allowed = ACCURACY * max(float(np.abs(numbers).max()), golden["match"].get("label_bound", 1.0))
    if not (off <= allowed).all():
        return f"predictions or the regret differ by {off.max():.2g}"
    if found["verdicts"] != golden["verdicts"]:
        return f"other verdicts: {set(found['verdicts'].items()) ^ set(golden['verdicts'].items())}"
    return ""


def title(golden: dict[str, Any]) -> str:
    """Return the players of the match, and the fields of its game, as text."""
    return " ".join(f"{key}={value}" if key not in ("learner", "adversary") else value
                    for key, value in golden["match"].items())  # fmt: skip


def main(write: bool) -> None:
    if write:
        records = []
        for match in matches():
            try:
                records.append(json.dumps(record(match)))
            except ArenaError as refused:
                print(f"{title({'match': match})}: left out, {refused}")
        FILE.write_text("\n".join([json.dumps({"algorithm": ALGORITHM}), *records]) + "\n")
        return
    for golden in known():
        if why := difference(golden):
            print(f"{title(golden)}: {why}")


if __name__ == "__main__":
    main(write="--write" in sys.argv[1:])
