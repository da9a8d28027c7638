"""What can be pasted: the sequence as arrays, a script that plays it, the numbers of the bound, the commands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from arena.arrays import Array
from arena.counterexamples.shrunk import Shrunk
from arena.errors import number_of
from arena.game.game import Game, changed_fields
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript

WIDTH = 100


def reproduction(shrunk: Shrunk, *, file: str | Path | None = None) -> str:
    """A script that plays the smallest sequence and says what comes of it; `file` is where its transcript is kept.

    What is to know beyond it stands in the script as comments.
    """
    return "\n".join([*facts(shrunk, file=file), "", script(shrunk)])


def facts(shrunk: Shrunk, *, file: str | Path | None = None) -> list[str]:
    """What failed, by how much, and how to play it again, as comments."""
    run, verdict = shrunk.smallest, shrunk.verdict
    lines = [f"{run.learner} fails in {number_of(shrunk.rounds, 'round')}, shrunk from {shrunk.before:,}."]
    if verdict is None or verdict.round is None or verdict.measured_curve is None or verdict.allowed_curve is None:
        lines += str(run.forfeit).splitlines()
    else:
        first = verdict.round - 1
        lines += [
            f"{verdict.theorem} is violated in round {verdict.round}:",
            f"  {verdict.quantity} {verdict.measured_curve[first]:.9g}, allowed {verdict.allowed_curve[first]:.9g}, "
            f"margin {verdict.margin:.3g}",
        ]
    lines += command(shrunk.worst, shrunk.theorem, "the long match")
    if file is not None:
        words = ["arena", "replay", str(file), *(["--bound", shrunk.theorem] if shrunk.theorem else [])]
        lines.append(f"again: {shlex.join(words + ['--one-by-one'] * shrunk.one_by_one)}")
    return [f"# {line}".rstrip() for line in lines]


def command(run: Transcript, theorem: str | None, what: str) -> list[str]:
    """The command that plays a match again, if there is one."""
    if run.command is None or run.adversary.startswith("<"):
        return []
    return [f"{what}: {run.command}" + (f" --bound {shlex.quote(theorem)}" if theorem else "")]


def script(shrunk: Shrunk) -> str:
    """The script alone."""
    run = shrunk.smallest
    lines = ["import numpy as np", "", "from arena import play", "from arena.adversaries.replay import Replay", ""]
    lines += [f"points = {array_text(shrunk.points, 'points')}", f"labels = {array_text(shrunk.labels, 'labels')}"]
    lines += [learner_line(run), f"run = {call(run, one_by_one=shrunk.one_by_one)}"]
    lines.append(f"print(run.verdict({quoted(shrunk.theorem)}))" if shrunk.theorem else "print(run.forfeit)")
    return "\n".join(lines) + "\n"


def learner_line(run: Transcript) -> str:
    """The learner by its spec; an object that none can build must be put in by hand."""
    if run.learner.startswith("<"):
        return f"learner = ...  # an object of the class {run.learner[1:-1]}, which no spec can name: put it here"
    return f"learner = {quoted(run.learner)}"


def call(run: Transcript, *, one_by_one: bool) -> str:
    """The call of `play`."""
    return f"play(learner, {moves_text(one_by_one=one_by_one)}, {fields_text(run)})"


def moves_text(*, one_by_one: bool) -> str:
    """The adversary that makes the moves."""
    return "Replay(X=points, y=labels" + (", one_by_one=True)" if one_by_one else ")")


def fields_text(run: Transcript) -> str:
    """All that is not usual about the game, and the seed, as arguments."""
    game = game_as_json(run.game)
    fields = {name: game[name] for name in {"rounds": 0, **changed_fields(run.game, Game())}}
    if run.seed:
        fields["seed"] = run.seed
    shown = {name: quoted(value) if isinstance(value, str) else repr(value) for name, value in fields.items()}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def quoted(text: str) -> str:
    """A text as Python, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def array_text(array: Array, name: str) -> str:
    """An array as Python, to the last bit.

    >>> import numpy as np
    >>> array_text(np.array([[0.5, -1.0]]), "points")
    'np.array([[0.5, -1.0]])'
    """
    rows = [repr(row) for row in array.tolist()]
    whole = f"np.array([{', '.join(rows)}])"
    if len(name) + len(whole) <= WIDTH:
        return whole
    lines, line = [], "   "
    for row in rows:
        if len(line) + len(row) > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {row},"
    return "\n".join(["np.array([", *lines, line, "])"])
