"""The first line of a failed assertion has the names of the players, and the line `again:` their specs."""

import pytest

from arena.testing import Moves, RegretTooLarge, assert_no_violation, assert_regret
from arena_tests.planted.by_hand import LastLabel

GAME = {"rounds": 20, "at_most": 1e-9}


def message_of(learner, adversary="alternating", **options):
    with pytest.raises(RegretTooLarge) as failure:
        assert_regret(learner, adversary, **GAME | options)
    return str(failure.value).splitlines()


def test_the_heading_of_a_pipeline_is_short():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import SGDRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(with_std=False), SGDRegressor(eta0=0.02, learning_rate="constant", alpha=1e-5))
    lines = message_of(model, dimension=2)
    assert lines[0].startswith("Pipeline(…) against alternating: the regret exceeds")
    again = next(line for line in lines if "again: " in line)
    assert "SGDRegressor(alpha=1e-05, learning_rate=constant, eta0=0.02)" in again


def test_the_heading_has_the_name_that_was_given():
    assert message_of(LastLabel(), name="last label")[0].startswith("last label against alternating: ")
    assert message_of(LastLabel(), seeds=2, name="last label")[0].startswith("last label against alternating: ")


def test_the_heading_of_given_moves_has_their_number():
    lines = message_of(LastLabel(), Moves(X=[[0.0, 0.0]] * 4, y=[1.0, -1.0, 1.0, -1.0]))
    assert " against a sequence of 4 rounds: " in lines[0]
    assert any("again: arena play" in line and "Moves(X=" in line for line in lines)


def test_a_hunt_has_the_name_that_was_given():
    with pytest.raises(RegretTooLarge, match=r"^ours against "):
        assert_no_violation("krr", theorem="awv-logdet", matches=50, workers=0, name="ours")
