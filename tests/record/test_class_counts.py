"""Log loss and F1 in games with a classifying loss equal scikit-learn's, also for one class against the rest."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss

from arena import ArenaError, play
from arena.adversaries import Replay
from arena.record import classes
from arena.record.remarks import notes
from arena.reports.page import report
from arena.testing import transcript

RNG = np.random.default_rng(3)
LOSSES = ["hinge", "squared-hinge", "smooth-hinge", "logistic"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [1.0, 0.5])
def test_they_are_those_of_scikit_learn(loss, size):
    y, predictions = size * RNG.choice([-1.0, 1.0], 60), RNG.normal(size=60)
    run = transcript(np.zeros((60, 1)), y, predictions, loss=loss)
    assert run.summary()["f1"] == pytest.approx(f1_score(y > 0, predictions > 0))
    expected = log_loss(y > 0, 1.0 / (1.0 + np.exp(-predictions)))
    assert run.summary()["log_loss"] == pytest.approx(expected)


def test_zeros_have_no_class_and_name_none():
    run = transcript(np.zeros((4, 1)), [1.0, 0.0, -1.0, 1.0], [0.0, 5.0, 1.0, 1.0], loss="hinge")
    assert classes.f1(run) == 2 / (2 + 1 + 1)  # one hit, one false alarm, one miss by a prediction of zero
    misses = [np.log(2), np.log1p(np.e), np.log1p(np.exp(-1))]
    assert classes.log_loss(run) == pytest.approx(np.mean(misses))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_there_are_none_where_labels_are_numbers(loss):
    summary = play("zero", "alternating", rounds=4, loss=loss).summary()
    assert (summary["log_loss"], summary["f1"]) == (None, None)


def test_there_is_no_f1_without_a_positive_class():
    run = transcript(np.zeros((2, 1)), [-1.0, -1.0], [-1.0, 0.0], loss="hinge")
    assert classes.f1(run) is None
    assert classes.log_loss(run) > 0


def test_they_are_printed_and_on_the_page():
    run = play("perceptron", "alternating", rounds=20, loss="hinge")
    page = report(run)
    assert "Log loss" in page
    assert "F1" in page
    page = report(play("perceptron", "alternating", rounds=20))
    assert "Log loss" not in page


DIGITS = np.repeat([3.0, 5.0, 8.0], [4, 6, 2])


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("positive", [3, 5, 8])
def test_more_classes_are_played_one_against_the_rest(positive, loss):
    adversary = Replay(X=RNG.uniform(-1, 1, (12, 2)), y=DIGITS, positive=positive)
    run = play("zero", adversary, rounds=12, loss=loss)
    assert run.labels.tolist() == np.where(positive == DIGITS, 1.0, -1.0).tolist()
    [note] = notes(run)
    assert note.startswith(f"the label {positive} is played as 1 and the 2 other labels as -1 (one against the rest")


def test_a_part_of_the_rows_keeps_its_meaning():
    adversary = Replay(X=RNG.uniform(-1, 1, (12, 2)), y=DIGITS, positive=8, rows=[0, 6])
    assert (play("zero", adversary, rounds=6, loss="hinge").labels == -1.0).all()


def test_of_two_classes_either_can_be_the_positive_one():
    y = np.array([0.0, 1.0, 1.0])
    run = play("zero", Replay(X=np.eye(3), y=y, positive=0), rounds=3, loss="hinge")
    assert run.labels.tolist() == [1.0, -1.0, -1.0]
    assert notes(run) == ["the labels 0 and 1 are played as 1 and -1"]


def test_a_label_that_does_not_occur_is_refused_and_more_than_two_say_what_to_do():
    X = np.zeros((12, 1))
    with pytest.raises(ArenaError, match=r"no label of X and y is 4, .*there are 3, 5, 8"):
        play("zero", Replay(X=X, y=DIGITS, positive=4), rounds=3, loss="hinge")
    with pytest.raises(ArenaError, match=r"play one against the rest \(positive=3\)"):
        play("zero", Replay(X=X, y=DIGITS), rounds=3, loss="hinge")


def test_the_json_of_one_class_against_the_rest(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from arena.cli import main

    monkeypatch.chdir(tmp_path)
    np.savetxt("data.csv", np.column_stack([RNG.uniform(-1, 1, (12, 2)), DIGITS]), delimiter=",")
    words = ["play", "fgd", "replay(file=data.csv, positive=5)", "--rounds", "12", "--loss", "logistic"]
    text = CliRunner().invoke(main, words).output
    assert "log loss" in text
    assert "F1" in text
    assert "of the positive class" in text
    assert "one against the rest" in text
    found = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)
    assert 0 <= found["f1"] <= 1
    assert found["log_loss"] == pytest.approx(found["loss"] / 12)
    text = CliRunner().invoke(main, [*words, "--seeds", "2"]).output
    assert "log loss" in text
