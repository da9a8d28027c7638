"""Remarks that explain the numbers of a result: changed units, labels without a class, negative regrets."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from arena.record.theorem import ROUNDING, lambda_stands_out
from arena.record.transcript import Transcript
from arena.specs.spelling import is_unnamed, name_of
from arena.version import __version__

CIRCUMSTANCES = {  # entries of the header of a match that is played now: versions and the kind of machine
    "arena": __version__,
    "python": platform.python_version(),
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "machine": f"{platform.system()} {platform.machine()}",
}
# keys of further entries, which a match's digest covers, as it does options (`arena.record.repeating`): a digest has
# null for a key that is missing, also for the two oldest options
REMARKS = ("remark", "learner_remark", "label_unit", "learner_unnamed", "exact", "hindsight_time")
NAMED = "features_named_by_adversary"  # key of a remark that the adversary, not an option, named the features
FORESIGHT = "foresight"  # key of a remark that the learner knew all moves beforehand; follows from the learner
LAST_FUNCTION = "last_function"  # key of a remark that follows from the match; its digest does not cover it


def notes(run: Transcript) -> list[str]:
    """Return the remarks that are printed with the result of a match.

    - The remarks of the adversary and of the learner.
    - A remark on the learner's last function, if it is constant or linear (`arena.engine.last_function`).
    - A remark if the loss is for classification and some labels are 0, which belongs to neither class.
    - A remark if lambda is so small that the exact regret has lost its digits.
    """
    said = [str(run.header[key]) for key in ("remark", "learner_remark", LAST_FUNCTION) if run.header.get(key)]
    without = int(np.count_nonzero(run.labels == 0)) if run.game.loss.classifies else 0
    if without:
        said.append(
            f"{without:,} of {run.rounds:,} labels are 0 and so of neither class of the {run.game.loss.name} loss: the "
            "error rate leaves these rounds out, and models of other libraries learn nothing in them. If 0 is a "
            "class, write the classes as -1 and 1"
        )
    if run.rounds and run.comparator.closed_form and run.hindsight_mode == "exact":
        precise = lambda_stands_out(run, run.game.regularisation)
        if not precise.holds:
            said.append(
                f"lambda is lost in the rounding errors of the kernel: it is {precise.measured}. The regret may be "
                "wrong; `hindsight='interval'` gives limits that contain it"
            )
    return said


def kept_names(specs: tuple[str, str], names: tuple[str, str]) -> dict[str, str]:
    """Return the entries of a header with the names of learner and adversary; short forms of their specs are left out.

    No digest of the match covers these entries.
    """
    sides = zip(("learner_name", "adversary_name"), specs, names, strict=True)
    return {key: name for key, spec, name in sides if name != name_of(spec)}


def why_unnamed(run: Transcript) -> str:
    """Return the reason why no spec names the learner, and a remedy; "" if a spec names it."""
    if not is_unnamed(run.learner):
        return ""
    general = (
        "no spec can name it: its class must keep each parameter as an attribute of the same name (self.rate = rate)"
    )
    return str(run.header.get("learner_unnamed") or general)


def circumstances(run: Transcript) -> dict[str, Any]:
    """Return the versions and the machine with which the match was played, by name, such as "numpy" or "machine"."""
    return {key: run.header[key] for key in CIRCUMSTANCES if key in run.header}


def data_loss(run: Transcript) -> float | None:
    """Return the total loss in the units of the data; None if labels were not scaled, or the loss has no `power`.

    The loss has a power p if it is multiplied by c^p when labels and predictions are multiplied by c.
    """
    unit, power = float(run.header.get("label_unit", 1.0)), run.game.loss.power
    if unit == 1.0 or power is None:
        return None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return float(run.loss * np.power(unit, power))


def why_negative(run: Transcript) -> str:
    """Return an explanation of a negative regret; "" if rounding explains the sign, or the regret is not negative."""
    ends = run.final_regret
    if ends is None or not ends[1] < -ROUNDING * run.loss:
        return ""
    if not lambda_stands_out(run, run.game.regularisation).holds:  # a note says that the regret may be wrong
        return ""
    plain = run.plain_regret
    if plain is None:
        return (
            "the regret is negative: the learner beat the best fixed predictor, whose penalty counts, as it can where "
            "the data drift or lambda is large"
        )
    if plain[-1] < 0:
        return "the regret is negative: the learner beat the best fixed predictor, as it can where the data drift"
    return (
        "the regret is negative: the learner lost less than the best fixed predictor with its penalty, and more than "
        "without it"
    )
