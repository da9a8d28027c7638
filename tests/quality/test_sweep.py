"""Correct learners are not accused in any game or with any parameters.

A few hundred matches are played, or thousands with REGRET_ARENA_FULL=1. `python benchmarks/sweep.py --write` makes the
table in docs/results/sweep.md.
"""

import pytest
from sweep import ADVERSARIES, AT_ZERO, AWAY, FAR, LOSSES, REGIONS, SEEDS, Tally, learners, page, setting, sweep

from arena.specs import registry
from arena_tests import FULL

PART = 100  # matches of one test
PARTS = 120 if FULL else 3
FIRST = 1_000_000  # other matches than those of the page


@pytest.mark.parametrize("part", range(PARTS))
def test_no_theorem_is_violated_by_a_learner_that_promises_it(part):
    tally = sweep(range(FIRST + PART * part, FIRST + PART * (part + 1)))
    assert tally.matches > 0.6 * PART
    assert not tally.false_alarms()


def test_settings_are_of_all_sizes_and_of_every_kind():
    names = learners()
    chosen = [setting(number, names) for number in range(2000)]
    usual = [each for each in chosen if each.region in ("", AT_ZERO, AWAY, FAR, SEEDS)]
    assert {each.learner.split("(")[0] for each in usual} == {name.split("(")[0] for name in names}
    assert {each.game["loss"] for each in chosen} == set(LOSSES) == set(registry.entries("loss"))
    assert set(ADVERSARIES) <= {each.adversary for each in chosen}
    for field, low, high in (("label_bound", 1e-7, 1e7), ("regularisation", 1e-11, 1e7)):
        values = [each.game[field] for each in chosen]
        assert min(values) < low < high < max(values)
    ratios = [each.game.get("prediction_bound", each.game["label_bound"]) / each.game["label_bound"] for each in chosen]
    assert min(sum(r < 1 for r in ratios), sum(r == 1 for r in ratios), sum(r > 1 for r in ratios)) > 400
    assert sum("(" in each.learner for each in chosen) > 1000
    assert setting(7, names) == setting(7, names)


def test_every_region_is_visited():
    names = learners()
    chosen = [setting(number, names) for number in range(2000)]
    assert {each.region for each in chosen} == {"", *REGIONS}
    assert min(sum(each.region == region for each in chosen) for region in REGIONS) > 80
    tally = sweep(range(FIRST, FIRST + 150))
    assert all(tally.regions[region] > 2 for region in REGIONS)
    text = page(tally)
    assert all(f"| {region}: " in text and f" {region} |" in text for region in REGIONS)


def test_false_alarms_are_counted_and_named():
    tally = sweep(range(4))
    other = Tally(matches=1, alarms=["arena play zero alternating: some-theorem: violated"])
    other.judged["unlucky"], other.failed["unlucky"], other.chance["unlucky"] = 100, 90, 0.1
    other.settings["unlucky"] = tally.settings[next(iter(tally.settings))]
    tally.add(other)
    assert len(tally.false_alarms()) == 2
    assert "**false alarms: 2**" in page(tally)
