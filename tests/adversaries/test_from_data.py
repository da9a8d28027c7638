"""`from-data` plays rows of data in the worst order, and `contaminated` replaces a limited share of the labels."""

import numpy as np
import pytest

from arena import ArenaError, play
from arena.adversaries.from_data import FromData
from arena.adversaries.replay import Replay


def rows(number=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(number, 2))
    return X, np.sign(X[:, 0] * X[:, 1])


def test_it_plays_each_row_once_with_its_own_label():
    X, y = rows()
    run = play("krr", FromData(X=X, y=y), rounds=100)
    assert run.ended == "exhausted"
    assert run.rounds == len(X)
    played = {(*x, label) for x, label in zip(run.points.tolist(), run.labels.tolist(), strict=True)}
    assert played == {(*x, label) for x, label in zip(X.tolist(), y.tolist(), strict=True)}


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_its_order_costs_more_than_the_order_of_the_file(loss):
    X, y = rows(200)
    learner = "krr" if loss == "squared" else "fgd"
    chosen = play(learner, FromData(X=X, y=y), rounds=80, loss=loss)
    given = play(learner, Replay(X=X, y=y), rounds=80, loss=loss)
    assert chosen.loss > (1.2 if loss == "squared" else 1.05) * given.loss


def test_the_first_row_has_the_largest_loss():
    X, y = rows()
    run = play(lambda x: x[0], FromData(X=X, y=y, by="loss", candidates=1000), rounds=5)
    losses = np.sort((X[:, 0] - y) ** 2)[::-1]
    np.testing.assert_allclose(run.losses, losses[:5])


@pytest.mark.parametrize("noise", [0.0, 1e-13])
def test_of_rows_that_cost_the_same_the_first_one_is_played(noise):
    """Rounding differs between processors, and must not choose the row."""
    X = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 0.5], [0.0, -0.5]])

    class Nearly:
        def predict(self, x):
            return noise * (x[0] + 2 * x[1])  # far below any tolerance

        def update(self, x, y):
            pass

    for by in ("loss", "regret"):
        chosen = play(Nearly(), FromData(X=X, y=np.ones(4), by=by), rounds=4, seed=1).points
        exact = play("zero", FromData(X=X, y=np.ones(4), by=by), rounds=4, seed=1).points
        np.testing.assert_array_equal(chosen, exact)


def test_rows_come_back_only_if_they_may():
    X, y = rows(3)
    assert play("zero", FromData(X=X, y=y), rounds=9).rounds == 3
    assert play("zero", FromData(X=X, y=y, again=True), rounds=9).rounds == 9


@pytest.mark.parametrize(
    ("parameters", "fields", "wanted"),
    [
        ({}, {}, r"from-data needs data: either from-data\(file=data.csv\)"),
        ({"X": [[0.0]], "y": [1.0], "by": "regret"}, {"loss": "hinge"}, "by=regret needs the squared loss, not hinge"),
        ({"X": [[0.0]], "y": [1.0, 2.0]}, {}, "1 rows, but y has 2 labels"),
    ],
)
def test_mistakes(parameters, fields, wanted):
    with pytest.raises(ArenaError, match=wanted):
        play("zero", FromData(**parameters), rounds=3, **fields)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 1.0])
def test_the_share_of_wrong_labels_is_never_exceeded(share):
    run = play("kernel-awv", f"contaminated(of=realisable, share={share})", rounds=80, seed=2)
    clean = play("kernel-awv", "realisable", rounds=80, seed=2)
    np.testing.assert_array_equal(run.points, clean.points)
    wrong = np.cumsum(run.labels != clean.labels)
    assert (wrong <= share * np.arange(1, 81)).all()
    assert wrong[-1] >= share * 80 * 0.5
    assert set(run.labels[run.labels != clean.labels]) <= {-1.0, 1.0}
    # without a wrong label the losses are equal, but for rounding: `realisable` alone is played in blocks
    assert run.loss > clean.loss if share else run.loss == pytest.approx(clean.loss, rel=1e-9)


def test_data_stays_data_inside_contaminated(tmp_path):
    X, y = rows()
    np.savetxt(tmp_path / "data.csv", np.column_stack([X, 3 * y]), delimiter=",")
    spec = f"contaminated(of='replay(file={tmp_path / 'data.csv'})', share=0.1)"
    run = play("krr", spec, rounds=60)
    np.testing.assert_array_equal(run.points, X)
    assert "stretched" in run.header["remark"] or "labels" in run.header["remark"]
    assert run.rounds == 60
