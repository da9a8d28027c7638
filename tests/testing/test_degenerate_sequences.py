"""`finite-in-extreme-games` also plays labels of one class, labels of zero, and points at the origin."""

import numpy as np
import pytest

from arena.testing.checks.examination import examine_learner


class Guess:
    """A learner that predicts `of` of the array of the labels so far; subclasses define `of`."""

    def begin(self, game, rng):
        self.labels = []

    def predict(self, x):
        return self.of(np.array(self.labels)) if self.labels else 0.0

    def update(self, x, y):
        self.labels.append(y)


class OverTheSpread(Guess):
    def of(self, labels):
        return float(labels[-1] / np.ptp(labels)) if len(labels) > 30 else 0.0


class OverTheLargest(Guess):
    def of(self, labels):
        return float(labels.mean() / np.abs(labels).max())


@pytest.mark.parametrize(
    ("learner", "where"), [(OverTheSpread, "labels of one class"), (OverTheLargest, "labels of zero")]
)
def test_a_learner_that_divides_by_the_labels_is_found(learner, where):
    found = examine_learner(learner).result("finite-in-extreme-games")
    assert found.outcome == "failed"
    assert where in found.message


def test_a_built_in_learner_plays_at_the_origin(monkeypatch):
    from arena.learners.passive_aggressive import KernelPA

    def step(_self, loss, diagonal):
        return loss / diagonal

    monkeypatch.setattr(KernelPA, "step", step)
    assert examine_learner("pa").result("finite-in-extreme-games").outcome == "passed"

    def learn(self, i, _prediction, y):
        self.function.put(i, step(self, y, self.function.gram.item(i, i)))

    monkeypatch.setattr(KernelPA, "learn", learn)
    found = examine_learner("pa").result("finite-in-extreme-games")
    assert found.outcome == "failed"
    assert "ZeroDivisionError" in found.message
