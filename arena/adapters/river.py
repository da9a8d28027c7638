"""The adapter of river: regressors, classifiers and pipelines that learn one labelled row at a time."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, draw_seed, has_methods, quiet
from arena.adapters.calls import Calls, dictionary
from arena.adapters.frames import pandas_for
from arena.adapters.scikit_learn import renewed_estimator
from arena.adapters.signs import Signs
from arena.arrays import Array
from arena.game.game import Game
from arena.players.referee import explain
from arena.specs.adapting import adapter

_GATHERED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@adapter
class RiverAdapter(Adapter):
    """A learner that plays for a model of river, an object with `learn_one` and `predict_one`.

    The coordinates become features with the game's names, or x0, x1, and so on. A regressor's predictions are not
    clipped. The prediction is 0 if the model answers None, or if it answers NaN before the first label, as a pipeline
    with a scaler may. A classifier learns whether the label is positive; `arena.adapters.signs` converts its
    probabilities.

    A mini-batch (labels that arrive together) is learnt by one call of `learn_many`, if the model and all steps of its
    pipeline have this method.
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` has `learn_one` and `predict_one`, and learns from labels."""
        return has_methods(thing, "learn_one", "predict_one") and getattr(_last_step(thing), "_supervised", True)

    @staticmethod
    def why_not(thing: Any) -> str:
        """Return the reason why `thing`, a model of river that does not fit, cannot play; "" for any other object."""
        if isinstance(steps := getattr(thing, "steps", None), dict) and not steps and has_methods(thing, "learn_one"):
            return "the pipeline has no steps: its last step must be a model, such as linear_model.LinearRegression()"
        return "it has no part that learns from labels" if has_methods(thing, "learn_one", "predict_one") else ""

    @staticmethod
    def calls(model: Any, names: Sequence[str], /) -> Calls:
        """Return the code that plays a round with a model, for standalone scripts.

        If the model is a classifier, the code predicts the probability of a positive label.
        """
        row = f"row = {dictionary(names)}"
        if hasattr(_last_step(model), "predict_proba_one"):
            return Calls(row, "model.predict_proba_one(row).get(True, 0.0)", "model.learn_one(row, y > 0)")
        return Calls(row, "model.predict_one(row) or 0.0", "model.learn_one(row, y)")

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        with quiet():
            self.model = _renewed(self.given, rng)
        self.features = game.feature_names
        self.signs = Signs(game) if hasattr(_last_step(self.given), "predict_proba_one") else None
        self.started = False

    def peek(self, X: Array) -> Array:
        with quiet():
            rows = (dict(zip(self.features, row, strict=True)) for row in X.tolist())
            try:
                answers = np.array([self._answer(row) for row in rows], dtype=float)
            except KeyError as error:
                explain(error, self._names_in_words)
                raise
        if not self.started:
            answers[np.isnan(answers)] = 0.0
        return answers if self.signs is None else self.signs.of_balance(answers)

    def update(self, x: Array, y: float) -> None:
        target = self._target(y)
        if target is None:
            return
        with quiet():
            try:
                self.model.learn_one(dict(zip(self.features, x.tolist(), strict=True)), target)
            except KeyError as error:
                explain(error, self._names_in_words)
                raise
        self.started = True

    @property
    def _names_in_words(self) -> str:
        return (
            f"the features are {', '.join(self.features)}: a file with a header names them, and so does `features=...`"
        )

    def update_many(self, X: Array, y: Array) -> None:
        """Learn a mini-batch by one call of `learn_many`; label by label if the model does not have this method."""
        if len(y) == 1 or not _learns_batches(self.model):
            super().update_many(X, y)
            return
        targets = [self._target(label) for label in y.tolist()]
        known = np.array([target is not None for target in targets])
        if not known.any():
            return
        pandas = pandas_for("a model of river that learns mini-batches")
        with quiet():
            rows = pandas.DataFrame(X[known], columns=list(self.features))
            self.model.learn_many(rows, pandas.Series([each for each in targets if each is not None], name="label"))
        self.started = True

    def _target(self, y: float) -> float | bool | None:
        """Return the label for a regressor; for a classifier, whether the label is positive, or None if it is zero."""
        if self.signs is None:
            return y
        sign = self.signs.class_of(y)
        return sign > 0 if sign else None

    def _answer(self, row: dict[str, float]) -> float:
        return _number(self.model.predict_one(row)) if self.signs is None else self._balance(row)

    def _balance(self, row: dict[str, float]) -> float:
        """Return P(positive label) - P(negative label) for this row.

        For a model without probabilities, the result is 1 or -1 if it predicts the positive or the negative class, and
        0 if it predicts no class.
        """
        try:
            probabilities = self.model.predict_proba_one(row)
        except NotImplementedError:
            answer = self.model.predict_one(row)
            return 0.0 if answer is None else 1.0 if answer else -1.0
        positive, negative = probabilities.get(True, 0.0), probabilities.get(False, 0.0)
        return float((positive - negative) / (positive + negative)) if positive + negative else 0.0


def _number(answer: Any) -> float:
    """Return a regressor's answer as a number; the answer None becomes 0."""
    return 0.0 if answer is None else float(np.asarray(answer).reshape(()))


def _last_step(model: Any) -> Any:
    steps = getattr(model, "steps", None)
    return _last_step(list(steps.values())[-1]) if isinstance(steps, dict) and steps else model


def _learns_batches(model: Any) -> bool:
    """Return whether the model has `learn_many`; for a pipeline or a union, whether every part has `learn_many`."""
    for branches in ("steps", "transformers"):
        if isinstance(named := getattr(model, branches, None), dict):
            return all(map(_learns_batches, named.values()))
    return has_methods(model, "learn_many")


def _renewed(model: Any, rng: np.random.Generator) -> Any:
    """Return an untrained copy of the model; seeds that are None, also in inner models, are drawn from `rng`."""
    if type(model) in (list, tuple):
        return type(model)(_renewed(part, rng) for part in model)
    if not has_methods(model, "clone", "_get_params"):
        return renewed_estimator(model, rng)
    for branches in ("steps", "transformers"):  # a pipeline, a union
        named = getattr(model, branches, None)
        if isinstance(named, dict):
            return type(model)(*[(name, _renewed(step, rng)) for name, step in named.items()])
    named = [each.name for each in inspect.signature(type(model)).parameters.values() if each.kind not in _GATHERED]
    if not all(hasattr(model, name) for name in named):
        return model.clone()
    parameters = {name: _parameter(name, getattr(model, name), rng) for name in named}
    takes_them = "new_params" in inspect.signature(model.clone).parameters  # not every `clone` does
    return model.clone(parameters) if takes_them else type(model)(**parameters)


def _parameter(name: str, value: Any, rng: np.random.Generator) -> Any:
    return draw_seed(rng) if name == "seed" and value is None else _renewed(value, rng)
