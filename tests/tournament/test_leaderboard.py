"""One learner against every adversary: none is left out, and an error in one match does not stop the others."""

import numpy as np
import pytest

from arena import ArenaError, play
from arena.record.commands import play_command
from arena.specs import registry
from arena.tournament.leaderboard import leaderboard


def test_all_adversaries_are_listed_and_sorted():
    table = leaderboard("kernel-awv", rounds=12, workers=1)
    named = {row.adversary for row in table.rows} | set(table.cannot)
    assert named == set(registry.entries("adversary"))
    assert "needs data" in table.cannot["replay"]
    regrets = [row.regret for row in table.rows]
    assert regrets == sorted(regrets, reverse=True)
    assert "violated" not in {row.state for row in table.rows}


def test_the_numbers_are_those_of_the_matches():
    table = leaderboard("krr", adversaries=["alternating", "drift"], rounds=30, seed=4, bound="awv-logdet", workers=1)
    for row in table.rows:
        run = play("krr", row.adversary, rounds=30, seed=4)
        verdict = run.verdict("awv-logdet")
        assert row.regret == run.regret[-1]
        assert row.plain_regret == run.plain_regret[-1]
        assert row.judgement.shares["awv-logdet"] == pytest.approx(verdict.tightness)
        assert row.violated == (("awv-logdet",) if verdict.violated else ())
        assert table.commands[row.adversary] == play_command(run, "awv-logdet")
    assert table.theorems == ["awv-logdet"]
    assert table.rows[0].state == "violated"  # a violation comes first


def test_the_table_does_not_depend_on_the_processes():
    wanted = {"adversaries": ["alternating", "drift", "near-duplicates", "replay"], "rounds": 20}
    one, two = (leaderboard("pros-n-kons", workers=workers, **wanted) for workers in (1, 2))
    assert [row.adversary for row in one.rows] == [row.adversary for row in two.rows]
    for first, second in zip(one.rows, two.rows, strict=True):
        assert first.loss == second.loss
        assert [each.outcome for each in first.verdicts] == [each.outcome for each in second.verdicts]
    assert list(two.cannot) == ["replay"]


class AfraidOfNegatives:
    """A learner that raises an error at the first negative label."""

    def __init__(self, error=ValueError):
        self.error = error

    def predict(self, x):
        return -0.5  # the referee teaches copies the label that would surprise most: a positive one

    def update(self, x, y):
        if y < 0:
            raise self.error("help")


def test_a_foul_does_not_stop_the_rest():
    table = leaderboard(AfraidOfNegatives, adversaries=["far-point", "alternating", "label-blocks"], rounds=20)
    assert table.rows[0].adversary == "alternating"
    assert "help" in table.rows[0].forfeit.reason
    assert table.rows[0].rounds == 1
    assert [row.forfeit for row in table.rows[1:]] == [None, None]


def test_ctrl_c_keeps_the_matches_so_far():
    table = leaderboard(
        AfraidOfNegatives(KeyboardInterrupt), adversaries=["far-point", "alternating", "label-blocks"], rounds=20
    )
    assert table.interrupted
    assert [row.adversary for row in table.rows] == ["far-point"]


def test_another_loss_and_a_learner_with_foresight():
    table = leaderboard("krr", rounds=8, loss="hinge", workers=1)
    assert "greedy" in table.cannot
    regrets = [row.regret for row in table.rows]
    assert regrets == sorted(regrets, reverse=True)
    table = leaderboard("krr", rounds=8, loss="hinge", workers=1, hindsight="none")
    assert all(row.regret is None for row in table.rows)
    losses = [row.loss for row in table.rows]
    assert losses == sorted(losses, reverse=True)
    table = leaderboard("pkawv-beforehand", adversaries=["contrarian", "drift"], rounds=20)
    assert "must know the whole sequence beforehand" in table.cannot["contrarian"]
    assert np.isfinite(table.rows[0].regret)


def test_a_mistake_is_reported_once():
    with pytest.raises(ArenaError, match="no learner named 'krrr'"):
        leaderboard("krrr", rounds=10)
    with pytest.raises(ArenaError, match="no adversary can play: replay"):
        leaderboard("krr", adversaries=["replay"], rounds=10)
    with pytest.raises(ArenaError, match="no field 'dimensions'"):
        leaderboard("krr", rounds=10, dimensions=3, workers=1)
