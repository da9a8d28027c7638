"""Every registered learner survives every registered adversary with extreme but legal input: no NaN, no forfeit.

- Adversaries stay at one point, go to corners of the box, repeat points, contradict the predictions, search for the
  worst move, and replay made-up data.
- The kernels make all points equal, orthogonal, or huge; lambda is 1e-8 or 1e8.
- By default matches have 40 to 100 rounds, and each pair of a learner and an adversary meets in one of five settings.
- With REGRET_ARENA_FULL=1 pairs meet in all settings, and matches have 10,000 rounds. Where each point is new, matches
  of exact learners have 2,000 rounds, and matches against adversaries that plan with the exact posterior 600.

The moves of an oblivious adversary are the same against all learners, so they are computed once and replayed.
"""

import functools

import numpy as np
import pytest

from arena import Game, play
from arena.adversaries import Replay
from arena.adversaries.from_data import FromData
from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.building import build
from arena_tests import FULL

ROUNDS = 10_000 if FULL else 100
LEARNERS = {  # by default with small budgets, so that they are full in a short match
    "bogd": ["bogd(budget=20)"],
    "b-kons": ["b-kons(max_size=20)"],
    "bsgd": ["bsgd(budget=20)", "bsgd(budget=20, maintenance=remove)"],
    "dual-sgd": ["dual-sgd(budget=20, frequencies=20)"],
    "dual-svrg": ["dual-svrg(budget=20, frequencies=20)", "dual-svrg(oracle=coverage, frequencies=20, loss=logistic)"],
    "fgd": ["fgd", "fgd(steps=square-root)", "fgd(steps=inverse)", "fgd(radius=0.5, shrinkage=0.01)"],
    "fogd": ["fogd(frequencies=50)"],
    "forgetron": ["forgetron(budget=20)"],
    "nogd": ["nogd(budget=20)"],
    "pkawv": ["pkawv", "pkawv(embedding=fourier(frequencies=20))", "pkawv(embedding=nystrom(points=20))"],
    "projectron": ["projectron", "projectron(budget=20)"],
    "rbp": ["rbp(budget=20)"],
}
SPECS = [spec for name in registry.entries("learner") for spec in LEARNERS.get(name, [name])]
EXACT = {"batch-krr", "clipped-krr", "ewa", "kernel-awv", "krr"}
FRESH = {"orthogonal", "outlier", "realisable", "replay", "restart-forcer"}  # adversaries that seldom come back
PLANNERS = {"greedy": 40, "lookahead": 15, "mixture": 40}  # and their rounds by default
SHORT = {**PLANNERS, "joint": 40, "from-data": 60, "feature-blind": 60, "outlier": 60}
KERNELS = [
    "gaussian(bandwidth=0.001)",
    "gaussian(bandwidth=1000)",
    "laplacian(bandwidth=0.001)",
    "matern(bandwidth=1000, smoothness=2.5)",
    "linear",
    "polynomial(degree=5)",
]
SETTINGS = [(kernel, regularisation) for kernel in KERNELS for regularisation in (1e-8, 1e8)]
if not FULL:
    HARSHEST = [("gaussian(bandwidth=1000)", 1e-8), ("polynomial(degree=5)", 1e-8)]
    SETTINGS = [*HARSHEST, ("gaussian(bandwidth=0.001)", 1e-8), ("gaussian(bandwidth=1000)", 1e8), ("linear", 1e8)]


def made_up(rounds):
    """Return an adversary with made-up data: random points, points at and near corners, one point, and random points.

    The labels are 1, -1, 0, and two values of tiny size.
    """
    rng = np.random.default_rng(5)
    anywhere, corners = rng.uniform(-1, 1, (rounds, 2)), rng.choice([-1.0, 1.0], (rounds, 2))
    near = corners * (1.0 - 10.0 ** -rng.integers(3, 17, (rounds, 1)))
    kind = np.minimum(np.arange(rounds) * 4 // rounds, 3)[:, np.newaxis]
    X = np.select([kind == 1, kind == 2], [np.where(rng.random((rounds, 1)) < 0.5, corners, near), 0.0], anywhere)
    return Replay(X=X, y=rng.choice([-1.0, 1.0, 0.0, 1e-300, -1e-9], rounds))


ADVERSARIES = {
    "alternating": lambda _: "alternating",
    "alternating in a corner": lambda _: "alternating(at=[1, -1])",
    "greedy": lambda _: "greedy(starts=16, polished=1, steps=3)",
    "repeated": lambda _: "repeated(points=50)",
    "repeated, alternating": lambda _: "repeated(points=50, labels=alternating)",
    "repeated, contrary": lambda _: "repeated(points=50, labels=contrary)",
    "replay": made_up,
    "from-data": lambda rounds: FromData(X=made_up(rounds).X, y=made_up(rounds).y, candidates=8),
    "budget-breaker": lambda _: "budget-breaker(largest=100)",
    "leverage": lambda _: "leverage(starts=8, polished=0)",
    "lookahead": lambda _: "lookahead(starts=16, depth=2, width=2)",
    "outlier": lambda _: "outlier(candidates=8)",
}
for name in registry.entries("adversary"):
    if not any(listed.startswith(name) for listed in ADVERSARIES):
        ADVERSARIES[name] = lambda _, name=name: name


def settings_for(spec, adversary):
    """Return the settings in which the learner and the adversary meet; by default it is one of them."""
    number = SPECS.index(spec) + list(ADVERSARIES).index(adversary)
    return SETTINGS if FULL else [SETTINGS[number % len(SETTINGS)]]


def rounds_for(spec, adversary, kernel, regularisation):
    if not FULL:
        return SHORT.get(adversary, ROUNDS)
    if spec in EXACT and adversary in FRESH:
        return 2_000
    return 600 if plans_at_fresh_points(adversary, kernel, regularisation) else ROUNDS


def plans_at_fresh_points(adversary, kernel, regularisation):
    """Return whether the adversary computes the posterior of more and more different points."""
    if adversary == "leverage":
        return "bandwidth=0.001" in kernel
    return adversary in PLANNERS and (kernel, regularisation) != ("linear", 1e8)  # where few points are worth its while


@functools.cache
def opponent(adversary, game):
    """Return the adversary; if it is oblivious, return a replay of its moves."""
    built = build("adversary", ADVERSARIES[adversary](game.rounds))
    if not built.oblivious:
        return built
    run = play("zero", built, game=game, hindsight="none")
    assert run.forfeit is None
    return Replay(X=run.points, y=run.labels)


def fits(spec, game):
    """Return whether the learner accepts the game, such as its kernel."""
    try:
        build("learner", spec).begin(game, np.random.default_rng(0))
    except ArenaError:
        return False
    return True


@pytest.mark.parametrize("spec", SPECS)
def test_every_learner_plays_with_two_kernels_at_least(spec):
    games = [Game(kernel=kernel, rounds=10) for kernel in KERNELS]
    assert sum(fits(spec, game) for game in games) >= 2


def test_every_learner_and_every_adversary_meets_every_setting():
    for spec in SPECS:
        assert {each for adversary in ADVERSARIES for each in settings_for(spec, adversary)} == set(SETTINGS)
    for adversary in ADVERSARIES:
        assert {each for spec in SPECS for each in settings_for(spec, adversary)} == set(SETTINGS)


@pytest.mark.parametrize("adversary", list(ADVERSARIES))
@pytest.mark.parametrize("spec", SPECS)
def test_every_learner_survives_extreme_input(spec, adversary):
    learner = build("learner", spec)
    for kernel, regularisation in settings_for(spec, adversary):
        rounds = rounds_for(spec, adversary, kernel, regularisation)
        game = Game(rounds=rounds, kernel=kernel, regularisation=regularisation)
        other = opponent(adversary, game)
        if not fits(spec, game) or (learner.foresight and not other.oblivious):
            continue
        run = play(spec, other, game=game, hindsight="none")
        assert run.forfeit is None, f"{kernel}, lambda {regularisation:g}: {run.forfeit}"
        assert run.rounds == rounds
        assert np.isfinite(run.predictions).all()
        assert np.isfinite(run.loss)
