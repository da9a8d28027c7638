"""A tournament on a cluster of real processes gives the same store, whatever process ends."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from arena_tests.tournaments import digest, environment, start

if importlib.util.find_spec("distributed") is None:
    pytest.skip("needs the extra `cluster`", allow_module_level=True)

HOST = "127.0.0.1"
READY = "Starting established connection"  # what a worker prints when the scheduler knows it


class Cluster:
    """A Dask scheduler with workers of one thread; with `lasting`, a worker that ends is started again."""

    def __init__(self, folder, workers, *, lasting=False):
        self.processes, self.readers, self.lasting = [], [], lasting
        dashboard = ["--dashboard-address", f"{HOST}:0"] if lasting else ["--no-dashboard"]
        self.scheduler = self._start(folder, ["scheduler", "--host", HOST, "--port", "0", *dashboard, "--no-show"])
        self.address = self._line(self.scheduler, "Scheduler at:").split()[-1]
        for _ in range(workers):
            self.add_worker(folder)
        (folder / "scheduler-pid").write_text(str(self.scheduler.pid))

    def add_worker(self, folder):
        nanny = "--nanny" if self.lasting else "--no-nanny"
        worker = self._start(folder, ["worker", self.address, "--nthreads", "1", "--no-dashboard", nanny])
        self._line(worker, READY)
        return worker

    def _start(self, folder, words):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=environment(), start_new_session=True,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def _line(self, process, part):
        """Wait for a line with the text `part` in the process's output, and return the line."""
        lines = []
        for line in process.stdout:
            lines.append(line)
            if part in line:
                self.readers.append(threading.Thread(target=process.stdout.read))  # the pipe must not fill up
                self.readers[-1].start()
                return line
        raise AssertionError("".join(lines))

    def end(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with the workers below the nannies
            process.wait()
        for reader in self.readers:
            reader.join()
        for process in self.processes:
            process.stdout.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"), workers=2, lasting=True)
    yield made
    made.end()


def tournament(*learners, seeds=6, store="store"):
    words = ["tournament", *learners, "krr", "--against", "drift", "label-blocks", "--rounds", 8, "--seeds", seeds]
    return [*words, "--store", store, *(["--workers", 0] if store == "here" else [])]


def test_the_store_and_the_users_learner_are_those_of_one_machine(cluster, arena, folder):
    (folder / "mine.py").write_text("from beside import Base\n\nclass Mine(Base): pass\n")
    (folder / "beside.py").write_text(
        "class Base:\n    def predict(self, x): return 0.25\n    def update(self, x, y): pass\n"
    )
    code, out = arena(*tournament("./mine.py:Mine", store="far"), "--cluster", cluster.address)
    assert code == 0, out
    assert "Dashboard: http://127.0.0.1:" in out
    assert "24 played" in out
    assert arena(*tournament("./mine.py:Mine", store="here"))[0] == 0
    assert digest(folder / "far") == digest(folder / "here")


def test_a_worker_that_dies_costs_nothing(cluster, arena, folder):
    code, out = arena(*tournament(f"./killer.py:Killer(marks='{folder}')", store="far"), "--cluster", cluster.address)
    assert code == 0, out
    assert (folder / "killed-0").exists()
    assert arena(*tournament(f"./killer.py:Killer(marks='{folder}')", store="here"))[0] == 0
    assert digest(folder / "far") == digest(folder / "here")


def test_the_death_of_the_scheduler_loses_nothing_that_was_finished(arena, folder):
    own = Cluster(folder, workers=1)
    try:
        learner = f"./killer.py:Killer(marks='{folder}', pid='{folder}/scheduler-pid', after='{folder}/far')"
        code, out = arena(*tournament(learner, store="far"), "--cluster", own.address)
    finally:
        own.end()
    assert code == 2, out
    assert "the executor is broken" in out
    assert "Traceback" not in out
    kept = len(list((folder / "far").rglob("*.npz")))
    assert 2 <= kept < 24
    code, out = arena(*tournament(learner, store="far"))
    assert code == 0, out
    assert f"{kept} kept before" in out
    assert arena(*tournament(learner, store="here"))[0] == 0
    assert digest(folder / "far") == digest(folder / "here")


def test_seeds_and_all_adversaries_are_played_there_too(cluster, arena):
    words = ["play", "sketched-kons", "repeated(points=5)", "--rounds", 20, "--seeds", 6, "--json"]
    far, here = (json.loads(arena(*words, *more)[1].splitlines()[-1]) for more in (["--cluster", cluster.address], []))
    for result in (far, here):
        del result["seconds"], result["each"]["seconds"]
    assert far == here
    code, out = arena("play", "zero", "--all-adversaries", "--rounds", 5, "--cluster", cluster.address)
    assert (code, "Worst: arena play zero" in out) == (0, True)


def test_a_match_that_hangs_is_stopped_at_its_time_limit_and_blocks_no_worker(cluster, arena, folder):
    (folder / "slow.py").write_text(
        "import time\n\nclass Slow:\n    def predict(self, x):\n        time.sleep(60)\n"
        "    def update(self, x, y): pass\n"
    )
    words = tournament("./slow.py:Slow", seeds=1, store="far")
    code, out = arena(*words, "--time-limit", 3, "--cluster", cluster.address)
    assert code == 3, out
    assert "failed: 2" in out
    assert "it took longer than 3 s, and its process was killed" in out
    assert arena(*words, "--time-limit", 3, "--only", "krr", "--store", "here")[0] == 0
    assert digest(folder / "far") == digest(folder / "here")


def test_matches_wait_for_a_worker_and_not_for_ever(arena, folder):
    own = Cluster(folder, workers=0)
    try:
        words = [*tournament(store="far"), "--cluster", own.address, "--cluster-wait"]
        code, out = arena(*words, 0.2)
        assert code == 2
        assert f"waiting 0.2 s for it\nError: no worker is connected to {own.address} after 0.2 s: " in out
        assert f"dask worker {own.address} --nthreads 1" in out
        waiting = start(folder, *words, 60)
        assert "waiting 60 s" in waiting.stdout.readline()
        worker = own.add_worker(folder)
        out, _ = waiting.communicate(timeout=60)
        assert waiting.returncode == 0, out
        os.killpg(worker.pid, signal.SIGKILL)
        code, out = arena(*tournament("zero", store="far"), "--cluster", own.address, "--cluster-wait", 1)
        assert code == 2
        assert "no worker is connected" in out
        assert "Traceback" not in out
    finally:
        own.end()


def test_the_death_of_all_workers_loses_nothing_that_was_finished(arena, folder):
    own = Cluster(folder, workers=1)
    try:
        (folder / "worker-pid").write_text(str(own.processes[-1].pid))
        learner = f"./killer.py:Killer(marks='{folder}', pid='{folder}/worker-pid', after='{folder}/far', group=True)"
        code, out = arena(*tournament(learner, store="far"), "--cluster", own.address, "--cluster-wait", 1)
    finally:
        own.end()
    assert code == 2, out
    assert "no worker is connected" in out
    assert "What was finished before is kept" in out
    assert "Traceback" not in out
    assert 2 <= len(list((folder / "far").rglob("*.npz"))) < 24


def test_an_address_without_a_scheduler_is_a_message(arena):
    code, out = arena(*tournament(), "--cluster", "tcp://127.0.0.1:1")
    assert code == 2
    assert "no scheduler answers" in out
    assert "dask scheduler" in out
    assert "Traceback" not in out
    code, out = arena(*tournament(), "--cluster", "nowhere")
    assert code == 2
    assert "no scheduler answers at 'nowhere'" in out
    assert "Traceback" not in out
    code, out = arena("play", "zero", "drift", "--cluster", "tcp://127.0.0.1:1")
    assert (code, "add --seeds N" in out) == (2, True)


def test_a_hunt_is_played_there_too(cluster, arena, folder):
    (folder / "mine.py").write_text(
        "class Mine:\n    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n"
    )
    words = ["hunt", "./mine.py:Mine", "--bound", "awv-logdet", "--matches", 40, "--json"]
    far, here = (json.loads(arena(*words, *more)[1].splitlines()[-1]) for more in (["--cluster", cluster.address], []))
    assert far["violation"]["kind"] == here["violation"]["kind"] == "bound"
    assert far["learner"] == "./mine.py:Mine"
