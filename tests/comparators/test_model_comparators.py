"""The user's models as comparators: a baseline that learns, and models that do not change."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, SGDRegressor

from arena import ArenaError, Game, play
from arena.comparators.models import Baseline, FixedModels
from arena.record.comparing import comparisons
from arena.record.transcript import Transcript

MOVES = {"rounds": 40, "dimension": 3}
MINE = '''
class Mean:
    """Predicts a share of the mean of the labels so far."""

    def __init__(self, share=1.0):
        self.share, self.sum, self.count = share, 0.0, 0

    def predict(self, x):
        return self.share * self.sum / max(self.count, 1)

    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1


def sign_of_the_first(x):
    return 0.5 if x[0] > 0 else -0.5


def load(scale=1.0):
    return lambda x: scale * x[1]
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)


def loss_of(run, predictions):
    return float(run.game.loss.value(np.asarray(predictions, dtype=float), run.labels).sum())


@pytest.mark.parametrize("model", ["krr", "krr(regularisation=2)", "fogd", "ewa", "pros-n-kons", "zero"])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_learner_has_no_regret_to_itself(model, loss):
    """The baseline plays in blocks what the learner played round by round, with the same random numbers."""
    if loss == "logistic" and model == "ewa":
        return
    run = play(model, "greedy(starts=4)" if loss == "squared" else "contrarian", loss=loss, **MOVES)
    found = run.regret_to(f"baseline(model={model})")
    assert found.curve() == pytest.approx(np.zeros(40), abs=1e-6)
    assert found.plainly == f"{model}, which plays the same points and labels"


def test_the_baseline_is_the_same_match_of_another_learner():
    run, other = (play(learner, "repeated(points=4)", **MOVES) for learner in ("krr", "fgd"))
    assert (run.points == other.points).all()
    assert run.regret_to("baseline(model=fgd)").curve() == pytest.approx(np.cumsum(run.losses - other.losses))


@pytest.mark.usefixtures("mine")
def test_a_baseline_in_a_file_in_a_library_and_as_an_object():
    run = play("krr", "repeated(points=4)", **MOVES)
    shares = {
        share: run.regret_to(f"baseline(model=./mine.py:Mean(share={share}))").regret[0] for share in (0.0, 0.5, 1.0)
    }
    means = np.concatenate([[0.0], (np.cumsum(run.labels) / np.arange(1, 41))[:-1]])
    for share, regret in shares.items():
        assert regret == pytest.approx(run.loss - loss_of(run, share * means))
    by_word = run.regret_to("baseline(model=./mine.py:Mean)")
    assert by_word.regret[0] == pytest.approx(shares[1.0])
    sgd = "baseline(model=sklearn:linear_model.SGDRegressor(eta0=0.1))"
    assert run.regret_to(sgd).regret == pytest.approx(run.regret_to(Baseline(SGDRegressor(eta0=0.1))).regret, abs=1e-12)


@pytest.mark.usefixtures("mine")
def test_the_spec_of_a_baseline_keeps_its_model(tmp_path):
    spec = "baseline(model=./mine.py:Mean(share=0.5))"
    run = play("krr", "repeated(points=4)", comparators=[spec, "constant"], **MOVES)
    again = Transcript.load(run.save(tmp_path / "m.npz"), trust=True)
    assert again.comparators == (spec, "constant")
    assert again.regret_to(again.comparators[0]).regret == run.regret_to(spec).regret
    untrusted, known = comparisons(Transcript.load(tmp_path / "m.npz"))
    assert re.search("comes from a file and names code outside the arena.*`trust=True` runs it", untrusted.unknown)
    assert known.regret == run.regret_to("constant").regret


@pytest.mark.usefixtures("mine")
def test_a_name_that_is_lost_is_no_reason_to_refuse_a_file(tmp_path):
    run = play("krr", "alternating", rounds=5)
    run.comparators = ("of-next-year", "constant")
    lost, known = comparisons(Transcript.load(run.save(tmp_path / "m.npz")))
    assert "there is no comparator named 'of-next-year'" in lost.unknown
    assert known.regret is not None


@pytest.mark.usefixtures("mine")
def test_fixed_models_learn_nothing():
    run = play("krr", "repeated(points=4)", **MOVES)
    rule, slope = (np.where(run.points[:, 0] > 0, 0.5, -0.5), 2.0 * run.points[:, 1])
    trained = LinearRegression().fit(run.points, run.labels)
    texts = "[./mine.py:sign_of_the_first, './mine.py:load'(scale=2), zero, krr]"
    alone = {
        "[./mine.py:sign_of_the_first]": loss_of(run, rule),
        "['./mine.py:load'(scale=2)]": loss_of(run, slope),
        "[zero]": loss_of(run, np.zeros(40)),
        "[krr]": loss_of(run, np.zeros(40)),
    }
    for text, expected in alone.items():
        assert run.loss - run.regret_to(f"fixed-models(models={text})").regret[0] == pytest.approx(expected), text
    assert run.loss - run.regret_to(f"fixed-models(models={texts})").regret[0] == pytest.approx(min(alone.values()))
    found = run.regret_to(FixedModels([trained]))
    assert run.loss - found.regret[0] == pytest.approx(loss_of(run, trained.predict(run.points)))


def test_every_prefix_has_its_own_best_model():
    run = play("zero", "label-blocks(length=5)", rounds=20)
    found = run.regret_to(FixedModels([lambda _: 1.0, lambda _: -1.0]))
    totals = [np.cumsum(np.square(run.labels - c)) for c in (1.0, -1.0)]
    assert found.curve() == pytest.approx(run.cumulative_losses - np.minimum(*totals))


def test_a_model_of_river_is_asked_one_row_at_a_time():
    class River:
        def predict_one(self, features):
            return features["x0"] - features["x2"]

    run = play("krr", "repeated(points=4)", **MOVES)
    expected = loss_of(run, run.points[:, 0] - run.points[:, 2])
    assert run.loss - run.regret_to(FixedModels([River()])).regret[0] == pytest.approx(expected)


def test_a_model_of_river_receives_the_names_of_the_game():
    class River:
        def predict_one(self, features):
            return features["temp"]

    run = play("krr", "repeated(points=4)", dimension=2, features=["temp", "price"], rounds=8)
    expected = loss_of(run, run.points[:, 0])
    assert run.loss - run.regret_to(FixedModels([River()])).regret[0] == pytest.approx(expected)


def test_an_address_with_parentheses_is_called_in_python_as_in_a_spec(tmp_path):
    (tmp_path / "rules.py").write_text("def load():\n    return lambda x: 0.25\n\ndef rule(x):\n    return 0.5\n")
    run = play("zero", "alternating", rounds=4)
    for text, value in {"load()": 0.25, "rule": 0.5}.items():
        found = run.regret_to(FixedModels([f"{tmp_path / 'rules.py'}:{text}"]))
        assert run.loss - found.regret[0] == pytest.approx(loss_of(run, np.full(4, value)))


@pytest.mark.parametrize(
    ("comparator", "why"),
    [
        (lambda: FixedModels([]), "needs at least one model"),
        (lambda: Baseline("nobody"), "there is no learner named 'nobody'"),
        (lambda: "baseline", "baseline needs a value for 'model'"),
    ],
)  # fmt: skip
def test_mistakes_in_specs_are_errors(comparator, why):
    run = play("krr", "repeated(points=4)", **MOVES)
    with pytest.raises(ArenaError, match=why):
        run.regret_to(comparator())


@pytest.mark.parametrize(
    ("comparator", "why"),
    [
        (lambda: FixedModels([3]), "int is no fixed model: a function of a point is needed"),
        (lambda: FixedModels([lambda _: 1 / 0]), r"cannot be compared with: ZeroDivisionError.*line \d+"),
        (lambda: FixedModels([lambda _: exit()]), "cannot be compared with: SystemExit"),
        (lambda: FixedModels([lambda _: float("nan")]), "predicts NaN in round 1"),
        (lambda: FixedModels([lambda x: x]), "one number for each of 40 points, but its shape is"),
    ],
)
def test_a_model_that_fails_has_no_regret_and_says_why(comparator, why):
    found = play("krr", "repeated(points=4)", **MOVES).regret_to(comparator())
    assert found.regret is None
    assert re.search(why, found.unknown)


def test_a_model_without_a_spec_is_compared_and_not_kept(tmp_path):
    run = play("krr", "alternating", game=Game(rounds=9), comparators=[FixedModels([lambda _: 1.0])])
    assert run.regret_to(run.comparators[0]).regret is not None
    assert Transcript.load(run.save(tmp_path / "m.npz")).comparators == ()
