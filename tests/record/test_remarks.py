"""Remarks about the units of scaled data, and about the meaning of a negative regret."""

import inspect
import json

import numpy as np
import pytest

from arena import play
from arena.adversaries.replay import Replay
from arena.record.remarks import data_loss, notes, why_negative
from arena.record.transcript import Transcript
from arena.reports.page import report
from arena.testing import transcript
from arena_tests.planted.by_hand import LastLabel

RNG = np.random.default_rng(8)
X = RNG.uniform(-1, 1, size=(60, 2))
PRICES = 300.0 + 120.0 * X[:, 0] + 10.0 * RNG.standard_normal(60)


def in_units_of_the_data(run, y):
    """Return the predictions in the data's units, and the size of one unit of the game in the data's units."""
    middle, half = (y.max() + y.min()) / 2, (y.max() - y.min()) / 2
    if half == 0:
        middle, half = 0.0, abs(y[0])
    return middle + run.predictions / run.game.label_bound * half, half / run.game.label_bound


@pytest.mark.parametrize("y", [PRICES, -1e-3 * PRICES, np.full(60, 4.0), np.full(60, -1e6)], ids=range(4))
@pytest.mark.parametrize("bound", [1e-4, 0.5, 1.0])
def test_the_loss_in_the_units_of_the_data_is_that_of_predictions_mapped_back(y, bound):
    y = y if np.abs(y).max() > bound else 10 * y
    for loss, power in (("squared", 2), ("absolute", 1), ("epsilon-insensitive(epsilon=0.01)", 1)):
        run = play("fgd", Replay(X=X, y=y), rounds=60, loss=loss, label_bound=bound, hindsight="none")
        mapped, unit = in_units_of_the_data(run, y)
        tube = 0.01 * unit if "epsilon" in loss else 0.0
        expected = np.sum(np.maximum(np.abs(mapped - y) - tube, 0.0) ** power)
        assert data_loss(run) == pytest.approx(expected, rel=1e-9)
        assert run.summary()["data_loss"] == data_loss(run)


def test_data_that_is_not_scaled_or_has_classes_has_no_other_units():
    for y, fields in ((PRICES / 1e3, {}), (PRICES > 300, {"loss": "hinge"}), (PRICES > 300, {"loss": "logistic"})):
        assert data_loss(play("fgd", Replay(X=X, y=y), rounds=60, **fields)) is None
    assert data_loss(play("fgd", "alternating", rounds=5)) is None


def test_units_beyond_what_numbers_can_hold_are_infinite_and_no_error():
    run = play("krr", Replay(X=X, y=np.where(PRICES > 300, 1e300, -1e300)), rounds=60)
    assert data_loss(run) == np.inf
    assert "Loss in data’s units" in report(run)  # noqa: RUF001


def test_it_is_shown_and_kept(tmp_path):
    run = play("krr", Replay(X=X, y=PRICES), rounds=60)
    again = Transcript.load(run.save(tmp_path / "run.npz"))
    assert (data_loss(again), notes(again)) == (data_loss(run), notes(run))
    page = report(again)
    assert "Loss in data’s units" in page  # noqa: RUF001
    assert f"Note: {notes(run)[0]}." in page
    assert "label_unit" not in page


def test_the_command_prints_it_also_for_series_and_replayed_files(arena_json, tmp_path):
    np.savez(tmp_path / "prices.npz", X=X, y=PRICES)
    run = play("krr", f"replay(file={tmp_path / 'prices.npz'})", rounds=60)
    output, one = arena_json("play", "krr", "replay(file=prices.npz)", "--rounds", 60, "--save", "run.npz")
    mean = f"{data_loss(run) / 60:.4g} a round, the mean squared error"
    assert mean in output
    assert one["data_loss"] == pytest.approx(data_loss(run))
    output, many = arena_json("play", "krr", "replay(file=prices.npz)", "--rounds", 60, "--seeds", 2)
    assert f"note: {notes(run)[0]}" in output
    assert many["each"]["data_loss"] == pytest.approx([data_loss(run)] * 2)
    output, again = arena_json("replay", "run.npz", "fgd")
    assert f"note: {notes(run)[0]}" in output
    assert "the mean squared error" in output
    assert again["data_loss"] == pytest.approx(again["loss"] * run.header["label_unit"] ** 2)


@pytest.fixture
def arena_json(tmp_path, monkeypatch):
    """Return a function that runs `arena` twice, and returns its text and its JSON."""
    from click.testing import CliRunner

    from arena.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*words):
        plain, coded = (CliRunner().invoke(main, [*map(str, words), *more]) for more in ((), ("--json",)))
        assert (plain.exit_code, coded.exit_code) == (0, 0), plain.output
        return plain.output, json.loads(coded.stdout)

    return run


# The label of the round before is right in all rounds but two; no fixed function is right in more than half of them.
TURNING = Replay(X=np.zeros((60, 2)), y=np.repeat([1.0, -1.0], 30))
EASY = Replay(X=np.zeros((60, 2)), y=np.ones(60))


@pytest.mark.parametrize(
    ("adversary", "fields", "words"),
    [
        (TURNING, {}, "the learner beat the best fixed predictor, as it can where the data drift"),
        (TURNING, {"loss": "hinge"}, "the learner beat the best fixed predictor, whose penalty counts"),
        (EASY, {"regularisation": 2.0}, "lost less than the best fixed predictor with its penalty, and more than"),
        ("alternating", {}, ""),
        (TURNING, {"hindsight": "none"}, ""),
    ],
    ids=["drift", "drift under hinge", "a heavy penalty", "positive", "unknown"],
)
def test_a_negative_regret_is_explained_where_it_is_shown(adversary, fields, words):
    run = play(LastLabel(), adversary, rounds=60, **{"regularisation": 0.1, **fields})
    why = why_negative(run)
    assert (words in why) if words else why == ""
    assert ("negative" in report(run)) == bool(words)
    if words:
        ends = run.final_regret
        assert ends[1] < 0
        assert words in report(run)


@pytest.mark.parametrize(("nudge", "negative"), [(1e-12, False), (-1e-12, False), (1e-3, True), (-1e-3, False)])
def test_what_rounding_explains_is_no_negative_regret(nudge, negative):
    """In a match of one round the best penalised predictor has the loss lambda / (1 + lambda)."""
    run = transcript([[0.0]], [1.0], [1.0 - np.sqrt(0.3 / 1.3) + nudge], regularisation=0.3)
    assert bool(why_negative(run)) == negative


def test_the_command_explains_a_negative_regret(arena_json, tmp_path):
    np.savez(tmp_path / "turning.npz", X=TURNING.X, y=TURNING.y)
    (tmp_path / "echo.py").write_text(inspect.getsource(LastLabel))
    words = ("play", "./echo.py:LastLabel", "replay(file=turning.npz)", "--regularisation", 0.1)
    for more in ((), ("--seeds", 2)):
        output, result = arena_json(*words, *more)
        assert result["regret"] < -1
        assert f"{result['negative_regret']}\n" in output
        assert "the learner beat the best fixed predictor, as it can where the data drift" in output


def test_a_lambda_that_is_lost_in_rounding_is_noted():
    """With lambda near 0, the regret at one point is 1 / T; the exact formulas give less than zero here."""
    run = play("zero", "alternating", rounds=5, regularisation=1e-16)
    assert run.regret[-1] < 0
    [note] = [each for each in notes(run) if "lambda" in each]
    assert note.startswith("lambda is lost in the rounding errors of the kernel: it is 1e-16, but 1.1e-14 is needed")
    assert why_negative(run) == ""
    for precise in ({"regularisation": 1e-13}, {"regularisation": 1e-16, "hindsight": "interval"}):
        assert not any("lambda" in each for each in notes(play("zero", "alternating", rounds=5, **precise)))
