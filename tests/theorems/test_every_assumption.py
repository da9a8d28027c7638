"""Every assumption of every theorem can fail; the theorem then does not apply, and its reason gives the measured value.

Each match and each claim is spoilt in one respect. Every assumption that appears in a verdict must fail in one of them.
"""

import dataclasses
import functools
import importlib
import re
from collections import defaultdict
from pkgutil import iter_modules

import numpy as np
import pytest

import arena.theorems
from arena import play
from arena.papers.errata import ERRATA
from arena.papers.tightness import promises
from arena.players.moves import GivenMoves
from arena.record.judging import judge
from arena.specs import registry
from arena.specs.building import build
from arena_tests import FULL
from arena_tests.losses import Odd

EVERY = sorted(registry.entries("theorem"))
VARIOUS = [
    "kernel-awv",
    "kons",
    "pkawv-kors",
    "dual-svrg",
    "pros-n-kons(gamma=0.1)",
    "sketched-kons",
    "ewa",
    "zero",
]
OTHERS = ["zero", "nogd(budget=5)", "pkawv-kors(beta=0.1)", "b-kons(max_size=2)", "bogd(budget=3)", "con-kons"]
ELSEWHERE = ["the comparator's predictions lie within [# #]"]  # tested with bounds that are made for it
MODULES = [importlib.import_module(f"arena.theorems.{each.name}") for each in iter_modules(arena.theorems.__path__)]
LIMITS = [  # beyond which theorems do not apply, found by their names
    f"{module.__name__}.{name}"
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, int) and re.fullmatch(r"MOST_[A-Z]+|[A-Z]+_LIMIT", name)
]


def learners_of(name):
    """Return the first learners that promise the theorem; if there are none, learners of various kinds."""
    own = [learner for learner, promised in promises().items() if name in {each.name for each in promised}]
    return own[: 3 if FULL else 1] or VARIOUS


@functools.cache
def fair(learner):
    """Return matches that meet the usual assumptions."""
    fields = {"rounds": 24, "kernel": "gaussian(bandwidth=0.5)"}
    return [play(learner, adversary, loss=loss, **fields)
            for adversary in ("alternating", "repeated(points=6)") for loss in ("squared", "logistic")]  # fmt: skip


@functools.cache
def foul(learner):
    """Return matches that break an assumption about the loss, the hindsight, the kernel, the moves or the evidence."""
    fields = {"rounds": 24, "kernel": "gaussian(bandwidth=0.5)"}
    runs = [play(learner, "repeated(points=6)", loss=loss, **fields) for loss in ("hinge", "absolute", "squared-hinge")]
    runs.append(play(learner, "alternating", loss=Odd(), **fields))
    runs += [play(learner, "alternating", hindsight=mode, **fields) for mode in ("none", "interval")]
    runs.append(play(learner, "alternating", loss="logistic", hindsight="none", **fields))
    runs.append(play(learner, "alternating(at=[1, 1])", rounds=24, regularisation=5e-15))
    runs.append(play(learner, "realisable", rounds=24, prediction_bound=0.3, regularisation=1e-3))
    runs.append(play(learner, "alternating", rounds=24, prediction_bound=2.0, kernel="gaussian(bandwidth=0.5)"))
    for kernel in ("linear(offset=2)", "laplacian"):
        with_kernel = (
            play(learner, "alternating(at=[1, 1])", rounds=24, kernel=kernel) if fits(learner, kernel) else None
        )
        runs += [with_kernel] if with_kernel is not None else []
    close = GivenMoves(1e-5 * np.outer(np.arange(24.0), [1.0, 0.0]), (-1.0) ** np.arange(24))
    runs.append(play(learner, close, rounds=24, dimension=2))
    honest, other_loss = fair(learner)[:2]
    runs.append(dataclasses.replace(other_loss, game=other_loss.game.replace(rounds=48)))  # cut short
    hinge = play("zero", "alternating", loss="hinge", **fields)  # labels 1 and -1
    runs += [
        dataclasses.replace(hinge, predictions=hinge.labels),
        dataclasses.replace(hinge, labels=0.5 * hinge.labels),
    ]
    runs.append(dataclasses.replace(honest, predictions=honest.predictions + 1e13))
    runs.append(dataclasses.replace(honest, labels=3.0 * honest.labels))
    runs.append(dataclasses.replace(honest, header={**honest.header, "foresight": "yes"}))
    runs.append(dataclasses.replace(honest, predictions=honest.predictions + 10.0))
    if (advice := honest.evidence.get("expert_predictions")) is not None:
        runs.append(dataclasses.replace(honest, evidence={"expert_predictions": 99.0 + advice}))
    for key in honest.evidence:
        runs.append(dataclasses.replace(honest, evidence={k: v for k, v in honest.evidence.items() if k != key}))
    return runs


def fits(learner, kernel):
    try:
        return not play(learner, "alternating", rounds=2, kernel=kernel).forfeit
    except Exception:  # only some learners are made for every kernel
        return False


def claims(name):
    """Return the theorem with default parameters, and with the parameters that learners promise or errata name."""
    theorem = build("theorem", name)
    steep = [build("theorem", f"{name}(rate=1e15)")] if "rate" in vars(theorem) else []
    sampled = [build("theorem", f"{name}(gamma=0.1)")] if "gamma" in vars(theorem) else []
    found = [theorem, *sampled, *steep, *(e for p in promises().values() for e in p if e.name == name)]
    for erratum in ERRATA:
        found += [
            build("theorem", spec) for spec in (erratum.printed, erratum.corrected) if spec.partition("(")[0] == name
        ]
    return found


@functools.cache
def far_claims(name):
    """Return the theorem with parameters far from the parameters in `claims`."""
    found = []
    for each in dataclasses.fields(build("theorem", name)):
        for value in (True, 1, 1e-9, 0.37, 0.99, 5.0, 1e9, 3, 50, "logistic", "squared-hinge", "absolute"):
            try:
                found.append(build("theorem", f"{name}({each.name}={str(value).lower()})"))
            except Exception:  # not a value of this parameter
                continue
    return found


def plain(statement):
    """Return the statement with `#` in place of its numbers."""
    return re.sub(r"-?\d[\d.,e+-]*", "#", statement)


def look(seen, run, theorem):
    verdict = judge(run, theorem)
    for each in verdict.assumptions:
        seen[plain(each.statement)].add(bool(each.holds))
    failed = [each for each in verdict.assumptions if not each.holds]
    assert verdict.applicable or not failed or all(str(each) in verdict.reason for each in failed)


def look_at(seen, learner, theorems):
    for number, run in enumerate([*fair(learner), *foul(learner)]):
        for theorem in theorems[: 4 if FULL or number % 3 == 0 else 1]:
            look(seen, run, theorem)


def look_farther(seen, name, learner, theorems):
    """Look at verdicts on further claims and, if some assumption has never failed, on far claims."""
    for run in [*fair(learner), *foul(learner)]:
        for theorem in theorems[1:4]:
            look(seen, run, theorem)
    if FULL or never_failed(seen):
        for theorem in [*theorems[4:], *far_claims(name)]:
            look(seen, fair(learner)[0], theorem)


def never_failed(seen):
    return {statement for statement, outcomes in seen.items() if False not in outcomes} - set(ELSEWHERE)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_assumed_can_fail(name, monkeypatch):
    seen, theorems, own = defaultdict(set), claims(name), learners_of(name)
    with monkeypatch.context() as limited:
        for limit in LIMITS:
            limited.setattr(limit, 5)
        for learner in own:
            for run in fair(learner):
                look(seen, dataclasses.replace(run), theorems[0])
    for learner in own:
        look_at(seen, learner, theorems)
    for learner in OTHERS:
        if FULL or never_failed(seen):
            look_at(seen, learner, theorems)
    for learner in [*own, *OTHERS]:
        if FULL or never_failed(seen):
            look_farther(seen, name, learner, theorems)
    assert not never_failed(seen), (
        f"no match made these assumptions of {name} fail: {sorted(never_failed(seen))}. Drop those that always hold, "
        "or add a match that breaks them to `foul` in tests/theorems/test_every_assumption.py. A limit on the size of "
        "a match is an integer of the theorem's module, called MOST_... or ..._LIMIT: it is lowered to 5 here"
    )
