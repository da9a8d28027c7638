"""Entries of the catalogue: adaptive filters, Kalman filters, boosted trees, and models of other libraries.

Most of them play through a wrapper in the folder `glue`.
"""

from __future__ import annotations

from .model import ROUNDS, SHORT, Model

FOLDER = "./benchmarks/wild/glue"
STEPS = "the arena has no theorem for this step"
OWN = {
    "LMS": ("mu=0.05", "sgd(rate=0.05, halved=true, intercept=false)"),
    "NLMS": ("mu=1.0, eps=0.1", "pa-2(task=regression, epsilon=0, aggressiveness=5, kernel=linear)"),
    "RLS": ("mu=1.0, eps=1.0", "rls-identity(regularisation=1)"),
    "RLS 0.99": ("mu=0.99, eps=1.0", "rls-identity(regularisation=1, forgetting=0.99)"),
}
OTHERS = {  # steps where the filter has no default
    "AP": "mu=0.1, ", "GMCC": "", "GNGD": "", "LMF": "mu=0.05, ", "Llncosh": "", "NLMF": "", "NSSLMS": "", "OCNLMS": "",
    "SSLMS": "mu=0.05, ", "VSLMS_Ang": "", "VSLMS_Benveniste": "", "VSLMS_Mathews": "",
}  # fmt: skip
PADASIP = [
    *(Model("padasip", f"Filter{name}", f"padasip:filters.Filter{name.partition(' ')[0]}(n=3, {given}, w=zeros)",
            "linear", (theorem,)) for name, (given, theorem) in OWN.items()),
    *(Model("padasip", f"Filter{name}", f"padasip:filters.Filter{name}(n=3, {given}w=zeros)", "linear",
            why=STEPS) for name, given in OTHERS.items()),
]  # fmt: skip


def _glue(library: str, name: str, file: str, why: str = "", rounds: int = ROUNDS, family: str = "linear") -> Model:
    return Model(library, name, f"{FOLDER}/{file}", family, why=why, rounds=rounds)


KALMAN = "filterpy_filters.py:{}"
LINEAR_GAMES = "`awv-identity` is about the game's kernel: it holds with `--kernel linear`, for which this is made"
FILTERS = [
    _glue("filterpy", "KalmanFilter", KALMAN.format("Kalman")),
    _glue("filterpy", "InformationFilter", KALMAN.format("Information")),
    _glue("filterpy", "SquareRootKalmanFilter", KALMAN.format("SquareRoot")),
    _glue("filterpy", "KalmanFilter alpha", KALMAN.format("Fading")),
    _glue("pykalman", "KalmanFilter", "pykalman_filter.py:Kalman"),
    _glue("statsmodels", "RecursiveLS", "statsmodels_rls.py:RecursiveLeastSquares", "no regularisation", SHORT),
    _glue("PyOL", "VAW", "pyol_learners.py:VovkAzouryWarmuth", LINEAR_GAMES),
    _glue("PyOL", "L2OptimisticOMD", "pyol_learners.py:MirrorDescent"),
    _glue("PyOL", "L2OptimisticFTRL", "pyol_learners.py:RegularisedLeader", STEPS),
    _glue("PyOL", "KT, CoordinateWise", "pyol_learners.py:Coins", "the arena has no theorem of coin betting"),
    _glue("adafilt", "LMSFilter", "adafilt_filters.py:LMS"),
    _glue("adafilt", "LMSFilter normalised", "adafilt_filters.py:NormalisedLMS"),
    _glue("adaptfilt", "lms", "adaptfilt_filters.py:LMS"),
    _glue("adaptfilt", "nlms", "adaptfilt_filters.py:NormalisedLMS"),
    _glue("pyroomacoustics", "RLS", "pyroomacoustics_filters.py:RLS"),
    _glue("pyroomacoustics", "NLMS", "pyroomacoustics_filters.py:NLMS"),
    _glue("reservoirpy", "RLS without bias", "reservoirpy_nodes.py:RLS"),
    _glue("reservoirpy", "RLS", "reservoirpy_nodes.py:RLSWithBias", "its bias is not that of least squares"),
    _glue("reservoirpy", "LMS", "reservoirpy_nodes.py:LMS"),
    _glue("pyoselm", "OSELMRegressor", "pyoselm_network.py:OSELM", "random features", family="network"),
    _glue("lightgbm", "continued training", "boosting.py:LightGBM", "trees have no regret bound", SHORT, "boosting"),
    _glue("xgboost-cpu", "continued training", "boosting.py:XGBoost", "trees have no regret bound", SHORT, "boosting"),
]
