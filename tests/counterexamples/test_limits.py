"""Shrinking that ends with its budget or at Ctrl-C, and matches that cannot be shrunk."""

import pytest

from arena import ArenaError, play
from arena.counterexamples.shrinking import shrink
from arena.engine.isolation import Isolation
from arena.record.forfeit import Forfeit
from arena_tests.planted import forecasters
from arena_tests.planted.misbehaviour import InterruptedForecaster
from arena_tests.players import StopsWithoutALabel


def test_when_time_is_over_the_best_so_far_is_returned():
    worst = play(forecasters.IsFullWithFive, "drift", rounds=100)
    shrunk = shrink(forecasters.IsFullWithFive, worst, "awv-logdet", budget=1e-9)
    assert not shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.rounds <= worst.verdict("awv-logdet").round
    assert "out of time" in str(shrunk)


def test_ctrl_c_returns_the_best_so_far():
    worst = play(forecasters.IsFullWithFive, "drift", rounds=100)
    shrunk = shrink(InterruptedForecaster.restart(number=20), worst, "awv-logdet")
    assert shrunk.interrupted
    assert not shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.steps == 19


def test_a_match_that_cannot_be_shrunk_is_refused_with_a_reason():
    class Moody(forecasters.Forecaster):
        moods = iter([True])

        def begin(self, game, rng):
            super().begin(game, rng)
            self.wrong = next(Moody.moods, False)

        def learn(self, x, y):
            super().learn(x, -y if self.wrong else y)

    with pytest.raises(ArenaError, match=r"the learner did not fail .*awv-logdet: holds"):
        shrink("kernel-awv", play("kernel-awv", "drift", rounds=20), "awv-logdet")
    with pytest.raises(ArenaError, match="promises no theorem"):
        shrink("zero", play("zero", "drift", rounds=20))
    with pytest.raises(ArenaError, match="leaves room for chance"):
        shrink("con-kons", play("con-kons(beta=120)", "repeated(points=5)", rounds=30), "kors-accuracy")
    with pytest.raises(ArenaError, match="does not come again"):
        shrink(Moody, play(Moody, "label-blocks", rounds=20), "awv-logdet")
    with pytest.raises(ArenaError, match="budget must be"):
        shrink("krr", play("krr", "alternating", rounds=20), "awv-logdet", budget=-1.0)
    with pytest.raises(ArenaError, match="only a learner's failure"):
        shrink("krr", play("krr", StopsWithoutALabel(), rounds=20))


@pytest.mark.parametrize(("isolated", "expected"), [(True, True), (False, Isolation(bubblewrap=False))])
def test_crashes_of_code_that_runs_here_are_played_in_forked_processes(monkeypatch, isolated, expected):
    seen = []
    monkeypatch.setattr(
        "arena.counterexamples.shrinking.ShrinkingTrials", lambda *_, isolate, **__: seen.append(isolate)
    )
    run = play(forecasters.IsFullWithFive, "drift", rounds=3)
    run.forfeit = Forfeit("learner", 3, "its process ended (signal SIGSEGV)")
    run.isolated = isolated
    assert run.forfeit.of_process
    with pytest.raises(AttributeError):  # there are no trials
        shrink(forecasters.IsFullWithFive, run)
    assert seen == [expected]
