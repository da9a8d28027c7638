"""However a file writes its two classes, the error rate is the one of a plain loop over the library's methods."""

import functools

import numpy as np
import pytest
from river import compose, linear_model, preprocessing
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from arena import ArenaError, play
from arena.adversaries.replay import Replay
from arena.record.remarks import notes
from arena.testing import OneByOne
from arena.testing.moves import Moves

ROWS = 300
RNG = np.random.default_rng(5)
X = RNG.uniform(-1, 1, size=(ROWS, 3))
POSITIVE = X @ [2.0, -1.0, 0.5] + 0.3 * RNG.standard_normal(ROWS) > 0.4
WRITTEN = {"0 and 1": (0, 1), "1 and 2": (1, 2), "-1 and 1": (-1, 1), "-1 and 0": (-1, 0), "3 and 70": (3, 70)}
MARGIN_LOSSES = ["hinge", "squared-hinge", "smooth-hinge", "logistic"]


def sklearn_model():
    return SGDClassifier(loss="log_loss", random_state=0)


def river_model():
    return compose.Pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())


@functools.cache
def sklearn_loop():
    """Return the share of wrong predictions in a plain loop over scikit-learn's methods; round 1 counts as wrong."""
    model, wrong = sklearn_model(), 1
    for t, (x, y) in enumerate(zip(X, POSITIVE, strict=True)):
        wrong += t > 0 and model.predict([x])[0] != y
        model.partial_fit([x], [y], classes=[False, True])
    return wrong / ROWS


@functools.cache
def river_loop():
    model, wrong = river_model(), 1
    for t, (x, y) in enumerate(zip(X, POSITIVE, strict=True)):
        row = {f"x{i}": value for i, value in enumerate(x.tolist())}
        wrong += t > 0 and model.predict_one(row) != y
        model.learn_one(row, bool(y))
    return wrong / ROWS


def labels_as(classes):
    return np.where(POSITIVE, classes[1], classes[0])


def written_to(folder, ending, y):
    path = folder / f"data.{ending}"
    if ending == "npz":
        np.savez(path, X=X, y=y)
    elif ending == "csv":
        np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    else:
        rows = (
            f"{label:g} " + " ".join(f"{i}:{value:.17g}" for i, value in enumerate(row, start=1))
            for row, label in zip(X.tolist(), y.tolist(), strict=True)
        )
        path.write_text("\n".join(rows))
    return path


@pytest.mark.parametrize(("model", "loop"), [(sklearn_model, sklearn_loop), (river_model, river_loop)])
@pytest.mark.parametrize("classes", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("bound", [0.5, 1.0, 100.0])
def test_the_error_rate_is_that_of_a_plain_loop(model, loop, classes, bound):
    run = play(
        model(), Replay(X=X, y=labels_as(classes)), rounds=ROWS, loss="logistic", label_bound=bound, hindsight="none"
    )
    assert run.error_rate == loop() < 0.2
    size = min(1.0, bound)
    np.testing.assert_array_equal(run.labels, np.where(POSITIVE, size, -size))
    note = f"the labels {classes[0]} and {classes[1]} are played as {-size:g} and {size:g}"
    assert run.header.get("remark", "") == ("" if classes == (-size, size) else note)


@pytest.mark.parametrize("ending", ["csv", "npz", "svm"])
@pytest.mark.parametrize("loss", MARGIN_LOSSES)
def test_files_of_every_format_and_every_loss_that_classifies(ending, loss, tmp_path):
    path = written_to(tmp_path, ending, labels_as((0, 1)))
    run = play(sklearn_model(), f"replay(file={path})", rounds=ROWS, loss=loss, hindsight="none")
    assert run.error_rate == sklearn_loop()


@pytest.mark.parametrize("options", [{"scale_y": "bound"}, {"order": "shuffled"}, {"loop": True}, {"one_by_one": True}])
def test_options_of_replay_keep_the_classes(options):
    run = play("fgd", Replay(X=X, y=labels_as((0, 1)), **options), rounds=ROWS, loss="hinge", label_bound=2.0)
    size = 2.0 if "scale_y" in options else 1.0
    order = np.lexsort(run.points.T)
    np.testing.assert_array_equal(run.labels[order], np.where(POSITIVE, size, -size)[np.lexsort(X.T)])


def test_a_part_of_the_data_keeps_the_meaning_of_its_labels():
    zeros = np.flatnonzero(~POSITIVE)[0]
    run = play("fgd", Replay(X=X, y=labels_as((0, 1)), rows=[zeros, zeros + 1]), rounds=1, loss="hinge")
    assert run.labels.tolist() == [-1.0]
    three = Replay(X=X[:6], y=[7, 7, 2, 7, 5, 5], rows=[1, 4])
    assert play("fgd", three, rounds=6, loss="hinge").labels.tolist() == [1.0, -1.0, 1.0]


@pytest.mark.parametrize("loss", MARGIN_LOSSES)
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 2], r"X and y have 3 different values \(0, 1, 2\), but the .* loss compares two classes: write"),
        (np.linspace(0, 1, 9), r"9 different values \(0, 0.125, 0.25, 0.375, 0.5, ...\).*scale_y=none plays"),
        ([0, 0], "all labels of X and y are 0, but"),
        ([4, 4], "all labels of X and y are 4, but"),
    ],
)
def test_other_than_two_classes_are_refused(labels, message, loss):
    with pytest.raises(ArenaError, match=message):
        play("fgd", Replay(X=X[: len(labels)], y=labels), loss=loss)


@pytest.mark.parametrize("model", [sklearn_model, river_model, GaussianNB, "fgd"])
@pytest.mark.parametrize("moves", [Moves, lambda **data: Replay(**data, scale_y=None), OneByOne])
def test_labels_of_zero_that_are_played_as_they_are_are_noted_and_no_mistakes(model, moves):
    """A listed sequence is played unchanged; a note counts its labels 0, which are not counted as errors."""
    y = labels_as((0, 1))[:50]
    data = {"X": X[:50], "y": y}
    adversary = OneByOne(Moves(**data)) if moves is OneByOne else moves(**data)
    run = play(model if isinstance(model, str) else model(), adversary, rounds=50, dimension=3, loss="logistic")
    np.testing.assert_array_equal(run.labels, y)
    assert run.error_rate == np.mean(run.predictions[y == 1] <= 0)
    zeros = np.count_nonzero(y == 0)
    (note,) = notes(run)
    assert note.startswith(f"{zeros} of 50 labels are 0 and so of neither class of the logistic loss: the error rate")


@pytest.mark.parametrize("model", [sklearn_model, river_model])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_classifiers_under_a_loss_of_numbers_say_what_they_did_not_learn(model, loss):
    y = labels_as((0, 1))[:50]
    run = play(model(), Replay(X=X[:50], y=y), rounds=50, loss=loss)
    zeros = np.count_nonzero(y == 0)
    (note,) = notes(run)
    assert note.startswith(f"the classifier learned nothing from {zeros} of 50 labels, which are 0")
    assert "scale_y=bound" in note
    heeded = play(model(), Replay(X=X[:50], y=y, scale_y="bound"), rounds=50, loss=loss)
    assert notes(heeded) == ["the labels were moved from [0, 1] to [-1, 1], where 1 stands for 0.5 in the data"]
    assert notes(play("krr", Replay(X=X[:50], y=y), rounds=50, loss=loss)) == []
