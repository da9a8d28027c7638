"""The folder of failures: kept, found, replayed, damaged and promoted failures, and several processes at once."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, play
from arena.counterexamples.failures import PARTS, Failures
from arena.counterexamples.reproduction import promote
from arena.counterexamples.shrinking import shrink
from arena.players.moves import GivenMoves

BROKEN = '''
class MeanLabel:
    """The mean of the labels so far{about}."""

    def __init__(self):
        self.sum, self.count = 0.0, 1

    def predict(self, x):
        return {prediction}

    def update(self, x, y):
        self.sum += y
        self.count += 1
'''
RAISES = "self.sum / self.count if self.count < 3 else 1 / 0"
WRONG = "self.sum"
RIGHT = "self.sum / self.count"


def mine(prediction, about=""):
    """Write a learner that predicts the expression `prediction` into ./mine.py, and return its spec."""
    Path("mine.py").write_text(BROKEN.format(prediction=prediction, about=about))
    return "./mine.py:MeanLabel"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def broken_bound(learner="krr", rounds=30, **game):
    return shrink(learner, play(learner, "alternating", rounds=rounds, **game), "awv-logdet")


def test_a_failure_that_was_added_is_read_back_complete():
    shrunk = broken_bound()
    store = Failures(".arena")
    failure = store.add(shrunk)
    (found,) = Failures(".arena").kept()
    assert found == failure
    assert (found.learner, found.theorem, found.rounds) == ("krr", "awv-logdet", shrunk.rounds)
    assert "exceeds the bound" in found.reason
    assert store.worst(found).rounds == 30
    again = store.shrunk(found)
    assert again.points.tolist() == shrunk.points.tolist()
    assert again.labels.tolist() == shrunk.labels.tolist()
    assert again.verdict == shrunk.verdict
    assert Path(".arena/.gitignore").read_text() == "*\n"


def test_failures_are_listed_by_learner_and_by_theorem():
    store = Failures()
    store.add(broken_bound("krr"))
    store.add(broken_bound("fgd"))
    store.add(shrink("fgd", play("fgd", "alternating", rounds=30), "awv-leverage"))
    assert {f.learner for f in store.kept()} == {"krr", "fgd"}
    assert [f.theorem for f in store.kept(learner="krr")] == ["awv-logdet"]
    assert [f.learner for f in store.kept(theorem="awv-leverage")] == ["fgd"]
    assert len(store.kept()) == 3
    assert Failures("elsewhere").kept() == []


def test_a_failure_is_found_by_the_beginning_of_its_id():
    store = Failures()
    failure = store.add(broken_bound())
    assert store.find(failure.id[:4]) == failure
    with pytest.raises(ArenaError, match="no failure 'nothing' is kept"):
        store.find("nothing")
    store.add(broken_bound("fgd"))
    with pytest.raises(ArenaError, match="the beginning of 2 failures"):
        store.find("")


def test_the_same_failure_is_kept_once():
    store = Failures()
    first = store.add(broken_bound())
    second = store.add(broken_bound())
    assert first.id == second.id
    assert len(list(store.folder.glob("*.json"))) == 1


def test_a_failure_is_replayed_until_the_learner_is_mended():
    learner = mine(WRONG)
    store = Failures()
    failure = store.add(broken_bound(learner, label_bound=2.0))
    (still,) = store.replay_first(learner)
    assert still.fails
    assert "violated" in still.reason
    assert store.kept() == [failure]
    (mended,) = store.replay_first(mine("0.0"))
    assert not mended.fails
    assert "holds" in mended.reason
    assert store.kept() == []
    assert store.replay_first(learner) == []


def test_a_foul_is_replayed_too():
    learner = mine(RAISES)
    store = Failures()
    failure = store.add(shrink(learner, play(learner, "alternating", rounds=20)))
    assert (failure.theorem, failure.rounds) == (None, 3)
    assert "ZeroDivisionError" in failure.reason
    assert [each.fails for each in store.replay_first(learner)] == [True]
    assert [each.fails for each in store.replay_first(mine(RIGHT), remove=False)] == [False]
    assert store.kept() == [failure]


def test_failures_of_other_learners_are_not_replayed():
    store = Failures()
    store.add(broken_bound("fgd"))
    assert store.replay_first("krr") == []
    assert store.replay_first("fgd", theorem="awv-leverage") == []
    assert [each.fails for each in store.replay_first("fgd", theorem="awv-logdet")] == [True]


class Fickle:
    """A learner without a spec, since its parameter is not an attribute of the same name."""

    def __init__(self, *signs):
        self.sign, self.last = signs[0], 0.0
        self.lock = lambda: None

    def predict(self, x):
        return self.sign * self.last

    def update(self, x, y):
        self.last = y


def test_a_failure_that_an_object_without_a_spec_passes_stays():
    store = Failures()
    store.add(broken_bound(Fickle(1.0)))
    (found,) = store.replay_first(Fickle(0.0))
    assert not found.fails
    assert len(store.kept()) == 1


@pytest.mark.parametrize("part", [".json", ".smallest.npz", ".worst.npz"])
@pytest.mark.parametrize("damage", ["torn", "gone"])
def test_damage_is_reported(part, damage):
    store = Failures()
    failure = store.add(broken_bound())
    kept = store.add(broken_bound("fgd"))
    path = store.folder / f"{failure.id}{part}"
    if damage == "torn":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif part != ".json":
        path.unlink()
    else:
        path.write_text(path.read_text().replace('"steps": ', '"stepped": '))
    before = content_of(store.folder)
    store = Failures()
    assert store.replay_first("krr") == []
    assert kept in store.kept()
    assert len(store.damaged) == 1
    assert failure.id in store.damaged[0]
    assert content_of(store.folder) == before
    assert store.clear() == 2
    assert not store.folder.exists()


def content_of(folder):
    """Return a dictionary of all files below a folder with their contents."""
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


STRANGERS = {
    "results.json": b'{"accuracy": 0.93}',
    "notes.json": b'{\n "format": 1,\n "id": "0123456789ab",',  # ours, but under another name
    "0123456789ab.json": b'{"format": 1, "id": "0123456789ab"}',
    "0123456789ab.worst.npz": b"PK\x03\x04 weights of a night's training",
    "model.smallest.npz": b"",
    "cafecafecafe.smallest.npz": b"",
    "torn.json": b"{",
}


def test_files_of_somebody_else_are_neither_moved_nor_deleted():
    store = Failures("theirs")
    failure = store.add(broken_bound())
    for name, content in STRANGERS.items():
        (store.folder / name).write_bytes(content)
    (store.folder / "fedcba987654.json").mkdir()
    own = play("krr", "alternating", rounds=5).save("theirs/failures/mine.worst.npz")
    before = content_of("theirs")
    store = Failures("theirs")
    assert store.kept() == [failure]
    assert store.damaged == []
    assert content_of("theirs") == before
    assert store.clear() == 1
    assert set(before) - set(content_of("theirs")) == {store.folder / f"{failure.id}{part}" for part in PARTS}
    assert own.exists()


def test_a_file_of_somebody_else_is_not_replaced():
    shrunk = broken_bound()
    failure = Failures("elsewhere").add(shrunk)
    for part in PARTS:
        store = Failures(f"theirs{part}")
        store.folder.mkdir(parents=True)
        path = store.folder / f"{failure.id}{part}"
        path.write_bytes(b"theirs")
        with pytest.raises(ArenaError, match="exists already and was not written by the arena: choose another name"):
            store.add(shrunk)
        assert path.read_bytes() == b"theirs"


def test_git_ignores_nothing_but_failures():
    Path("project").mkdir()
    Path("project/thesis.tex").write_text("...")
    Failures("project").add(broken_bound())
    assert not Path("project/.gitignore").exists()
    assert Path("project/failures/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("field", ["learner", "rounds", "seconds", "finished", "when", "one_by_one", "version"])
def test_every_field_of_a_failure_is_checked(field):
    store = Failures()
    path = store.folder / f"{store.add(broken_bound()).id}.json"
    for value in ([], {"a": 1}, None, float("nan")):
        path.write_text(json.dumps({**json.loads(path.read_text()), field: value}, indent=1))
        store = Failures()
        assert store.kept() == []
        assert "does not say what a failure of its name says" in store.damaged[0]


@pytest.mark.parametrize("part", [".json", ".smallest.npz", ".worst.npz"])
def test_a_damaged_failure_is_written_again(part):
    store = Failures()
    shrunk = broken_bound()
    path = store.folder / f"{store.add(shrunk).id}{part}"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    failure = store.add(shrunk)
    assert store.shrunk(failure).verdict == shrunk.verdict
    assert [each.id for each in Failures().kept()] == [failure.id]
    assert len(store.damaged) == 1


def test_code_that_a_file_names_is_not_run_unless_trusted():
    Path("theirs.py").write_text(
        "from arena.theorems.awv import AwvLogdet\nclass Mine(AwvLogdet):\n    name = 'mine'\n",
    )
    store = Failures()
    run = play("krr", "alternating", rounds=30)
    failure = store.add(shrink("krr", run, "./theirs.py:Mine"))
    with pytest.raises(ArenaError, match="names code outside the arena"):
        store.shrunk(failure)
    (refused,) = store.replay_first("krr")
    assert not refused.fails
    assert "not played" in refused.reason
    assert store.kept() == [failure]
    assert [each.fails for each in Failures(trust=True).replay_first("krr")] == [True]


WRITER = """
from arena import play
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking import shrink

for learner in ("krr", "fgd", "nogd"):
    Failures().add(shrink(learner, play(learner, "alternating", rounds=30), "awv-logdet"))
"""


def test_two_processes_write_at_once():
    command = [sys.executable, "-c", WRITER]
    writers = [subprocess.Popen(command) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    store = Failures()
    assert {failure.learner for failure in store.kept()} == {"krr", "fgd", "nogd"}
    assert store.damaged == []
    assert all(store.shrunk(failure).verdict.violated for failure in store.kept())
    assert not list(store.folder.glob(".*.part"))


@pytest.mark.parametrize("what", ["bound", "many"])
def test_a_promoted_failure_fails_until_the_learner_is_mended(what, python):
    if what == "bound":
        learner = mine(WRONG)
        shrunk = broken_bound(learner, kernel="linear")
    else:
        learner = mine("self.sum / self.count if self.count < 70 else 1 / 0")
        plain = GivenMoves(np.zeros((100, 1)), np.zeros(100))  # without numbers to simplify, which would take seconds
        shrunk = shrink(learner, play(learner, plain, rounds=100, dimension=1))
        assert shrunk.rounds == 70
    store = Failures()
    failure = store.add(shrunk)
    Path("tests").mkdir()
    kept = store.shrunk(failure)
    written = promote(kept, failure.id, "tests")
    assert [path.suffix for path in written] == ([".py", ".npz"] if what == "many" else [".py"])
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", written[0]]
    broken = python(*words, cwd=Path.cwd())
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "1 failed" in broken.stdout
    assert ("awv-logdet is violated" if what == "bound" else "ZeroDivisionError") in broken.stdout
    mine("0.0", about=", mended")
    mended = python(*words, cwd=Path.cwd())
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert "1 passed" in mended.stdout
    with pytest.raises(ArenaError, match="exists already"):
        promote(kept, failure.id, "tests")


def test_promotion_is_refused_with_a_reason():
    shrunk = broken_bound(Fickle(1.0))
    with pytest.raises(ArenaError, match="Fickle>: no spec can name it: Fickle does not keep its parameter 'signs'"):
        promote(shrunk, "0", ".")
    with pytest.raises(ArenaError, match="no folder nowhere"):
        promote(broken_bound(), "0", "nowhere")
