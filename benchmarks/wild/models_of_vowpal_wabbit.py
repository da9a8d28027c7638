"""Entries of the catalogue: Vowpal Wabbit with different options of its algorithm."""

from __future__ import annotations

from .model import SHORT, Model

DEFAULT = "adaptive, normalised, importance-invariant steps: the arena has no theorem for them"
OPTIONS = {
    "default": ("", "linear", DEFAULT),
    "--sgd": ("--sgd -l 0.05 --power_t 0 --noconstant", "linear", ""),
    "--adaptive": ("--adaptive -l 0.5", "linear", DEFAULT),
    "--invariant": ("--invariant -l 0.5", "linear", DEFAULT),
    "--ftrl": ("--ftrl --ftrl_alpha 0.05 --ftrl_beta 1.0 --noconstant", "linear", ""),
    "--pistol": ("--pistol", "linear", DEFAULT),
    "--coin": ("--coin", "linear", DEFAULT),
    "--freegrad": ("--freegrad", "linear", DEFAULT),
    "--nn 5": ("--nn 5", "network", "networks: the loss is not convex in the weights"),
    "quadratic -q ::": ("-q ::", "linear", DEFAULT),
    "--boosting 5": ("--boosting 5", "ensemble", "boosting of linear models"),
    "--loss_function quantile": ("--loss_function quantile", "linear", DEFAULT),
    "--loss_function logistic": ("--loss_function logistic", "linear classifier", DEFAULT),
    "--loss_function hinge": ("--loss_function hinge", "linear classifier", DEFAULT),
}
THEOREMS = {
    "--sgd": ("sgd(rate=0.1, halved=true, intercept=false)",),
    "--ftrl": ("ftrl-proximal(alpha=0.05, beta=1, l2=0, intercept_rate=0)",),
}
VOWPAL_WABBIT = [
    Model("vowpalwabbit", name, f'vowpalwabbit:Workspace(arg_str="--quiet {options}")', family, THEOREMS.get(name, ()),
          why=why, rounds=SHORT)
    for name, (options, family, why) in OPTIONS.items()
]  # fmt: skip
