"""A tournament gives the same store wherever and in whatever order its matches are played."""

import json
import resource
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

from arena import ArenaError, Tournament
from arena.engine.workers import can_fork
from arena.tournament.store import Store
from arena_tests.tournaments import digest, parts_left, start

LEARNERS, ADVERSARIES = ["krr", "pkawv(embedding=taylor(degree=[2, 3]))", "sketched-kons"], ["alternating", "greedy"]
GAMES, SEEDS = [{"rounds": [6, 12]}], 3
MEASURED = ["tournament", "krr", "--against", "drift", "label-blocks", "--rounds", 8, "--seeds", 4]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The digest of the store that one process makes."""
    folder = tmp_path_factory.mktemp("alone")
    result = Tournament(LEARNERS, ADVERSARIES, GAMES, SEEDS).run(store=folder, workers=0)
    assert result.played == len(result.planned) == 4 * 2 * 2 * 3
    return digest(folder)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_store_does_not_depend_on_the_number_of_workers(workers, expected, tmp_path):
    Tournament(LEARNERS, ADVERSARIES, GAMES, SEEDS).run(store=tmp_path, workers=workers)
    assert digest(tmp_path) == expected


def test_the_store_does_not_depend_on_order_and_executor(expected, tmp_path):
    plan = Tournament(LEARNERS[::-1], ADVERSARIES[::-1], [{"rounds": [12, 6]}], [2, 0, 1])
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as executor:
        plan.run(store=tmp_path, executor=executor)
    assert digest(tmp_path) == expected


def test_another_match_has_another_digest(expected, tmp_path):
    Tournament(LEARNERS, ADVERSARIES, GAMES, [0, 1, 3]).run(store=tmp_path, workers=0)
    assert digest(tmp_path) != expected


def test_only_what_is_missing_is_played(tmp_path):
    plan = Tournament(["krr", "zero"], ["drift"], [{"rounds": 5}], 4)
    assert Tournament(["krr"], ["drift"], [{"rounds": 5}], [2]).run(store=tmp_path, workers=0).played == 1
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    result = plan.run(store=tmp_path, workers=0)
    assert (result.kept, result.played, result.missing) == (1, 7, 0)
    assert all(path.stat().st_mtime_ns == time for path, time in files.items())
    assert len(list(result.summaries())) == 8


def test_progress_adds_up(tmp_path):
    reports = []
    plan = Tournament(["krr", "zero"], ["drift"], [{"rounds": [5, 50]}], 4)
    plan.run(store=tmp_path, workers=2, progress=reports.append)
    last = reports[-1]
    assert (last.total, last.done, last.failed, last.left) == (16, 16, 0, 0)
    assert sum(last.workers.values()) == 16
    plan.run(store=tmp_path, workers=2, progress=reports.append)
    assert (reports[-1].kept, reports[-1].done, reports[-1].left) == (16, 0, 0)


# ---- deaths of workers


KILLED = ["tournament", "./killer.py:Killer(times=2)", "--against", "drift", "--rounds", 8, "--seeds"]


def test_a_worker_that_dies_once_costs_nothing(arena, folder):
    words = [*KILLED, 5]
    assert arena(*words, "--workers", 2, "--store", "killed")[0] == 0
    assert len(list(folder.glob("killed-*"))) == 2
    assert arena(*words, "--workers", 1, "--store", "quiet")[0] == 0
    assert digest(folder / "killed") == digest(folder / "quiet")


def test_a_match_that_always_kills_is_a_recorded_failure_and_no_more(arena, folder):
    learners = ["./killer.py:Killer(times=1, always=true)", "krr", "zero"]
    words = ["tournament", *learners, "--against", "drift", "--rounds", 8, "--seeds", 3]
    words += ["--workers", 2, "--json"]
    code, out = arena(*words)
    result = json.loads(out.splitlines()[-1])
    assert code == 1
    assert (result["played"], len(result["failed"]), result["missing"]) == (6, 3, 0)
    assert {(failure["kind"], failure["tries"]) for failure in result["failed"]} == {("died", 2)}
    assert "exit code -9" in result["failed"][0]["reason"]
    again = json.loads(arena(*words)[1].splitlines()[-1])
    assert (again["kept"], again["played"], len(again["failed"])) == (6, 0, 3)
    (folder / "killer.py").write_text((folder / "killer.py").read_text().replace("self.kill_one(", "print("))
    mended = json.loads(arena(*words)[1].splitlines()[-1])  # other code, other matches
    assert (mended["kept"], mended["played"], len(mended["failed"])) == (6, 3, 0)


def test_failures_are_played_again_when_the_user_asks(arena, folder):
    words = [*KILLED, 1]
    assert arena(*words)[0] == 1  # it dies in both attempts
    assert arena(*words)[0] == 1
    code, out = arena(*words, "--retry")
    assert (code, "1 played" in out) == (0, True)
    assert not list((folder / ".arena/store/failures").rglob("*.json"))


LOOPS = """
class Loops:
    def predict(self, x):
        while x[0] > -2: pass
    def update(self, x, y): pass
"""


def test_a_match_that_hangs_is_stopped_at_its_time_limit(arena, folder):
    (folder / "loops.py").write_text(LOOPS)
    words = [
        "tournament",
        "./loops.py:Loops",
        "krr",
        "--against",
        "drift",
        "--rounds",
        4,
        "--time-limit",
        3,  # seconds, enough for the other match on a busy machine
        "--json",
    ]
    code, out = arena(*words)
    result = json.loads(out.splitlines()[-1])
    assert code == 3
    assert result["played"] == 1
    assert [failure["kind"] for failure in result["failed"]] == ["late"]


@pytest.mark.skipif(not can_fork(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # of the fork, since Python 3.12
@pytest.mark.parametrize("kind", [ThreadPoolExecutor, partial(ProcessPoolExecutor, mp_context=get_context("fork"))])
def test_an_executor_is_not_blocked_by_a_match_that_hangs(kind, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\n\nclass Slow:\n    def predict(self, x): time.sleep(60)\n    def update(self, x, y): pass\n"
    )
    Tournament(["zero"], ["drift"], [{"rounds": 5}]).run(workers=1)  # starts a server, which forked workers cannot use
    plan = Tournament([f"{tmp_path}/slow.py:Slow", "krr"], ["drift"], [{"rounds": 5}])
    with kind(1) as executor:
        result = plan.run(executor=executor, time_limit=3.0)
    assert result.played == 1
    assert [failure.kind for failure in result.failures] == ["late"]


def test_a_slow_match_is_stopped_in_this_process_too(tmp_path):
    result = Tournament(["krr"], ["greedy"], [{"rounds": 5000}]).run(store=tmp_path, workers=0, time_limit=0.05)
    assert [failure.kind for failure in result.failures] == ["late"]
    assert "stopped after round" in result.failures[0].reason


# ---- the death of the parent


@pytest.mark.parametrize("how", ["KILL", "INT"])
def test_a_tournament_that_is_killed_again_and_again_gives_the_same_store(how, arena, folder):
    learner = f"./killer.py:Killer(times=3, pid=main-pid, how={how}, after=killed)"
    words = ["tournament", learner, "krr", "--against", "drift", "label-blocks", "--rounds", 8, "--seeds", 6]
    killed = (-9, "") if how == "KILL" else (130, "To go on: arena tournament './killer.py:Killer(")
    ends = [arena(*words, "--workers", 2, "--store", "killed") for _ in range(4)]
    assert ends[0][0] == killed[0]
    assert killed[1] in ends[0][1]
    assert ends[-1][0] == 0
    assert " 0 kept before" not in ends[1][1] or ends[1][0] == -9
    assert arena(*words, "--workers", 1, "--store", "quiet")[0] == 0
    assert digest(folder / "killed") == digest(folder / "quiet")


def test_two_tournaments_on_one_store_at_once(arena, folder):
    both = [start(folder, *MEASURED, "--workers", 1, "--store", "both") for _ in range(2)]
    for each in both:
        out, _ = each.communicate(timeout=100)
        assert each.returncode == 0, out
    assert arena(*MEASURED, "--store", "alone")[0] == 0
    assert digest(folder / "both") == digest(folder / "alone")
    assert "0 played, 8 kept before" in arena(*MEASURED, "--store", "both")[1]


# ---- disks


def mounted(folder, options):
    """Mount a tmpfs at the folder; return whether this machine allows it."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    return done.returncode == 0


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, resource.RLIM_INFINITY))


def test_a_full_disk_loses_nothing(arena, folder):
    words = ["tournament", "krr", "--against", "drift", "--rounds", 8, "--seeds", 30, "--workers", 1]
    words += ["--store", "disk/store"]
    tmpfs = mounted(folder / "disk", "size=100k")
    try:
        if tmpfs:
            code, out = arena(*words)
        else:  # small matches can be written, and the larger ones cannot
            assert arena(*words)[0] == 0
            words[words.index("--rounds") + 1] = 300
            limited = start(folder, *words, preexec_fn=limit_files)
            out, _ = limited.communicate(timeout=150)
            code = limited.returncode
        assert code == 2
        assert "cannot write" in out
        assert "none is lost" in out
        assert "Traceback" not in out
        assert not parts_left(folder / "disk")
        kept = len(list((folder / "disk").rglob("*.npz")))
        assert kept > 3
        assert len(Store(folder / "disk/store").keys()) == kept
        digest(folder / "disk/store")
        if tmpfs:
            subprocess.run(["mount", "-o", "remount,size=10m", folder / "disk"], check=True)
        assert arena(*words)[0] == 0
        sound = digest(folder / "disk/store")
    finally:
        if tmpfs:
            subprocess.run(["umount", folder / "disk"], check=True)
    if tmpfs:
        words[-1] = "elsewhere"
        assert arena(*words)[0] == 0
        assert digest(folder / "elsewhere") == sound


def test_a_store_that_may_not_be_written_is_read_and_not_changed(arena, folder):
    tmpfs = mounted(folder / "disk", "size=10m")
    words = [*MEASURED, "--store", "disk/store"]
    try:
        assert arena(*words)[0] == 0
        if tmpfs:
            subprocess.run(["mount", "-o", "remount,ro", folder / "disk"], check=True)
        else:
            for path in (folder / "disk").rglob("*"):
                path.chmod(0o555 if path.is_dir() else 0o444)
        code, out = arena(*words)
        assert (code, "8 kept before" in out) == (0, True)
        assert "awv-logdet" in arena(*words, "--bound", "awv-logdet")[1]  # violated; it is judged, and not kept
        more = [*words, "--seeds", 6]
        code, out = arena(*more)
        assert code == 2
        assert "cannot write" in out
        assert "Traceback" not in out
    finally:
        if tmpfs:
            subprocess.run(["umount", folder / "disk"], check=True)


# ---- objects


def test_objects_are_played_and_not_kept(tmp_path):
    class Mean:
        def __init__(self):
            self.value = 0.25

        def predict(self, x):
            return self.value

        def update(self, x, y):
            pass

    result = Tournament([Mean], ["drift"], [{"rounds": 5}], 2).run(workers=0)
    assert [summary.rounds for summary in result.summaries()] == [5, 5]
    with pytest.raises(ArenaError, match="cannot be kept in a store"):
        Tournament([Mean], ["drift"], [{"rounds": 5}], 2).run(store=tmp_path / "store")


def test_wrong_arguments_are_refused_at_the_door(tmp_path):
    plan = Tournament(["zero"], ["drift"])
    for wrong in ({"workers": -1}, {"workers": True}, {"time_limit": 0}):
        with pytest.raises(ArenaError, match="must be a"):
            plan.run(store=tmp_path / "store", **wrong)
    (tmp_path / "file").write_text("mine")
    for folder, message in ((tmp_path, "holds other files"), (tmp_path / "file", "is not a folder")):
        with pytest.raises(ArenaError, match=message):
            plan.run(store=folder, workers=0)
    assert (tmp_path / "file").read_text() == "mine"
