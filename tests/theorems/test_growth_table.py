"""Every cell of the table of growth rates in docs/results/growth.md (theory F11), and its measurement."""

import re
from pathlib import Path

import numpy as np
import pytest

from arena import Game, play
from arena.adversaries import Replay
from arena.engine.growth import exponent, regret_at, regret_between
from arena.errors import ArenaError
from arena.game.kernels import Gaussian, Polynomial
from arena.game.losses import Loss
from arena.specs import registry
from arena_tests import FULL
from growth_rates.corrections import CORRECTIONS, note_of
from growth_rates.laws import BOUNDED, LINEAR, LOG, ROOT, Measured
from growth_rates.measuring import measure
from growth_rates.page import law_in_words, table
from growth_rates.rows import MISSING, ROWS, cells
from growth_rates.sequences import SEQUENCES, best_in_hindsight

PAGE = Path(__file__).parents[2] / "docs" / "results" / "growth.md"
CELLS = list(cells())


@pytest.mark.parametrize("cell", [pytest.param(cell, id=f"{cell.row.label}, {cell.column}") for cell in CELLS])
def test_it_grows_as_the_table_says(cell):
    found = measure(cell, full=FULL)
    assert found.agrees, (
        f"{cell.law.text}: exponent {found.exponent:.3f}, allowed {found.law.allowed(found.horizons)}; "
        f"last doubling over first {found.added:.2f}, allowed {found.law.added}; {found.values} at {found.horizons}"
    )


def test_rows_and_reasons_name_different_registered_learners():
    """The page lists a learner without a row and without a reason as not measured yet."""
    rows = {row.learner for row in ROWS}
    assert rows | set(MISSING) <= set(registry.entries("learner"))
    assert not rows & set(MISSING)


def test_every_law_that_differs_from_the_prediction_is_explained():
    for cell in CELLS:
        assert (note_of(cell) is not None) == (cell.law.text != cell.predicted), (
            f"{cell.row.label}, {cell.column}: found {cell.law.text}, predicted {cell.predicted}. Where the two differ "
            "the reason stands in CORRECTIONS, in benchmarks/growth_rates/corrections.py, and nowhere else"
        )
    assert {note_of(cell) for cell in CELLS} - {None} == set(range(1, len(CORRECTIONS) + 1))


def test_the_page_is_the_one_that_the_script_writes():
    page = PAGE.read_text(encoding="utf-8")
    assert table(law_in_words) in page, "run: python benchmarks/growth.py --full --write"
    for _, _, reason in CORRECTIONS:
        assert reason in page
    for row in ROWS:
        assert len(re.findall(rf"^\| `{re.escape(row.spec)}`", page, flags=re.MULTILINE)) in (2, 4)
    assert "(!)" not in page  # the mark of a cell that did not agree when the page was made


HORIZONS = np.array([1000, 2000, 4000, 8000])


@pytest.mark.parametrize(
    ("law", "values", "agrees"),
    [
        (LOG, np.log(HORIZONS), True),
        (LOG, 4 * np.log(HORIZONS) + 10, True),
        (LOG, np.sqrt(HORIZONS), False),
        (LOG, HORIZONS**0.2, True),  # too slow a power to be told apart at these horizons
        (LOG, HORIZONS**0.28, False),
        (LOG, 5 - 100 / HORIZONS, False),
        (BOUNDED, 5 - 100 / HORIZONS, True),
        (BOUNDED, 1 / HORIZONS, True),
        (BOUNDED, np.log(HORIZONS), False),
        (ROOT, np.sqrt(HORIZONS), True),
        (ROOT, HORIZONS, False),
        (LINEAR, 0.1 * HORIZONS + 3, True),
        (LINEAR, HORIZONS**0.8, False),
    ],
)
def test_laws_are_distinguished(law, values, agrees):
    assert Measured(HORIZONS, values, law).agrees == agrees


@pytest.mark.parametrize("name", list(SEQUENCES))
def test_the_best_in_hindsight_of_each_sequence(name):
    """The optimum equals the one of a dense matrix; for margin losses some function of finite norm has no loss."""
    game, moves = SEQUENCES[name]
    X, y = moves(400)
    K = game.kernel.gram(X, X)
    dense = y @ np.linalg.solve(K + np.eye(400), y)
    assert best_in_hindsight(name, game, X, y) == pytest.approx(dense, rel=1e-10)
    hinge = game.replace(loss="smooth-hinge")
    floor = best_in_hindsight(name, hinge, X, y)
    assert floor == pytest.approx(0.75 * (~y.astype(bool)).sum() if "F2" not in name else 300.0)


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Polynomial(degree=2)])
@pytest.mark.parametrize("regularisation", [1e-3, 1.0, 1e3])
def test_the_regret_of_repeated_points_is_that_of_the_transcript(kernel, regularisation):
    run = play("pkawv-kors", "repeated(points=7, labels=alternating)", rounds=150, kernel=kernel,
               regularisation=regularisation, label_bound=2.0)  # fmt: skip
    horizons = [1, 5, 50, 150]
    expected = run.regret[np.array(horizons) - 1]
    np.testing.assert_allclose(regret_at(run, horizons), expected, rtol=1e-9, atol=1e-9)


def test_an_exponent_is_a_slope():
    T = np.array([10, 100, 1000])
    assert exponent(T, 7.0 * T**0.3) == pytest.approx(0.3)
    assert exponent(T, 7.0 * np.log(T) ** 2, law=np.log) == pytest.approx(2.0)
    assert exponent(T, np.full(3, 2.0)) == 0.0


@pytest.mark.parametrize(
    ("rounds", "values", "message"),
    [
        ([100], [1.0], "two or more different"),
        ([100, 100], [1.0, 2.0], "two or more different"),
        ([100, 200], [1.0], "one value for each"),
        ([100, 200], [1.0, -1.0], "must be positive"),
        ([0, 200], [1.0, 1.0], "must be positive"),
    ],
)
def test_values_without_an_exponent_are_refused(rounds, values, message):
    with pytest.raises(ArenaError, match=message):
        exponent(rounds, values)


def test_regrets_outside_the_match_or_of_an_unknown_loss_are_refused():
    run = play("fgd", "alternating", rounds=20)
    with pytest.raises(ArenaError, match="between 1 and 20"):
        regret_at(run, [0, 21])
    unknown = play("zero", "alternating", game=Game(rounds=20, loss=Quartic()))
    with pytest.raises(ArenaError, match="quartic"):
        regret_at(unknown, [10])


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute"])
def test_the_regret_of_other_losses_is_known_up_to_a_gap(loss):
    """At one point the best function is a number, which is searched for on a grid."""
    run = play("fgd", "alternating(at=[0, 0])", rounds=31, loss=loss, regularisation=0.1)
    for t, (low, high) in zip([1, 30, 31], regret_between(run, [1, 30, 31]), strict=True):
        z = np.linspace(-20, 20, 400_001)[:, np.newaxis]
        best = run.game.loss.value(z, run.labels[np.newaxis, :t]).sum(axis=1) + 0.1 * np.square(z[:, 0])
        regret = run.losses[:t].sum() - best.min()
        assert low - 1e-6 <= regret <= high + 1e-6
        assert high - low < 1e-5
        assert regret_at(run, [t])[0] == pytest.approx(regret, abs=1e-5)


class Quartic(Loss):
    """A loss that is not one of the arena's, so that its dual is unknown."""

    name = "quartic"

    def value(self, prediction, label):
        return (np.asarray(prediction) - label) ** 4

    def derivative(self, prediction, label):
        return 4 * (np.asarray(prediction) - label) ** 3

    def lipschitz(self, prediction_bound, label_bound):
        return 4 * (prediction_bound + label_bound) ** 3

    def smoothness(self, prediction_bound, label_bound):
        return 12 * (prediction_bound + label_bound) ** 2

    def curvature(self, prediction_bound, label_bound):
        return 0.0


# On one point the exact learners are functions of scalars. So they are on orthogonal points, where the rounds of each
# point are independent of all others.


def scalar_awv(y, shrink=1.0):
    sums, n = np.concatenate([[0.0], np.cumsum(y)[:-1]]), np.arange(len(y))
    return sums / (n + 1.0 + shrink)


def scalar_krr(y):
    return scalar_awv(y, shrink=0.0)


def scalar_kons(y):
    """Return the predictions of KONS at one point with k(x, x) = 1, alpha = 1, eta = 1/8 and clipping at 1."""
    u, a, predictions = 0.0, 1.0, np.empty(len(y))
    for t, label in enumerate(y.tolist()):
        predictions[t] = w = min(max(u, -1.0), 1.0)
        slope = 2.0 * (w - label)
        a += slope**2 / 8.0
        u = w - slope / a
    return predictions


SCALARS = {"kernel-awv": scalar_awv, "krr": scalar_krr, "clipped-krr": scalar_krr, "kons": scalar_kons}
LABELS = {
    "changing": lambda n: np.where(np.arange(n) % 2, -1.0, 1.0),
    "constant": np.ones,
}


@pytest.mark.parametrize("labels", list(LABELS))
@pytest.mark.parametrize("learner", list(SCALARS))
def test_on_one_point_the_learners_are_their_scalars(learner, labels):
    y = LABELS[labels](1000)
    run = play(learner, Replay(X=np.zeros((1000, 2)), y=y), rounds=1000)
    np.testing.assert_allclose(run.predictions, SCALARS[learner](y), rtol=0, atol=1e-10)


@pytest.mark.parametrize("learner", list(SCALARS))
def test_on_orthogonal_points_the_learners_are_their_scalars(learner):
    run = play(learner, "repeated(points=8, labels=alternating)", rounds=400, kernel=Gaussian(1e-3))
    for point in range(8):
        own = run.labels[point::8]
        np.testing.assert_allclose(run.predictions[point::8], SCALARS[learner](own), rtol=0, atol=1e-10)


if FULL:

    @pytest.mark.parametrize("column", ["F2", "F4", "F5"])
    @pytest.mark.parametrize("learner", list(SCALARS))
    def test_exact_learners_at_a_hundred_thousand_rounds(learner, column):
        """Feasible in time and memory, since they need one row for each different point; tests/linalg plays one."""
        cell = next(cell for cell in CELLS if cell.row.spec == learner and cell.column == column)
        found = measure(cell, full=True)
        assert found.horizons[-1] == 100_000
        assert found.agrees
