"""A kept failure as a test of the project: it fails while the learner is broken, and passes once it is mended."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np

from arena.counterexamples.reproduction import array_text, fields_text, moves_text, quoted
from arena.counterexamples.shrunk import Shrunk
from arena.errors import ArenaError, number_of
from arena.record.storage import writing

INLINE = 120  # numbers up to which they stand in the test itself

HEAD = '''\
"""{about}"""

{imports}


def {name}():
'''


def promote(shrunk: Shrunk, name: str, folder: str | Path) -> list[Path]:
    """Write the test into the folder, and the moves beside it if they are many; the files that were written."""
    if shrunk.smallest.learner.startswith("<"):
        raise ArenaError(
            f"a test must make its learner anew, but no spec can name the object {shrunk.smallest.learner}: "
            "put its class into a file and play ./file.py:Class"
        )
    folder = Path(folder)
    if not folder.is_dir():
        raise ArenaError(f"there is no folder {folder}: make it first, or choose another with --to")
    path = folder / f"test_{_slug(shrunk)}_{name[:8]}.py"
    if path.exists():
        raise ArenaError(f"{path} exists already, and nothing is overwritten")
    large = shrunk.points.size + shrunk.labels.size > INLINE
    written = [path]
    if large:
        written.append(path.with_suffix(".npz"))
        content = io.BytesIO()
        np.savez_compressed(content, points=shrunk.points, labels=shrunk.labels)
        _write(written[1], content.getvalue())
    _write(path, as_test(shrunk, path.stem, beside=large).encode())
    return written


def as_test(shrunk: Shrunk, name: str, *, beside: bool = False) -> str:
    """The test; `beside` says that the moves stand in an .npz of the same name."""
    if beside:
        moves = ['moves = np.load(Path(__file__).with_suffix(".npz"))']
        moves.append('points, labels = moves["points"], moves["labels"]')
    else:
        moves = [f"{which} = {array_text(getattr(shrunk, which), which)}" for which in ("points", "labels")]
    body = [*moves, *_judgement(shrunk)]
    text = "\n".join("    " + line for each in body for line in each.splitlines())
    return HEAD.format(about=_about(shrunk), imports=_imports(shrunk, beside=beside), name=name) + text + "\n"


def _about(shrunk: Shrunk) -> str:
    verdict = shrunk.verdict
    if verdict is None:
        first = str(shrunk.smallest.forfeit).splitlines()[0]
        what = f"it was stopped, {first.partition(': ')[2]}"
    else:
        what = f"it broke {verdict.theorem} by {verdict.margin:.3g}, {verdict.quantity} {verdict.measured:.6g}"
        what += f" of {verdict.allowed:.6g} allowed"
    text = f"{shrunk.smallest.learner} once failed on {number_of(shrunk.rounds, 'round')}: {what}."
    return text.replace("\\", "/").replace('"', "'")


def _imports(shrunk: Shrunk, *, beside: bool) -> str:
    play = "from arena import play" if shrunk.theorem is None else ""
    regret = "" if shrunk.theorem is None else "from arena.testing import assert_regret"
    standard = ["from pathlib import Path", ""] if beside else []
    ours = [line for line in (play, "from arena.adversaries.replay import Replay", regret) if line]
    return "\n".join([*standard, "import numpy as np", "", *ours])


def _judgement(shrunk: Shrunk) -> list[str]:
    run = shrunk.smallest
    moves, fields = moves_text(one_by_one=shrunk.one_by_one), fields_text(run)
    if shrunk.theorem is None:
        return [f"run = play({quoted(run.learner)}, {moves}, {fields})", "assert run.forfeit is None, run.forfeit"]
    return [f"assert_regret({quoted(run.learner)}, {moves}, theorem={quoted(shrunk.theorem)}, {fields})"]


def _slug(shrunk: Shrunk) -> str:
    """What the learner is called, as a word of Python."""
    learner = shrunk.smallest.learner.partition("(")[0].rpartition(":")[2].rpartition("/")[2]
    return re.sub(r"\W+", "_", learner).strip("_").lower() or "learner"


def _write(path: Path, content: bytes) -> None:
    with writing(path) as file:
        file.write(content)
