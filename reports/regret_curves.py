"""Figures of regrets over many matches: all learners against one adversary, or one learner against all adversaries."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.engine.growth import exponent, regret_between
from arena.errors import ArenaError, number_of
from arena.plotting.curves import Curve, CurvePanel, curve_figure, scale_of
from arena.plotting.sheet import Sheet, plain
from arena.plotting.style import DASHES, MARKERS, Columns, Look
from arena.record.figure import rounds_drawn
from arena.record.tables import Row
from arena.record.transcript import Transcript
from arena.reports.sources import Matches
from arena.tournament.figures import FigureData
from arena.tournament.game_text import game_text

SEEDS = 10  # largest number of seeds whose mean is drawn
FEW = 3  # the same for losses whose optimum takes long to compute
OCTAVES = 3  # growth is fitted to the last rounds: doublings from T / 8 to T
FAR = 30.0  # a bound this many times the largest regret is not drawn but named in the subtitle


@dataclass(frozen=True)
class PairCurve:
    """The regret of a learner in a setting at the rounds `x`: mean, least and largest value over the seeds.

    `theorem` names the bound to which the regret came closest, if possible a promised one; it is empty if there is
    none. `allowed` is the mean of this bound over the seeds; None if the bound is not known for every seed. `promised`
    is true if the learner promises the theorem.
    """

    learner: str
    setting: tuple[str, str]
    x: Array
    mean: Array
    low: Array
    high: Array
    seeds: int
    theorem: str = ""
    allowed: Array | None = None
    promised: bool = False

    @property
    def growth(self) -> float | None:
        """The exponent p of the power t^p fitted to the mean regret from round T / 8 to the last round T.

        The value is None if a mean regret in these rounds is not positive and finite, or if `x` has fewer than six of
        these rounds.
        """
        late = self.x >= self.x[-1] / 2**OCTAVES
        x, y = self.x[late], self.mean[late]
        if len(x) < 6 or not (np.isfinite(y) & (y > 0)).all():
            return None
        at = np.unique(np.searchsorted(x, np.geomspace(x[0], x[-1], 25)))
        return exponent(x[at], y[at])


def pair_curves(matches: Matches, summaries: Iterable[Row]) -> Iterator[PairCurve]:
    """Yield the curve of each learner in each setting in which the regret is known.

    The curve is computed from the ten smallest seeds at most. Forfeited and interrupted matches, and matches of one
    round, are left out. Transcripts are read one at a time.
    """
    pairs: dict[tuple[str, tuple[str, str]], list[Row]] = defaultdict(list)
    for each in summaries:
        if each.forfeit is None and each.ended != "interrupted" and each.rounds > 1:
            pairs[each.learner, (each.adversary, game_text(each.game))].append(each)
    for (learner, setting), found in sorted(pairs.items()):
        chosen = sorted(found, key=lambda each: each.seed)[:SEEDS]
        curve = _pair_curve(matches, learner, setting, chosen)
        if curve is not None:
            yield curve


def _pair_curve(matches: Matches, learner: str, setting: tuple[str, str], chosen: Sequence[Row]) -> PairCurve | None:
    theorem = closest_theorem(chosen)
    rounds = min(each.rounds for each in chosen)
    x: Array | None = None
    regrets: list[Array] = []
    bounds = []
    for summary in chosen:
        try:
            run = matches.transcript(summary)
            x = _rounds_of(run, rounds) if x is None else x
            with np.errstate(all="ignore"):
                regret = _regret_at(run, x) if len(regrets) < (SEEDS if run.comparator.closed_form else FEW) else None
                verdict = next((each for each in run.judgement().verdicts if each.theorem == theorem), None)
        except ArenaError:  # a damaged file, which the report names in a table, or a loss without a known optimum
            continue
        if regret is None:
            continue
        regrets.append(regret)
        if verdict is not None and verdict.allowed_curve is not None:
            bounds.append(verdict.allowed_curve[x - 1])
    if x is None or not regrets:
        return None
    stack = np.vstack(regrets)
    allowed = np.mean(bounds, axis=0) if len(bounds) == len(regrets) else None
    low, high = stack.min(axis=0), stack.max(axis=0)
    own = theorem in chosen[0].promised
    return PairCurve(learner, setting, x, stack.mean(axis=0), low, high, len(regrets), theorem, allowed, own)


def _rounds_of(run: Transcript, rounds: int) -> Any:
    """Return the rounds, from 1 to `rounds`, at which the regret is drawn.

    If the optimum has no closed form, the regret takes long to compute, so only a few rounds are returned.
    """
    if run.comparator.closed_form:
        return rounds_drawn(rounds)
    late = max(rounds / 2**OCTAVES, 1.0)
    at = np.concatenate([np.geomspace(min(4.0, late), late, 5), np.geomspace(late, rounds, 9)])
    return np.unique(np.rint(at).astype(int))


def _regret_at(run: Transcript, x: Any) -> Array | None:
    """Return the regret after each of the rounds `x`; None if it is unknown.

    If the regret is known only as an interval, the upper end of the interval is returned.
    """
    if run.comparator.closed_form:
        ends = run.regret_interval
        return None if ends is None else np.asarray(ends[1])[x - 1]
    if run.final_regret is None:
        return None
    return np.array([high for _, high in regret_between(run, x.tolist())])


def closest_theorem(summaries: Sequence[Row]) -> str:
    """Return the name of the theorem with the largest tightness; empty if no theorem qualifies.

    A theorem qualifies if it bounds the regret and applies to all of these matches. Theorems that the learner promises
    take precedence over others.
    """
    found: dict[str, dict[str, float]] = defaultdict(dict)  # for each theorem the tightness in each match
    for each in summaries:
        for verdict in each.verdicts:
            usable = verdict.applicable and verdict.quantity == "regret" and not verdict.identity
            if usable and verdict.tightness is not None and math.isfinite(verdict.tightness):
                found[verdict.theorem][each.key] = verdict.tightness
    whole = {name: max(shares.values()) for name, shares in found.items() if len(shares) == len(summaries)}
    own = {name: share for name, share in whole.items() if all(name in each.promised for each in summaries)}
    return max(own or whole, key=lambda name: whole[name], default="")


def against_figure(
    found: FigureData, curves: Sequence[PairCurve], name: str, *, growth: bool = False, columns: Columns = "one"
) -> Sheet:
    """Return the figure of the regrets of all learners against one adversary.

    `name` is the adversary's name, and `found` has the colours and markers of the learners. With `growth`, both axes
    are logarithmic, and each curve is drawn with a fitted power of T. The figure is as wide as one or two `columns` of
    a page.
    """
    order = list(found.looks)
    curves = sorted(curves, key=lambda each: order.index(each.learner))
    looks = [found.looks[each.learner] for each in curves]
    best, worst = _ends(curves)
    verdict = f"{plain(found.names[best.learner], 24)} has the least regret"
    if best is worst:
        verdict = plain(found.names[best.learner])
    powers = sorted(power for each in curves if growth and (power := each.growth) is not None)
    if powers:
        between = f"from T^{powers[0]:.2f} to T^{powers[-1]:.2f}" if len(powers) > 1 else f"like T^{powers[0]:.2f}"
        verdict = f"regret grows {between}"
    title = f"Against {plain(name)}: {verdict}"
    labels = [found.names[each.learner] for each in curves]
    return _figure(title, curves, labels, looks, growth=growth, columns=columns)


def learner_figure(
    found: FigureData, curves: Sequence[PairCurve], names: dict[tuple[str, str], str], *, columns: Columns = "one"
) -> Sheet:
    """Return the figure of one learner's regrets: one curve for each setting, in the learner's colour.

    `names` maps settings to the names of the curves, and `found` has the colours of all learners. The figure is as wide
    as one or two `columns` of a page.
    """
    _, worst = _ends(curves)
    colour = found.looks[curves[0].learner].colour
    curves = sorted(curves, key=lambda each: -_final(each))
    looks = [
        Look(colour, MARKERS[at % len(MARKERS)], DASHES[at // len(MARKERS) % len(DASHES)]) for at in range(len(curves))
    ]
    learner = plain(found.names[curves[0].learner])
    title = f"{learner} loses most against {plain(names[worst.setting])}"
    if len(curves) == 1:
        title = f"{learner} against {plain(names[worst.setting])}"
    return _figure(title, curves, [names[each.setting] for each in curves], looks, columns=columns)


def _figure(
    title: str,
    curves: Sequence[PairCurve],
    names: Sequence[str],
    looks: Sequence[Look],
    *,
    growth: bool = False,
    columns: Columns,
) -> Sheet:
    largest = max(float(np.nanmax(each.high[np.isfinite(each.high)], initial=0.0)) for each in curves)
    drawn: list[Curve] = []
    any_promised = any(each.promised for each in curves)
    far: dict[str, None] = {}
    for curve, name, look in zip(curves, names, looks, strict=True):
        power = curve.growth if growth else None
        label = name if power is None else f"{name}  ~ T^{power:.2f}"
        band = (curve.low, curve.high) if curve.seeds > 1 else None
        drawn.append(Curve(label, curve.x, curve.mean, look, between=band))
        if power is not None:
            drawn.append(_fit(curve, power, look))
        if curve.allowed is None or curve.promised < any_promised:  # promised bounds replace all others
            continue
        if largest > 0 and curve.allowed[-1] <= FAR * largest:
            drawn.append(Curve(f"bound {curve.theorem}", curve.x, curve.allowed, look, "bound"))
        else:
            far[curve.theorem] = None
    measured = [each.y for each in drawn if each.kind == "measured"]
    positive = any((each > 0).any() for each in measured)
    log = "xy" if growth and positive else scale_of(measured, [each.y for each in drawn if each.kind == "bound"])
    seeds = sorted({each.seeds for each in curves})
    what = "Mean regret" if seeds[-1] > 1 else "Regret"
    subtitle = (
        f"{what} over {'/'.join(map(str, seeds))} seeds, band: least to largest"
        if seeds[-1] > 1
        else "Regret, one seed"
    )
    subtitle += "; dashed: the closest bound" if any(each.kind == "bound" for each in drawn) else ""
    subtitle += "; dotted: fit to the last three octaves" if any(each.kind == "fit" for each in drawn) else ""
    if far:
        subtitle += f". Far above: {number_of(len(far), 'bound')} ({', '.join(map(plain, list(far)[:2]))})"
    return curve_figure(CurvePanel(title, subtitle, "regret", drawn, log), columns=columns)


def _fit(curve: PairCurve, power: float, look: Look) -> Curve:
    """Return the line that shows the fit c T^p to the last rounds of `curve`, where T is the round and p is `power`.

    The factor c is chosen so that the means of log(c T^p) and of log(regret) over these rounds are equal. `look` has
    the colour of the line.
    """
    late = curve.x >= curve.x[-1] / 2**OCTAVES
    x = curve.x[late].astype(float)
    level = np.exp(np.mean(np.log(curve.mean[late]) - power * np.log(x)))
    ends = np.array([x[0], x[-1]])
    return Curve("", ends, level * ends**power, look, "fit")


def _ends(curves: Sequence[PairCurve]) -> tuple[PairCurve, PairCurve]:
    return min(curves, key=_final), max(curves, key=_final)


def _final(curve: PairCurve) -> float:
    last = float(curve.mean[-1])
    return last if math.isfinite(last) else math.inf
