"""A match with a foul is shrunk to a match with a foul of the same kind."""

import numpy as np
import pytest

from arena import ArenaError, Transcript, play
from arena.counterexamples.case import moves_of
from arena.counterexamples.reproduction import as_test, reproduction
from arena.counterexamples.shrinking import NotRepeated, shrink
from arena.counterexamples.trials import kind_of_foul
from arena.engine.isolation import Isolation
from arena_tests.planted import forecasters
from arena_tests.players import StopsWithoutALabel

ENDS = """\
import os

class Ends:
    def predict(self, x): os._exit(3)
    def update(self, x, y): pass
"""
FOULS = [
    ("Crashes", "realisable", 3, "ZeroDivisionError: in round 3"),
    ("Crashes", "greedy(starts=4, polished=0)", 3, "ZeroDivisionError: in round 3"),
    ("NotANumberAfterFour", "drift", 5, "the prediction is nan"),
    ("NotANumberAfterFour", "greedy(starts=4, polished=0)", 5, "the prediction is nan"),
    ("CrashesInBlocks", "drift", 7, "too long"),
]


@pytest.mark.parametrize(("learner", "adversary", "known", "reason"), FOULS)
def test_fouls_are_shrunk_to_the_same_foul(learner, adversary, known, reason, run_script):
    learner = getattr(forecasters, learner)
    worst = play(learner, adversary, rounds=80)
    shrunk = shrink(learner, worst)
    assert shrunk.theorem is None
    assert shrunk.rounds == known
    assert reason in shrunk.reason
    assert reason in run_script(reproduction(shrunk))
    assert len(np.unique(shrunk.points, axis=0)) == 1


@pytest.mark.parametrize("adversary", ["drift", "contrarian"])
def test_moves_of_a_foul_include_unanswered_ones(adversary, tmp_path):
    run = play(forecasters.Crashes, adversary, rounds=20)
    X, y = run.unanswered
    assert run.forfeit.round == run.rounds + 1
    whole = play(forecasters.Forecaster, adversary, rounds=20)
    assert X[0].tolist() == whole.points[run.rounds].tolist()
    assert y[0] == whole.labels[run.rounds]
    assert len(X) == (1 if adversary == "contrarian" else 20 - run.rounds)
    again = Transcript.load(run.save(tmp_path / "run.npz"), trust=True)
    assert [each.tolist() for each in again.unanswered] == [X.tolist(), y.tolist()]
    assert whole.unanswered is None


def test_kinds_of_fouls():
    assert kind_of_foul("replay raised KeyError: 3.5 (a.py, line 3)") == kind_of_foul(
        "predict raised KeyError: -1e-07 (a.py, line 12)"
    )
    assert kind_of_foul("predict raised KeyError: 'a'") != kind_of_foul("predict raised ValueError: 'a'")


def test_moves_end_before_the_foul_of_an_adversary():
    run = play("krr", StopsWithoutALabel(after=3), rounds=20)
    assert (run.forfeit.side, run.rounds) == ("adversary", 3)
    assert moves_of(run)[1].tolist() == [0.0, 0.0, 0.0]


def test_a_foul_before_the_first_move_is_no_matter_of_chance():
    class NeverBegins:
        def begin(self, game, rng):
            raise RuntimeError("no")

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    with pytest.raises(ArenaError, match=r"no move was played: .*begin raised RuntimeError: no") as raised:
        shrink(NeverBegins, play(NeverBegins, "drift", rounds=5))
    assert not isinstance(raised.value, NotRepeated)


def test_code_of_a_crash_gives_the_learner_a_process_of_its_own(tmp_path, run_script):
    (tmp_path / "ends.py").write_text(ENDS)
    model = f"{tmp_path}/ends.py:Ends"
    shrunk = shrink(model, play(model, "drift", rounds=3, isolate=Isolation(bubblewrap=False)))
    assert "isolate=True" in as_test(shrunk, "test_it")
    assert "isolate=True" in reproduction(shrunk)
    assert "its process ended (exit code 3)" in run_script(reproduction(shrunk))
