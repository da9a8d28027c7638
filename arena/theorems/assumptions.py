"""Assumptions that theorems of several families share, each checked on the match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.components.evidence_log import MOST_LOGGED_ROUNDS
from arena.hindsight.checkpoints import last_checkpoint
from arena.hindsight.comparator import Optimum
from arena.hindsight.duals import has_dual
from arena.record.theorem import Theorem, slack, squared_loss
from arena.record.transcript import Transcript
from arena.record.verdict import Assumption

MOST_ROUNDS = 5000  # most rounds of a match whose comparator must be computed by optimisation
MOST_POINTS = 2000  # most different points for which spectra are computed
COMPUTED = "the best predictor in hindsight was computed"


def until_one_fails(*stages: Callable[[], Sequence[Assumption]]) -> tuple[Assumption, ...]:
    """Call the stages in turn; return their assumptions up to the end of the first stage in which one fails.

    Later stages are not called, so a stage may rely on the assumptions of all stages before it.
    """
    found: list[Assumption] = []
    for stage in stages:
        found += stage()
        if not all(each.holds for each in found):
            break
    return tuple(found)


def left_as_evidence(run: Transcript, what: str, recorded: bool) -> Assumption:
    """Return the assumption that the learner left `what` as evidence; it holds if `recorded` is true."""
    # in longer games, a learner may promise a theorem and leave no evidence for it
    owed = run.game.rounds <= MOST_LOGGED_ROUNDS
    return Assumption(f"the learner left {what} as evidence", recorded, learners=owed, promised=True)


def comparator_known(run: Transcript, regularisation: float) -> tuple[Assumption, ...]:
    """Return the assumptions under which the best predictor of the RKHS is known, with lambda = `regularisation`.

    - Any loss: the best predictor was computed.
    - Squared loss: lambda exceeds the rounding errors of the kernel matrix.
    - Other losses: a dual of the loss is known, and the match is not too long.
    """
    if not run.comparator.closed_form:
        return _comparator_in_intervals(run)
    found = squared_loss(run, regularisation)
    return (Assumption(COMPUTED, True) if found.holds else found,)


def features_comparator_known(run: Transcript) -> tuple[Assumption, ...]:
    """Return the assumptions under which the best linear function of a learner's features is known.

    The squared loss needs no assumption. For any other loss, the best predictor must have been computed, a dual of the
    loss must be known, and the match must not be too long.
    """
    return () if run.comparator.closed_form else _comparator_in_intervals(run)


def _comparator_in_intervals(run: Transcript) -> tuple[Assumption, ...]:
    computed = run.comparator.mode != "none"
    return (
        Assumption("the loss has a known dual", has_dual(run.game.loss), f"it is {run.game.loss.name}"),
        Assumption(COMPUTED, computed, "" if computed else "it is switched off"),
        few_rounds(run, MOST_ROUNDS),
    )


@dataclass(frozen=True)
class Within:
    """Result of `search_within`: whether a regret bound is broken, and by which kind of comparator.

    A comparator breaks the bound in round t if the regret to it in the first t rounds exceeds the bound.

    - `broken`: whether the best predictor, whose predictions may have any size, breaks the bound in some round.
    - `refutation`: a round, counted from 1, in which a comparator with predictions in [-C, C] breaks the bound, and the
      regret to this comparator. None if no such comparator was found.
    - `reached`: the largest |prediction| of the best predictor in the round of `refutation`. If `refutation` is None,
      the largest |prediction| of the best predictors in all rounds that were tried; 0 if no round was tried.
    """

    broken: bool
    refutation: tuple[int, float] | None
    reached: float


def search_within(
    run: Transcript, theorem: Theorem, optima: Callable[[int], Sequence[Optimum]], *, at_checkpoints: bool = False
) -> Within:
    """Search for a comparator with predictions in [-C, C] to which the regret exceeds the bound of `theorem`.

    At most three rounds t are tried: the first and the last round in which the regret to the best predictor exceeds the
    bound, and the round of the largest excess.

    - `optima(t)` returns the best predictor of the first t rounds. If the rounds are divided into epochs, it returns
      the best predictor of each epoch up to round t.
    - With `at_checkpoints`, or for any loss but the squared one, t is rounded down to a checkpoint.
    """
    allowed = theorem.allowed(run)
    room = slack(theorem.scale(run), allowed)
    with np.errstate(invalid="ignore"):
        excess = np.nan_to_num(theorem.measured(run) - allowed - room, nan=np.inf)
    broken = np.flatnonzero(excess > 0)
    if not len(broken):
        return Within(False, None, 0.0)
    reached = 0.0
    for t in sorted({int(broken[0]), int(excess.argmax()), int(broken[-1])}):
        exactly_here = run.comparator.closed_form and not at_checkpoints
        at = t + 1 if exactly_here else last_checkpoint(run.rounds, t + 1)
        found = optima(at)
        largest = max(each.reached for each in found)
        regret = float(run.cumulative_losses[at - 1]) - sum(each.within for each in found)
        if largest <= run.game.clip or not regret <= allowed[t] + room[t]:
            return Within(True, (t + 1, regret), largest)
        reached = max(reached, largest)
    return Within(True, None, reached)


def comparator_bounded(run: Transcript, found: Within) -> Assumption:
    """Assumption: the comparator's predictions lie in [-C, C], as the theorem demands (theory C4).

    `found` is the result of `search_within`. The assumption fails if the regret to the best predictor, whose
    predictions may have any size, exceeds the theorem's bound, but the search found no comparator with predictions in
    [-C, C] to which the regret exceeds it, too.
    """
    clip = run.game.clip
    statement = f"the comparator's predictions lie within [-{clip:g}, {clip:g}]"
    if not found.broken:
        return Assumption(statement, True, "none breaks the bound, wherever its predictions lie")
    if found.refutation is not None:
        return Assumption(statement, True, "one within breaks the bound")
    return Assumption(
        statement, False, f"the best one's reach {found.reached:g}, and its multiple within obeys the bound"
    )


def slope_and_curvature(run: Transcript) -> tuple[float, float]:
    """Return L (`Loss.lipschitz`) and sigma (`Loss.curvature`) of the game's loss for predictions within [-C, C]."""
    game = run.game
    return game.loss.lipschitz(game.clip, game.label_bound), game.loss.curvature(game.clip, game.label_bound)


def slopes_within(run: Transcript) -> Assumption:
    """Assumption: |g_t| <= L, where g_t is the loss's slope at the prediction, and L its largest slope on [-C, C]."""
    slope, _ = slope_and_curvature(run)
    largest = float(np.abs(run.slopes).max())
    return Assumption("|g_t| <= L", largest <= slope * (1 + 1e-12), f"largest {largest:g}, L = {slope:g}")


def curved(run: Transcript) -> Assumption:
    """Assumption: the curvature sigma of the loss, for predictions within [-C, C], is positive."""
    _, sigma = slope_and_curvature(run)
    return Assumption("the loss has curvature", sigma > 0, f"sigma {sigma:g}")


def eta_is_sigma(run: Transcript, step: float | None) -> Assumption:
    """Assumption: the Newton steps have the size sigma, the loss's curvature, or their default size (`step` is None).

    The default size is sigma, or 1 / (L C sqrt(t)) in round t if sigma is zero.
    """
    _, sigma = slope_and_curvature(run)
    eta = sigma if step is None else step
    return Assumption("eta is sigma", eta == sigma, f"eta {eta:g}, sigma {sigma:g}")


def alpha_is_small(run: Transcript, alpha: float) -> Assumption:
    """Assumption: alpha <= sqrt(T), where alpha I is the matrix of the Newton steps at the start."""
    return Assumption("alpha <= sqrt(T)", alpha <= run.rounds**0.5, f"{alpha:g}, T = {run.rounds}")


def unit_features(run: Transcript) -> Assumption:
    """Assumption: k(x, x) = 1, which the papers on KONS and PROS-N-KONS assume throughout."""
    diagonal = run.game.kernel.diagonal(run.points)
    off = float(np.abs(diagonal - 1.0).max())
    return Assumption("k(x, x) = 1", off <= 1e-12, f"off by up to {off:g}")


def few_different_points(run: Transcript) -> Assumption:
    """Assumption: there are so few different points that eigenvalues of their kernel matrix can be computed."""
    points = len(np.unique(run.points + 0.0, axis=0))
    return Assumption(f"at most {MOST_POINTS} different points", points <= MOST_POINTS, f"{points}")


def few_rounds(run: Transcript, most: int) -> Assumption:
    """Assumption: there are at most `most` rounds."""
    return Assumption(f"at most {most} rounds", run.rounds <= most, f"there are {run.rounds}")
