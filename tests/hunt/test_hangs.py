"""A hunt finds that a learner hangs, however small its budget, and ends."""

import itertools

import pytest

from arena.hunt import hunt, hunting
from arena.hunt.durations import Durations
from arena_tests import FULL
from arena_tests.hostile import HANGS, HangsWhenMade

OPTIONS = [{"budget": 1.0}, {"budget": 3.0}, {"budget": 3.0, "workers": 1}]
HANGING = list(itertools.product(HANGS, OPTIONS) if FULL else zip(HANGS, OPTIONS, strict=True))


@pytest.mark.parametrize(("where", "options"), HANGING)
def test_a_learner_that_never_answers_is_found(where, options):
    found = hunt(HANGS[where](), "awv-logdet", **options)
    assert found.violation.kind == "hang"
    assert found.rounds == 0


def test_a_learner_that_is_never_made_is_found(monkeypatch):
    monkeypatch.setattr(hunting, "MAKING", 0.5)
    found = hunt(HangsWhenMade, "awv-logdet", budget=0.1)
    assert (found.violation.kind, found.violation.reason) == ("hang", "it was not made within 0.5 s")
    assert found.learner == "HangsWhenMade"
    assert found.as_json()["violation"]["kind"] == "hang"


def test_a_budget_too_small_for_any_learner_is_no_hang(monkeypatch):
    monkeypatch.setattr(hunting, "SILENT", 1000.0)  # a busy machine takes longer than the usual second
    found = hunt(HANGS["predict"](), "awv-logdet", budget=0.2)
    assert found.violation is None
    assert not found.applied


def test_no_match_is_allowed_once_the_time_is_over():
    durations = Durations(budget=1.0)
    durations.note(100, 0.5, stepwise=True)
    assert durations.allow(50, 0.5, stepwise=True)
    assert not durations.allow(1, -0.1, stepwise=True)
