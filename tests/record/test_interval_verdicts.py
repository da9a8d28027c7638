"""A verdict by an interval of the hindsight never contradicts the verdict by the exact hindsight."""

import numpy as np
import pytest

import arena
from arena.errors import ArenaError
from arena.hindsight import certificate
from arena.hindsight.interval import Uncertified
from arena.record.commands import play_command
from arena.testing import assert_regret


class Noisy:
    """A learner that predicts normal noise of size `scale`, so that bounds hold or fail by every margin."""

    def __init__(self, scale):
        self.rng, self.scale = np.random.default_rng(0), scale

    def predict(self, x):
        return self.value

    def reveal(self, x):
        self.value = float(self.scale * self.rng.normal())

    def update(self, x, y):
        pass


def twins(learner, adversary, features, **fields):
    """Return the match with the exact hindsight, and with an interval that is computed with `features` features."""
    exact = arena.play(learner(), adversary, hindsight="exact", **fields)
    interval = arena.play(learner(), adversary, hindsight="interval", **fields)
    np.testing.assert_array_equal(exact.predictions, interval.predictions)
    interval.comparator.interval(features=features)
    return exact, interval


def test_all_three_outcomes_are_met():
    """With enough features a verdict is "holds" or "violated"; without features it is "undecided"."""
    awv = lambda: arena.specs.building.build("learner", "kernel-awv")
    for learner, outcome in ((awv, "holds"), (lambda: Noisy(2.0), "violated")):
        _, interval = twins(learner, "repeated(points=20)", 50, rounds=300)
        verdict = interval.verdict("awv-logdet")
        assert verdict.outcome == outcome
        assert "for every value in the interval" in str(verdict)
        assert verdict.other_end is not None
    interval.comparator.interval(features=0)
    assert interval.verdict("clipped-krr").outcome == "not applicable"
    _, interval = twins(awv, "repeated(points=20)", 0, rounds=300)
    verdict = interval.verdict("awv-logdet")
    assert verdict.outcome == "undecided"
    assert verdict.applicable
    assert not verdict.holds
    assert "narrow it with `hindsight='exact'`" in str(verdict)
    assert verdict.round is None
    assert verdict.as_json()["outcome"] == "undecided"


def test_the_regret_becomes_an_interval():
    exact, interval = twins(lambda: Noisy(0.3), "repeated(points=20)", 30, rounds=200)
    assert interval.regret is None
    assert interval.plain_regret is None
    low, high = interval.regret_interval
    assert low[-1] <= exact.regret[-1] <= high[-1]
    assert high[-1] - low[-1] < 1e-6
    assert interval.summary()["regret_interval"] == [low[-1], high[-1]]
    np.testing.assert_array_equal(exact.regret_interval[0], exact.regret)
    assert arena.play("zero", "alternating", rounds=5, hindsight="none").regret_interval is None


def test_the_summary_has_the_interval_of_a_regret_that_is_known_at_the_end_only():
    hinge = arena.play("fgd", "repeated(points=7)", rounds=60, loss="hinge")
    assert hinge.regret_interval is None
    assert hinge.summary()["regret"] is None
    assert hinge.summary()["regret_interval"] == list(hinge.final_regret)
    assert arena.play("zero", "alternating", rounds=5, hindsight="none").summary()["regret_interval"] is None


def test_more_features_narrow_it():
    run = arena.play("krr", "repeated(points=60)", rounds=400, hindsight="interval")
    widths = []
    for features in (0, 10, 40, 60):
        run.comparator.interval(features=features)
        low, high = run.regret_interval
        widths.append(high[-1] - low[-1])
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 1e-6 < widths[0]


def test_a_theorem_that_is_not_monotone_is_not_judged():
    run = arena.play("krr", "alternating", rounds=20, hindsight="interval")
    verdict = run.verdict("ridge-identity")
    assert verdict.outcome == "not applicable"
    assert "`hindsight='exact'`" in verdict.reason


def test_one_end_of_an_interval_has_no_exact_hindsight():
    run = arena.play("krr", "alternating", rounds=20, hindsight="interval")
    for name in ("mean", "variance", "residuals", "plain_losses", "squared_norm"):
        with pytest.raises(Uncertified, match="nothing certain"):
            getattr(run.at_end("favourable").hindsight(), name)


def test_auto_is_exact_up_to_the_limit_and_an_interval_beyond(monkeypatch):
    monkeypatch.setattr("arena.hindsight.comparator.EXACT_LIMIT", 50)
    monkeypatch.setattr("arena.hindsight.comparator.FEW_POINTS", 10)
    assert arena.play("zero", "drawn", rounds=50).hindsight_mode == "exact"
    few = arena.play("krr", "repeated(points=10)", rounds=51)
    assert few.hindsight_mode == "exact"
    assert "--hindsight" not in play_command(few)
    assert arena.play("krr", "repeated(points=11)", rounds=51).hindsight_mode == "interval"
    run = arena.play("kernel-awv", "drawn", rounds=51)
    assert run.hindsight_mode == "interval"
    assert run.comparator.intervals
    assert run.verdict("awv-leverage").holds
    hinge = arena.play("zero", "alternating", rounds=51, loss="hinge")
    assert hinge.regret_interval is None


def test_intervals_are_stored(tmp_path, monkeypatch):
    run = arena.play("krr", "repeated(points=9)", rounds=100, hindsight="interval")
    loaded = arena.Transcript.load(run.save(tmp_path / "run.npz"))
    monkeypatch.setattr(certificate, "_played", None)  # nothing may be computed again
    for mine, theirs in zip(run.regret_interval, loaded.regret_interval, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert loaded.verdict("clipped-krr") == run.verdict("clipped-krr")


def test_assert_regret_passes_only_if_the_whole_interval_does(monkeypatch):
    options = {"rounds": 200, "hindsight": "interval"}
    assert_regret("kernel-awv", "repeated(points=9)", **options)
    coarse = lambda *given, **options: certificate.interval_hindsight(*given, **options | {"width": 0.0, "features": 5})
    monkeypatch.setattr("arena.hindsight.comparator.interval_hindsight", coarse)
    run = assert_regret("krr", "realisable", theorem=[], at_most=100.0, **options)
    low, high = (end[-1] for end in run.regret_interval)
    assert high - low > 0.1
    with pytest.raises(AssertionError, match="exceeds what is allowed"):
        assert_regret("krr", "realisable", theorem=[], at_most=low - 1e-3, **options)
    with pytest.raises(ArenaError, match=r"at_most [\d.]+ is undecided: .*narrow it with `hindsight='exact'`"):
        assert_regret("krr", "realisable", theorem=[], at_most=(low + high) / 2, **options)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared", "epsilon-insensitive"])
def test_the_best_predictor_for_any_loss(loss):
    run = arena.play("zero", "repeated(points=9)", rounds=60, loss=loss)
    best = run.comparator.best()
    assert best.lower <= best.upper < run.loss
    assert best.gap < 1e-3
    if loss == "squared":
        assert best.lower <= run.hindsight().optimum[-1] <= best.upper


def test_progress_is_reported_in_rows(monkeypatch):
    monkeypatch.setattr("arena.hindsight.certificate.CHUNK", 16)
    calls = []
    watch = lambda work, done, rows: calls.append((work, done, rows))
    run = arena.play("krr", "repeated(points=9)", rounds=100, hindsight="interval", watch=watch)
    kinds = list(dict.fromkeys(work for work, _, _ in calls))
    assert kinds == [
        "choosing features",
        "measuring what features leave",
        "playing ridge regression forward",
        "proving both ends",
    ]
    for kind in kinds:
        done = [each for work, each, _ in calls if work == kind]
        assert done[:7] == [16, 32, 48, 64, 80, 96, 100] or kind == "choosing features"
        assert done[-1] == 100
    assert {rows for _, _, rows in calls} == {100}
    before = len(calls)
    run.verdict("awv-logdet(regularisation=0.3)")  # another interval
    assert len(calls) > before
