"""PyTorch modules with optimisers; linear modules start at zero, networks at random weights with a fixed seed."""

import functools

import torch

WIDTH = 3
OPTIMIZERS = {
    "SGD": functools.partial(torch.optim.SGD, lr=0.05),
    "momentum": functools.partial(torch.optim.SGD, lr=0.01, momentum=0.9),
    "Adagrad": functools.partial(torch.optim.Adagrad, lr=0.1),
    "Adam": functools.partial(torch.optim.Adam, lr=0.01),
}


def linear(optimizer="SGD", bias=True):
    """Return a linear module w'x or w'x + b with this optimiser."""
    module = torch.nn.Linear(WIDTH, 1, bias=bias, dtype=torch.float64)
    for weights in module.parameters():
        torch.nn.init.zeros_(weights)
    module.optimizer = OPTIMIZERS[optimizer]
    return module


def network(optimizer="SGD"):
    """Return a network with ten hidden units."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = torch.nn.Sequential(torch.nn.Linear(WIDTH, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1))
    module.optimizer = OPTIMIZERS[optimizer]
    return module
