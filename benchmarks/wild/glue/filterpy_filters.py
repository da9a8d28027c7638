"""Linear regression by filterpy's filters: the state is the weight vector, and the row is the measurement matrix."""

import numpy as np
from filterpy.kalman import InformationFilter, KalmanFilter, SquareRootKalmanFilter


class Kalman:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self, n=3):
        self.filter = KalmanFilter(dim_x=n, dim_z=1)  # P, F and R are the identity

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.update(y, H=x[np.newaxis])


class Information:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self, n=3):
        self.filter = InformationFilter(dim_x=n, dim_z=1)  # P_inv and R_inv are the identity

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.H = x[np.newaxis]
        self.filter.update(y)


class SquareRoot:
    theorems = ("rls-identity(regularisation=1)",)

    def __init__(self, n=3):
        self.filter = SquareRootKalmanFilter(dim_x=n, dim_z=1)  # P and R are the identity

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.H = x[np.newaxis]
        self.filter.update(y)


class Fading:
    theorems = ("rls-identity(regularisation=1.0404, forgetting=0.9611687812379853)",)  # 1.02^2 and its inverse

    def __init__(self, n=3):
        self.filter = KalmanFilter(dim_x=n, dim_z=1)
        self.filter.alpha, self.filter.Q = 1.02, np.zeros((n, n))

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.update(y, H=x[np.newaxis])
        self.filter.predict()
