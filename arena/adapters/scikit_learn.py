"""The adapter of scikit-learn: regressors and classifiers with `partial_fit`, alone or at the end of pipelines."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, draw_seed, has_methods, quiet
from arena.adapters.calls import Calls
from arena.adapters.frames import frames_for, wants_frames
from arena.adapters.signs import Signs
from arena.arrays import Array
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.referee import Foul
from arena.specs.adapting import adapter

LIKE_SCIKIT_LEARN = (
    "; as in scikit-learn, predict and partial_fit get rows, and predict gives a number for each. A class that learns "
    "one point at a time has update(x, y) in place of partial_fit"
)
CLASSES = np.array([-1, 1])


@adapter
class ScikitLearnAdapter(Adapter):
    """A learner that plays for an estimator of scikit-learn, an object with `partial_fit` and `predict`.

    The prediction before the first label is 0. A regressor's predictions are not clipped. A classifier learns the signs
    of the labels; `arena.adapters.signs` converts its scores or probabilities.

    A transformer of a pipeline learns each point by its own `partial_fit`. A transformer without `partial_fit`, such as
    random features or polynomials, is fitted to the first point and never again. A pipeline that selects columns by
    name gets data frames whose columns have the names of the game's features.
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` has `partial_fit` and `predict`, and is of a kind that predicts labels.

        It may be a regressor, a classifier, or an estimator that states no kind. A clusterer does not fit.
        """
        if not has_methods(_steps(thing)[-1], "partial_fit", "predict"):
            return False
        return _kind(thing) in (None, "regressor", "classifier")

    @staticmethod
    def why_not(thing: Any) -> str:
        """Return the reason why `thing`, an estimator that does not fit, cannot play; "" for any other object."""
        if getattr(thing, "steps", None) == [] and not has_methods(thing, "learn_one"):
            return "the pipeline has no steps: its last step must be a model, such as SGDRegressor()"
        model = _steps(thing)[-1]
        if has_methods(model, "partial_fit", "predict"):
            return f"what it predicts are no labels: it is of the kind {_kind(thing)}"
        if has_methods(model, "fit", "predict"):
            return "it has fit but no partial_fit: choose an estimator that learns round by round, such as SGDRegressor"
        return ""

    def __init__(self, given: Any):
        super().__init__(given)
        for step in _steps(given):
            _check_parameters(step)

    @staticmethod
    def calls(model: Any, _: Sequence[str], /) -> Calls | None:
        """Return the code that plays a round with an estimator, for standalone scripts; None for a pipeline."""
        if _steps(model) != [model]:  # a pipeline has no `partial_fit`
            return None
        if _kind(model) != "classifier":
            return Calls("row = [x]", "float(model.predict(row)[0]) if t else 0.0", "model.partial_fit(row, [y])")
        learn = "model.partial_fit(row, [1 if y > 0 else -1], classes=[-1, 1])"
        if hasattr(model, "decision_function"):
            return Calls("row = [x]", "float(model.decision_function(row)[0]) if t else 0.0", learn)
        return Calls("row = [x]", "float(model.predict_proba(row)[0, 1]) if t else 0.0", learn)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        with quiet():
            *self.transformers, self.model = _steps(renewed_estimator(self.given, rng))
        self.signs = Signs(game) if _kind(self.given) == "classifier" else None
        steps = [*self.transformers, self.model]
        self.frame = frames_for(steps[0], game) if wants_frames(self.given, *steps) else None
        self.started = False

    def peek(self, X: Array) -> Array:
        if not self.started:
            return np.zeros(len(X))
        with quiet():
            rows: Any = X if self.frame is None else self.frame(X)
            for transformer in self.transformers:
                rows = transformer.transform(rows)
            answers = _column(self.model.predict(rows)) if self.signs is None else self._of_classes(rows, self.signs)
        if answers.shape != (len(X),):
            own = "" if has_methods(self.model, "get_params") else LIKE_SCIKIT_LEARN
            raise Foul(
                "learner", f"predict gave shape {answers.shape} for {len(X)} rows, but ({len(X)},) is needed{own}"
            )
        return answers

    def update(self, x: Array, y: float) -> None:
        self.update_many(x[np.newaxis], np.array([y]))

    def update_many(self, X: Array, y: Array) -> None:
        """Learn a mini-batch by one call of `partial_fit`."""
        targets = y if self.signs is None else np.array([self.signs.class_of(label) for label in y.tolist()])
        if self.signs is not None:
            X, targets = X[targets != 0], targets[targets != 0]
        if not len(targets):
            return
        with quiet():
            rows: Any = X.copy() if self.frame is None else self.frame(X.copy())
            for transformer in self.transformers:
                rows = self._learn_and_transform(transformer, rows)
            first = self.signs is not None and not self.started
            self.model.partial_fit(rows, targets.copy(), **({"classes": CLASSES} if first else {}))
        self.started = True

    def _learn_and_transform(self, transformer: Any, X: Any) -> Any:
        if hasattr(transformer, "partial_fit"):
            transformer.partial_fit(X)
        elif not self.started:
            transformer.fit(X)
        return transformer.transform(X)

    def _of_classes(self, X: Any, signs: Signs) -> Array:
        if hasattr(self.model, "decision_function"):
            return signs.of_score(_column(self.model.decision_function(X)))
        if not hasattr(self.model, "predict_proba"):
            return signs.of_balance(_column(self.model.predict(X)))
        probabilities = np.asarray(self.model.predict_proba(X))
        balance = probabilities[:, 1] - probabilities[:, 0]
        if np.isnan(balance).any():  # Gaussian naive Bayes gives NaN after one point, but a valid class
            balance = np.where(np.isnan(balance), self.model.predict(X), balance)
        return signs.of_balance(balance)


def _column(answers: Any) -> Array:
    """Return the answers of an estimator as a vector; they may also be a table with one column."""
    values = np.asarray(answers)
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def _steps(thing: Any) -> list[Any]:
    """Return the steps of a pipeline and of the pipelines inside it; for another object, a list with this object."""
    if not (hasattr(thing, "named_steps") and isinstance(getattr(thing, "steps", None), list) and thing.steps):
        return [thing]
    inner = [step for _, step in thing.steps if step is not None and not isinstance(step, str)]  # "passthrough"
    return [part for step in inner for part in _steps(step)] or [None]


def _kind(thing: Any) -> str | None:
    """Return the kind that an estimator states, such as `regressor`.

    If it states none, return `classifier` if it has `predict_proba`, and None otherwise.
    """
    model = _steps(thing)[-1]
    tags = getattr(model, "__sklearn_tags__", None)
    said = tags().estimator_type if tags else getattr(model, "_estimator_type", None)
    return "classifier" if said is None and hasattr(model, "predict_proba") else said


def renewed_estimator(estimator: Any, rng: np.random.Generator) -> Any:
    """Return an untrained copy of the estimator; random states that are None become seeds drawn from `rng`."""
    # with a random state of None the estimator would draw from NumPy's global generator
    if not has_methods(estimator, "get_params", "set_params"):
        return copy.deepcopy(estimator)
    from sklearn.base import clone

    fresh = clone(estimator, safe=False)
    open_ones = [key for key, value in fresh.get_params().items() if value is None and key.endswith("random_state")]
    return fresh.set_params(**{key: draw_seed(rng) for key in sorted(open_ones)})


def _check_parameters(estimator: Any) -> None:
    """Raise an `ArenaError` if scikit-learn would refuse the estimator's parameters in the first round."""
    check = getattr(estimator, "_validate_params", None)
    if check is None or not hasattr(estimator, "_parameter_constraints"):  # unions have no constraints
        return
    try:
        check()
    except ValueError as error:
        raise ArenaError(f"{type(estimator).__name__}: {error}") from error
