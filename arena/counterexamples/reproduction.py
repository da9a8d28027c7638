"""A failure as Python code: a script that plays it again, or a test that fails until the learner is fixed."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import numpy as np

from arena.arrays import Array
from arena.counterexamples.data_rows import rows_in_words
from arena.counterexamples.shrinking import Shrunk
from arena.errors import ArenaError, number_of, printable
from arena.guards.whole_files import is_new, reason, writing
from arena.record.commands import command_for_file, play_command
from arena.record.remarks import why_unnamed
from arena.record.storage import game_as_json
from arena.record.transcript import Transcript
from arena.specs.spelling import changed_fields, is_unnamed

WIDTH = 100
DIGITS = 8  # characters of a failure's id in the name of its test
MOST_REPEATED_ROWS = 4  # rows of the longest group that is written once, with a factor
INLINE = 120  # largest count of numbers in the moves that are written into the test itself

TEST = '''\
"""{about}"""

{imports}


def {name}():
{body}
'''


def reproduction(shrunk: Shrunk, *, file: str | Path | None = None) -> str:
    """Return a script that plays the smallest match and prints the verdict or the foul.

    The script begins with the comments of `facts`. `file` is the path of the transcript of the smallest match, or None.
    """
    return "\n".join([*facts(shrunk, file=file), "", script(shrunk)])


def facts(shrunk: Shrunk, *, file: str | Path | None = None) -> list[str]:
    """Return comment lines: what failed, by how much, and the command that repeats the unshrunk match.

    If the adversary played rows of a data file, these rows are added. `file` is the path of the smallest match's
    transcript. If it is given, a command that plays this match is added.
    """
    run, verdict = shrunk.smallest, shrunk.verdict
    how = "" if shrunk.finished else f" until the time was spent, {shrunk.seconds:.0f} s"
    lines = [f"{run.learner_name} fails in {number_of(shrunk.rounds, 'round')}, shrunk from {shrunk.before:,}{how}."]
    if verdict is None or verdict.violation is None:
        lines += str(run.forfeit).splitlines()
    else:
        measured, allowed = verdict.violation
        lines += [
            f"{verdict.theorem} is violated in round {verdict.round}:",
            f"  {verdict.quantity} {measured:.9g}, allowed {allowed:.9g}, margin {verdict.margin:.3g}",
        ]
    if long := play_command(shrunk.worst, shrunk.theorem or "auto"):
        lines.append(f"the long match: {long}")
    lines += rows_in_words(shrunk.worst, shrunk.points, shrunk.labels)
    if file is not None:
        again = command_for_file(file, run, shrunk.theorem or "auto", one_by_one=shrunk.one_by_one)
        lines.append(f"again: {again or f'in Python alone; {why_unnamed(run)}'}")
    return [f"# {one_line(line)}".rstrip() for line in lines]


def script(shrunk: Shrunk) -> str:
    """Return a script that plays the smallest match and prints the verdict or the foul."""
    run = shrunk.smallest
    lines = ["import numpy as np", "", "from arena import play", "from arena.adversaries.replay import Replay", ""]
    lines += [f"points = {array_text(shrunk.points, 'points')}", f"labels = {array_text(shrunk.labels, 'labels')}"]
    if is_unnamed(run.learner):
        name = one_line(run.learner[1:-1])
        lines.append(f"learner = ...  # an object of the class {name}, which no spec can name: put it here")
    else:
        lines.append(f"learner = {quoted(run.learner)}")
    lines.append(f"run = play(learner, {moves_text(run, one_by_one=shrunk.one_by_one)}, {fields_text(run)})")
    lines.append(f"print(run.verdict({quoted(shrunk.theorem)}))" if shrunk.theorem else "print(run.forfeit)")
    return "\n".join(lines) + "\n"


def moves_text(run: Transcript, *, one_by_one: bool) -> str:
    """Return a script's expression for its adversary, such as "Replay(X=points, y=labels)".

    The script has the moves in the variables `points` and `labels`. With `one_by_one` they are played round by round,
    otherwise in blocks.
    """
    exact = ", scale_y=None" if run.game.loss.classifies else ""  # keeps labels from becoming two classes
    return f"Replay(X=points, y=labels{exact}{', one_by_one=True' if one_by_one else ''})"


def fields_text(run: Transcript) -> str:
    """Return Python code of keyword arguments: the fields of the match's game, and the match's seed.

    Fields with their default values are left out, except `rounds`. The seed is left out if it is 0. If the learner
    ended its process, it gets a process of its own, so that the script or the test session goes on.
    """
    game = game_as_json(run.game)
    fields = {name: game[name] for name in {"rounds": 0, **changed_fields(run.game)}}
    if run.seed:
        fields["seed"] = run.seed
    if run.forfeit is not None and run.forfeit.of_process:
        fields["isolate"] = True
    shown = {name: quoted(value) if isinstance(value, str) else repr(value) for name, value in fields.items()}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def quoted(text: str) -> str:
    """Return the text as a Python literal in double quotes."""
    return printable(json.dumps(text, ensure_ascii=False), sys.maxsize)


def one_line(text: str) -> str:
    """Return the text on one line, so that all of it stays in a comment."""
    return printable(text, 20_000).replace("\n", " ")


def array_text(array: Array, name: str) -> str:
    """Return the array as a Python expression, exact to the last bit; `name` is the variable to which it is assigned.

    >>> import numpy as np
    >>> array_text(np.array([[0.5, -1.0]]), "points")
    'np.array([[0.5, -1.0]])'
    """
    rows = [repr(row) for row in array.tolist()]
    whole = f"np.array([{', '.join(rows)}])"
    if len(name) + len(whole) <= WIDTH:
        return whole
    if again := repeated_text(array):
        return f"np.array({again})"
    lines, line = [], "   "
    for row in rows:
        if len(line) + len(row) > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {row},"
    return "\n".join(["np.array([", *lines, line, "])"])


def repeated_text(array: Array) -> str:
    """Return code that writes a repetitive array as a list times a whole number; an empty text for other arrays.

    >>> import numpy as np
    >>> repeated_text(np.array([1.0, -1.0, 1.0, -1.0])), repeated_text(np.array([1.0, 2.0]))
    ('[1.0, -1.0] * 2', '')
    """
    count = len(array)
    for period in range(1, min(MOST_REPEATED_ROWS, count // 2) + 1):
        if count % period == 0 and (array == np.resize(array[:period], array.shape)).all():
            return f"{array[:period].tolist()} * {count // period}"
    return ""


def promote(shrunk: Shrunk, name: str, folder: str | Path) -> list[Path]:
    """Write the failure as a test into `folder`, and return the paths of the files.

    `name` is the failure's id, whose first digits become a part of the file's name. If the moves are many, they are
    written into an .npz file beside the test. Raise an `ArenaError` if the failure cannot be made a test, if there is
    no such folder, or if one of the files exists already.
    """
    if problem := why_no_test(shrunk):
        raise ArenaError(problem)
    folder = Path(folder)
    large = shrunk.points.size + shrunk.labels.size > INLINE
    path = folder / f"test_{_slug(shrunk)}_{name[:DIGITS]}.py"
    written = [path, path.with_suffix(".npz")] if large else [path]
    try:
        if not folder.is_dir():
            raise ArenaError(f"there is no folder {folder}: make it first, or choose another with `folder=...`")
        taken = [each for each in written if each.exists() or each.is_symlink()]
    except OSError as error:
        raise ArenaError(
            f"cannot write into {folder}: {reason(error)}. Choose another folder with `folder=...`"
        ) from None
    if taken:
        raise ArenaError(
            f"{taken[0]} exists already, and nothing is overwritten: move it, or choose another with `folder=...`"
        )
    if large:
        content = io.BytesIO()
        np.savez_compressed(content, points=shrunk.points, labels=shrunk.labels)
        with writing(written[1], is_new) as file:
            file.write(content.getvalue())
    with writing(path, is_new) as file:
        file.write(as_test(shrunk, path.stem, beside=large).encode())
    return written


def why_no_test(shrunk: Shrunk) -> str:
    """Return the reason why the failure cannot be made a test; an empty text if it can be made one."""
    run = shrunk.smallest
    if is_unnamed(run.learner):
        of = one_line(run.learner)
        return f"a test must make its learner anew, which is an object of {of}: {why_unnamed(run)}"
    parts = [*map(str, game_as_json(run.game).values()), shrunk.theorem or ""]
    unnamed = next(filter(is_unnamed, parts), "")
    return f"a test must make {one_line(unnamed)} anew, which no spec can name" if unnamed else ""


def as_test(shrunk: Shrunk, name: str, *, beside: bool = False) -> str:
    """Return the code of a test of this failure; `name` is the name of the test function.

    With `beside` the test reads the moves from an .npz file that has the same name as the test's file.
    """
    if beside:
        moves = ['moves = np.load(Path(__file__).with_suffix(".npz"))']
        moves.append('points, labels = moves["points"], moves["labels"]')
    else:
        moves = [f"{which} = {array_text(getattr(shrunk, which), which)}" for which in ("points", "labels")]
    body = [*moves, *_judgement(shrunk)]
    text = "\n".join("    " + line for each in body for line in each.splitlines())
    return TEST.format(about=_about(shrunk), imports=_imports(shrunk, beside=beside), name=name, body=text)


def _about(shrunk: Shrunk) -> str:
    """Return a test's docstring: one line that says on how many rounds the learner failed, and how."""
    verdict = shrunk.verdict
    if verdict is None:
        first = str(shrunk.smallest.forfeit).splitlines()[0]
        what = f"it was stopped, {first.partition(': ')[2]}"
    else:
        what = f"it broke {verdict.theorem} by {verdict.margin:.3g}, {verdict.quantity} {verdict.measured:.6g}"
        what += f" of {verdict.allowed:.6g} allowed"
    text = f"{shrunk.smallest.learner_name} once failed on {number_of(shrunk.rounds, 'round')}: {what}."
    return one_line(text).replace("\\", "/").replace('"', "'")


def _imports(shrunk: Shrunk, *, beside: bool) -> str:
    standard = ["from pathlib import Path", ""] if beside else []
    replay = "from arena.adversaries.replay import Replay"
    if shrunk.theorem is None:
        ours = ["from arena import play", replay]
    else:
        ours = [replay, "from arena.testing import assert_regret"]
    return "\n".join([*standard, "import numpy as np", "", *ours])


def _judgement(shrunk: Shrunk) -> list[str]:
    run = shrunk.smallest
    moves, fields = moves_text(run, one_by_one=shrunk.one_by_one), fields_text(run)
    if shrunk.theorem is None:
        return [f"run = play({quoted(run.learner)}, {moves}, {fields})", "assert run.forfeit is None, run.forfeit"]
    return [f"assert_regret({quoted(run.learner)}, {moves}, theorem={quoted(shrunk.theorem)}, {fields})"]


def _slug(shrunk: Shrunk) -> str:
    """Return the learner's name for use in a file's name: in lower case, with underscores for punctuation."""
    learner = shrunk.smallest.learner.partition("(")[0].rpartition(":")[2].rpartition("/")[2]
    return re.sub(r"\W+", "_", learner).strip("_").lower()[:60] or "learner"
