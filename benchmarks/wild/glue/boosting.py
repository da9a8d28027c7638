"""Continued training of boosted trees: each round adds one tree, fitted to the last 20 rows."""

import numpy as np


class LightGBM:
    def __init__(self):
        self.rows, self.labels, self.model = [], [], None

    def predict(self, x):
        return 0.0 if self.model is None else self.model.predict(x[np.newaxis]).item()

    def update(self, x, y):
        import lightgbm

        self.rows, self.labels = [*self.rows[-19:], x.copy()], [*self.labels[-19:], y]
        options = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "seed": 0}
        data = lightgbm.Dataset(np.array(self.rows), np.array(self.labels), params=options)
        self.model = lightgbm.train(options, data, num_boost_round=1, init_model=self.model, keep_training_booster=True)


class XGBoost:
    def __init__(self):
        self.rows, self.labels, self.model = [], [], None

    def predict(self, x):
        import xgboost

        return 0.0 if self.model is None else self.model.predict(xgboost.DMatrix(x[np.newaxis])).item()

    def update(self, x, y):
        import xgboost

        self.rows, self.labels = [*self.rows[-19:], x.copy()], [*self.labels[-19:], y]
        data = xgboost.DMatrix(np.array(self.rows), np.array(self.labels))
        options = {"nthread": 1, "seed": 0, "base_score": 0.0}
        self.model = xgboost.train(options, data, num_boost_round=1, xgb_model=self.model)
