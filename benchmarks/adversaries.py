"""Compares each adversary with the adversary `greedy`, by regret and time: the page docs/results/adversaries.md.

python benchmarks/adversaries.py            prints the page
python benchmarks/adversaries.py --write    writes it
"""

from __future__ import annotations

import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

from _tools import publish, timed
from arena import ArenaError, Transcript, play
from arena.players.learner import Learner
from arena.specs import registry
from arena.specs.building import build

NARROW = {"dimension": 2, "kernel": "gaussian(bandwidth=0.1)"}
TAYLOR = "pkawv(embedding=taylor(degree={}))"
FOURIER = "pkawv(embedding=fourier(frequencies=20))"
GREEDY_ROUNDS = 200  # rounds of greedy's matches


class IgnoresACoordinate(Learner):
    """A wrong learner: Kernel-AWV without the last coordinate, a mistake that the adversary `realisable` finds."""

    def begin(self, game, rng):
        self.learner = build("learner", "kernel-awv")
        self.learner.begin(game, rng)

    def peek(self, X):
        return self.learner.peek(self._cut(X))

    def update(self, x, y):
        self.learner.update(self._cut(x[np.newaxis])[0], y)

    def _cut(self, X):
        return np.concatenate([X[:, :-1], np.zeros((len(X), 1))], axis=1)


# An adversary without an entry here plays against kernel-awv.
MATCHES = [  # adversary, learner, rounds, game
    ("alternating", "perceptron", 200, {"dimension": 2, "kernel": "gaussian(bandwidth=0.3)"}),
    ("repeated(points=20)", "forgetron(budget=10)", 1000, NARROW),
    ("contrarian", "perceptron", 200, {"dimension": 2}),
    ("contrarian", "rbp(budget=10)", 200, {"dimension": 1}),
    ("leverage", "kernel-awv", 200, {"dimension": 2}),
    ("lookahead", "kernel-awv", 60, {"dimension": 2}),
    ("joint", "kernel-awv", 60, {"dimension": 2}),
    ("joint(against=fgd)", "fgd", 60, {"dimension": 1}),
    ("near-duplicates", "kernel-awv", 200, {"dimension": 2}),
    ("near-duplicates", "fgd", 200, {"dimension": 2}),
    ("far-point", TAYLOR.format(2), 200, {"dimension": 3, "box": (-3, 3)}),
    ("feature-blind", "pros-n-kons", 200, {"dimension": 2, "kernel": "gaussian(bandwidth=0.3)"}),
    ("feature-blind", FOURIER, 1000, NARROW),
    ("budget-breaker", "b-kons(max_size=10)", 1000, NARROW),
    ("restart-forcer", "pros-n-kons", 1000, NARROW),
    ("kors-evader", "pkawv-kors(mu=100)", 1000, NARROW),
    ("drift", "nogd(budget=10)", 1000, NARROW),
    ("orthogonal", "kernel-awv", 1000, {"dimension": 5, "box": (-3, 3)}),
    ("label-blocks", "dual-svrg", 4000, {"dimension": 2}),
    ("outlier", "krr(regularisation=1e-6)", 200, {"dimension": 1}),
    ("outlier", "krr(regularisation=1e-6)", 200, {"dimension": 2}),
    ("realisable", "ignores-a-coordinate", 1000, {"dimension": 2}),
    ("mixture", "perceptron", 200, {"dimension": 2, "kernel": "gaussian(bandwidth=0.3)"}),
]
WITHOUT_A_MATCH = {"greedy", "drawn"}  # the baseline, and independent draws
FIGURE_3 = [  # learner, rounds, plain regret read off the published curve
    ("fogd(frequencies=100)", 40, 32.5),
    (TAYLOR.format(2), 40, 37.5),
    (TAYLOR.format(3), 28, 21.8),
    ("kernel-awv", 40, 25.5),
    ("pros-n-kons", 33, 60.0),
]
HEADER = """# The adversaries: against which learner, and what they force

Made by `python benchmarks/adversaries.py --write`. All matches have seed 0; seconds are those of learner, adversary and
hindsight together, on one thread.

## Each against a learner with the weakness that it exploits

The baseline is `greedy`: in the same number of rounds (at most {longest}), and in a match of the same duration. R is
the regularised regret, *plain* the plain one. Adversaries that need more time than `greedy` pay where the number of
rounds is limited.

| adversary | looks | learner | game | rounds | R | plain | s | greedy: R | plain | s | in the same time |
| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |
"""
FIGURE_HEADER = """
## Figure 3 of Jezequel, Gaillard and Rudi 2019

Plain regret at d = 5, bandwidth 1, lambda = 1, in the box [-1, 1]^5. The published values are read off the curves, for
which the authors' adversary had 20 s each.

| learner | rounds | published | greedy | joint | feature-blind | best | seconds of greedy |
| --- | --: | --: | --: | --: | --: | --: | --: |
"""
REMARK = """
`joint` plans against a copy of the learner with random numbers of its own. The published curve of PROS-N-KONS comes
from code that drops and delays some of the algorithm's steps; here the algorithm plays as it was printed.

## What greedy costs

`kernel-awv` at d = 5, bandwidth 1, lambda = 1:

| rounds | R | seconds | log2 of seconds over those of half the rounds |
| --: | --: | --: | --: |
"""


def player(learner: str) -> Learner | str:
    return IgnoresACoordinate() if learner == "ignores-a-coordinate" else learner


def matches() -> list[tuple[str, str, int, dict[str, object]]]:
    """Return the matches of the page: `MATCHES`, and one match against kernel-awv for each other adversary.

    The adversaries in `WITHOUT_A_MATCH` are left out, and those that need data.
    """
    known = WITHOUT_A_MATCH | {adversary.partition("(")[0] for adversary, *_ in MATCHES}
    others = [name for name in registry.entries("adversary") if name not in known and not needs_data(name)]
    return [*MATCHES, *((name, "kernel-awv", GREEDY_ROUNDS, {"dimension": 2}) for name in others)]


def needs_data(adversary: str) -> bool:
    """Return whether the adversary cannot be built by its name alone, such as `replay`, which needs a data set."""
    try:
        build("adversary", adversary)
    except ArenaError:
        return True
    return False


def match(learner: str, adversary: str, rounds: int, **game: object) -> tuple[Transcript, float]:
    run, seconds = timed(lambda: play(player(learner), adversary, rounds=rounds, **game))
    assert run.ended == "completed", run.forfeit
    return run, seconds


def greedy_by_the_clock(learner: str, seconds: float, game: dict[str, object]) -> str:
    """Return, as text, greedy's regret after `seconds` seconds of a match and the number of rounds played by then."""
    rounds = GREEDY_ROUNDS
    while True:
        clock: list[float] = []
        begun = time.perf_counter()
        run = play(
            player(learner),
            "greedy",
            rounds=rounds,
            progress=lambda _, begun=begun, clock=clock: clock.append(time.perf_counter() - begun),
            **game,
        )
        played = int(np.searchsorted(clock, seconds))
        if played < rounds:
            return f"{run.regret[played - 1]:.1f} ({played} rounds)" if played else "no round"
        rounds *= 2


def for_whom() -> str:
    lines = []
    for adversary, learner, rounds, game in matches():
        run, seconds = match(learner, adversary, rounds, **game)
        usual, needed = match(learner, "greedy", min(rounds, GREEDY_ROUNDS), **game)
        looks = "no" if build("adversary", adversary).oblivious else "yes"
        field = ", ".join(f"{key}={value}" for key, value in game.items())
        same = greedy_by_the_clock(learner, seconds, game)
        lines.append(
            f"| `{adversary}` | {looks} | `{learner}` | {field} | {rounds} "
            f"| {run.regret[-1]:.1f} | {run.plain_regret[-1]:.1f} | {seconds:.2f} "
            f"| {usual.regret[-1]:.1f}{'' if usual.rounds == rounds else f' ({usual.rounds} rounds)'} "
            f"| {usual.plain_regret[-1]:.1f} | {needed:.2f} | {same} |"
        )
    return "\n".join(lines)


def figure_3() -> str:
    lines = []
    for learner, rounds, published in FIGURE_3:
        usual, needed = match(learner, "greedy", rounds, dimension=5)
        reached = [usual.plain_regret[-1]]
        for adversary in (f"joint(against={learner})", "feature-blind"):
            reached.append(match(learner, adversary, rounds, dimension=5)[0].plain_regret[-1])
        values = " | ".join(f"{value:.1f}" for value in reached)
        lines.append(f"| `{learner}` | {rounds} | {published} | {values} | {max(reached):.1f} | {needed:.2f} |")
        assert max(reached) >= published
    return "\n".join(lines)


def cost_of_greedy() -> str:
    lines, before = [], None
    for rounds in (125, 250, 500, 1000):
        run, seconds = match("kernel-awv", "greedy", rounds, dimension=5)
        growth = "" if before is None else f"{np.log2(seconds / before):.2f}"
        lines.append(f"| {rounds} | {run.regret[-1]:.1f} | {seconds:.1f} | {growth} |")
        before = seconds
    assert seconds <= 60.0, f"1000 rounds of greedy took {seconds:.0f} s"
    return "\n".join(lines)


def main(write: bool) -> None:
    match("kernel-awv", "greedy", 20)  # imports modules and fills caches
    text = HEADER.format(longest=GREEDY_ROUNDS) + for_whom() + "\n" + FIGURE_HEADER + figure_3() + "\n" + REMARK
    text += cost_of_greedy() + "\n" + NOTES
    publish(text, "adversaries.md", write=write)


NOTES = """
The time of a match grows at most with the third power of the rounds, and that of a round with the second: `greedy`
solves with the growing Cholesky factor for all candidate points together.

## Which to choose

- A learner without a known weakness: `greedy`, then `mixture`, which also finds out where greedy is not the best.
- Exact ridge learners: `leverage` for the regularised regret, `near-duplicates` for the plain one (a quarter of the
  rounds, whatever their number), `joint` and `lookahead` for the last tenth in short matches.
- First-order learners: `joint(against=...)`, `near-duplicates`. The Perceptron family: `contrarian`.
- Fixed features: `far-point` (Taylor), `feature-blind` (random). Budgets: `budget-breaker`; dictionaries of the first
  points: `drift`; samplers: `kors-evader`; restarts: `restart-forcer` and `feature-blind`; memories: `label-blocks`.
- Unclipped learners with very little regularisation: `outlier`. Where one wrong label moves the predictions only a
  little, it forces less than `greedy` and `alternating`.
- Learners that ignore a part of their input: `realisable`. Long matches and dictionaries that grow: `orthogonal`.
- Statements about expected losses: `drawn`, whose rounds are independent draws.
- Any loss: all but `greedy`, `joint`, `lookahead` and `mixture`, which need the squared loss.
"""


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main(write="--write" in sys.argv[1:])
