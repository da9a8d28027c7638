"""Rankings equal plain counts over all matches; missing, infinite, forfeited and undecided values are shown."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from arena.tournament.ranking import block_ranks, ranking
from arena_tests import FULL
from arena_tests.summaries import GAME, league, summary


def ranks(matches):
    return {each.learner: each.rank for each in ranking(matches).standings}


def places(matches):
    return {each.learner: each.places for each in ranking(matches).standings}


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.booleans())
def test_ranks_are_those_of_scipy(seed, ties):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3 if ties else 10**6, size=(4, 3, 2)).astype(float)
    matches = [
        summary(f"l{at[0]}", f"adversary{at[1]}", at[2], regret=value, loss=0.0) for at, value in np.ndenumerate(values)
    ]
    expected = rankdata(values, axis=0).mean(axis=(1, 2))
    found = ranks([matches[at] for at in rng.permutation(len(matches))])
    assert [found[f"l{at}"] for at in range(4)] == pytest.approx(expected)


def test_each_setting_counts_the_same_however_many_seeds_it_has():
    matches = league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}, adversaries=("x",), seeds=9)
    matches += [summary("a", "y", regret=2.0), summary("b", "y", regret=1.0)]
    assert ranks(matches) == {"a": 1.5, "b": 1.5}


def test_games_are_settings_of_their_own():
    other = {**GAME, "regularisation": 0.1}
    matches = [*league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}), summary("a", game=other), summary("b", game=other)]
    found = ranking(matches)
    assert found.settings == 4
    assert found.common == found.blocks == 16
    assert found.seeds == (1, 5)


def test_a_clear_order_and_its_interval():
    rng = np.random.default_rng(0)
    noise = {each: rng.normal(size=(3, 5)) for each in "abc"}
    found = ranking(
        league(
            {
                each: lambda adversary, seed, each=each: (
                    10 * "abc".index(each) + noise[each]["xyz".index(adversary), seed]
                )
                for each in "cab"
            }
        )
    )
    assert [each.learner for each in found.standings] == ["a", "b", "c"]
    assert [each.places for each in found.standings] == [(1, 1), (2, 2), (3, 3)]
    first = found.standings[0]
    assert first.rank_limits == (1.0, 1.0)
    assert first.regret[0] == first.regret[1] == pytest.approx(noise["a"].mean())
    low, high = first.regret_limits
    assert low < first.regret[0] < high
    assert high - low == pytest.approx(2 * 1.96 * noise["a"].std() / np.sqrt(15), rel=0.5)


def test_equal_learners_share_ranks_and_places():
    matches = league({"a": lambda *_: 3.0, "b": lambda *_: 3.0, "c": lambda *_: 5.0})
    assert ranks(matches) == {"a": 1.5, "b": 1.5, "c": 3.0}
    assert places(matches) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


def test_rounding_makes_no_order():
    assert ranks(league({"a": lambda *_: 3.0, "b": lambda *_: 3.0 + 1e-9})) == {"a": 1.5, "b": 1.5}


def test_learners_that_take_turns_share_places():
    flip = lambda sign: lambda adversary, seed: sign * (-1) ** (seed + "xyz".index(adversary))
    matches = league({"a": flip(1), "b": flip(-1)}, seeds=5)
    assert places(matches) == {"a": (1, 2), "b": (1, 2)}


def test_an_average_rank_is_in_its_interval_as_often_as_promised():
    """The better learner wins 70 % of the matches in x and 50 % in y, so that its mean rank is 1.4."""
    rng = np.random.default_rng(5)
    trials = 2000 if FULL else 200
    hits = 0
    for _ in range(trials):
        wins = {"x": rng.random(6) < 0.7, "y": rng.random(6) < 0.5}
        matches = league({"a": lambda *_: 1.0, "b": lambda adversary, seed, wins=wins: 2.0 * wins[adversary][seed]},
                         adversaries=("x", "y"), seeds=6)  # fmt: skip
        low, high = next(each.rank_limits for each in ranking(matches, resamples=400).standings if each.learner == "a")
        hits += low - 1e-12 <= 1.4 <= high + 1e-12
    assert 0.88 <= hits / trials <= 0.995


def test_forfeits_are_last_and_violations_before_them():
    matches = league({"fine": lambda *_: 1e9})
    matches += [
        summary("broken", adversary, seed, regret=0.0, violated=("awv",)) for adversary in "xyz" for seed in range(5)
    ]
    matches += [
        summary("foul", adversary, seed, regret=-1.0, forfeit="learner") for adversary in "xyz" for seed in range(5)
    ]
    found = ranking(matches)
    assert [(each.learner, each.rank) for each in found.standings] == [("fine", 1.0), ("broken", 2.0), ("foul", 3.0)]
    assert [each.violations for each in found.standings] == [0, 15, 0]
    assert [each.forfeits for each in found.standings] == [0, 0, 15]
    assert found.standings[1].regret == (0.0, 0.0)
    assert found.standings[2].regret is None


def test_a_match_that_the_adversary_forfeits_does_not_count():
    matches = [*league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}, adversaries=("x",), seeds=2),
               summary("a", "x", 2, forfeit="adversary"), summary("b", "x", 2, regret=0.0),
               summary("a", "x", 3, ended="interrupted"), summary("b", "x", 3, regret=0.0)]  # fmt: skip
    found = ranking(matches)
    assert (found.common, found.blocks) == (2, 4)
    assert found.standings[0].learner == "a"
    assert found.standings[0].matches == 2


def test_infinite_losses_are_last_among_those_that_are_fine():
    infinite = [
        summary("inf", adversary, seed, regret=value, loss=np.inf)
        for adversary, value in (("x", np.inf), ("y", np.nan), ("z", None))
        for seed in range(5)
    ]
    found = ranking([*league({"a": lambda *_: 1.0}), *infinite, *league({"b": lambda *_: 2.0})])
    assert [(each.learner, each.rank) for each in found.standings] == [("a", 1.0), ("b", 2.0), ("inf", 3.0)]
    assert found.standings[2].regret == (np.inf, np.inf)
    assert found.standings[2].regret_limits is None
    assert not found.by_loss


def test_intervals_that_overlap_are_no_order():
    matches = [
        summary(learner, "x", seed, ends=ends)
        for learner, ends in (("a", (0.0, 2.0)), ("b", (1.0, 3.0)), ("c", (2.5, 4.0)), ("d", (9.0, 9.0)))
        for seed in range(3)
    ]
    found = ranking(matches)
    assert ranks(matches) == {"a": 1.5, "b": 2.0, "c": 2.5, "d": 4.0}  # a is below c for certain, b is not
    assert found.undecided == 6
    assert found.standings[0].regret == (0.0, 2.0)
    assert found.standings[0].regret_limits == (0.0, 2.0)


@settings(max_examples=50 if FULL else 20)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 5), st.sampled_from([0.0, 1.0, 2.0])), min_size=1, max_size=6))
def test_ranks_of_intervals_are_counted_pair_by_pair(learners):
    lower = np.array([[low] for low, _, _ in learners])
    upper = lower + np.array([[width] for _, width, _ in learners])
    tier = np.array([[each] for _, _, each in learners])
    found = block_ranks(lower, upper, tier)[:, 0]
    for one in range(len(learners)):
        expected = 1.0
        for other in range(len(learners)):
            if one != other:
                first, second = ((tier[at, 0], lower[at, 0], upper[at, 0]) for at in (one, other))
                alike = first[0] == second[0]
                better = second[0] < first[0] or (alike and first[0] < 2 and second[2] < first[1])
                worse = first[0] < second[0] or (alike and first[0] < 2 and first[2] < second[1])
                expected += 1.0 if better else 0.0 if worse else 0.5
        assert found[one] == expected
    assert found.sum() == pytest.approx(len(learners) * (len(learners) + 1) / 2)


def test_an_unknown_regret_is_replaced_by_the_loss_in_its_whole_setting():
    matches = league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}, adversaries=("x",))
    matches += [summary("a", "y", seed, regret=1.0, loss=8.0) for seed in range(5)]
    matches += [summary("b", "y", seed, regret=None, loss=4.0) for seed in range(5)]
    found = ranking(matches)
    assert ranks(matches) == {"a": 1.5, "b": 1.5}
    assert [each.adversary for each in found.by_loss] == ["y"]
    assert {each.learner: each.regret for each in found.standings} == {"a": (1.0, 1.0), "b": (2.0, 2.0)}


def test_learners_are_compared_on_common_matches_only():
    matches = league({"a": lambda *_: 2.0, "b": lambda *_: 3.0})
    matches += league({"c": lambda *_: 1.0}, adversaries=("x", "y"))
    found = ranking(matches)
    assert (found.common, found.blocks, found.settings) == (10, 15, 2)
    assert ranks(matches) == {"c": 1.0, "a": 2.0, "b": 3.0}
    assert [each.matches for each in found.standings] == [10, 15, 15]


def test_a_learner_that_shares_too_few_matches_is_left_out():
    matches = [*league({"a": lambda *_: 2.0, "b": lambda *_: 3.0}), summary("c", "x", 0, regret=0.0)]
    found = ranking(matches)
    assert found.left_out == {"c": 1}
    assert found.common == 15
    assert ranks(matches) == {"a": 1.0, "b": 2.0}
    assert ranking([*matches, summary("d", "w", 0)]).left_out == {"c": 1, "d": 1}


def test_the_newest_version_of_a_match_counts(tmp_path):
    old, new = tmp_path / "old.npz", tmp_path / "new.npz"
    for file, age in ((old, 1000), (new, 2000)):
        file.touch()
        os.utime(file, (age, age))
    versions = [summary("a", regret=1.0, path=old), summary("a", regret=5.0, path=new)]
    for order in (versions, versions[::-1]):
        found = ranking([*order, summary("b", regret=3.0)])
        assert [each.learner for each in found.standings] == ["b", "a"]
        assert found.standings[1].matches == 1


def test_one_seed_gives_an_order_and_no_interval():
    found = ranking(league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}, seeds=1))
    assert not found.spread_known
    assert [each.places for each in found.standings] == [(1, 1), (2, 2)]
    assert found.standings[0].rank_limits is None
    assert found.standings[0].regret_limits is None


def test_very_few_seeds_are_marked():
    rng = np.random.default_rng(0)
    noise = lambda *_: rng.normal()
    assert ranking(league({"a": noise, "b": noise, "c": noise}, adversaries=("x",), seeds=3)).few_seeds
    assert not ranking(league({"a": noise, "b": noise, "c": noise}, seeds=20)).few_seeds


@pytest.mark.parametrize(("seeds", "few"), [(2, True), (6, False)])
def test_ranks_that_never_vary_are_marked_where_few_seeds_agree(seeds, few):
    found = ranking(league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}, adversaries=("x",), seeds=seeds))
    assert found.standings[0].rank_limits == (1.0, 1.0)
    assert found.few_seeds == few


@pytest.mark.parametrize("count", [0, 1])
def test_one_learner_alone_has_no_comparison(count):
    found = ranking(league({"a": lambda *_: 1.0}) if count else [])
    assert [(each.rank, each.places) for each in found.standings] == [(1.0, (1, 1))] * count
    assert found.critical is None


def test_matches_of_a_generator_are_read_once():
    assert len(ranking(iter(league({"a": lambda *_: 1.0, "b": lambda *_: 2.0}))).standings) == 2
