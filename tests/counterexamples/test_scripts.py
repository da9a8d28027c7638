"""Printed scripts run for learners given as a spec, a class or an object."""

import pytest

from arena import play
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import shrink
from arena_tests.planted import forecasters
from arena_tests.planted.by_hand import AgainstTheMajority


@pytest.mark.parametrize(
    ("learner", "adversary", "theorem", "fields"),
    [
        ("krr", "greedy(starts=4)", "awv-logdet", {}),
        ("fgd(rate=2.0)", "realisable", "awv-leverage", {"dimension": 3, "box": (0, 3), "kernel": "laplacian"}),
        ("pros-n-kons", "orthogonal", "awv-logdet", {"seed": 5, "kernel": "gaussian(bandwidth=0.5)"}),
        ("ForgetsAfterFive", "realisable", "awv-logdet", {"dimension": 1, "box": [(0.0, 2.0)]}),
    ],
)
def test_a_printed_script_can_be_run(learner, adversary, theorem, fields, run_script):
    learner = getattr(forecasters, learner, learner)
    shrunk = shrink(learner, play(learner, adversary, rounds=120, **fields), theorem)
    text = reproduction(shrunk, file="kept.npz")
    assert f"{theorem} is violated in round {shrunk.verdict.round}" in text
    assert f"margin {shrunk.verdict.margin:.3g}" in text
    assert f"arena play {shrunk.smallest.learner.split('(')[0]}" in text.replace("'", "")
    outside = f" {shrunk.smallest.learner}" if ":" in shrunk.smallest.learner else ""  # a class that --trust would need
    assert f"arena replay kept.npz{outside} --bound {theorem}" in text
    assert run_script(text) == f"{shrunk.verdict}\n"


def test_a_learner_may_be_a_spec_a_class_or_an_object():
    given = AgainstTheMajority()
    worst = play(given, "drift", rounds=40)
    for learner in (given, AgainstTheMajority, lambda: AgainstTheMajority()):
        shrunk = shrink(learner, worst, "awv-logdet")
        assert shrunk.rounds == 2
    assert given.labels == []
    learner = forecasters.IgnoresTheSecondLabel
    shrunk = shrink(learner(), play(learner, "alternating"), "awv-logdet")
    assert shrunk.rounds == 3


def test_the_script_marks_the_place_of_an_object_without_a_spec():
    class Local(AgainstTheMajority):
        pass

    shrunk = shrink(Local, play(Local, "drift", rounds=40), "awv-logdet")
    text = reproduction(shrunk)
    assert "learner = ...  # an object of the class Local" in text
    exec(text.replace("learner = ...", "learner = given"), {"given": Local})
