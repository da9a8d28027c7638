"""Linear regression by pykalman's Kalman filter, whose state is the weight vector."""

import numpy as np
from pykalman import KalmanFilter


class Kalman:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self, n=3):
        self.mean, self.covariance = np.zeros(n), np.eye(n)
        noise = {"transition_covariance": np.zeros((n, n)), "observation_covariance": np.eye(1)}
        self.filter = KalmanFilter(transition_matrices=np.eye(n), observation_matrices=np.ones((1, n)), **noise)

    def predict(self, x):
        return float(x @ self.mean)

    def update(self, x, y):
        step = self.filter.filter_update(self.mean, self.covariance, np.array([y]), observation_matrix=x[np.newaxis])
        self.mean, self.covariance = map(np.asarray, step)
