"""Damaged, changed and foreign files in a store, and files of other matches; merging and thinning out stores."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from arena import ArenaError, Tournament
from arena.record.storage import read_judgement, with_judgement
from arena.tournament.pairing import paired
from arena.tournament.scores import Scores
from arena.tournament.store import Store
from arena_tests.files import parts, resealed
from arena_tests.tournaments import digest

PLAN = {"learners": ["krr", "fgd"], "adversaries": ["drift"], "games": [{"rounds": 6}], "seeds": 2}


@pytest.fixture
def plan():
    return Tournament(**PLAN)


@pytest.fixture
def store(plan, tmp_path):
    """A store with all matches of the plan."""
    return plan.run(store=tmp_path / "store", workers=0).store


def path_of(store, match, kind="matches", suffix="npz"):
    return store.folder / kind / match.key[:2] / f"{match.key}.{suffix}"


def torn(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def changed(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def emptied(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [torn, changed, emptied])
def test_a_damaged_transcript_is_set_aside_and_played_again(damage, store, plan):
    before, match = digest(store.folder), plan.matches[1]
    damage(path_of(store, match))
    result = plan.run(store=store.folder, workers=0)
    assert (result.kept, result.played) == (3, 1)
    assert match.key in result.problems[0]
    assert len(list((store.folder / "damaged").iterdir())) == 1
    assert digest(store.folder) == before


def without_judgement(path):
    """Rewrite a file as a version of the arena would that kept no judgement in it."""
    path.write_bytes(resealed(*parts(path.read_bytes())))


def of_another_version(path):
    """Rewrite a file with a judgement that lacks a column."""
    values = json.loads(read_judgement(path))
    del values["match"]["f1"]
    path.write_bytes(with_judgement(path.read_bytes(), json.dumps(values).encode()))


@pytest.mark.parametrize("change", [without_judgement, of_another_version])
def test_a_missing_judgement_is_made_again_from_the_transcript(change, store, plan):
    before, match = list(store.summaries()), plan.matches[1]
    change(path_of(store, match))
    assert len(list(store.summaries())) == 3
    result = plan.run(store=store.folder, workers=0)
    assert (result.kept, result.played, result.problems) == (4, 0, [])
    after = list(store.summaries())
    assert [each.content for each in after] == [each.content for each in before]
    assert [each.verdicts for each in after] == [each.verdicts for each in before]


def test_verify_finds_damage_of_every_kind(store, plan):
    torn(path_of(store, plan.matches[0]))
    without_judgement(path_of(store, plan.matches[1]))
    (store.folder / "notes.txt").write_text("mine")
    found = store.verify()
    assert found.matches == 3
    assert any(plan.matches[0].key in line for line in found.damaged)
    assert any(plan.matches[1].key in line for line in found.damaged)
    assert [line for line in found.foreign if "notes.txt" in line]
    assert (store.folder / "notes.txt").read_text() == "mine"


def test_a_foreign_file_in_a_matchs_place_stays_and_the_match_is_kept_beside(plan, store):
    before, match = digest(store.folder), plan.matches[1]
    place = path_of(store, match)
    place.write_text("a letter to my mother")
    result = plan.run(store=store.folder, workers=0)
    assert (result.kept, result.played) == (3, 1)
    assert "was not written by the arena" in result.problems[0]
    assert place.read_text() == "a letter to my mother"
    assert plan.run(store=store.folder, workers=0).kept == 4
    found = Store(store.folder).verify()
    assert (found.matches, found.digest) == (4, before)


def test_a_sound_file_of_another_match_is_not_trusted(plan, store):
    before, (one, other) = digest(store.folder), plan.matches[:2]
    shutil.copy(path_of(store, other), path_of(store, one))
    assert store.verify().damaged[0].endswith("it was not written there by the arena")
    result = plan.run(store=store.folder, workers=0)
    assert (result.kept, result.played) == (3, 1)
    assert digest(store.folder) == before


def test_a_file_of_another_writer_is_kept(plan, store, tmp_path):
    """Two tournaments may write the same match, and their times differ."""
    other = plan.run(store=tmp_path / "other", workers=0).store
    match = plan.matches[0]
    shutil.copy(path_of(other, match), path_of(store, match))
    result = plan.run(store=store.folder, workers=0)
    assert (result.kept, result.problems) == (4, [])


# ---- verdicts


def test_verdicts_are_made_again_when_a_theorem_or_the_bounds_change(plan, store, monkeypatch):
    assert not any(summary.verdict("awv-logdet") for summary in store.summaries())
    more = Tournament(**PLAN, bounds=["auto", "awv-logdet"])
    result = more.run(store=store.folder, workers=0)
    assert (result.kept, result.played) == (4, 0)
    assert all(summary.verdict("awv-logdet") for summary in store.summaries())
    assert plan.run(store=store.folder, workers=0).kept == 4
    assert all(summary.verdict("awv-logdet") for summary in store.summaries())  # nothing is forgotten
    from arena.theorems.awv import AwvLogdet

    monkeypatch.setattr(AwvLogdet, "version", 2)
    monkeypatch.setattr(AwvLogdet, "allowed", lambda _, run: 0.0 * run.labels)
    result = more.run(store=store.folder, workers=0)
    assert result.kept == 4
    assert all(summary.versions["awv-logdet"] == "2" for summary in store.summaries())
    assert all(summary.verdict("awv-logdet").violated for summary in store.summaries())


def test_a_tournament_judges_kept_matches_by_its_own_claims(plan, store):
    """The store keeps verdicts of an earlier tournament, which decide nothing in this one."""
    named = Tournament(**PLAN, bounds="awv-logdet").run(store=store.folder, workers=0)
    assert all([each.theorem for each in row.verdicts] == ["awv-logdet"] for row in named.summaries())
    again = plan.run(store=store.folder, workers=0)
    assert (again.kept, again.played) == (4, 0)
    fresh = {each.key: each for each in plan.run(workers=0).summaries()}
    for row in again.summaries():
        assert row.verdict("awv-logdet") is None
        assert (row.state, row.tightest, row.allowed) == (
            fresh[row.key].state, fresh[row.key].tightest, fresh[row.key].allowed,
        )  # fmt: skip
    assert all(row.verdict("awv-logdet") for row in store.summaries())


def test_summaries_survive_their_file(store, plan):
    result = plan.run(workers=0)
    kept = {summary.key: summary for summary in store.summaries()}
    for summary in result.summaries():
        twin = kept[summary.key]
        assert twin.verdicts == summary.verdicts
        assert (twin.regret, twin.loss, twin.regret_ends) == (summary.regret, summary.loss, summary.regret_ends)
        assert (twin.learner, twin.adversary, twin.game) == (summary.learner, summary.adversary, summary.game)
        assert store.transcript(summary.key).regret[-1] == summary.regret


# ---- merge and gc


def test_merging_copies_what_is_missing_and_sound(plan, store, tmp_path):
    part = Tournament(["krr"], ["drift"], [{"rounds": 6}], 2).run(store=tmp_path / "part", workers=0).store
    before = digest(store.folder)
    found = part.merge(store)
    assert (found.matches, found.damaged) == (2, ())
    assert digest(part.folder) == before
    assert part.merge(store).matches == 0
    torn(path_of(store, plan.matches[0]))
    found = Store(tmp_path / "third").merge(store)
    assert found.matches == 3
    assert plan.matches[0].key in found.damaged[0]


def test_gc_deletes_what_is_not_kept_and_what_writers_left(plan, store):
    torn(path_of(store, plan.matches[0]))
    store.verify()
    left = path_of(store, plan.matches[1]).with_name(".x.part")
    left.write_bytes(b"half")
    assert store.gc() == 0
    assert left.exists()  # it may belong to a writer that is at work
    assert not list((store.folder / "damaged").iterdir())
    assert store.gc(lambda summary: summary.learner == "krr") == 2
    assert {summary.learner for summary in store.summaries()} == {"krr"}


# ---- trust


def test_no_code_is_run_that_a_store_names(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from arena import Theorem\n"
        "from dataclasses import dataclass\n"
        "class Mine:\n"
        "    def predict(self, x): return 0.0\n"
        "    def update(self, x, y): pass\n"
    )
    learner = f"{tmp_path / 'mine.py'}:Mine"
    plan = Tournament([learner], ["drift"], [{"rounds": 5}])
    store = plan.run(store=tmp_path / "store", workers=0).store
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    found = Store(tmp_path / "store")
    assert found.verify().matches == 1
    assert [summary.learner for summary in found.summaries()] == [learner]
    assert store.folder == found.folder


def test_a_store_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ArenaError, match="has no match"):
        Store(tmp_path).transcript("0" * 64)


EVIL = """from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena import Theorem

Path("evil-was-here").touch()


@dataclass(frozen=True)
class Evil(Theorem):
    def allowed(self, run):
        return np.full(run.rounds, np.inf)


class Mine:
    theorems = (Evil(),)

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass
"""


def test_no_code_of_a_strangers_store_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL)
    theirs = (
        Tournament(["./evil.py:Mine"], ["drift"], [{"rounds": 5}], isolate=False).run(store="theirs", workers=0).store
    )
    (key,) = theirs.keys()
    assert theirs.transcript(key).verdicts()[0].holds  # naming the learner's file is the consent to run it
    (tmp_path / "evil-was-here").unlink()
    # a store of somebody else, in which that match stands in the place of the user's own
    plan = Tournament(["krr"], ["drift"], [{"rounds": 5}])
    (match,) = plan.matches
    run = theirs.transcript(key)
    run.header["key"] = match.key
    (tmp_path / "evil-was-here").unlink(missing_ok=True)
    place = tmp_path / "store" / "matches" / match.key[:2] / f"{match.key}.npz"
    place.parent.mkdir(parents=True)
    run.save(place)
    (tmp_path / "evil.py").write_text(EVIL + "\n# another file, which no process has loaded\n")
    found = Store(tmp_path / "store")
    assert found.verify().matches == 1
    with pytest.raises(ArenaError, match="names code outside the arena"):
        found.transcript(match.key).verdicts()
    result = plan.run(store=tmp_path / "store", workers=0)
    assert (result.kept, result.played) == (0, 1)
    assert "and not the match of its key, krr against drift, seed 0" in result.problems[0]
    assert not (tmp_path / "evil-was-here").exists()


def test_no_lower_bound_of_a_strangers_store_is_run(store, plan, tmp_path, monkeypatch):
    """Also where all else in the match is built in, and when the match is judged because its summary is missing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL + "\n# a lower bound, which no process has loaded\n")
    match = plan.matches[0]
    run = store.transcript(match.key)
    run.lower_bounds = ("./evil.py:Evil",)
    run.save(path_of(store, match))
    without_judgement(path_of(store, match))
    found = Store(store.folder)
    with pytest.raises(ArenaError, match="names code outside the arena"):
        found.transcript(match.key).lower_verdicts()
    judgement = found.find(match)[0].judgement
    assert (judgement.lower, [each.theorem for each in judgement.unjudged]) == ((), ["./evil.py:Evil"])
    assert plan.run(store=store.folder, workers=0).kept == 4
    assert Store(store.folder, trust=True).transcript(match.key).lower_bounds == ("./evil.py:Evil",)
    assert not (tmp_path / "evil-was-here").exists()


def test_stores_of_two_kinds_of_processors_compare_as_equal(tmp_path):
    """OpenBLAS takes the code of the processor that is named, so the last digits of predictions differ."""
    command = ["tournament", "krr", "kernel-awv", "--against", "greedy", "drift", "--rounds", "60", "--store"]
    stores = [tmp_path / core for core in ("Prescott", "Haswell")]
    for folder in stores:
        environment = os.environ | {"OPENBLAS_CORETYPE": folder.name}
        subprocess.run(
            [sys.executable, "-m", "arena", *command, folder], env=environment, check=True, stdout=subprocess.DEVNULL
        )
    one, other = (Store(folder).verify() for folder in stores)
    assert (one.matches, one.digest) == (4, other.digest)
    pairs = paired(*(Scores.of(Store(folder).summaries()) for folder in stores))
    assert pairs.identical == len(pairs.rows) == 4
