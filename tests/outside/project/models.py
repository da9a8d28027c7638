"""The models of a project, with `predict` and `update` alone; two of them have mistakes."""


class RunningMean:
    """Predicts the mean of the labels so far."""

    def __init__(self, start=0.0):
        self.start = start
        self.sum, self.count = start, 1

    def predict(self, x):
        return self.sum / self.count

    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1


class Eager(RunningMean):
    """Forgets all but the last label."""

    def update(self, x, y):
        self.sum = y


class Careless(RunningMean):
    """Cannot learn two labels at one point."""

    def __init__(self):
        super().__init__()
        self.table = {}

    def update(self, x, y):
        super().update(x, y)
        if self.table.setdefault(x.tobytes(), y) != y:
            raise KeyError("another label")
