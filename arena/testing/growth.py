"""`assert_growth`, which asserts that the regret grows no faster than a law in the number of rounds, such as log T.

The regret is measured at several horizons and with several seeds.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from arena.arrays import Array
from arena.engine.growth import regret_between
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game, require_game_and_seed
from arena.hindsight.comparator import EXACT_LIMIT, FEW_POINTS, automatic_hindsight
from arena.hindsight.exact import ridge_hindsight
from arena.record.transcript import Transcript
from arena.specs.parameters import convert, is_whole
from arena.testing.failure import RegretTooLarge, failure_message, hide_arena_frames
from arena.testing.growth_fit import GrowthFit
from arena.testing.session import conclude

Law = Literal["log", "sqrt", "linear"]
# Name, exponent, and the largest exponent that is allowed, which is halfway to the next law (T^2 after T).
LAWS = {"log": ("log T", 0.0, 0.25), "sqrt": ("the square root of T", 0.5, 0.75), "linear": ("T", 1.0, 1.5)}
OCTAVES = 6  # number of doublings from the fewest rounds to the most
SHORTEST = 8  # least number of rounds of the shortest match


@hide_arena_frames
def assert_growth(
    learner: Any,
    adversary: Any = "alternating",
    *,
    at_most: Law,
    rounds: int = 4096,
    seeds: int = 5,
    game: Game | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    name: str | None = None,
    **fields: Any,
) -> GrowthFit:
    """Play matches of up to `rounds` rounds, and fail if the regret grows faster than the law `at_most`.

    Return the fitted growth. Each seed from `seed` to `seed` + `seeds` - 1 gives seven matches, which have
    T = `rounds` / 64, `rounds` / 32, ..., `rounds` rounds. If the first two seeds give the same regrets, no other seed
    is played. `fields` are fields of the game that replace those of `game`, and `name` is the
    learner's name in messages.

    The rise at T is the regret of 2T rounds minus the regret of T rounds. It grows like T^p, where p is 0 for a regret
    like log T, 1/2 for the square root of T, and 1 for T. A law allows p <= q, where q is 1/4 for `log`, 3/4 for `sqrt`
    and 3/2 for `linear`. The assertion

    - passes if the regrets show that p <= q, or that the regret has stopped growing;
    - fails with `RegretTooLarge` if the regrets show that p > q, or if a match ends as a forfeit;
    - raises an `ArenaError` if the matches do not decide the question: more rounds or seeds are needed, or a smaller
      lambda. With lambda >> T the curve log det(I + K / lambda) of logarithmic bounds is still nearly a line, and a
      regret fails only if it grows faster than this curve, too.

    If the regret of each seed is a T^p + b plus normal noise, with a > 0, the assertion passes wrongly with a
    probability of at most 1 - `confidence`, and fails wrongly with at most this probability. Any loss may be used for
    which the best function in hindsight can be computed.

    >>> assert_growth("kernel-awv", "alternating", at_most="log", rounds=512).exponent < 0.1
    True
    """
    __tracebackhide__ = True
    require_game_and_seed(game, seed)
    if at_most not in list(LAWS):
        raise ArenaError(f"assert_growth: at_most must be one of {', '.join(LAWS)}, but it is {at_most!r}")
    level = convert(confidence, float, label="assert_growth: confidence")
    if not 0.5 < level < 1:
        raise ArenaError(f"assert_growth: confidence must lie between 0.5 and 1, but it is {level:g}")
    if not is_whole(seeds, at_least=2):
        raise ArenaError(
            f"assert_growth: seeds must be a whole number >= 2, but it is {seeds!r}: one seed does not show how "
            "much the regret depends on it (no third is played if two give the same regrets)"
        )
    field = (game or Game()).replace(rounds=rounds, **fields)
    at = horizons(field.rounds)
    regrets: list[Array] = []
    gap = 0.0
    for number in range(seeds):
        runs = [_played(learner, adversary, field.replace(rounds=T), seed + number, name) for T in at]
        between = np.array([_final_regret(run) for run in runs])
        regrets.append(between.mean(axis=1))
        gap = max(gap, float(np.ptp(between, axis=1).max()))
        if number == 1 and np.array_equal(regrets[0], regrets[1]):
            break
    scale = 1.0 + runs[-1].loss
    noise = max(gap, 1e-9 * scale)
    fit = GrowthFit(at, np.array(regrets), level, noise, negligible=min(noise, 1e-6 * scale))
    failure = _decision(runs[-1], fit, at_most)
    too_large = failure if isinstance(failure, RegretTooLarge) else None
    conclude("assert_growth", runs[-1], [], too_large, matches=fit.regrets.size, rounds=sum(at) * len(fit.regrets))
    if failure is not None:
        raise failure
    return fit


def _played(learner: Any, adversary: Any, game: Game, seed: int, name: str | None) -> Transcript:
    __tracebackhide__ = True
    run = play(learner, adversary, game=game, seed=seed, hindsight="none", name=name)
    if run.forfeit:
        raise RegretTooLarge(failure_message(run, str(run.forfeit), []), run)
    if run.rounds < run.game.rounds:
        raise ArenaError(
            f"assert_growth: {run.adversary_name} ended the match after {run.rounds} of {run.game.rounds} rounds"
        )
    return run


def _decision(run: Transcript, fit: GrowthFit, law: Law) -> RegretTooLarge | ArenaError | None:
    """Return None if the fit shows that the regret obeys the law, and `RegretTooLarge` if it shows the opposite.

    If the fit shows neither, return an `ArenaError`. The message of the exception describes the match `run`.
    """
    name, exponent_of_law, allowed = LAWS[law]
    if fit.at_most(allowed):
        return None
    run = replace(run, hindsight_mode=automatic_hindsight(run.rounds, run.points))  # the mode that `arena play` chooses
    lines = [*_table(fit), f"{fit}; {name} has {exponent_of_law:g}, and up to {allowed:g} is allowed"]
    what = f"undecided whether the regret grows like {name} at most; more rounds or seeds would decide"
    if fit.above(allowed):
        slowest = _slowest_growth(run, fit)
        least = allowed if slowest.at_most(allowed) else max(allowed, slowest.high)
        if math.isfinite(least) and fit.above(least):
            return RegretTooLarge(failure_message(run, f"the regret grows faster than {name}", lines), run)
        what = f"undecided whether the regret grows like {name} at most; more rounds or a smaller lambda would decide"
        lines.append(f"log det(I + K / lambda), the curve of logarithmic bounds, has {slowest}")
    return ArenaError(failure_message(run, what, lines))


def _slowest_growth(run: Transcript, fit: GrowthFit) -> GrowthFit:
    """Return the growth of log det(I + K_T / lambda) over the horizons of `fit`.

    The kernel matrix K_T belongs to the first T points of the match. This curve times a constant bounds the regret of
    second-order learners. While T is small beside lambda, it is nearly a line. A learner may have a lambda of its own;
    the largest one counts.
    """
    own = (getattr(each, "regularisation", None) or 0.0 for each in run.promised)
    found = ridge_hindsight(run.game.kernel, max(run.game.regularisation, *own, 0.0), run.points, run.labels)
    curve = found.log_determinant[np.array(fit.horizons) - 1]
    return GrowthFit(fit.horizons, curve[np.newaxis], fit.confidence, noise=1e-9 * float(curve[-1]))


def _final_regret(run: Transcript) -> tuple[float, float]:
    """Return the lower and the upper end of the final regret; for the squared loss they are equal."""
    if automatic_hindsight(run.rounds, run.points) != "exact":
        raise ArenaError(
            f"assert_growth: the regret of {run.rounds} rounds is known where at most {FEW_POINTS} points come again "
            f"and again; give at most {EXACT_LIMIT} rounds"
        )
    return regret_between(run, [run.rounds])[0]


def _table(fit: GrowthFit) -> list[str]:
    rises = ["", *(f"{rise:.4g}" for rise in np.diff(fit.mean))]
    rows = [
        ("rounds", map(str, fit.horizons)),
        ("regret", (f"{regret:.4g}" for regret in fit.mean)),
        ("rise", rises),
    ]
    seeds = len(fit.regrets)
    of = "one seed" if seeds == 1 else f"the mean over {seeds} seeds"
    return [f"{label:<7}" + "".join(f"{value:>10}" for value in values) for label, values in rows] + [f"({of})"]


def horizons(rounds: int) -> tuple[int, ...]:
    """Return the horizons of the seven matches that measure a growth: `rounds` / 64, ..., `rounds` / 2 and `rounds`."""
    if rounds < SHORTEST * 2**OCTAVES:
        raise ArenaError(
            f"assert_growth: {rounds} rounds are too few to fit an exponent; give at least {SHORTEST * 2**OCTAVES}"
        )
    return tuple(rounds >> octave for octave in range(OCTAVES, -1, -1))
