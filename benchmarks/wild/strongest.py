"""Ranks adversaries by the regret that they force on models of other libraries; the table uses the first five."""

from __future__ import annotations

import warnings

import numpy as np

from arena import play

STRONGEST = ("greedy", "minimax", "mixture", "budget-breaker", "feature-blind")  # the first five of `ranking()`
KERNELS = {"linear": "linear", "kernel": "gaussian"}
CANDIDATES = (
    "alternating", "budget-breaker", "contrarian", "contrarian(source=repeated(points=8))", "drawn", "drift",
    "far-point", "feature-blind", "greedy", "label-blocks", "leverage", "minimax", "mixture", "near-duplicates",
    "orthogonal", "outlier", "realisable", "repeated", "repeated(points=20, labels=contrary)", "restart-forcer",
)  # fmt: skip
MODELS = (
    "sklearn:linear_model.SGDRegressor(random_state=0)",
    "river:linear_model.LinearRegression()",
    "river:linear_model.BayesianLinearRegression()",
    "river:tree.HoeffdingTreeRegressor(grace_period=50)",
    "padasip:filters.FilterNLMS(n=3, mu=1.0, w=zeros)",
    "vowpalwabbit:Workspace(arg_str='--quiet')",
)


def ranking() -> list[tuple[str, float]]:
    """Return the adversaries with their mean ranks by regret, the strongest first.

    The mean is over the models in `MODELS` and both kernels.
    """
    ranks: dict[str, list[int]] = {name: [] for name in CANDIDATES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kernel in KERNELS.values():
            for model in MODELS:
                regrets = {name: _regret(model, name, kernel) for name in CANDIDATES}
                for rank, name in enumerate(sorted(CANDIDATES, key=lambda name: -regrets[name])):
                    ranks[name].append(rank + 1)
    return sorted(((name, float(np.mean(each))) for name, each in ranks.items()), key=lambda each: each[1])


def _regret(model: str, adversary: str, kernel: str) -> float:
    """Return the model's regret after 48 rounds; infinity after a forfeit."""
    run = play(model, adversary, rounds=48, dimension=3, kernel=kernel)
    return np.inf if run.forfeit else float(run.regret[-1])
