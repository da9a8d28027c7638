"""Models as comparators: the best of several trained models, or a learner that learns from the moves of the match."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from arena.arrays import Array
from arena.comparators.naive import losses_of
from arena.errors import ArenaError, NoHindsight, describe_error, number_of
from arena.guards.user_code import guarded
from arena.players.learner import Learner, as_learner
from arena.players.random_numbers import random_numbers
from arena.record.comparing import BestLosses, NamedComparator
from arena.specs import registry
from arena.specs.addresses import names_code
from arena.specs.building import build, is_factory, make
from arena.specs.grammar import Spec, parse_spec
from arena.specs.parameters import parameter
from arena.specs.spelling import spec_text

if TYPE_CHECKING:
    from arena.record.transcript import Transcript


@dataclass(frozen=True)
class Baseline(NamedComparator):
    """A second learner, such as the model in production, which plays the points and labels of the match.

    The learner of the comparator gets the same random numbers as the learner of the match, so the regret of a learner
    to itself is 0. An adaptive adversary does not react to the predictions of the comparator.

    >>> from arena import play
    >>> play("krr", "alternating", rounds=10).regret_to("baseline(model=krr)").regret
    (0.0, 0.0)
    """

    name: ClassVar[str] = "baseline"
    family: ClassVar[str] = "models"
    cost: ClassVar[str] = "that of the model in a match of as many rounds"

    model: object = parameter(about="the learner: a spec, or from Python an object; it is copied and not changed")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "model", _as_spec(self.model))
        _built(self.model)  # a misspelt name raises before the match

    @property
    def plainly(self) -> str:
        return f"{_name(self.model)}, which plays the same points and labels"

    def best_losses(self, run: Transcript) -> BestLosses:
        what = f"baseline(model={_name(self.model)})"
        learner = as_learner(_built(self.model))

        def answers() -> Array:
            learner.begin(run.game, random_numbers(run.seed, "learner"))
            return learner.replay(run.points, run.labels)

        return losses_of(run, _checked(what, answers, run.rounds))


@dataclass(frozen=True)
class FixedModels(NamedComparator):
    """The best of several models that are not trained during the match, chosen in hindsight on each prefix.

    A model is one of these:

    - a function of one point;
    - a trained object with `predict` (scikit-learn) or `predict_one` (river);
    - a learner, which is never updated.

    In a spec a model is an address such as ./mine.py:rule. An address with parentheses, ./mine.py:load(), is called and
    must return the model.

    >>> from arena import play
    >>> from arena.comparators.models import FixedModels
    >>> run = play("zero", "alternating", rounds=10)
    >>> run.regret_to(FixedModels([lambda x: 0.5, lambda x: -2.0])).regret
    (-2.5, -2.5)
    """

    name: ClassVar[str] = "fixed-models"
    family: ClassVar[str] = "models"
    cost: ClassVar[str] = "one prediction of each model a round"

    models: Sequence[object] = parameter(about="the models: specs, or from Python functions and objects")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.models:
            raise ArenaError(f"{self.name} needs at least one model: {self.name}(models=[./mine.py:rule])")
        object.__setattr__(self, "models", tuple(map(_as_spec, self.models)))
        for model in self.models:
            _built(model)

    @property
    def plainly(self) -> str:
        return f"the best of {number_of(len(self.models), 'fixed model')}"

    def best_losses(self, run: Transcript) -> BestLosses:
        predictions = [self._predictions(model, run) for model in self.models]
        if len(predictions) == 1:
            return losses_of(run, predictions[0])
        totals = np.cumsum([run.game.loss.value(each, run.labels) for each in predictions], axis=1)
        best = int(totals[:, -1].argmin())
        least = totals.min(axis=0)
        at = np.arange(1, run.rounds + 1)
        return BestLosses(at, least, least, detail=f"number {best + 1}, {_name(self.models[best])}")

    def _predictions(self, model: object, run: Transcript) -> Array:
        what = f"the fixed model {_name(model)}"
        return _checked(what, lambda: fixed_predictor(_built(model), run)(run.points), run.rounds)


def fixed_predictor(model: Any, run: Transcript) -> Callable[[Array], Array]:
    """Return a function that takes rows of points and returns the predictions of `model`, without training it.

    If `model` is a learner, its method `begin` is called with the game of `run`. A model of river gets the names that
    this game gives to the features. Raise an `ArenaError` if `model` cannot be called and has no method `predict` or
    `predict_one`.
    """
    if callable(getattr(model, "fit", None)) and callable(getattr(model, "predict", None)):
        return lambda X: np.asarray(model.predict(X), dtype=float)
    if callable(getattr(model, "predict_one", None)):
        names = run.game.feature_names
        return lambda X: np.array([model.predict_one(dict(zip(names, row, strict=True))) for row in X.tolist()], float)
    if isinstance(model, Learner) or all(callable(getattr(model, each, None)) for each in ("predict", "update")):
        learner = as_learner(model)
        learner.begin(run.game, random_numbers(run.seed, "learner"))
        return learner.peek
    if callable(getattr(model, "predict", None)):
        return lambda X: np.array([model.predict(x) for x in X], dtype=float)
    if callable(model):
        return lambda X: np.array([model(x) for x in X], dtype=float)
    raise ArenaError(
        f"{type(model).__name__} is no fixed model: a function of a point is needed, or an object with predict or "
        "predict_one"
    )


def _as_spec(model: object) -> object:
    """Return the `Spec` of a text with parentheses, such as "./mine.py:load()"; return any other model unchanged."""
    if not isinstance(model, str):
        return model
    spec = parse_spec(model)
    return spec.name if model.strip() == spec.name else spec


def _built(model: object) -> Any:
    """Return the object that a spec, a class or a factory makes; return other objects unchanged.

    An address without parentheses stands for the object of this name; if that is a class or a factory, it is called.
    """
    if not isinstance(model, (str, Spec)):
        if isinstance(model, type):
            return build("learner", model)
        return make(model, Spec(_name(model))) if is_factory(model) else model
    spec = parse_spec(model)
    if not names_code(spec.name):
        return build("learner", spec)
    found = registry.find("learner", spec.name)
    makes = isinstance(model, Spec) or isinstance(found, type) or is_factory(found)
    return make(found, spec) if makes else found


def _name(model: object) -> str:
    return str(model) if isinstance(model, (str, Spec)) else getattr(model, "__name__", "") or spec_text(model)


def _checked(what: str, predict: Callable[[], Array], rounds: int) -> Array:
    """Return the predictions of a model, one number for each round; raise `NoHindsight` if the model fails.

    The function `predict` returns the predictions, and `what` is the model's name in the message.
    """

    def complaint(error: BaseException) -> NoHindsight:
        reason = str(error) if isinstance(error, ArenaError) else describe_error(error)
        return NoHindsight(f"{what} cannot be compared with: {reason}")

    with guarded(complaint, passing=()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.asarray(predict(), dtype=float)
    if found.shape != (rounds,):
        raise NoHindsight(f"{what} must give one number for each of {rounds} points, but its shape is {found.shape}")
    if np.isnan(found).any():
        raise NoHindsight(f"{what} predicts NaN in round {int(np.isnan(found).argmax()) + 1}: it must give numbers")
    return found
