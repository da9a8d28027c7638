"""A match with a foul is shrunk to a match with a foul of the same kind."""

import numpy as np
import pytest

from arena import Transcript, play
from arena.counterexamples.case import moves_of
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import shrink
from arena.counterexamples.trials import kind_of_foul
from arena_tests.planted import forecasters
from arena_tests.players import StopsWithoutALabel

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
