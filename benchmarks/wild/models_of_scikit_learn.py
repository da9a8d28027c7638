"""Entries of the catalogue: scikit-learn's models with `partial_fit`."""

from __future__ import annotations

from .model import Model

SCHEDULE = "the arena has no theorem for this schedule, loss or penalty"
NETWORK = "networks: the loss is not convex in the weights"
BAYES = "naive Bayes estimates a distribution, and has no regret bound here"
SCORED = "sgd-scikit-learn(loss={}, learning_rate=constant, eta0=0.05)"


def _linear(name: str, parameters: str, *theorems: str, loss: str = "squared", why: str = "") -> Model:
    family = "linear classifier" if name.startswith(("SGDClassifier", "Perceptron")) else "linear"
    kind = name.partition(" ")[0]
    return Model(
        "scikit-learn", name, f"sklearn:linear_model.{kind}({parameters}, random_state=0)", family, theorems, loss, why
    )


def _network(name: str, parameters: str) -> Model:
    kind = name.partition(" ")[0]
    spec = f"sklearn:neural_network.{kind}(hidden_layer_sizes=[10], {parameters}, random_state=0)"
    return Model("scikit-learn", name, spec, "network", why=NETWORK)


def _pipeline(name: str, first: str) -> Model:
    steps = f"[[first, sklearn:{first}], [model, sklearn:linear_model.SGDRegressor(random_state=0)]]"
    return Model("scikit-learn", name, f"sklearn:pipeline.Pipeline(steps={steps})", "pipeline", why="features change")


SCIKIT_LEARN = [
    _linear("SGDRegressor", "tol=none"),
    _linear("SGDRegressor constant", "learning_rate=constant, eta0=0.05"),
    _linear("SGDRegressor optimal", "learning_rate=optimal, alpha=0.1"),
    _linear("SGDRegressor huber", "loss=huber", why=SCHEDULE),
    _linear("SGDRegressor epsilon-insensitive", "loss=epsilon_insensitive", why=SCHEDULE),
    _linear("SGDRegressor averaged", "average=true", why=SCHEDULE),
    _linear("SGDRegressor adaptive", "learning_rate=adaptive", why=SCHEDULE),
    _linear("SGDRegressor l1", "penalty=l1", why=SCHEDULE),
    _linear("SGDRegressor elasticnet", "penalty=elasticnet", why=SCHEDULE),
    _linear("SGDRegressor pa1", "loss=epsilon_insensitive, penalty=none, learning_rate=pa1, eta0=1.0"),
    _linear("SGDRegressor pa2", "loss=epsilon_insensitive, penalty=none, learning_rate=pa2, eta0=1.0"),
    _network("MLPRegressor adam", "solver=adam"),
    _network("MLPRegressor sgd", "solver=sgd"),
    _pipeline("StandardScaler, SGDRegressor", "preprocessing.StandardScaler()"),
    _pipeline("RBFSampler, SGDRegressor", "kernel_approximation.RBFSampler(n_components=50, random_state=0)"),
    _linear("SGDClassifier hinge", "learning_rate=constant, eta0=0.05", loss="hinge"),
    _linear("SGDClassifier log", "loss=log_loss, learning_rate=constant, eta0=0.05", loss="logistic"),
    _linear("SGDClassifier squared hinge", "loss=squared_hinge, learning_rate=constant, eta0=0.05",
            loss="squared-hinge"),
    _linear("SGDClassifier huber", "loss=modified_huber", why=SCHEDULE),
    _linear("SGDClassifier pa1", "learning_rate=pa1, penalty=none, eta0=1.0", loss="hinge"),
    _linear("Perceptron", "penalty=none", loss="hinge"),
    _network("MLPClassifier adam", "solver=adam"),
    Model("scikit-learn", "GaussianNB", "sklearn:naive_bayes.GaussianNB()", "naive Bayes", why=BAYES),
    Model("scikit-learn", "BernoulliNB", "sklearn:naive_bayes.BernoulliNB()", "naive Bayes", why=BAYES),
]  # fmt: skip
