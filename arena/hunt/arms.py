"""Where ideas come from once the opening is over: a bandit over adversaries and patterns, and the best so far, changed.

Each source is an arm with an upper confidence bound on how close its matches come to a violation, per match; sources
that cost much time are asked less. A part of the time goes to changing the sequences that came closest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.errors import ArenaError
from arena.hunt.ground import Ground
from arena.hunt.mutation import LONGEST, changed
from arena.hunt.scripts import LABELS, POINTS, heckled, script
from arena.hunt.sequences import Candidate, Script, Ways
from arena.hunt.trial import Trial
from arena.record.theorem import Theorem
from arena.specs import registry
from arena.specs.building import build

VARIANTS = (
    "greedy(starts=32, polished=0)",
    "greedy(starts=64, polished=2)",
    "repeated(points=2, labels=alternating)",
    "repeated(points=3, labels=contrary)",
    "repeated(points=20, labels=contrary)",
    "contrarian(source=leverage)",
    "contrarian(source=repeated)",
    "mixture(stretch=5)",
)
TOO_DEAR = ("joint", "lookahead", "leverage")  # they plan for long; the hunt plans itself
CURIOSITY = 0.5
KEPT = 10  # sequences that are changed, by each of two criteria
SCRIPTS, HECKLERS, SPITE = "patterns", "heckled patterns", "spiteful patterns"
SPITEFUL = 30  # rounds of a match in which the theorem is asked for every label
STEPWISE = 0.4  # of the sequences, where blocks are possible


@dataclass
class Arm:
    """A source of candidates and what came of them."""

    name: str
    plays: int = 0
    seconds: float = 0.0
    rewards: float = 0.0
    fruitless: int = 0

    def hope(self, total: int, second_each: float) -> float:
        """Upper confidence bound, less where a match takes longer than others do."""
        if not self.plays:
            return math.inf
        cost = math.log1p(self.seconds / self.plays / max(second_each, 1e-6))
        bonus = CURIOSITY * math.sqrt(math.log1p(total) / self.plays)
        return (self.rewards / self.plays + bonus) / (1.0 + 0.3 * cost)


@dataclass
class Elite:
    """The sequences worth changing."""

    closest: list[tuple[float, Candidate]] = field(default_factory=list)
    steepest: list[tuple[float, Candidate]] = field(default_factory=list)

    def take(self, trial: Trial) -> None:
        """Keep the match's moves if they are among the best."""
        run = trial.run
        if run is None or not 2 <= run.rounds <= LONGEST or trial.score < 0:
            return
        moves = Script(np.array(run.points), np.array(run.labels))
        kind = trial.candidate.kind.removesuffix(", changed")
        candidate = trial.candidate.replace(moves=moves, adversary=None, kind=f"{kind}, changed", game=run.game)
        for values, value in ((self.closest, trial.score), (self.steepest, trial.gain)):
            values.append((value - 1e-6 * run.rounds, candidate))
            values.sort(key=lambda pair: -pair[0])
            del values[KEPT:]

    def draw(self, rng: np.random.Generator) -> Candidate | None:
        """One of them, the better the likelier."""
        pool = self.steepest if rng.random() < 0.5 else self.closest
        return pool[min(int(rng.geometric(0.25)) - 1, len(pool) - 1)][1] if pool else None


class Arms:
    """Chooses what is tried next."""

    def __init__(
        self,
        ground: Ground,
        rng: np.random.Generator,
        elite: Elite,
        ways: Ways,
        theorems: Sequence[Theorem],
    ):
        self.ground, self.rng, self.elite, self.ways, self.theorems = ground, rng, elite, ways, theorems
        patterns = (SCRIPTS, HECKLERS, SPITE) if ways.adaptive else (SCRIPTS,)
        self.arms = {name: Arm(name) for name in (*patterns, *adversaries(ground, oblivious=not ways.adaptive))}
        self.total, self.spent = 0, 0.0
        self._asked: Arm | None = None

    def next(self, most: int) -> Candidate:
        """The next candidate, of at most so many rounds if that can be chosen."""
        self._asked = None
        if self.rng.random() < 0.5 and (parent := self.elite.draw(self.rng)) is not None:
            child = changed(parent, self.ground, self.rng)
            return child.replace(stepwise=self._way())
        each = self.spent / max(self.total, 1)
        self._asked = max(self.arms.values(), key=lambda arm: arm.hope(self.total, each))
        return self._from(self._asked.name, most)

    def learn(self, trial: Trial) -> None:
        """What came of the last candidate."""
        arm = self._asked
        if arm is None:
            return
        self.total, self.spent = self.total + 1, self.spent + trial.seconds
        arm.plays, arm.seconds = arm.plays + 1, arm.seconds + trial.seconds
        arm.rewards += max(trial.score, 0.0) + max(min(trial.gain, 1.0), 0.0)
        arm.fruitless = arm.fruitless + 1 if trial.score < 0 else 0
        if arm.fruitless >= 5 and len(self.arms) > 2 and arm.name not in (SCRIPTS, HECKLERS, SPITE):
            del self.arms[arm.name]

    def _from(self, name: str, most: int) -> Candidate:
        rng, ground = self.rng, self.ground
        game = ground.game if rng.random() < 0.4 else ground.drawn(rng)
        rounds = ground.cut(min(int(rng.choice([5, 10, 20, 40, 40, 80, 160, 300])), most))
        game, seed = ground.sized(game, rounds), int(rng.integers(2**31))
        if name not in (SCRIPTS, HECKLERS, SPITE):
            return Candidate(name, game, seed, adversary=name)
        points, labels = str(rng.choice(list(POINTS))), str(rng.choice(list(LABELS)))
        if name == HECKLERS:
            moves = heckled(points, labels, game, rng, rounds, after=int(rng.integers(1, max(rounds, 2))))
            return Candidate(f"{points}, heckled", game, seed, moves=moves)
        moves = script(points, labels, game, rng, min(rounds, SPITEFUL) if name == SPITE else rounds)
        if name == SPITE:
            theorem = self.theorems[int(rng.integers(len(self.theorems)))]
            return Candidate(f"{points}, spiteful", ground.sized(game, len(moves)), seed, moves=moves, spite=theorem)
        return Candidate(f"{points}, {labels}", game, seed, moves=moves, stepwise=self._way())

    def _way(self) -> bool:
        """Stepwise or in blocks, which are faster."""
        ways = self.ways.stepwise
        return bool(ways[0] if len(ways) == 1 else self.rng.random() < STEPWISE)


def adversaries(ground: Ground, *, oblivious: bool) -> list[str]:
    """The registered adversaries that suit the game, some with other parameters, by their specs."""
    found = []
    for spec in (*registry.entries("adversary"), *VARIANTS):
        try:
            adversary = build("adversary", spec)
            adversary.arrange(ground.game)
        except ArenaError:  # it needs a file, or another game
            continue
        if spec not in TOO_DEAR and (adversary.oblivious or not oblivious):
            found.append(spec)
    return found
