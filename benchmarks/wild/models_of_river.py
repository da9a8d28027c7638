"""Entries of the catalogue: river's regressors and classifiers."""

from __future__ import annotations

from .model import ROUNDS, SHORT, Model

OPTIMISER = "the arena has no theorem for this optimiser"
TREES = "trees have no regret bound"
FORESTS = "forests have no regret bound"
NEIGHBOURS = "neighbours have no regret bound"
ENSEMBLE = "the arena's theorems on experts need the experts' predictions"
LINEAR = "river:linear_model.LinearRegression({})"


def _descent(optimiser: str, parameters: str, *theorems: str) -> Model:
    spec = LINEAR.format(f"optimizer=river:optim.{optimiser}({parameters})")
    name = f"LinearRegression {optimiser}"
    return Model("river", name, spec, "linear", theorems, why="" if theorems else OPTIMISER)


def _other(name: str, address: str, family: str, why: str, rounds: int = ROUNDS) -> Model:
    return Model("river", name, f"river:{address}", family, why=why, rounds=rounds)


def _pipeline(name: str, first: str) -> Model:
    spec = f"river:compose.Pipeline(steps=[river:{first}, river:linear_model.LinearRegression()])"
    return Model("river", name, spec, "pipeline", why="features change")


RIVER = [
    Model("river", "LinearRegression", LINEAR.format(""), "linear"),
    _descent("SGD", "lr=0.1", "sgd-river(lr=0.1)"),
    _descent("AdaGrad", "lr=0.1", "adagrad(rate=0.1, epsilon=1e-08, intercept_rate=0.01)"),
    _descent("FTRLProximal", "", "ftrl-proximal"),
    *(_descent(each, "") for each in ("Adam", "AMSGrad", "AdaBound", "AdaDelta", "AdaMax", "Nadam", "RMSProp")),
    *(_descent(each, "") for each in ("Momentum", "NesterovMomentum", "Newton")),
    _descent("Averager", "optimizer=river:optim.SGD(lr=0.01)"),
    Model("river", "BayesianLinearRegression", "river:linear_model.BayesianLinearRegression()", "linear"),
    Model("river", "BayesianLinearRegression smoothing",
          "river:linear_model.BayesianLinearRegression(smoothing=0.8)", "linear", why="forgetting by smoothing"),
    Model("river", "PARegressor mode 1",
          "river:linear_model.PARegressor(C=1.0, mode=1, eps=0.1, learn_intercept=false)", "linear",
          ("pa-1(task=regression, kernel=linear)",)),
    Model("river", "PARegressor mode 2",
          "river:linear_model.PARegressor(C=1.0, mode=2, eps=0.1, learn_intercept=false)", "linear",
          ("pa-2(task=regression, kernel=linear)",)),
    _pipeline("StandardScaler, LinearRegression", "preprocessing.StandardScaler()"),
    _pipeline("RBFSampler, LinearRegression", "feature_extraction.RBFSampler(n_components=50, seed=0)"),
    _pipeline("PolynomialExtender, LinearRegression", "feature_extraction.PolynomialExtender()"),
    _other("StatisticRegressor mean", "dummy.StatisticRegressor(statistic=river:stats.Mean())", "constant",
           "predicts the mean of the labels"),
    _other("KNNRegressor", "neighbors.KNNRegressor()", "neighbours", NEIGHBOURS, SHORT),
    _other("HoeffdingTreeRegressor", "tree.HoeffdingTreeRegressor(grace_period=50)", "tree", TREES),
    _other("HoeffdingAdaptiveTreeRegressor", "tree.HoeffdingAdaptiveTreeRegressor(grace_period=50, seed=0)", "tree",
           TREES),
    _other("SGTRegressor", "tree.SGTRegressor(grace_period=20)", "tree", TREES),
    _other("AMRules", "rules.AMRules(n_min=50)", "rules", "rules have no regret bound"),
    _other("AMFRegressor", "forest.AMFRegressor(n_estimators=5, seed=0)", "forest", FORESTS, SHORT),
    _other("ARFRegressor", "forest.ARFRegressor(n_models=5, seed=0)", "forest", FORESTS, SHORT),
    _other("OXTRegressor", "forest.OXTRegressor(n_models=5, seed=0)", "forest", FORESTS, SHORT),
    _other("BaggingRegressor",
           "ensemble.BaggingRegressor(model=river:linear_model.LinearRegression(), n_models=5, seed=0)", "ensemble",
           ENSEMBLE),
    _other("EWARegressor", "ensemble.EWARegressor(models=[river:linear_model.LinearRegression(), "
           "river:linear_model.BayesianLinearRegression()])", "ensemble", ENSEMBLE),
    _other("SRPRegressor",
           "ensemble.SRPRegressor(model=river:linear_model.LinearRegression(), n_models=5, seed=0)", "ensemble",
           ENSEMBLE, SHORT),
    _other("FMRegressor", "facto.FMRegressor(n_factors=5, seed=0)", "factorisation", "not convex in the factors"),
    _other("HOFMRegressor", "facto.HOFMRegressor(n_factors=5, seed=0)", "factorisation", "not convex in the factors",
           SHORT),
    _other("LogisticRegression", "linear_model.LogisticRegression()", "linear classifier",
           "predicts probabilities, and the arena's bounds need scores"),
    Model("river", "PAClassifier", "river:linear_model.PAClassifier(learn_intercept=false)", "linear classifier",
          loss="hinge"),
    Model("river", "Perceptron", "river:linear_model.Perceptron()", "linear classifier",
          ("perceptron-mistakes(kernel=linear(offset=1))",), "hinge"),
    _other("ALMAClassifier", "linear_model.ALMAClassifier()", "linear classifier", "the arena has no theorem of ALMA"),
    _other("GaussianNB", "naive_bayes.GaussianNB()", "naive Bayes", "naive Bayes has no regret bound here"),
    _other("KNNClassifier", "neighbors.KNNClassifier()", "neighbours", NEIGHBOURS, SHORT),
    _other("HoeffdingTreeClassifier", "tree.HoeffdingTreeClassifier(grace_period=50)", "tree", TREES),
    _other("AMFClassifier", "forest.AMFClassifier(n_estimators=5, seed=0)", "forest", FORESTS, SHORT),
    _other("ARFClassifier", "forest.ARFClassifier(n_models=5, seed=0)", "forest", FORESTS, SHORT),
    _other("AdaBoostClassifier",
           "ensemble.AdaBoostClassifier(model=river:tree.HoeffdingTreeClassifier(), n_models=5, seed=0)", "ensemble",
           ENSEMBLE, SHORT),
]  # fmt: skip
