"""Filters of padasip, wrapped by a user in a few lines, obey the theorems that the user names."""

import pytest

from arena import play
from arena.record.judging import promises_of

padasip = pytest.importorskip("padasip")
ADVERSARIES = ["drift(places=7)", "repeated(points=5)", "repeated(points=20, labels=contrary)", "far-point"]


class Filter:
    """A filter that learns by `adapt(label, x)`, with the theorems that it promises."""

    def __init__(self, make, theorems):
        self.make, self.theorems = make, theorems

    def begin(self, game, rng):
        self.filter = self.make(game.dimension)

    def predict(self, x):
        return self.filter.predict(x)

    def update(self, x, y):
        self.filter.adapt(y, x)


FILTERS = {
    "recursive least squares": (
        lambda n: padasip.filters.FilterRLS(n, mu=1.0, eps=0.5, w="zeros"),
        ("rls-identity(regularisation=0.5)", "rls-regret(regularisation=0.5)"),
    ),
    "with forgetting": (
        lambda n: padasip.filters.FilterRLS(n, mu=0.97, eps=0.5, w="zeros"),
        ("rls-identity(regularisation=0.5, forgetting=0.97)",),
    ),
    "least mean squares": (
        lambda n: padasip.filters.FilterLMS(n, mu=0.05, w="zeros"),
        ("sgd(rate=0.05, intercept=false, halved=true)",),
    ),
    "normalised, which is passive-aggressive": (
        lambda n: padasip.filters.FilterNLMS(n, mu=1.0, eps=0.0, w="zeros"),
        (
            "pa(task=regression, epsilon=0, kernel=linear)",
            "pa-steps(task=regression, epsilon=0, kernel=linear, steps=pa)",
        ),
    ),
    "normalised with eps, which is PA-II": (
        lambda n: padasip.filters.FilterNLMS(n, mu=1.0, eps=0.25, w="zeros"),
        ("pa-2(task=regression, epsilon=0, kernel=linear, aggressiveness=2)",),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_obeys_its_theorems(name):
    applied = 0
    for seed, adversary in enumerate(ADVERSARIES):
        run = play(Filter(*FILTERS[name]), adversary, rounds=40, dimension=3, seed=seed)
        assert len(promises_of(run)) == len(FILTERS[name][1])
        for verdict in run.verdicts():
            assert not verdict.violated, (adversary, str(verdict))
            applied += verdict.holds
    assert applied >= 3


@pytest.mark.parametrize(
    ("make", "theorem"),
    [
        (lambda n: padasip.filters.FilterRLS(n, mu=0.97, eps=0.5, w="zeros"), "rls-identity(regularisation=0.5)"),
        (lambda n: padasip.filters.FilterRLS(n, mu=1.0, eps=0.5, w=[0.5] * n), "rls-identity(regularisation=0.5)"),
        (lambda n: padasip.filters.FilterLMS(n, mu=0.5, w="zeros"), "sgd(rate=0.05, intercept=false, halved=true)"),
        (
            lambda n: padasip.filters.FilterNLMS(n, mu=2.2, eps=0.0, w="zeros"),
            "pa(task=regression, epsilon=0, kernel=linear)",
        ),
    ],
)
def test_a_filter_with_other_parameters_does_not(make, theorem):
    moves = "repeated(points=20, labels=contrary)"
    assert play(Filter(make, (theorem,)), moves, rounds=60, dimension=3).verdicts()[0].violated
