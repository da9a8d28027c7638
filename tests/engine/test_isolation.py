"""Isolated learners play the same matches, and a crash of their process is a forfeit."""

import os
import socket
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, Interrupted, play
from arena.engine import workers
from arena.engine.bubblewrap import why_not
from arena.engine.isolated_learner import Isolated
from arena.engine.isolation import Isolation, layer
from arena.game.kernels import Gaussian
from arena.tournament.series import play_series
from arena_tests.hostile import FOULS, RAISED
from arena_tests.players import Fails, LeavesEvidence

pytestmark = pytest.mark.skipif(not workers.can_fork(), reason="isolation forks")
LAYERS = [
    pytest.param(True, marks=pytest.mark.skipif(bool(why_not()), reason=why_not()), id="bubblewrap"),
    pytest.param(False, id="resource limits"),
]
ADVERSARIES = ["alternating", "drawn", "greedy(starts=4, polished=1, steps=2)", "contrarian"]
METHODS = ["begin", "theorems", "reveal", "predict", "update", "dictionary_size", "evidence", "peek"]
CRASHES = """
import ctypes, os, sys, time

class Base:
    def predict(self, x): return 0.0
    def update(self, x, y): pass

class Made(Base):
    def __init__(self): os._exit(0)

class Segfault(Base):
    rounds = 0
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 4: ctypes.string_at(0)

class EndsLate(Base):
    rounds = 0
    def predict(self, x): return float(self.rounds)
    @property
    def dictionary_size(self): return -(-self.rounds // 100)
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 4200: os._exit(3)

class EndsOnce(Base):
    def __init__(self, mark): self.mark, self.rounds = mark, 0
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 3 and not os.path.exists(self.mark):
            open(self.mark, "w").close()
            os._exit(3)

class Exits(Base):
    def predict(self, x): os._exit(0)

class Replays(Base):
    def replay(self, X, y): os._exit(3)

class Hangs(Base):
    def predict(self, x):
        while True: pass

class Hungry(Base):
    def predict(self, x):
        import numpy as np
        return float(np.ones(100 * 2**27)[0])

class LiesOnThePipe(Base):
    def predict(self, x):
        import pickle
        for number in range(3, 64):
            try: os.write(number, b"\\x00\\x00\\x00\\x05hello")
            except OSError: pass
        return 0.0

class Sees(Base):
    def predict(self, x):
        held = [n for n in range(3, 200) if os.path.exists(f"/proc/self/fd/{n}")]
        return float(len(held))

class Breeds(Base):
    def begin(self, game, rng):
        for own_session in (False, True) * 3:
            if os.fork() == 0:
                if own_session:
                    os.setsid()
                if os.fork() == 0:
                    os.execvp("sleep", ["sleep", os.environ["ARENA_TEST_SLEEP"]])
                os._exit(0)

class BreedsAndCrashes(Breeds):
    def update(self, x, y): os._exit(3)

class Explores(Base):
    def begin(self, game, rng):
        import socket, tempfile
        self.found = {"wrote": 0, "reached": 0, "saw": 0}
        try:
            open(f"{os.environ['ARENA_TEST_FOLDER']}/written", "w").close()
            self.found["wrote"] = 1
        except OSError:
            pass
        server = int(os.environ["ARENA_TEST_PORT"])
        try:
            socket.create_connection(("127.0.0.1", server), 5).close()
            self.found["reached"] = 1
        except OSError:
            pass
        self.found["saw"] = int(len([name for name in os.listdir("/proc") if name.isdigit()]) > 5)
        with tempfile.TemporaryFile() as file:
            file.write(b"can be written")
    def evidence(self): return self.found
"""


def assert_same(one, other):
    for name in ("points", "labels", "predictions", "sizes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("learner", "adversary", "game", "seed", "ended", "theorems", "hindsight_mode"):
        assert getattr(one, name) == getattr(other, name)
    assert {**one.header, "isolate": ""} == {**other.header, "isolate": ""}
    assert list(one.evidence) == list(other.evidence)
    for key, value in one.evidence.items():
        np.testing.assert_array_equal(value, other.evidence[key])
        assert value.dtype == other.evidence[key].dtype


@pytest.fixture
def crashes(tmp_path, monkeypatch):
    (tmp_path / "crashes.py").write_text(CRASHES)
    monkeypatch.setenv("ARENA_TEST_FOLDER", str(tmp_path))
    return lambda name: f"{tmp_path}/crashes.py:{name}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Isolate learners by forks, which are fast, in tests without the fixture `confined`."""
    monkeypatch.setattr("arena.engine.isolation.why_not", lambda: "switched off")


@pytest.fixture
def confined(monkeypatch):
    """Isolate learners with bubblewrap again."""
    monkeypatch.setattr("arena.engine.isolation.why_not", why_not)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("learner", ["kernel-awv", "krr", "fgd", "pros-n-kons", "projectron", "nogd(budget=5)"])
def test_an_isolated_match_is_the_same_match(learner, adversary):
    assert_same(*(play(learner, adversary, rounds=40, seed=3, isolate=isolate) for isolate in (False, True)))


def test_the_files_of_both_are_equal_but_for_the_times_and_the_option(tmp_path):
    files = []
    for isolate in (False, True):
        run = play("kernel-awv", "drawn", rounds=30, isolate=isolate)
        assert run.header.pop("isolate", None) == ("yes" if isolate else None)
        path = replace(run, seconds=np.zeros(30)).save(tmp_path / f"{isolate}.npz")
        files.append(path.read_bytes())
    assert files[0] == files[1]


def test_blocks_follow_blocks():
    assert_same(*(play("krr", "repeated(points=20)", rounds=9000, isolate=isolate) for isolate in (False, True)))


@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=2, polished=0)"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("raised", ["exit", "unprintable", "of its own kind"])
def test_fouls_are_the_same_fouls(raised, method, adversary):
    runs = [play(Fails(method, RAISED[raised]), adversary, rounds=4, isolate=isolate) for isolate in (False, True)]
    forfeits = [run.forfeit and (run.forfeit.side, run.forfeit.round, run.forfeit.reason) for run in runs]
    assert forfeits[0] == forfeits[1]
    assert_same(*runs)


@pytest.mark.parametrize("foul", FOULS)
def test_values_that_are_no_numbers_are_the_same_fouls(foul):
    one, other = (play(FOULS[foul](), "alternating", rounds=4, isolate=isolate).forfeit for isolate in (False, True))
    assert (one and one.reason) == (other and other.reason)


def test_evidence_and_sizes_come_along():
    given = {"steps": np.arange(3, dtype=np.int32), "nothing": np.empty((0, 2)), "one": 2.5}
    assert_same(*(play(LeavesEvidence(given), "alternating", rounds=7, isolate=isolate) for isolate in (False, True)))


@pytest.mark.parametrize("adversary", ["alternating", "contrarian"])
@pytest.mark.parametrize(
    ("name", "words", "round_"),
    [
        ("Made", "its process ended (exit code 0)", 0),
        ("Exits", "its process ended (exit code 0)", 1),
        ("Segfault", "its process ended (signal SIGSEGV)", 4),
        ("Hungry", "MemoryError: Unable to allocate 100. GiB", 1),
        ("Hangs", "it did not answer within 2 s", 1),
    ],
)
def test_what_would_end_the_program_is_a_forfeit(name, words, round_, adversary, crashes):
    isolate = Isolation(seconds=2) if name == "Hangs" else True
    run = play(crashes(name), adversary, rounds=6, isolate=isolate)
    assert run.forfeit.side == "learner"
    assert words in run.forfeit.reason
    assert run.forfeit.round == round_
    assert run.rounds == max(round_ - 1, 0)


def test_the_rounds_before_a_crash_are_kept_beyond_the_first_block(crashes):
    run = play(crashes("EndsLate"), "alternating", rounds=4400, isolate=True, hindsight="none")
    assert run.forfeit.round == 4200
    np.testing.assert_array_equal(run.predictions, np.arange(4199.0))
    assert run.sizes[-1].tolist() == [4101.0, 42.0]


def test_a_crash_that_does_not_come_again_names_the_first_round_of_its_block(crashes, tmp_path):
    run = play(f"{crashes('EndsOnce')}(mark={tmp_path / 'mark'})", "alternating", rounds=6,
               isolate=Isolation(bubblewrap=False))  # fmt: skip
    assert run.forfeit.round == 1
    assert run.rounds == 0


def test_a_replay_that_ends_the_process_is_a_forfeit(crashes):
    assert "exit code 3" in play(crashes("Replays"), "alternating", rounds=6, isolate=True).forfeit.reason


def test_what_it_writes_into_the_pipe_is_not_believed(crashes):
    run = play(crashes("LiesOnThePipe"), "contrarian", rounds=6, isolate=True)
    assert "answered what no learner answers" in run.forfeit.reason


def test_it_has_none_of_the_parents_files(crashes, tmp_path):
    with (tmp_path / "secret").open("w"), (tmp_path / "other").open("w"):
        run = play(crashes("Sees"), "contrarian", rounds=1, isolate=True)
    assert run.predictions[0] == 1.0  # the pipe


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("name", ["Breeds", "BreedsAndCrashes"])
@pytest.mark.parametrize("bubblewrap", LAYERS)
@pytest.mark.usefixtures("confined")
def test_what_it_started_ends_with_it(bubblewrap, name, crashes, monkeypatch):
    seconds = f"{100_000 + os.getpid()}"
    monkeypatch.setenv("ARENA_TEST_SLEEP", seconds)
    play(crashes(name), "contrarian", rounds=3, isolate=Isolation(bubblewrap=bubblewrap))
    stop = time.monotonic() + 100.0
    while any(_sleeps(process, seconds) for process in os.listdir("/proc") if process.isdigit()):
        assert time.monotonic() < stop


def _sleeps(process, seconds):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() == f"sleep\0{seconds}\0".encode()
    except OSError:
        return False


@pytest.mark.parametrize("bubblewrap", LAYERS)
@pytest.mark.usefixtures("confined")
def test_bubblewrap_takes_the_network_and_the_files_away(bubblewrap, crashes, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("ARENA_TEST_PORT", str(server.getsockname()[1]))
        run = play(crashes("Explores"), "alternating", rounds=3, isolate=Isolation(bubblewrap=bubblewrap))
    assert run.forfeit is None
    assert [int(run.evidence[each]) for each in ("wrote", "reached", "saw")] == ([0] * 3 if bubblewrap else [1] * 3)
    assert (tmp_path / "written").exists() is not bubblewrap
    assert ("bubblewrap and" in layer()) == (not why_not())


@pytest.mark.skipif(bool(why_not()), reason=why_not())
@pytest.mark.usefixtures("confined")
class TestInsideBubblewrap:
    @pytest.mark.parametrize("adversary", ["drawn", "contrarian"])
    def test_a_match_is_the_same_match(self, adversary):
        fields = {"rounds": 40, "seed": 3, "kernel": "gaussian(bandwidth=2)"}
        assert_same(*(play("pros-n-kons", adversary, isolate=isolate, **fields) for isolate in (False, True)))

    @pytest.mark.parametrize(("name", "words"), [("Exits", "exit code 0"), ("Segfault", "signal SIGSEGV")])
    def test_the_end_of_the_process_is_named(self, name, words, crashes):
        assert words in play(crashes(name), "contrarian", rounds=6, isolate=True).forfeit.reason

    def test_a_kernel_in_a_file_comes_along(self, tmp_path):
        (tmp_path / "own.py").write_text(
            "from dataclasses import dataclass\nfrom arena.game.kernels import Gaussian\n"
            "@dataclass(frozen=True)\nclass Own(Gaussian):\n    name = 'own'\n"
        )
        assert play("krr", "contrarian", rounds=4, kernel=f"{tmp_path}/own.py:Own", isolate=True).forfeit is None

    def test_a_hang_is_ended(self, crashes):
        run = play(crashes("Hangs"), "contrarian", rounds=3, isolate=Isolation(seconds=1))
        assert "it did not answer within 1 s" in run.forfeit.reason

    def test_mistakes_of_the_user_stay_mistakes_of_the_user(self):
        with pytest.raises(ArenaError, match="there is no learner"):
            play("no-such-learner", "alternating", isolate=True)

    def test_objects_of_this_process_are_forked(self):
        assert play(LeavesEvidence({"one": 1.0}), "alternating", rounds=3, isolate=True).evidence["one"] == 1.0


def test_code_of_the_learner_is_not_run_here(tmp_path, monkeypatch):
    monkeypatch.delenv("ARENA_TEST_RAN", raising=False)
    (tmp_path / "marks.py").write_text(
        "import os\n"
        "os.environ['ARENA_TEST_RAN'] = 'yes'\n"
        "class Mine:\n"
        "    def predict(self, x): return 0.0\n"
        "    def update(self, x, y): pass\n"
    )
    run = play(f"{tmp_path}/marks.py:Mine", "alternating", rounds=3, isolate=True)
    assert run.rounds == 3
    assert "ARENA_TEST_RAN" not in os.environ


@pytest.mark.parametrize("given", ["no-such-learner", "kernel-awv(regularisation=-1)"])
def test_mistakes_of_the_user_stay_mistakes_of_the_user(given):
    with pytest.raises(ArenaError, match=r"there is no learner|must be a finite number"):
        play(given, "alternating", isolate=True)


@pytest.mark.parametrize("isolate", ["yes", 1, Isolation])
def test_other_values_of_isolate_are_refused(isolate):
    with pytest.raises(ArenaError, match="isolate must be True, False or an Isolation"):
        play("zero", "alternating", isolate=isolate)


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"memory": -1}, {"files": float("nan")}, {"seconds": "long"}])
def test_limits_must_be_positive_numbers(limits):
    with pytest.raises(ArenaError, match="must be a number > 0"):
        Isolation(**limits)


def test_ctrl_c_keeps_what_was_played_and_ends_the_process(monkeypatch):
    made = []

    class Stops(Isolated):
        def update(self, x, y):
            made.append(self.process)
            if len(made) == 3:
                raise KeyboardInterrupt
            super().update(x, y)

    monkeypatch.setattr("arena.engine.learner_side.Isolated", Stops)
    with pytest.raises(Interrupted) as caught:
        play("zero", "contrarian", rounds=9, isolate=True)
    assert caught.value.transcript.rounds == 2
    assert made[0].exitcode is not None


def test_a_game_that_cannot_be_sent_is_refused():
    @dataclass(frozen=True)
    class Own(Gaussian):
        """A kernel whose class is inside a function, so that no other process can import it."""

    with pytest.raises(ArenaError, match="isolation: begin cannot be sent"):
        play("zero", "alternating", rounds=3, kernel=Own(), isolate=True)


def test_seeds_are_played_in_isolation_too(crashes):
    series = play_series(crashes("Exits"), "alternating", seeds=2, rounds=5, workers=2, isolate=True)
    assert [result.forfeit.reason for result in series.results] == ["its process ended (exit code 0)"] * 2
