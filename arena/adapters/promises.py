"""The theorems that models of other libraries promise.

A model with the attribute `theorems` promises the theorems listed there. Without this attribute, some models of
scikit-learn and river promise the theorems of the algorithm that their parameters select.

These theorems do not cover all parameters. A model of scikit-learn promises nothing if it averages weights, stops
early, has class weights or a penalty other than l2, or has `learning_rate="adaptive"`. A model of river promises
nothing if its initial weights are not zero, or if it has an l1 penalty. A user's subclass of a model promises nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SCIKIT_LEARN_LOSSES = {
    "squared_error": "squared",
    "hinge": "hinge",
    "squared_hinge": "squared-hinge",
    "log_loss": "logistic",
}


OF_SIGNS = ("perceptron-mistakes", "pa-1-mistakes")  # hold for scores that were scaled, too


def promised(model: Any, *, scaled: bool = False) -> tuple[Any, ...]:
    """Return the theorems that a model promises, as objects or specs.

    If the model has the attribute `theorems`, these are the theorems listed there. Otherwise they are the theorems
    known about the algorithm that the model's parameters select. `scaled` means that the arena multiplies the model's
    outputs by a factor; then known theorems that need the original outputs are left out.
    """
    own = getattr(model, "theorems", None)
    if own is not None:
        return (own,) if isinstance(own, str) else tuple(own)
    kind = type(model)
    find = KNOWN.get((kind.__module__.partition(".")[0], kind.__name__))
    found = tuple(find(model)) if find else ()
    return tuple(each for each in found if each.startswith(OF_SIGNS)) if scaled else found


def _of_scikit_learn(model: Any) -> Sequence[str]:
    """Return the promises of an SGDRegressor or SGDClassifier, as specs."""
    given = model.get_params()
    if given["learning_rate"] in ("pa1", "pa2"):
        return _of_passive_scikit_learn(given)
    loss = SCIKIT_LEARN_LOSSES.get(given["loss"])
    if loss is None or not _plain(given):
        return ()
    if given["learning_rate"] in ("constant", "invscaling", "optimal"):
        names = ["alpha", "power_t", "learning_rate", "fit_intercept", "penalty"]
        names += ["eta0"] if given["learning_rate"] != "optimal" else []
        return (_spec("sgd-scikit-learn", loss=loss, **{name: given[name] for name in names}),)
    return ()


def _of_passive_scikit_learn(given: dict[str, Any]) -> Sequence[str]:
    task = {"hinge": "classification", "epsilon_insensitive": "regression"}.get(given["loss"])
    if task is None or not _plain(given) or given["penalty"] is not None:
        return ()
    steps, shared = f"pa-{given['learning_rate'][2:]}", {"task": task, "epsilon": given["epsilon"]}
    shared["aggressiveness"] = given["eta0"]
    if given["fit_intercept"]:  # step sizes are computed without the intercept's coordinate
        return (_spec("pa-steps", steps=steps, kernel="linear(offset=1)", left_out=1.0, **shared),)
    return (_spec(steps, kernel="linear", **shared),)


def _of_scikit_learn_perceptron(model: Any) -> Sequence[str]:
    given = model.get_params()
    if not _plain(given) or given["penalty"] is not None:
        return ()
    return (f"perceptron-mistakes(kernel=linear(offset={int(given['fit_intercept'])}))",)


def _plain(given: dict[str, Any]) -> bool:
    """Return whether the parameters `given` of a model have no option that the known theorems exclude.

    These options are averaged weights, early stopping, class weights, and penalties other than l2.
    """
    changed = any(given.get(name) for name in ("average", "early_stopping", "class_weight"))
    return not changed and given["penalty"] in ("l2", None)


def _of_river(model: Any) -> Sequence[str]:
    """Return the promises of river's LinearRegression, as specs; empty if no theorem covers its parameters."""
    starts_at_zero = _name(model.initializer) == "Zeros" and not model.intercept_init
    if not starts_at_zero or _name(model.loss) != "Squared" or model.l1 or _name(model.intercept_lr) != "Constant":
        return ()
    if model.clip_gradient < 1e12:
        return ()
    rate: Any = getattr(model.optimizer, "lr", None)
    intercept = model.intercept_lr.learning_rate
    if _name(model.optimizer) == "SGD" and _name(rate) in ("Constant", "InverseScaling"):
        power = getattr(rate, "power", 0.0)
        return (_spec("sgd-river", lr=rate.learning_rate, power=power, l2=model.l2, intercept_lr=intercept),)
    if _name(model.optimizer) == "AdaGrad" and _name(rate) == "Constant":
        shared = {"rate": rate.learning_rate, "epsilon": model.optimizer.eps, "intercept_rate": intercept}
        return (_spec("adagrad", shrinkage=model.l2, clip_gradient=model.clip_gradient, loss="squared", **shared),)
    return ()


def _of_river_bayes(model: Any) -> Sequence[str]:
    if model.smoothing is not None:
        return ()
    ratio = model.alpha / model.beta
    return (_spec("rls-regret", regularisation=ratio), _spec("rls-identity", regularisation=ratio))


def _of_river_passive_classifier(model: Any) -> Sequence[str]:
    # the model answers with probabilities, which show only the sign of the score
    if model.mode != 1 or model.learn_intercept:
        return ()
    return (_spec("pa-1-mistakes", kernel="linear", aggressiveness=model.C),)


KNOWN: dict[tuple[str, str], Callable[[Any], Sequence[str]]] = {
    ("sklearn", "SGDRegressor"): _of_scikit_learn,
    ("sklearn", "SGDClassifier"): _of_scikit_learn,
    ("sklearn", "Perceptron"): _of_scikit_learn_perceptron,
    ("river", "LinearRegression"): _of_river,
    ("river", "BayesianLinearRegression"): _of_river_bayes,
    ("river", "PAClassifier"): _of_river_passive_classifier,
}


def _name(thing: Any) -> str:
    return type(thing).__name__


def _spec(name: str, **parameters: Any) -> str:
    return f"{name}({', '.join(f'{key}={_word(value)}' for key, value in parameters.items())})"


def _word(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return str(value).lower()
    return repr(float(value))
