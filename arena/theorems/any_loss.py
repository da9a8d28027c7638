"""The best predictor in hindsight for theorems about any loss.

For the squared loss it is known in closed form in every round; for others it lies in a certified interval, and rounds
1, 2, 4, ... and the last are looked at.
"""

from __future__ import annotations

from arena.hindsight.other_losses import has_dual
from arena.record.theorem import Assumption, squared_loss
from arena.record.transcript import Transcript

LONGEST = 5000  # rounds, for losses other than the squared one
COMPUTED = "the best predictor in hindsight was computed"


def comparator_known(run: Transcript, regularisation: float) -> tuple[Assumption, ...]:
    """The best predictor for the game's loss can be told, at this lambda and to some digits."""
    if not run.comparator.closed_form:
        return comparator_in_intervals(run)
    found = squared_loss(run, regularisation)
    return (Assumption(COMPUTED, True) if found.holds else found,)


def comparator_in_intervals(run: Transcript) -> tuple[Assumption, ...]:
    """The same for a loss without a closed form."""
    computed = run.comparator.mode != "none"
    return (
        Assumption("the loss has a known dual", has_dual(run.game.loss), f"it is {run.game.loss.name}"),
        Assumption(COMPUTED, computed, "" if computed else "it is switched off"),
        Assumption(f"at most {LONGEST} rounds", run.rounds <= LONGEST, f"there are {run.rounds}"),
    )


def features_comparator_known(run: Transcript) -> tuple[Assumption, ...]:
    """The best linear functions of features can be told: without further ado for the squared loss."""
    return () if run.comparator.closed_form else comparator_in_intervals(run)
