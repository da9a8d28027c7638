"""The adaptive part of a hunt: a bandit over adversaries and patterns, and changes of the sequences that came closest.

The bandit has an upper confidence bound on how close the matches of a source come to a violation; a source whose
matches take long is drawn less often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from arena.errors import ArenaError
from arena.hunt.candidates import Candidate, Script
from arena.hunt.game_space import GameSpace
from arena.hunt.judged_match import JudgedMatch
from arena.hunt.mutation import LONGEST, changed
from arena.hunt.patterns import LABELS, POINTS, heckled, script
from arena.hunt.target import Target
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
PATTERNS = SCRIPTS, HECKLERS, SPITE = "patterns", "heckled patterns", "spiteful patterns"
SPITEFUL = 30  # rounds of a match in which the theorem is asked for every label
STEPWISE = 0.4  # of the sequences, where blocks are possible


@dataclass
class Source:
    """A source of candidates, and the rewards of their matches."""

    name: str
    plays: int = 0
    seconds: float = 0.0
    rewards: float = 0.0
    fruitless: int = 0  # matches in a row in which no theorem applied

    def promise(self, total: int, second_each: float) -> float:
        """Upper confidence bound on the reward, less where a match takes longer than others do."""
        if not self.plays:
            return math.inf
        cost = math.log1p(self.seconds / self.plays / max(second_each, 1e-6))
        bonus = CURIOSITY * math.sqrt(math.log1p(total) / self.plays)
        return (self.rewards / self.plays + bonus) / (1.0 + 0.3 * cost)


@dataclass
class BestSequences:
    """The sequences worth changing: those that ended closest to a bound, and those with the largest step towards it."""

    closest: list[tuple[float, Candidate]] = field(default_factory=list)
    steepest: list[tuple[float, Candidate]] = field(default_factory=list)

    def take(self, match: JudgedMatch) -> None:
        """Keep the match's moves if they are among the best."""
        run = match.run
        if run is None or not 2 <= run.rounds <= LONGEST or match.closeness < 0:
            return
        moves = Script(np.array(run.points), np.array(run.labels))
        kind = match.candidate.kind.removesuffix(", changed")
        candidate = match.candidate.replace(moves=moves, adversary=None, kind=f"{kind}, changed", game=run.game)
        for values, value in ((self.closest, match.closeness), (self.steepest, match.steepest)):
            values.append((value - 1e-6 * run.rounds, candidate))
            values.sort(key=lambda pair: -pair[0])
            del values[KEPT:]

    def draw(self, rng: np.random.Generator) -> Candidate | None:
        """One of them, the better the likelier."""
        pool = self.steepest if rng.random() < 0.5 else self.closest
        return pool[min(int(rng.geometric(0.25)) - 1, len(pool) - 1)][1] if pool else None


class Bandit:
    """Chooses candidates in view of how close earlier ones came."""

    def __init__(self, space: GameSpace, target: Target, rng: np.random.Generator, best: BestSequences):
        self.space, self.target, self.rng, self.best = space, target, rng, best
        patterns = PATTERNS if target.adaptive else (SCRIPTS,)
        names = (*patterns, *adversaries(space, oblivious=not target.adaptive))
        self.sources = {name: Source(name) for name in names}
        self.total, self.spent = 0, 0.0
        self._drawn: Source | None = None

    def next(self, most: int) -> Candidate:
        """The next candidate, of at most so many rounds if that can be chosen."""
        self._drawn = None
        if self.rng.random() < 0.5 and (parent := self.best.draw(self.rng)) is not None:
            child = changed(parent, self.space, self.rng)
            return child.replace(stepwise=self._stepwise())
        each = self.spent / max(self.total, 1)
        self._drawn = max(self.sources.values(), key=lambda source: source.promise(self.total, each))
        return self._from(self._drawn.name, most)

    def learn(self, match: JudgedMatch) -> None:
        """Reward the source of the last candidate by its match."""
        source = self._drawn
        if source is None:
            return
        self.total, self.spent = self.total + 1, self.spent + match.seconds
        source.plays, source.seconds = source.plays + 1, source.seconds + match.seconds
        source.rewards += max(match.closeness, 0.0) + max(min(match.steepest, 1.0), 0.0)
        source.fruitless = source.fruitless + 1 if match.closeness < 0 else 0
        if source.fruitless >= 5 and len(self.sources) > 2 and source.name not in PATTERNS:
            del self.sources[source.name]

    def _from(self, name: str, most: int) -> Candidate:
        rng, space = self.rng, self.space
        game = space.game if rng.random() < 0.4 else space.drawn(rng)
        rounds = space.cut(min(int(rng.choice([5, 10, 20, 40, 40, 80, 160, 300])), most))
        game, seed = space.sized(game, rounds), int(rng.integers(2**31))
        if name not in PATTERNS:
            return Candidate(name, game, seed, adversary=name)
        points, labels = str(rng.choice(list(POINTS))), str(rng.choice(list(LABELS)))
        if name == HECKLERS:
            moves = heckled(points, labels, game, rng, rounds, after=int(rng.integers(1, max(rounds, 2))))
            return Candidate(f"{points}, heckled", game, seed, moves=moves)
        moves = script(points, labels, game, rng, min(rounds, SPITEFUL) if name == SPITE else rounds)
        if name == SPITE:
            theorem = self.target.theorems[int(rng.integers(len(self.target.theorems)))]
            return Candidate(f"{points}, spiteful", space.sized(game, len(moves)), seed, moves=moves, spite=theorem)
        return Candidate(f"{points}, {labels}", game, seed, moves=moves, stepwise=self._stepwise())

    def _stepwise(self) -> bool:
        """Stepwise or in blocks, which are faster."""
        ways = self.target.stepwise
        return bool(ways[0] if len(ways) == 1 else self.rng.random() < STEPWISE)


def adversaries(space: GameSpace, *, oblivious: bool) -> list[str]:
    """The specs of registered adversaries that suit the game, some with other parameters."""
    found = []
    for spec in (*registry.entries("adversary"), *VARIANTS):
        try:
            adversary = build("adversary", spec)
            adversary.arrange(space.game)
        except ArenaError:  # it needs a file, or another game
            continue
        if spec not in TOO_DEAR and (adversary.oblivious or not oblivious):
            found.append(spec)
    return found
