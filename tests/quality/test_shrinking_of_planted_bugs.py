"""What breaks the planted mistakes whose shortest failure is known is shrunk to at most twice that length."""

import pytest

from arena import play
from arena.counterexamples.shrinking import shrink
from arena_tests import FULL
from planted_bugs import grossest, mistakes

KNOWN = [each for each in (mistakes() if FULL else grossest()) if hasattr(each.made, "shortest")]


def test_some_are_known():
    assert len(KNOWN) >= 8


@pytest.mark.parametrize("specimen", [pytest.param(each, id=each.title) for each in KNOWN])
def test_it_is_shrunk_to_its_known_length(specimen):
    runs = (play(specimen.learner(), adversary, rounds=200) for adversary in ("repeated(points=20)", "orthogonal"))
    worst = next((run for run in runs if any(verdict.violated for verdict in run.verdicts())), None)
    if worst is None:
        assert specimen not in grossest()  # the faintest doses need a hunt
        return
    shrunk = shrink(specimen.learner(), worst)
    assert shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.rounds <= 2 * specimen.made.shortest
