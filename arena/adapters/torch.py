"""The adapter of PyTorch: modules that take one step of an optimiser in each round."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, draw_seed
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.specs.adapting import adapter

RATE = 0.01  # step size of gradient descent for a module without `optimizer`


@adapter
class TorchAdapter(Adapter):
    """A learner that plays for a `torch.nn.Module`, which maps a row of features to one number.

    Each round makes one step on the game's loss. The module's attribute `optimizer` is a function that makes the
    optimiser of the module's parameters. Without this attribute the module learns by gradient descent with rate 0.01.
    A mini-batch (labels that arrive together) makes one step on its mean loss.

    A match begins with the weights of the given module. Dropout and similar layers are active in updates only, and draw
    from the match's random generator.
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` is an object of a subclass of `torch.nn.Module`."""
        bases = {(base.__module__, base.__name__) for base in type(thing).__mro__}
        return ("torch.nn.modules.module", "Module") in bases

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        import torch  # only here: the module's library is installed, and loading it takes seconds

        self.loss, self.rng = game.loss, rng
        self.module = copy.deepcopy(self.given)
        weights = list(self.module.parameters())
        if not weights:
            raise ArenaError(f"{type(self.given).__name__} has no parameters, so it cannot learn")
        self.dtype = weights[0].dtype
        make = getattr(self.given, "optimizer", None) or (lambda parameters: torch.optim.SGD(parameters, lr=RATE))
        self.optimizer = make(weights)

    def peek(self, X: Array) -> Array:
        import torch

        self.module.eval()
        with torch.no_grad():
            answers = self.module(torch.tensor(X, dtype=self.dtype))
        if answers.numel() != len(X):
            raise ValueError(f"the module answers {len(X)} rows with a tensor of shape {tuple(answers.shape)}")
        found: Array = answers.reshape(len(X)).to(torch.float64).numpy()
        return found

    def update(self, x: Array, y: float) -> None:
        self.update_many(x[np.newaxis], np.array([y]))

    def update_many(self, X: Array, y: Array) -> None:
        """Make one step of the optimiser on the mean loss of a mini-batch."""
        import torch

        self.module.train()
        with torch.random.fork_rng(devices=[]):
            # The processor's generator alone: torch.manual_seed prepares all devices, which takes longer than a step.
            torch.default_generator.manual_seed(draw_seed(self.rng))
            answers = self.module(torch.tensor(X, dtype=self.dtype)).reshape(len(X))
            slopes = self.loss.derivative(answers.detach().to(torch.float64).numpy(), y)
            self.optimizer.zero_grad()
            # the gradient of a loss is its derivative at the prediction times the gradient of the prediction
            (answers * torch.tensor(slopes, dtype=self.dtype)).mean().backward()
            self.optimizer.step()
