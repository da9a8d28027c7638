"""The film of a match in one or two dimensions: the data from which a report's JavaScript shows it round by round.

A film has the moves and up to three fields. A field has a value at each point of a grid over the box, for some of the
rounds, which are called frames. The fields are

- `predictor`: the learner's prediction at the point;
- `comparator`: the value of the best function in hindsight of the rounds before the frame;
- `slack`: the slack that a bound would have after the frame, if the point had been played in the frame. If no slack can
  be computed, the field is `growth`: the largest increase of the regret that a round at the point can cause.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arrays import Array
from arena.engine.elsewhere import NotShown, predictions_elsewhere
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.reports.downsampled import plain
from arena.reports.film_fields import Slack, best_so_far, box_grid, closest_theorems, regret_growth

MOST_ROUNDS = 1000  # rounds of the longest film; later rounds are left out
BYTES = 300_000  # approximate size of the fields of one film
GRIDS = {1: 81, 2: 25}  # grid points along each coordinate, by dimension
SLACK_GRIDS = {1: 31, 2: 9}
SECONDS = 3.0  # time limit for computing the learner's predictions at the grid
EVALUATIONS, LONG = 4000, 1e-3  # most evaluations of a bound in one film, and the most seconds of one of them
ROBUST = 99.5  # percentile of the values to which colours and axes reach


def film_of(
    run: Transcript, verdicts: Sequence[Verdict], *, trust: bool = False, size: int = BYTES
) -> dict[str, Any] | None:
    """Return the film of a match: a dictionary of the data from which a report shows the match round by round.

    The result is None if the match has more than two dimensions or no round. `verdicts` are the verdicts on theorems,
    with curves. `trust` allows code outside the arena. The film's
    fields, such as the predictions on a grid of the box, take about `size` bytes; rounds after `MOST_ROUNDS` are left
    out.
    """
    dimension = run.game.dimension
    if dimension not in GRIDS or not run.rounds:
        return None
    last = min(run.rounds, MOST_ROUNDS)
    film: dict[str, Any] = {
        "dimension": dimension,
        "box": [run.game.low.tolist(), run.game.high.tolist()],
        "rounds": run.rounds,
        "label_bound": run.game.label_bound,
        "points": [plain(each) for each in run.points[:last]],
        "labels": plain(run.labels[:last]),
        "predictions": plain(run.predictions[:last]),
        "losses": plain(run.losses[:last]),
        "fields": {},
        "notes": [],
    }
    if run.game.features:
        film["features"] = list(run.game.features)
    if run.regret is not None:
        film["regret"] = plain(run.regret[:last])
    if last < run.rounds:
        film["notes"].append(f"The film shows the first {last:,} of {run.rounds:,} rounds.")
    _add_fields(film, run, verdicts, trust=trust, size=size)
    return film


def frames_of(rounds: int, most: int) -> NDArray[np.intp]:
    """Return the rounds at which a film stops: all rounds if there are at most `most`, otherwise about `most` of them.

    With more than `most` rounds, the film stops at the first `most` / 2, and then at equal distances up to the last.

    >>> frames_of(4, 10), frames_of(100, 6)
    (array([1, 2, 3, 4]), array([  1,   2,   3,  35,  68, 100]))
    """
    if rounds <= most:
        return np.arange(1, rounds + 1)
    first = most // 2
    return np.unique(np.concatenate([np.arange(1, first + 1), np.linspace(first, rounds, most - first + 1).round()])
                     ).astype(int)  # fmt: skip


def _add_fields(film: dict[str, Any], run: Transcript, verdicts: Sequence[Verdict], *, trust: bool, size: int) -> None:
    """Add to the film its fields, which are values over the box, such as the learner's predictions.

    The fields are computed at some rounds, which are added as `frames`. For each field that cannot be computed, a note
    is added.
    """
    dimension, last = run.game.dimension, len(film["labels"])
    grid = box_grid(run.game, GRIDS[dimension])
    frames = frames_of(last, max(size // (4 * len(grid) * _width(dimension)), 8))
    predicted = means = variances = None
    try:
        predicted = predictions_elsewhere(run, grid, frames, trust=trust, seconds=SECONDS)
        frames = frames[: len(predicted)]
        if frames[-1] < last:
            film["notes"].append(f"The learner is slow: the film ends at round {frames[-1]:,}.")
    except Exception as error:  # the learner's code may raise anything; the rest of the film is still shown
        film["notes"].append(f"The predictor is not shown: {error}.")
    try:
        means, variances = best_so_far(run, grid, frames)
    except (NotShown, np.linalg.LinAlgError) as error:
        film["notes"].append(f"The best function so far is not shown: {error}.")
    film["frames"] = frames.tolist()
    if len(frames) < frames[-1]:
        film["notes"].append(f"To keep the page small, the film stops at {len(frames):,} of {frames[-1]:,} rounds.")
    both = [each for each in (predicted, means) if each is not None]
    ends = _symmetric(both, run) if both else (0.0, 1.0)
    for name, values in (("predictor", predicted), ("comparator", means)):
        if values is not None:
            film["fields"][name] = packed(values, ends, GRIDS[dimension], dimension)
    if predicted is None or means is None or variances is None or _add_slack(film, run, verdicts, frames):
        return
    growth = regret_growth(run.game, predicted, means, variances)
    film["fields"]["growth"] = packed(growth, (0.0, _top(growth)), GRIDS[dimension], dimension)


def _add_slack(film: dict[str, Any], run: Transcript, verdicts: Sequence[Verdict], frames: NDArray[np.intp]) -> bool:
    """Add to the film the slack of one bound on the regret, or a note if none can be computed.

    Violated bounds are tried first, then the tightest ones. The name and the values of the bound are added as `theorem`
    and `allowed`; if no bound has a slack, those of the bound that was tried first. Return True if a slack was added.
    `verdicts` have curves. `frames` has the rounds at which the film stops.
    """
    closest = closest_theorems(verdicts)
    shown = closest[0][0] if closest else None
    reason = "no bound on the regret was decided"
    for verdict, theorem in closest:
        try:
            film["fields"]["slack"] = _slack_field(run, Slack(run, verdict, theorem), frames)
            shown = verdict
            break
        except NotShown as error:
            reason = str(error)
    else:
        film["notes"].append(f"The slack of a bound over the box is not shown: {reason}.")
    if shown is not None:
        assert shown.allowed_curve is not None
        film["theorem"], film["allowed"] = shown.theorem, plain(shown.allowed_curve[: len(film["labels"])])
    return "slack" in film["fields"]


def _slack_field(run: Transcript, slack: Slack, frames: NDArray[np.intp]) -> dict[str, Any]:
    """Return the film's field `slack`: the slack of a bound at each point of a coarse grid over the box.

    `frames` has the rounds at which the film stops; the slack is computed for as many of them as time allows. The
    result is what `packed` returns, with the computed rounds under the key "frames". Raise `NotShown` if a single value
    takes too long, or none is finite.
    """
    dimension = run.game.dimension
    grid = box_grid(run.game, SLACK_GRIDS[dimension])
    if slack.seconds > LONG:
        raise NotShown(f"{slack.theorem.name} takes too long to compute at many points")
    affordable = EVALUATIONS // (2 * len(grid))
    at = frames[np.unique(np.linspace(0, len(frames) - 1, min(affordable, len(frames))).round().astype(int))]
    predicted = predictions_elsewhere(run, grid, at, trust=True, seconds=SECONDS)
    at = at[: len(predicted)]
    found = slack.over(grid, at, predicted, *best_so_far(run, grid, at))
    found[~np.isfinite(found)] = np.nan
    if np.isnan(found).all():
        raise NotShown(f"{slack.theorem.name} has no finite value")
    lowest = min(float(np.nanmin(found)), 0.0)
    field = packed(found, (lowest, float(np.nanmax(found))), SLACK_GRIDS[dimension], dimension, fine=True)
    return field | {"frames": at.tolist()}


def _top(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return max(float(np.percentile(finite, ROBUST)), 1e-12) if len(finite) else 1.0


def packed(
    values: Array, ends: tuple[float, float], points: int, dimension: int, *, fine: bool = False
) -> dict[str, Any]:
    """Return a dictionary with `values`, in which each value is rounded to an integer of one or two bytes.

    The values belong to the points of a grid over the box, and are clipped to the interval `ends`.

    - `low` and `high` are the two `ends`.
    - `grid` is `points`, the number of grid points along each side of the box.
    - `bytes` is the number of bytes of an integer: two in one dimension or with `fine`, otherwise one.
    - `data` has the integers in base64: 0 for a value that is NaN, 1 for `low`, and the largest integer for `high`.

    >>> packed(np.array([[0.0, np.nan, 1.0]]), (0.0, 1.0), 3, 2)
    {'low': 0.0, 'high': 1.0, 'grid': 3, 'bytes': 1, 'data': 'AQD/'}
    >>> packed(np.zeros((1, 3)), (0.0, 0.0), 3, 2)["data"]
    'AQEB'
    """
    low, high = ends
    width = 2 if fine else _width(dimension)
    most = 256**width - 1
    with np.errstate(invalid="ignore"):
        shares = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
        levels = np.where(np.isfinite(shares), 1 + np.round(shares * (most - 1)), 0)
    data = levels.astype("<u2" if width == 2 else "u1").tobytes()
    packing = {"bytes": width, "data": base64.b64encode(data).decode()}
    return {"low": low, "high": high, "grid": points} | packing


def _width(dimension: int) -> int:
    return 2 if dimension == 1 else 1


def _symmetric(fields: list[Array], run: Transcript) -> tuple[float, float]:
    """Return the ends (-a, a) of a range that contains all labels of the match and almost all values of `fields`."""
    values = np.abs(np.concatenate([each[np.isfinite(each)] for each in fields]))
    reach = max(float(np.percentile(values, ROBUST)) if len(values) else 0.0, float(np.abs(run.labels).max()), 1e-12)
    return -reach, reach
