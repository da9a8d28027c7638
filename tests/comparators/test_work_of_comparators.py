"""How the work of comparators grows with the rounds, measured by counts of kernel values, factors and solutions."""

import numpy as np

from arena.comparators import shifting
from arena.hindsight import segments as segments_module
from arena.hindsight.comparator import Comparator
from arena.testing import transcript
from arena_tests.kernels import CountingKernel
from arena_tests.sequences import points


def made(rounds, kind="random", **fields):
    """Return a match with this kind of points, and random labels and predictions."""
    rng = np.random.default_rng(0)
    return transcript(points(kind, rounds, rng), rng.uniform(-1, 1, rounds), rng.uniform(-1, 1, rounds), **fields)


class Evaluations(CountingKernel):
    """A kernel that counts the values that it computes."""

    values = 0

    def gram(self, X, Z):
        self.values += len(X) * len(Z)
        return super().gram(X, Z)


def test_the_work_grows_with_the_cube_of_the_rounds_at_most(monkeypatch):
    """The work is counted as multiplications in the factors and values of the kernel."""
    work, kept = [], segments_module.without_first

    def counting(factor, whitened):
        work.append(len(factor) ** 2)
        return kept(factor, whitened)

    monkeypatch.setattr(segments_module, "without_first", counting)
    costs = {}
    for rounds in (16, 32, 64):
        work.clear()
        kernel = Evaluations()
        run = made(rounds, kernel=kernel)
        for text in ("shifts(k=1)", "shifts(k=3)", "intervals"):
            run.regret_to(text)
        costs[rounds] = sum(work)
        assert len(work) == rounds  # each start once, for all comparators
        assert kernel.values == rounds**2
    assert costs[64] / costs[32] <= 8.0
    assert costs[32] / costs[16] <= 8.0
    assert costs[64] <= 64**3 / 2


def test_the_work_of_intervals_and_norms(monkeypatch):
    """Long matches need no hindsight for each start, other losses few solutions, and all norms one spectrum."""
    calls = {"interval": 0, "optimum": 0, "eigh": 0}
    for name in ("interval", "optimum"):
        monkeypatch.setattr(Comparator, name, _counted(calls, name, getattr(Comparator, name)))
    monkeypatch.setattr(np.linalg, "eigh", _counted(calls, "eigh", np.linalg.eigh))
    monkeypatch.setattr(shifting, "EXACT", 10)
    monkeypatch.setattr(shifting, "BLOCKS", 4)
    for rounds in (60, 120):
        calls.update(dict.fromkeys(calls, 0))
        run = made(rounds, "repeated")
        run.regret_to("shifts(k=3)")
        run.regret_to("intervals")
        assert calls["interval"] == 0
        for U in (0.1, 1, 2):
            run.regret_to(f"norms(U={U})")
        assert calls["eigh"] == 1
        made(rounds, "repeated", loss="hinge").regret_to("shifts(k=2)")
        assert calls["optimum"] == shifting.BLOCKS * (shifting.BLOCKS + 1) // 2


def _counted(calls, name, function):
    def counting(*arguments, **options):
        calls[name] += 1
        return function(*arguments, **options)

    return counting
