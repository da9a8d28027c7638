"""The comparators for shifts, intervals and norms, against all partitions, all intervals and a general solver."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import play
from arena.comparators import norms as norms_module
from arena.comparators import shifting
from arena.game.kernels import Gaussian
from arena.game.losses import Hinge, Logistic
from arena.hindsight import segment_grid
from arena.hindsight.comparator import Comparator
from arena.hindsight.norms import Spectrum
from arena.hindsight.segment_grid import SharedFactor, refined
from arena.hindsight.segments import Segments, segment_optima
from arena.testing import transcript
from arena_tests import FULL
from arena_tests.sequences import KINDS, points
from arena_tests.slow import comparators as slow
from arena_tests.slow.ridge import optimum

RNG = np.random.default_rng(11)


def made(rounds=9, kind="random", seed=0, **fields):
    """Return a match with this kind of points, and noisy labels whose mean changes in the middle."""
    rng = np.random.default_rng(seed)
    X = points(kind, rounds, rng)
    y = np.clip(np.where(np.arange(rounds) < rounds // 2, 0.8, -0.8) + 0.3 * rng.normal(size=rounds), -1, 1)
    return transcript(X, y, rng.uniform(-1, 1, rounds), **fields)


def gram(run):
    return run.game.kernel.gram(run.points, run.points)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("regularisation", [1.0, 1e-3])
def test_every_segment_equals_a_dense_solution(kind, regularisation):
    run = made(14, kind)
    K, y = gram(run), run.labels
    found = segment_optima(K, y, regularisation)
    for start in range(14):
        assert np.isinf(found[start, :start]).all()
        for end in range(start, 14):
            part = slice(start, end + 1)
            assert found[start, end] == pytest.approx(optimum(K[part, part], y[part], regularisation), rel=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [0, 1, 2, 3, 20])
def test_shifts_equal_the_best_of_all_partitions(kind, k):
    run = made(9, kind)
    found = run.regret_to(f"shifts(k={k})")
    for t in (1, 2, 5, 9):
        expected = slow.shifts(gram(run)[:t, :t], run.labels[:t], 1.0, k)
        assert run.cumulative_losses[t - 1] - found.curve()[t - 1] == pytest.approx(expected, abs=1e-9)
    assert (found.lower == found.upper).all()


def test_the_places_of_the_shifts_cost_what_is_reported():
    run = made(12)
    for k in (0, 1, 2, 4):
        places = Segments.exact(segment_optima(gram(run), run.labels, 1.0)).best_places(k)
        edges = [0, *places, 12]
        parts = [slice(*pair) for pair in itertools.pairwise(edges)]
        cost = sum(optimum(gram(run)[part, part], run.labels[part], 1.0) for part in parts)
        assert len(places) <= k
        assert run.loss - run.regret_to(f"shifts(k={k})").regret[0] == pytest.approx(cost)


@pytest.mark.parametrize("kind", KINDS)
def test_the_worst_interval_equals_the_worst_of_all(kind):
    run = made(10, kind)
    K, y, losses = gram(run), run.labels, run.losses
    found = run.regret_to("intervals")
    for t in (1, 3, 10):
        expected = slow.worst_interval(K[:t, :t], y[:t], losses[:t], 1.0)
        assert found.curve()[t - 1] == pytest.approx(expected, abs=1e-9)
    assert found.profile.x.tolist() == list(range(1, 11))
    expected = [slow.worst_interval(K, y, losses, 1.0, longest=length) for length in range(1, 11)]
    assert found.profile.upper == pytest.approx(expected, abs=1e-9)
    assert (found.profile.lower == found.profile.upper).all()
    first, last = map(int, found.detail.removeprefix("rounds ").split(" to "))
    part = slice(first - 1, last)
    regret = losses[part].sum() - optimum(K[part, part], y[part], 1.0)
    assert found.regret[0] == pytest.approx(regret, abs=1e-9)


def blocks(rounds, cut):
    """Return a match and three tables of its segments' optima.

    The tables have all segments; those that start in round 1 or at `cut`; and those that also end before `cut` or at
    the end.
    """
    run = made(rounds, "repeated", seed=rounds)
    exact = segment_optima(gram(run), run.labels, 1.0)
    whole, starts = Segments.exact(exact), np.array([0, *cut])
    some = Segments(starts, whole.ends, whole.lower[starts], whole.upper[starts])
    ends = np.array([*(np.array(cut) - 1), rounds - 1])
    few = Segments(starts, ends, whole.lower[np.ix_(starts, ends)], whole.upper[np.ix_(starts, ends)])
    return run, whole, some, few


@given(st.integers(2, 14), st.data())
@settings(max_examples=80 if FULL else 30)
def test_both_ends_hold_the_exact_value(rounds, data):
    cut = sorted(data.draw(st.sets(st.integers(1, rounds - 1), max_size=5)))
    k = data.draw(st.integers(0, 4))
    run, whole, some, few = blocks(rounds, cut)
    exact = whole.best_partitions(k)[0]
    worst = whole.worst_regrets(run.losses)
    lengths = np.arange(1, rounds + 1)
    for known in (some, few):
        low, high = known.best_partitions(k)
        assert (low <= exact[known.ends] + 1e-9).all()
        assert (high >= exact[known.ends] - 1e-9).all()
        regrets = known.worst_regrets(run.losses)
        low, high = regrets.so_far()
        assert (low <= worst.so_far()[0][known.ends] + 1e-9).all()
        assert (high >= worst.so_far()[0][known.ends] - 1e-9).all()
        low, high = regrets.by_length(lengths)
        assert (low <= worst.by_length(lengths)[0] + 1e-9).all()
        assert (high >= worst.by_length(lengths)[0] - 1e-9).all()


def test_known_starts_in_every_round_are_exact():
    run, whole, some, few = blocks(9, range(1, 9))
    for known in (some, few):
        for k in range(4):
            low, high = known.best_partitions(k)
            assert (low == high).all()
            assert (low == whole.best_partitions(k)[0]).all()
        low, high = known.worst_regrets(run.losses).so_far()
        assert (low == high).all()


@given(st.integers(1, 12), st.sampled_from(KINDS), st.floats(0.01, 10.0))
@settings(max_examples=50 if FULL else 20)
def test_no_shift_is_kernel_ridge_and_more_shifts_cost_no_more(rounds, kind, regularisation):
    run = made(rounds, kind, regularisation=regularisation)
    fixed = run.regret_to("shifts(k=0)").curve()
    assert fixed == pytest.approx(run.regret_to("kernel-ridge").curve(), abs=1e-8)
    before = fixed
    for k in range(1, 5):
        regret = run.regret_to(f"shifts(k={k})").curve()
        assert (regret >= before - 1e-12).all()
        before = regret
    assert (run.regret_to("intervals").curve() >= fixed - 1e-8).all()  # one of the intervals is the whole prefix


@pytest.mark.parametrize("text", ["shifts(k=0)", "shifts(k=2)", "intervals"])
@pytest.mark.parametrize("kind", ["repeated", "random"])
def test_the_interval_of_a_longer_match_holds_the_exact_regret(text, kind, monkeypatch):
    exact = made(60, kind).regret_to(text)
    monkeypatch.setattr(shifting, "EXACT", 10)
    monkeypatch.setattr(shifting, "STARTS", 12)
    for useful in (True, False):  # with shared features, and with an interval hindsight for each start
        monkeypatch.setattr(SharedFactor, "useful", useful)
        found = made(60, kind).regret_to(text)
        assert (found.lower <= exact.lower[found.at - 1] + 1e-6).all()
        assert (found.upper >= exact.upper[found.at - 1] - 1e-6).all()
        if text == "shifts(k=0)" or useful:
            assert np.ptp(found.regret) < 0.01 * exact.loss
        else:
            assert np.ptp(found.regret) > 1e-3  # shifts anywhere were not tried


@given(st.integers(12, 40), st.sampled_from(KINDS), st.floats(0.05, 5.0), st.integers(1, 8), st.integers(0, 4))
@settings(max_examples=30)
def test_any_grid_gives_bounds_and_a_full_one_the_optimum(rounds, kind, regularisation, blocks, k):
    run = made(rounds, kind, regularisation=regularisation)
    factor = SharedFactor(run.game.kernel, run.points, run.labels, regularisation)
    optima = segment_optima(gram(run), run.labels, regularisation)
    exact = Segments.exact(optima).best_partitions(k)[0]
    coarse = factor.segments(np.unique(np.linspace(0, rounds, blocks + 1).astype(int)))
    low, high = coarse.best_partitions(k)
    assert (low <= exact[coarse.ends] + 1e-6).all()
    assert (high >= exact[coarse.ends] - 1e-6).all()
    full = factor.segments(np.arange(rounds + 1))
    assert full.best_partitions(k)[1] == pytest.approx(exact, abs=1e-5 * rounds)
    assert (full.lower <= np.where(np.isinf(optima), 0.0, optima) + 1e-7).all()
    assert (full.upper >= optima - 1e-7).all()


def test_a_grid_is_refined_where_the_predictor_shifts():
    labels = np.concatenate([np.ones(137), -np.ones(274), np.ones(89)])
    factor = SharedFactor(Gaussian(), np.zeros((500, 1)), labels, 1.0)

    def gap(found):
        low, high = found.best_partitions(2)
        return float(low[-1]), float(high[-1])

    found = refined(factor, 500, 8, gap, lambda found: found.loose_shifts(2))
    assert found.best_places(2) == [137, 411]
    assert gap(found) == pytest.approx((2.978, 2.978), abs=0.01)  # n / (n + 1) a segment
    assert len(found.starts) < 60


def test_the_optima_of_a_long_match_do_not_grow_with_the_rounds(monkeypatch):
    """The number of segments whose optimum is computed is limited by a grid of at most 60 boundaries."""
    monkeypatch.setattr(shifting, "EXACT", 10)
    monkeypatch.setattr(segment_grid, "BOUNDARIES", 60)
    for rounds in (500, 2000):
        run = made(rounds, "repeated")
        run.regret_to("shifts(k=2)")
        factor = shifting.shared_factor(run)
        assert factor.F.shape[1] <= 6
        assert len(factor.optima) <= 60**2 / 2
        run.regret_to("shifts(k=1)")
        assert shifting.shared_factor(run) is factor  # all comparators share it


@pytest.mark.parametrize(("comparator", "most"), [("shifts(k=1)", 400), ("shifts(k=1)", 0), ("norms", 400)])
def test_long_comparisons_report_their_progress(comparator, most, monkeypatch):
    for module, name in ((shifting, "EXACT"), (norms_module, "EXACT")):
        monkeypatch.setattr(module, name, 10)
    monkeypatch.setattr(segment_grid, "FEATURES", most)
    monkeypatch.setattr(shifting, "STARTS", 4)
    run, heard = made(40), []
    run.comparator.watch = lambda *report: heard.append(report[1:])
    found = run.regret_to(comparator)
    assert len(heard) >= 4
    assert all(done <= rows for done, rows in heard)
    low, high = found.regret
    wide = high - low > 0.01 * (run.loss - low)
    assert ("segments begin in 4 rounds only" in found.detail) == (most == 0 or (wide and comparator != "norms"))


@pytest.mark.parametrize("loss", [Hinge(), Logistic()])
@pytest.mark.parametrize("rounds", [4, 11])
def test_shifts_of_other_losses(loss, rounds, monkeypatch):
    monkeypatch.setattr(shifting, "BLOCKS", 4)
    run = made(rounds, loss=loss)
    low, high = run.regret_to("shifts(k=1)").regret

    def least(start, stop):
        part = Comparator(run.game, run.points[start:stop], run.labels[start:stop], "exact")
        return part.optimum(1.0, stop - start).upper

    exact = run.loss - min(least(0, rounds), *(least(0, p) + least(p, rounds) for p in range(1, rounds)))
    assert low - 1e-6 <= exact <= high + 1e-6
    worst = max(run.losses[i:j].sum() - least(i, j) for i in range(rounds) for j in range(i + 1, rounds + 1, 3))
    assert worst <= run.regret_to("intervals").regret[1] + 1e-6
    if rounds == 4:  # no more rounds than blocks: exact up to the solver
        assert high - low < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_norms_equal_a_general_solver(kind):
    run = made(8, kind)
    for U in (0.0, 0.1, 0.7, 2.0):
        found = run.regret_to(f"norms(U={U})")
        assert found.regret[0] == found.regret[1]
        assert run.loss - found.regret[0] == pytest.approx(slow.in_ball(gram(run), run.labels, U), abs=2e-5)


@given(st.integers(1, 12), st.sampled_from(KINDS), st.floats(0.05, 5.0))
@settings(max_examples=40 if FULL else 15)
def test_the_curve_of_norms_and_the_penalised_regret(rounds, kind, regularisation):
    """The least loss L(U) with norm U falls and is convex, and the least L(U) + lambda U^2 is the penalised optimum."""
    run = made(rounds, kind, regularisation=regularisation)
    spectrum = Spectrum.of(gram(run), run.labels)
    U = np.linspace(0.0, 4.0, 41)
    losses = np.array([spectrum.least_loss(each) for each in U])
    assert (np.diff(losses) <= 1e-9).all()
    assert (np.diff(losses, 2) >= -1e-7).all()
    penalised = run.loss - run.regret_to("kernel-ridge").regret[0]
    assert (losses + regularisation * U**2 >= penalised - 1e-8).all()
    best = np.sqrt(run.comparator.hindsight().squared_norm)
    assert spectrum.least_loss(best) + regularisation * best**2 == pytest.approx(penalised, abs=1e-7)


@pytest.mark.parametrize("loss", ["squared", "hinge", "logistic", "absolute"])
def test_bounds_of_the_curve_hold_the_exact_one(loss, monkeypatch):
    monkeypatch.setattr(norms_module, "EXACT", 4)
    run = made(20, "repeated", loss=loss)
    for U in (0.0, 0.2, 1.0, 3.0):
        low, high = run.regret_to(f"norms(U={U})").regret
        assert low <= high
        assert high - low <= 0.05 * run.loss
        if loss == "squared":
            exact = run.loss - Spectrum.of(gram(run), run.labels).least_loss(U)
            assert low - 1e-8 <= exact <= high + 1e-8
        # no function of this norm does better than the upper end says
        for _ in range(40):
            a = RNG.normal(size=20)
            f = gram(run) @ a * (U / max(np.sqrt(a @ gram(run) @ a), 1e-12))
            assert run.loss - run.game.loss.value(f, run.labels).sum() <= high + 1e-9
    profile = run.regret_to("norms").profile
    assert (np.diff(profile.upper) >= -1e-9).all()


def test_what_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(shifting, "EXACT", 10)
    monkeypatch.setattr(shifting, "MOST_ROUNDS_SQUARED", 20)
    monkeypatch.setattr(norms_module, "EXACT", 10)
    monkeypatch.setattr(norms_module, "MOST_ROUNDS", 20)
    run = made(30)
    assert "play fewer rounds" in run.regret_to("shifts").unknown
    assert "play fewer rounds" in run.regret_to("norms").unknown
    assert run.verdict("at-most(regret=1, comparator=shifts(k=2))").outcome == "not applicable"


def test_a_lambda_below_rounding_is_refused():
    found = made(30, "repeated", regularisation=1e-17)
    assert "raise `regularisation=...`" in found.regret_to("shifts").unknown
    assert found.regret_to("norms").regret is not None


def test_an_infinite_loss_is_refused():
    run = transcript(np.zeros((3, 1)), np.zeros(3), [0.0, 1e200, 0.0])
    assert "infinite" in run.regret_to("intervals").unknown
    assert run.regret_to("shifts").regret == (np.inf, np.inf)


def test_a_demand_on_an_interval_is_judged_at_both_ends(monkeypatch):
    monkeypatch.setattr(shifting, "EXACT", 10)
    monkeypatch.setattr(segment_grid, "BOUNDARIES", 6)
    run = made(60, "repeated")
    low, high = run.regret_to("shifts(k=2)").regret
    assert high > low + 0.1
    outcome = {
        regret: run.verdict(f"at-most(regret={regret}, comparator=shifts(k=2))").outcome
        for regret in (low - 0.01, (low + high) / 2, high + 0.01)
    }
    assert list(outcome.values()) == ["violated", "undecided", "holds"]


class Restarting:
    """Ridge regression that starts again after three large losses in a row."""

    def begin(self, game, rng):
        from arena.specs.building import build

        self.game, self.rng, self.make = game, rng, lambda: build("learner", "krr")
        self.inner, self.large = self.make(), 0
        self.inner.begin(game, rng)

    def predict(self, x):
        return self.inner.predict(x)

    def update(self, x, y):
        self.large = self.large + 1 if (self.inner.predict(x) - y) ** 2 > 0.5 else 0
        self.inner.update(x, y)
        if self.large == 3:
            self.inner, self.large = self.make(), 0
            self.inner.begin(self.game, self.rng)


@pytest.mark.parametrize(
    ("adversary", "kernel", "k"), [("label-blocks(length={})", "gaussian", 3), ("drift(places=6)", "linear", 5)]
)
def test_restarts_turn_linear_regret_into_a_sublinear_one(adversary, kernel, k):
    """The best predictor changes with the parts of the match, whose lengths are a fixed share of the rounds."""
    horizons = (60, 120, 240)
    regrets = {"krr": [], Restarting: []}
    for learner, found in regrets.items():
        for rounds in horizons:
            match = {"rounds": rounds, "kernel": kernel, "dimension": 1, "box": (0.5, 1.0)}
            run = play(learner, adversary.format(rounds // 4), **match)
            found.append(run.regret_to(f"shifts(k={k})").regret[0])
    growth = {learner: np.log2(found[-1] / found[0]) / 2 for learner, found in regrets.items()}
    assert growth["krr"] > 0.9
    assert growth[Restarting] < 0.4
    assert regrets[Restarting][-1] < regrets["krr"][-1] / 5
