"""A match on the disk that was interrupted or killed is continued; at its end its temporary files are deleted."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import arena
from arena.data import mapped
from arena.engine import match
from arena.errors import ArenaError
from arena.guards.disk import UNUSED, is_mapped
from arena.record.storage import content_digest
from arena.specs import registry
from arena.specs.building import build
from arena_tests.on_disk import FIELDS, ROWS, Kill, kept_folders, on_disk, write


def fixed_size_learners():
    return [
        name
        for name in registry.entries("learner")
        if getattr(build("learner", name), "memory_growth", "") != "quadratic" and not build("learner", name).foresight
    ]


LOSSES = {"hinge": ("forgetron", "perceptron", "projectron", "rbp", "winnow", "svrg", "dual", "bsgd", "pa")}


@pytest.mark.parametrize("name", fixed_size_learners())
def test_every_learner_goes_on_where_it_was(name, table, monkeypatch):
    X, y = table[0][:400], np.sign(table[1][:400])
    loss = "hinge" if any(word in name for word in LOSSES["hinge"]) else "squared"
    spec = f"replay(file={write('rows.csv', X, y)})"
    fields = {"rounds": 400, "hindsight": "none", "loss": loss, "seed": 3}
    try:
        run = arena.play(name, spec, **fields)
    except ArenaError as error:
        pytest.skip(str(error))
    on_disk(monkeypatch, "0.001")
    with pytest.raises(match.Interrupted) as stopped:
        arena.play(name, spec, progress=Kill(350), **fields)
    del stopped
    assert len(kept_folders()) == 1
    said = []
    effort = arena.hindsight.narrowing.Effort(notice=said.append)
    again = arena.play(name, spec, effort=effort, **fields)
    assert said == ["continuing after 200 rounds of an earlier run"]
    assert content_digest(again) == content_digest(run)


BROKEN = """
import numpy as np

class Aliased:
    '''Its two arrays are one, until it is pickled.'''

    def begin(self, game, rng):
        self.sums = np.zeros(2)
        self.last = self.sums[:1]

    def predict(self, x):
        return float(self.last[0])

    def update(self, x, y):
        self.sums += 0.01 * (y - self.sums)
"""


def test_a_learner_whose_state_does_not_survive_is_played_from_the_first_round(table, monkeypatch):
    with open("mine.py", "w") as file:
        file.write(BROKEN)
    spec = f"replay(file={write('rows.csv', *table)})"
    fields = {"rounds": ROWS, "hindsight": "none"}
    run = arena.play("./mine.py:Aliased", spec, **fields)
    on_disk(monkeypatch)
    with pytest.raises(match.Interrupted):
        arena.play("./mine.py:Aliased", spec, progress=Kill(900), **fields)
    said = []
    again = arena.play("./mine.py:Aliased", spec, effort=arena.hindsight.narrowing.Effort(notice=said.append), **fields)
    assert "playing from the first round" in said[-1]
    assert content_digest(again) == content_digest(run)


def test_a_state_that_others_may_write_is_not_read(table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)})"
    on_disk(monkeypatch)
    with pytest.raises(match.Interrupted):
        arena.play("rls", spec, progress=Kill(900), rounds=ROWS, hindsight="none")
    [folder] = kept_folders()
    (folder / "state").chmod(0o666)
    said = []
    arena.play("rls", spec, effort=arena.hindsight.narrowing.Effort(notice=said.append), rounds=ROWS, hindsight="none")
    assert not [each for each in said if "continuing" in each]


def test_files_are_deleted_with_the_match(table, monkeypatch):
    spec = f"replay(file={write('rows.csv', *table)})"
    on_disk(monkeypatch)
    run = arena.play("rls", spec, rounds=ROWS, hindsight="none")
    assert list(mapped.own_cache("matches").glob("*/points"))
    loss = run.loss
    points = run.points
    del run
    assert not list(mapped.own_cache("matches").glob("*"))
    assert np.isfinite(points).all()
    assert loss > 0.0


def test_adversaries_without_known_moves_play_on_disk_and_are_not_continued(monkeypatch):
    run = arena.play("rls", "drawn", rounds=500, hindsight="none", seed=1)
    on_disk(monkeypatch)
    with pytest.raises(match.Interrupted):
        arena.play("rls", "drawn", rounds=500, hindsight="none", seed=1, progress=Kill(300))
    assert not list(mapped.own_cache("matches").glob("*"))
    again = arena.play("rls", "drawn", rounds=500, hindsight="none", seed=1)
    assert is_mapped(again.points)
    assert content_digest(again) == content_digest(run)


CHILD = """
import os, signal, sys
from arena.engine import match, unfinished
match.BLOCK, unfinished.EVERY_ROUNDS = 100, 200
if sys.argv[1] == "kill":
    play = match.play
    def killed(*args, progress, **options):
        def watch(done):
            if done >= 900:
                os.kill(os.getpid(), signal.SIGKILL)
        return play(*args, progress=watch, **options)
    import arena.cli.play
    arena.cli.play.play = killed
from arena.cli import main
main(sys.argv[2:])
"""


def run_child(how, *words, **options):
    command = [sys.executable, "-c", CHILD, how, *words]
    environment = {**os.environ, "REGRET_ARENA_IN_MEMORY": "0.01"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **options)


def test_a_killed_process_leaves_what_the_next_one_continues(table):
    spec = f"replay(file={write('rows.csv', *table)})"
    run = arena.play("rls", spec, **FIELDS)
    words = ["play", "rls", spec, "--rounds", str(ROWS), "--hindsight", "interval", "--save", "again.npz"]
    assert run_child("kill", *words).returncode == -signal.SIGKILL
    assert not os.path.exists("again.npz")
    result = run_child("go on", *words)
    assert result.returncode == 0, result.stderr
    assert "continuing after 800 rounds of an earlier run" in result.stderr
    assert content_digest(arena.Transcript.load("again.npz")) == content_digest(run)
    assert not kept_folders()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_a_full_disk_is_reported_in_words(table):
    import resource

    spec = f"replay(file={write('rows.csv', *table)})"

    def limited(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    result = run_child("", "play", "rls", spec, "--rounds", "1200", preexec_fn=limited(20_000))
    assert result.returncode == 2
    assert "cannot keep the rows of rows.csv in" in result.stderr
    assert "Traceback" not in result.stderr
    open_data_first = run_child("", "play", "zero", spec, "--rounds", "1200")
    assert open_data_first.returncode == 0
    result = run_child("", "play", "rls", spec, "--rounds", "1200", preexec_fn=limited(20_000))
    assert result.returncode == 2
    assert "cannot keep the record of the match in" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_match_deletes_folders_that_are_long_unused_and_no_others(table, monkeypatch):
    parent = mapped.own_cache("matches")
    for name in ("once-old", "once-new", "kept-old", "kept-new"):
        (parent / name).mkdir(parents=True)
        (parent / name / "points").touch()
        if name.endswith("old"):
            long_ago = time.time() - 2 * UNUSED
            os.utime(parent / name / "points", (long_ago, long_ago))
    (parent / "a-stray-file").touch()
    on_disk(monkeypatch)
    arena.play("zero", f"replay(file={write('rows.csv', *table)})", rounds=ROWS, hindsight="none")
    assert {path.name for path in parent.iterdir()} == {"a-stray-file", "once-new", "kept-new"}
