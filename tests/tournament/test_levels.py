"""Rankings and comparisons find differences between exchangeable learners as seldom as they say, and clear ones."""

import importlib

import numpy as np
import pytest

from arena.tournament.comparing import compare
from arena.tournament.conditions import Condition, check
from arena.tournament.ranking import ranking
from arena.tournament.sign_flips import fewest
from arena_tests import FULL
from arena_tests.summaries import league

LEVELS = importlib.import_module("levels")
DRAWS = LEVELS.MEASURES


def played(regrets):
    """Return the matches with these regrets; the axes are learners, settings and seeds."""
    learners, settings, seeds = regrets.shape
    return league(
        {
            f"l{at}": lambda adversary, seed, at=at: regrets[at, "vwxyz".index(adversary), seed]
            for at in range(learners)
        },
        adversaries="vwxyz"[:settings],
        seeds=seeds,
    )


def differ(matches):
    """Return whether the ranking calls any two learners different."""
    found = ranking(matches, resamples=2)
    return any(each.places != (1, len(found.standings)) for each in found.standings)


def changed(before, after):
    """Return whether a learner has changed, on average or in a setting, or a condition on its regret holds."""
    found = compare(before, after)
    outcomes = {each.outcome for by in (False, True) for each in found.changes("regret", by_setting=by)}
    return not outcomes <= {"unclear", "equal"} or check(Condition("regret"), found).holds


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize(
    ("learners", "settings", "seeds"),
    [(2, 1, 2), (2, 1, 3), (3, 1, 5), (5, 1, 5), (3, 3, 2), (3, 3, 3), (2, 1, 10), (10, 1, 10)],
)
def test_exchangeable_learners_are_seldom_called_different(learners, settings, seeds, draw):
    rng = np.random.default_rng([learners, settings, seeds])
    trials = 1000 if FULL else 60
    regrets = [draw(rng, (learners, settings, seeds)) for _ in range(trials)]
    found = [ranking(played(each), resamples=2) for each in regrets]
    differ = [any(each.places != (1, learners) for each in one.standings) for one in found]
    assert np.mean(differ) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    for one, different in zip(found, differ, strict=True):
        assert bool(one.places_unknown) == (one.smallest_p > 0.05)
        assert not (different and one.places_unknown)
    if settings * seeds < fewest(learners * (learners - 1), 0.05) and draw is DRAWS["continuous"]:
        assert all(one.places_unknown for one in found)  # ties would leave fewer pairs to be tested


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize(("learners", "settings", "seeds"), [(2, 1, 2), (2, 1, 3), (5, 3, 2), (2, 1, 5), (3, 2, 6)])
def test_learners_that_are_as_before_seldom_change(learners, settings, seeds, draw):
    rng = np.random.default_rng([learners, settings, seeds])
    trials, shape = 1000 if FULL else 60, (learners, settings, seeds)
    wrong = np.mean([changed(played(draw(rng, shape)), played(draw(rng, shape))) for _ in range(trials)])
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_the_simulation_of_the_page_decides_as_the_program(draw):
    rng = np.random.default_rng(8)
    for shape in [(2, 1, 2), (2, 1, 7), (3, 2, 4), (5, 3, 3)] * 3:
        before, after = draw(rng, shape), draw(rng, shape)
        shift = rng.integers(0, 3) * np.arange(shape[0])[:, None, None]
        assert LEVELS.wrong_rankings((before + shift)[None]).tolist() == [differ(played(before + shift))]
        found = compare(played(before), played(after + shift))
        outcomes = [each.outcome for by in (False, True) for each in found.changes("regret", by_setting=by)]
        wrong = LEVELS.wrong_comparisons(before[None], (after + shift)[None]).tolist()
        assert wrong == ["worse" in outcomes or "better" in outcomes]


@pytest.mark.parametrize("seed", range(5))
def test_a_clear_difference_is_found(seed):
    """One of five learners is better by twice the spread over seeds, in three settings with ten seeds each."""
    rng = np.random.default_rng(seed)
    regrets = rng.normal(size=(5, 3, 10))
    regrets[2] -= 2.0
    found = {each.learner: each.places for each in ranking(played(regrets), resamples=2).standings}
    assert found.pop("l2") == (1, 1)
    assert all(places[0] >= 2 for places in found.values())
    after = rng.normal(size=(5, 3, 10))
    changes = compare(played(regrets), played(after)).changes("regret")
    assert [each.outcome for each in changes if each.learner == "l2"] == ["worse"]
