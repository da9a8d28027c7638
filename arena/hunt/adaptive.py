"""The adaptive part of a hunt: it chooses the next candidates by the results of the earlier ones.

About half of the candidates are changed copies of the best sequences so far. The others come from sources, which are
adversaries and kinds of patterns. `Bandit` takes the source with the highest priority. A source has a high priority if
its matches came close to a violation, were few, or were fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from arena.arrays import Array, first_best, first_bests
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt.candidates import Candidate, Script
from arena.hunt.game_space import KERNELS, GameSpace
from arena.hunt.judged_match import HuntedMatch
from arena.hunt.patterns import LABELS, POINTS, anywhere, script, with_adaptive_signs
from arena.hunt.target import Target
from arena.players.adversary import arranged
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
TOO_SLOW = ("joint", "lookahead", "leverage")  # their own searches take long; the hunt searches anyway
EXPLORATION = 0.5  # factor of the width of the confidence interval
KEPT = 10  # sequences in each of the two lists of `BestSequences`
MOST_ROUNDS = 400  # rounds of the longest sequence that is changed: longer ones take too long to play
PATTERNS = FIXED, ADAPTIVE, SPITEFUL = "patterns", "patterns with adaptive signs", "spiteful patterns"
SPITEFUL_ROUNDS = 30  # few, since the theorem is computed for every label that is considered
STEPWISE = 0.4  # share of sequences played round by round, if the learner can also play in blocks

Change = Callable[[Game, np.random.Generator, Array, Array], tuple[Array, Array]]


@dataclass
class CandidateSource:
    """An adversary or a kind of patterns, as a source of candidates, with the sum of the rewards of its matches.

    The reward of a match is larger the closer the match came to a violation.
    """

    name: str
    plays: int = 0
    seconds: float = 0.0
    rewards: float = 0.0
    fruitless: int = 0  # matches in a row with negative closeness

    def priority(self, total: int, seconds_each: float) -> float:
        """Return the upper confidence bound on the mean reward of this source, reduced if its matches take long.

        `total` is the number of the matches of all sources, and `seconds_each` their mean duration. The priority is
        infinite before the first match of this source.
        """
        if not self.plays:
            return math.inf
        cost = math.log1p(self.seconds / self.plays / max(seconds_each, 1e-6))
        bonus = EXPLORATION * math.sqrt(math.log1p(total) / self.plays)
        return (self.rewards / self.plays + bonus) / (1.0 + 0.3 * cost)


@dataclass
class BestSequences:
    """The best sequences so far, by two measures; the hunt plays randomly changed copies of them.

    `closest` has the sequences after which a theorem's measured value was closest to the allowed value. `steepest` has
    the sequences in which measured - allowed rose most in one round.
    """

    closest: list[tuple[float, Candidate]] = field(default_factory=list)
    steepest: list[tuple[float, Candidate]] = field(default_factory=list)

    def add(self, match: HuntedMatch) -> None:
        """Add the match's moves to the lists `closest` and `steepest`, and keep the `KEPT` best sequences of each.

        `closest` ranks sequences by `match.closeness`, the largest measured / allowed of a theorem at the end.
        `steepest` ranks them by `match.steepest`, the largest rise of measured - allowed in one round.

        A match is not added if its closeness is negative, or if it has fewer than 2 or more than `MOST_ROUNDS` rounds.
        """
        run = match.run
        if run is None or not 2 <= run.rounds <= MOST_ROUNDS or match.closeness < 0:
            return
        moves = Script(np.array(run.points), np.array(run.labels))
        kind = match.candidate.kind.removesuffix(", changed")
        candidate = match.candidate.replace(moves=moves, adversary=None, kind=f"{kind}, changed", game=run.game)
        for values, value in ((self.closest, match.closeness), (self.steepest, match.steepest)):
            values.append((value - 1e-6 * run.rounds, candidate))
            values[:] = [values[i] for i in first_bests(np.array([each for each, _ in values]), KEPT)]

    def draw(self, rng: np.random.Generator) -> Candidate | None:
        """Return a random sequence of `closest` or `steepest`, better ones more often; None if there are none."""
        pool = self.steepest if rng.random() < 0.5 else self.closest
        return pool[min(int(rng.geometric(0.25)) - 1, len(pool) - 1)][1] if pool else None


class Bandit:
    """Chooser of the next candidate: half of the time a changed copy of a best sequence, else a candidate of a source.

    A source is an adversary or a kind of patterns. The source with the highest priority (`CandidateSource.priority`) is
    taken.
    """

    def __init__(self, space: GameSpace, target: Target, rng: np.random.Generator, best: BestSequences):
        self.space, self.target, self.rng, self.best = space, target, rng, best
        patterns = PATTERNS if target.adaptive else (FIXED,)
        names = (*patterns, *adversaries(space, oblivious=not target.adaptive))
        self.sources = {name: CandidateSource(name) for name in names}
        self.total, self.spent = 0, 0.0
        self._drawn: CandidateSource | None = None

    def next(self, most: int) -> Candidate:
        """Return the next candidate.

        A candidate has at most `most` rounds, with two exceptions: changed copies of earlier sequences, and adversaries
        in a game whose horizon must not be varied.
        """
        self._drawn = None
        if self.rng.random() < 0.5 and (parent := self.best.draw(self.rng)) is not None:
            child = changed(parent, self.space, self.rng)
            return child.replace(stepwise=self._stepwise())
        each = self.spent / max(self.total, 1)
        sources = list(self.sources.values())
        self._drawn = sources[first_best(np.array([source.priority(self.total, each) for source in sources]))]
        return self._from(self._drawn.name, most)

    def reward(self, match: HuntedMatch, seconds: float) -> None:
        """Add the reward and the duration of the last candidate's `match` to the source of this candidate.

        Nothing is added for a changed copy of a sequence, which has no source. An adversary is dropped after five
        matches in a row whose closeness (the largest measured / allowed of a theorem) is negative, as long as more than
        two sources are left.
        """
        source = self._drawn
        if source is None:  # the candidate is a changed copy
            return
        self.total, self.spent = self.total + 1, self.spent + seconds
        source.plays, source.seconds = source.plays + 1, source.seconds + seconds
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
        if name == ADAPTIVE:
            moves = with_adaptive_signs(points, labels, game, rng, rounds, after=int(rng.integers(1, max(rounds, 2))))
            return Candidate(f"{points}, adaptive signs", game, seed, moves=moves)
        moves = script(points, labels, game, rng, min(rounds, SPITEFUL_ROUNDS) if name == SPITEFUL else rounds)
        if name == SPITEFUL:
            theorem = self.target.theorems[int(rng.integers(len(self.target.theorems)))]
            return Candidate(f"{points}, spiteful", space.sized(game, len(moves)), seed, moves=moves, spite=theorem)
        return Candidate(f"{points}, {labels}", game, seed, moves=moves, stepwise=self._stepwise())

    def _stepwise(self) -> bool:
        ways = self.target.stepwise
        return bool(ways[0] if len(ways) == 1 else self.rng.random() < STEPWISE)


def adversaries(space: GameSpace, *, oblivious: bool) -> list[str]:
    """Return the specs of adversaries, registered or in `VARIANTS`, that can play `space.game` and are fast enough.

    With `oblivious`, only oblivious adversaries are returned.
    """
    found = []
    for spec in (*registry.entries("adversary"), *VARIANTS):
        try:
            adversary = build("adversary", spec)
            arranged(adversary, space.game)
        except ArenaError:  # the adversary needs a file, or another game
            continue
        if spec not in TOO_SLOW and (adversary.oblivious or not oblivious):
            found.append(spec)
    return found


def _flip(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    y[rng.integers(len(y))] *= -1.0
    return X, y


def _relabel(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    y[rng.integers(len(y))] = game.label_bound * float(rng.choice([-1.0, 1.0, 0.0, 0.1, -0.1]))
    return X, y


def _whisper(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """Multiply all labels except the last one by a random factor between 0.001 and 1; set the last label to B or -B."""
    y[:-1] *= np.round(10.0 ** rng.uniform(-3, 0), 9)
    y[-1] = game.label_bound * (1.0 if rng.random() < 0.5 else -1.0)
    return X, y


def _shout(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    return X, game.label_bound * np.where(y < 0, -1.0, 1.0)


def _move(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    width = np.round(10.0 ** rng.uniform(-3, 0), 9) * (game.high - game.low)
    X[rng.integers(len(y))] += width * np.round(rng.standard_normal(X.shape[1]), 9)
    return X, y


def _nudge(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """Set one coordinate of one point to a random value in the box."""
    i = int(rng.integers(X.shape[1]))
    X[rng.integers(len(y)), i] = rng.uniform(game.low[i], game.high[i])
    return X, y


def _again(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    here, there = rng.integers(len(y), size=2)
    X[here] = X[there]
    return X, y


def _swap(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    here, there = rng.integers(len(y), size=2)
    X[[here, there]], y[[here, there]] = X[[there, here]], y[[there, here]]
    return X, y


def _duplicate(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """Insert copies of a few consecutive rounds after these rounds."""
    start = int(rng.integers(len(y)))
    stop = min(start + int(rng.choice([1, 1, 2, 5, 20])), len(y))
    copies = 1 + int(rng.choice([1, 1, 2, 10]))
    rows = np.concatenate([np.arange(start), np.tile(np.arange(start, stop), copies), np.arange(stop, len(y))])
    return X[rows], y[rows]


def _delete(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    if len(y) < 3:
        return X, y
    start = int(rng.integers(len(y) - 1))
    stop = min(start + int(rng.choice([1, 1, 3, 10])), len(y) - 1)
    rows = np.concatenate([np.arange(start), np.arange(stop, len(y))])
    return X[rows], y[rows]


def _cut(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    size = int(rng.integers(min(2, len(y)), len(y) + 1))
    return X[:size], y[:size]


def _extend(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """Append a few rounds with labels B or -B, at points of the sequence or at random points."""
    count = int(rng.choice([1, 1, 2, 5, 20]))
    more = anywhere(game, rng, count) if rng.random() < 0.5 else X[rng.integers(len(y), size=count)]
    return np.concatenate([X, more]), np.concatenate([y, game.label_bound * rng.choice([-1.0, 1.0], size=count)])


def _twice(game: Game, rng: np.random.Generator, X: Array, y: Array) -> tuple[Array, Array]:
    """Append a copy of the whole sequence, either with the same labels or with the sign of every label changed."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return np.concatenate([X, X]), np.concatenate([y, sign * y])


CHANGES: tuple[Change, ...] = (
    _flip,
    _flip,
    _relabel,
    _whisper,
    _shout,
    _move,
    _nudge,
    _again,
    _swap,
    _duplicate,
    _delete,
    _cut,
    _extend,
    _extend,
    _twice,
)


def changed(candidate: Candidate, space: GameSpace, rng: np.random.Generator) -> Candidate:
    """Return the candidate with a few random changes of the sequence, and sometimes a changed field of the game."""
    assert candidate.moves is not None
    game = candidate.game
    X, y = candidate.moves.points.copy(), candidate.moves.labels.copy()
    if rng.random() < 0.15:
        game = neighbouring(game, space, rng)
    for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
        X, y = CHANGES[rng.integers(len(CHANGES))](game, rng, X, y)
        X, y = X[:MOST_ROUNDS], y[:MOST_ROUNDS]
    size = space.cut(len(y))
    X = np.clip(X[:size], game.low, game.high)
    y = np.clip(y[:size], -game.label_bound, game.label_bound)
    return candidate.replace(moves=Script(X, y), game=space.sized(game, size), adversary=None)


def neighbouring(game: Game, space: GameSpace, rng: np.random.Generator) -> Game:
    """Return the game with a random value of one field that the hunt may vary: lambda, the kernel or the label bound.

    The game is returned unchanged if the hunt may vary none of these fields.
    """
    fields = sorted(space.free & {"regularisation", "kernel", "label_bound"})
    if not fields:
        return game
    field = fields[rng.integers(len(fields))]
    factor = np.round(10.0 ** rng.uniform(-0.7, 0.7), 9)
    values = {
        "regularisation": float(np.clip(game.regularisation * factor, 0.05, 2000.0)),
        "kernel": build("kernel", str(rng.choice(KERNELS))),
        "label_bound": float(rng.choice([0.2, 1.0, 3.0])),
    }
    return game.replace(**{field: values[field]})
