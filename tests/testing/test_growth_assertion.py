"""`assert_growth`: passes, failures and their messages, and the error rate of the fit."""

import math

import numpy as np
import pytest

from arena import ArenaError
from arena.testing import RegretTooLarge, assert_growth
from arena.testing.growth import horizons
from arena.testing.growth_fit import GrowthFit
from arena_tests import FULL

AT = horizons(4096)
T = np.array(AT, dtype=float)


@pytest.mark.parametrize(
    ("curve", "found"),
    [(np.log(T), 0.0), (7 * np.sqrt(T) - 100, 0.5), (0.01 * T + 5, 1.0), (T * np.log(T), 1.14), (np.log(T) ** 2, 0.16)],
)
def test_the_fitted_exponent_does_not_depend_on_constants(curve, found):
    for constant in (0.0, 1000.0, -1000.0):
        fit = GrowthFit(AT, np.array([curve + constant]), 0.95)
        assert fit.exponent == pytest.approx(found, abs=0.02)
        assert fit.low <= fit.exponent <= fit.high


def test_a_regret_that_stops_or_falls_has_no_exponent():
    for curve in (np.ones(7), -T, 3 - 1 / T**8):
        fit = GrowthFit(AT, np.array([curve]), 0.95, noise=1e-9, negligible=1e-9)
        assert fit.exponent == fit.high == -math.inf
        assert str(fit) == "the regret has stopped growing"


def test_two_rises_after_a_fall_leave_the_exponent_unknown():
    fit = GrowthFit(AT, np.array([[7.0, 6, 5, 4, 3, 5, 9]]), 0.95)
    assert (fit.low, fit.high) == (-math.inf, math.inf)


NOISE = {  # of five seeds at seven numbers of rounds, with the standard deviation 1 in the longest match
    "independent": lambda rng, seeds: rng.standard_normal((seeds, 7)) * np.sqrt(T / T[-1]),
    "as large in short matches": lambda rng, seeds: rng.standard_normal((seeds, 7)),
    "larger in long matches": lambda rng, seeds: rng.standard_normal((seeds, 7)) * T / T[-1],
    "the same in all matches of a seed": lambda rng, seeds: rng.standard_normal((seeds, 1)) * np.sqrt(T / T[-1]),
    "a random walk": lambda rng, seeds: np.cumsum(
        rng.standard_normal((seeds, 7)) * np.sqrt(np.diff(T, prepend=0) / T[-1]), axis=1
    ),
    "exponential": lambda rng, seeds: (rng.exponential(size=(seeds, 7)) - 1) * np.sqrt(T / T[-1]),
    "exponential below": lambda rng, seeds: (1 - rng.exponential(size=(seeds, 7))) * np.sqrt(T / T[-1]),
}


@pytest.mark.parametrize("seeds", [2, 5] if FULL else [5])
@pytest.mark.parametrize("noise", NOISE)
def test_decisions_about_growth_are_wrong_as_seldom_as_promised(noise, seeds):
    """The regrets grow at the limit, faster or slower, with noise of several sizes."""
    rng = np.random.default_rng(1)
    fits = 4000 if FULL else 40
    cases = [(0.25, "both"), (0.5, "at_most"), *([(1.0, "at_most"), (0.01, "above")] if FULL else [])]
    for exponent, wrong in cases:
        for size in (0.03, 0.3, 1.0, 2.0) if FULL else (0.03, 1.0):
            law, found = (T / T[-1]) ** exponent / exponent, []
            for _ in range(fits):
                scales, constants = rng.lognormal(0.0, 0.7, (seeds, 1)), rng.normal(0.0, 10.0, (seeds, 1))
                regrets = scales * law + constants + size * NOISE[noise](rng, seeds)
                found.append(GrowthFit(AT, regrets, 0.95))
            for decision in ("at_most", "above") if wrong == "both" else (wrong,):
                share = np.mean([getattr(fit, decision)(0.25) for fit in found])
                assert share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / fits), (exponent, size, decision)


def test_a_regret_that_only_wavers_is_not_said_to_have_stopped():
    """The regrets are noise alone, so that the last change is a fall in about half of the cases."""
    rng = np.random.default_rng(3)
    fits = [GrowthFit(AT, 2.0 * np.sqrt(T) * rng.standard_normal((5, 7)), 0.95) for _ in range(4000 if FULL else 300)]
    assert np.mean([np.diff(fit.mean)[-1] <= 0 for fit in fits]) > 0.4
    assert np.mean([fit.stopped for fit in fits]) <= 0.01 + 3 * math.sqrt(0.01 / len(fits))
    assert np.mean([fit.at_most(0.25) or fit.above(0.25) for fit in fits]) <= 0.1


def test_gross_growth_is_found_in_spite_of_noise():
    rng = np.random.default_rng(4)

    def shares(curve, size, seeds=5):
        fits = [GrowthFit(AT, curve + size * rng.standard_normal((seeds, 7)) * np.sqrt(T), 0.95) for _ in range(100)]
        return np.mean([fit.at_most(0.25) for fit in fits]), np.mean([fit.above(0.25) for fit in fits])

    assert shares(np.sqrt(T), 0.05)[1] > 0.95
    assert shares(T / 16, 0.3)[1] > 0.95
    assert shares(100 * np.log(T), 0.3)[0] > 0.95
    assert shares(np.sqrt(T), 0.02, seeds=2)[1] > 0.5


def test_noise_and_differences_between_seeds_widen_the_interval():
    rng = np.random.default_rng(2)
    noise = rng.standard_normal((5, 7))
    widths = []
    for size in (0.0, 0.01, 0.1):
        fit = GrowthFit(AT, np.sqrt(T) * (1 + size * noise), 0.95)
        widths.append(fit.high - fit.low)
    assert widths[0] < 1e-6 < widths[1] < widths[2]
    exponents = np.array([0.4, 0.5, 0.6])
    alike, unlike = np.array([np.sqrt(T)] * 3), T ** exponents[:, None]
    spread = GrowthFit(AT, unlike, 0.95)
    assert spread.high - spread.low > 0.1 > 1e-6 > GrowthFit(AT, alike, 0.95).high - 0.5


@pytest.mark.parametrize(
    ("learner", "adversary", "law", "faster"),
    [
        ("kernel-awv", "alternating", "log", None),
        ("fgd", "alternating", "sqrt", "log"),
        ("fgd", "repeated(points=5, labels=contrary)", "sqrt", "log"),
        ("bogd(budget=10)", "repeated(points=25)", "linear", "sqrt"),
        ("rbp(budget=10)", "repeated(points=25)", "linear", "sqrt"),
        ("zero", "repeated(points=5)", "linear", "sqrt"),
        ("krr", "repeated(points=5)", "log", None),
    ],
)
def test_a_learner_passes_its_own_law_and_fails_the_next_smaller_one(learner, adversary, law, faster):
    match = {"rounds": 1024, "seeds": 3}
    fit = assert_growth(learner, adversary, at_most=law, **match)
    assert fit.regrets.shape == (len(fit.regrets), 7)
    if faster:
        with pytest.raises(RegretTooLarge, match="the regret grows faster than "):
            assert_growth(learner, adversary, at_most=faster, **match)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "absolute"])
def test_growth_for_other_losses(loss):
    """The regret of gradient descent grows like sqrt(T), and the regret of predicting zero grows like T."""
    match = {"rounds": 512, "loss": loss, "seeds": 2}
    assert assert_growth("fgd", "alternating", at_most="sqrt", **match).regrets.min() > 0
    with pytest.raises(RegretTooLarge, match="the regret grows faster than the square root of T"):
        assert_growth("zero", "repeated(points=5)", at_most="sqrt", **match)


def test_a_failure_shows_horizons_fit_interval_and_command():
    with pytest.raises(RegretTooLarge) as failure:
        assert_growth("fgd", "alternating", at_most="log", rounds=512, seed=3)
    assert str(failure.value).splitlines() == [
        "fgd against alternating: the regret grows faster than log T",
        "  rounds          8        16        32        64       128       256       512",
        "  regret      10.16        12     14.98     19.45     25.94     35.21      48.4",
        "  rise                  1.838     2.981     4.471     6.485     9.277     13.19",
        "  (the mean over 2 seeds)",
        "  exponent 0.560, at least 0.525 and at most 0.602 (each with confidence 0.95); "
        "log T has 0, and up to 0.25 is allowed",
        "  game: rounds 512; seed 4",
        "  again: arena play fgd alternating --rounds 512 --seed 4",
    ]
    assert failure.value.transcript.rounds == 512


@pytest.mark.parametrize("regularisation", [1e3, 1e5])
@pytest.mark.parametrize(
    ("learner", "adversary", "own"),
    [
        ("kernel-awv", "alternating", False),
        ("kernel-awv", "repeated(points=5, labels=contrary)", False),
        ("clipped-krr", "repeated(points=5, labels=contrary)", False),
        ("kernel-awv", "alternating", True),
    ],
)
def test_a_proved_logarithm_is_not_accused_while_it_still_bends(learner, adversary, own, regularisation):
    """With lambda as large as the number of rounds, regrets of 0.03 to 2 look like a power of T."""
    spec, game = (f"{learner}(regularisation={regularisation:g})", 1.0) if own else (learner, regularisation)
    for law in ("log", "sqrt"):
        with pytest.raises(ArenaError, match="more rounds or a smaller lambda would decide") as failure:
            assert_growth(spec, adversary, at_most=law, rounds=1024, seeds=2, regularisation=game)
        assert not isinstance(failure.value, RegretTooLarge)
        assert "log det(I + K / lambda), the curve of logarithmic bounds, has exponent 0." in str(failure.value)


@pytest.mark.parametrize("regularisation", [1.0, 1e3, 1e5])
def test_a_linear_regret_fails_whatever_lambda_is(regularisation):
    for law in ("log", "sqrt"):
        with pytest.raises(RegretTooLarge, match="the regret grows faster than "):
            assert_growth(
                "zero", "repeated(points=5)", at_most=law, rounds=1024, seeds=2, regularisation=regularisation
            )


class Improving:
    """A learner that predicts T^-0.28, so that the growth of its regret is between two laws."""

    def begin(self, game, rng):
        self.size, self.rng = game.rounds**-0.28, rng

    def predict(self, x):
        return self.size

    def update(self, x, y):
        pass


def test_an_interval_that_contains_the_limit_decides_nothing():
    """`Improving` has a regret like T^0.44, which `sqrt` allows; the regret of `Wavering` has more noise."""
    noisy = GrowthFit(AT, np.array([T**0.25 * (1 + 0.1 * np.cos(np.arange(7) ** 2))]), 0.95)
    assert noisy.low < 0.25 < noisy.high
    assert_growth(Improving, "alternating", at_most="sqrt", rounds=512)
    with pytest.raises(ArenaError, match="undecided whether the regret grows like log T at most; more rounds or seeds"):
        assert_growth(Wavering, "alternating", at_most="log", rounds=512)


class Wavering(Improving):
    def begin(self, game, rng):
        octave = int(np.log2(game.rounds))
        self.size = game.rounds**-0.375 * (1.5 if octave % 2 else 1.0)


def test_a_forfeit_fails_and_bad_arguments_are_refused():
    class Broken(Improving):
        def update(self, x, y):
            raise RuntimeError("out of luck")

    with pytest.raises(RegretTooLarge, match=r"the learner forfeits in round 1: .* out of luck"):
        assert_growth(Broken, "alternating", at_most="log", rounds=512)
    for wrong, message in [
        ({"at_most": "cubic"}, "at_most must be one of log, sqrt, linear"),
        ({"rounds": 100}, "100 rounds are too few .* at least 512"),
        ({"seeds": 1}, "seeds must be a whole number >= 2, but it is 1: one seed does not show"),
        ({"at_most": ["log"]}, "at_most must be one of log, sqrt, linear"),
        ({"seed": None}, "seed must be a whole number >= 0, but it is None"),
        ({"seed": "0"}, "seed must be a whole number >= 0, but it is '0'"),
        ({"game": "hinge"}, "game must be a Game, but it is a str"),
        ({"confidence": 1.0}, "confidence must lie between 0.5 and 1"),
    ]:
        with pytest.raises(ArenaError, match=message):
            assert_growth("zero", "alternating", **{"at_most": "log", "rounds": 512, **wrong})
