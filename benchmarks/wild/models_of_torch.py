"""Entries of the catalogue: PyTorch modules, which make one step of an optimiser in each round."""

from __future__ import annotations

from .model import Model

FILE = "./benchmarks/wild/glue/torch_modules.py"
OPTIMISER = "the arena has no theorem for this optimiser"
NETWORK = "networks: the loss is not convex in the weights"


def _module(name: str, call: str, family: str, *theorems: str, why: str = "") -> Model:
    return Model("torch", name, f"{FILE}:{call}", family, theorems, why=why)


TORCH = [
    _module("Linear SGD", "linear(optimizer=SGD)", "linear", "sgd(rate=0.05)"),
    _module("Linear Adagrad", "linear(optimizer=Adagrad, bias=false)", "linear",
            "adagrad(rate=0.1, epsilon=0, intercept_rate=0)"),
    _module("Linear SGD momentum", "linear(optimizer=momentum)", "linear", why=OPTIMISER),
    _module("Linear Adam", "linear(optimizer=Adam)", "linear", why=OPTIMISER),
    _module("10 tanh units SGD", "network(optimizer=SGD)", "network", why=NETWORK),
    _module("10 tanh units Adam", "network(optimizer=Adam)", "network", why=NETWORK),
]  # fmt: skip
