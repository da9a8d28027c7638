"""Linear regression by filterpy's filters: the state is the weight vector, the row is the measurement matrix."""

import numpy as np
from filterpy.hinfinity import HInfinityFilter
from filterpy.kalman import FadingKalmanFilter, InformationFilter, KalmanFilter, SquareRootKalmanFilter


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
    def __init__(self, n=3):
        self.filter = FadingKalmanFilter(alpha=1.02, dim_x=n, dim_z=1)
        self.filter.F, self.filter.Q = np.eye(n), np.zeros((n, n))

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.H = x[np.newaxis]
        self.filter.predict()
        self.filter.update(y)


class HInfinity:
    def __init__(self, n=3):
        self.filter = HInfinityFilter(dim_x=n, dim_z=1, dim_u=0, gamma=0.01)
        self.filter.F, self.filter.P, self.filter.V = np.eye(n), np.eye(n), np.eye(1)

    def predict(self, x):
        return (x @ self.filter.x).item()

    def update(self, x, y):
        self.filter.H = x[np.newaxis]
        self.filter.update(y)
