"""The plan of a tournament: a list of matches. A match's key is the hash of everything that determines the match."""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from arena.engine.code_transfer import places_in
from arena.engine.executors import Cluster
from arena.engine.isolation import Isolation
from arena.engine.match import Hindsight
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.adversary import arranged, as_adversary, check_foresight
from arena.players.learner import as_learner
from arena.record.storage import game_as_json
from arena.specs.building import build
from arena.specs.parameters import is_whole
from arena.specs.spelling import full_spec, is_unnamed, spec_text
from arena.tournament.entrants import Absent, Entrant, Trials, entrants, noting
from arena.tournament.grids import LARGEST, expanded_fields
from arena.tournament.provenance import Digests, digests_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from arena.tournament.running import Report, TournamentResult
    from arena.tournament.store import Store

GivenGame: TypeAlias = Game | Mapping[str, Any] | tuple[Game, Mapping[str, Any]]
ALGORITHM = 2  # raise it with every change after which the same specs, game and seed give another transcript


@dataclass(frozen=True)
class PlannedMatch:
    """A match to be played.

    `learner` and `adversary` are specs with the values of all parameters. `content` has the digests of data and code
    outside the arena. `given` are the learner and the adversary as the user gave them, from which they are built.
    """

    learner: str
    adversary: str
    game: Game
    seed: int
    given: tuple[Any, Any] = field(compare=False, repr=False)
    hindsight: Hindsight = "auto"
    content: Digests = ()
    names: tuple[str, str] = ("", "")  # specs of learner and adversary without default values, no part of the key
    name: str | None = None  # the name that the user gave the learner, no part of the key

    @cached_property
    def key(self) -> str:
        """The hash of everything that determines the match, in hexadecimal digits."""
        return key_of(self.determined)

    @property
    def determined(self) -> dict[str, Any]:
        """Everything that determines the match and its transcript, as plain values."""
        return {
            "algorithm": ALGORITHM,
            "learner": self.learner,
            "adversary": self.adversary,
            "game": dict(_full_game(self.game)),
            "seed": self.seed,
            "hindsight": self.hindsight,
            "content": dict(self.content),
        }

    def __str__(self) -> str:
        learner, adversary = self.names
        return f"{learner} against {adversary}, {self.game.rounds:,} rounds, seed {self.seed}"


def key_of(determined: Mapping[str, Any]) -> str:
    """Return the key of the match that these values determine."""
    return hashlib.sha256(json.dumps(determined, sort_keys=True).encode()).hexdigest()


@functools.lru_cache(maxsize=1000)
def _full_game(game: Game) -> tuple[tuple[str, Any], ...]:
    """Return the game's fields as plain values, with all parameters of kernel and loss."""
    values = {**game_as_json(game), "box": [list(np.atleast_1d(side).tolist()) for side in (game.low, game.high)]}
    for name in ("kernel", "loss"):
        values[name] = str(full_spec(getattr(game, name)))
    return tuple(values.items())


@dataclass(frozen=True)
class Skipped:
    """A learner, an adversary and a game that cannot be played together, with the reason.

    - If the reason was found in planning, `game` is None, and `matches` is the number of seeds.
    - If a player refused the game when a match began, `game` is this game, and `matches` is 1.
    """

    learner: str
    adversary: str
    game: Game | None
    reason: str
    matches: int = 1

    def __str__(self) -> str:
        return f"{self.learner} against {self.adversary}: {self.reason}"


class Tournament:
    """All matches of some learners, adversaries, games and seeds.

    - `learners` and `adversaries` are specs, classes or objects; a list in a spec is a grid.
    - A game is a `Game`; a mapping of fields, in which a list is a grid; or a pair of a `Game` and a mapping of fields
      without grids. An adversary may change the fields that no mapping sets, such as the dimension.
    - `seeds` is a sequence, or a number n for 0, 1, ..., n - 1.
    - `only` is a pattern with `*` and `?`. It keeps the matches whose text `LEARNER ADVERSARY rounds=N seed=N` has a
      part that fits.
    - With `grids=False` a list is a value, not a grid.
    - With `try_out`, games that the `begin` of a built-in player refuses are skipped.
    - `names` has a name for each of the `learners`, which tables, pages and figures show in place of a short spec.
      Learners with equal names, as in a grid, are shown by their specs.
    - With `isolate`, True or an `Isolation`, all learners play in separate processes. Their own theorems are then not
      judged, and learners whose specs name code outside the arena are never built in this process.

    >>> plan = Tournament(["krr", "pkawv-beforehand"], ["alternating", "greedy"], [{"rounds": [10, 20]}], seeds=3)
    >>> len(plan.matches), [skipped.adversary for skipped in plan.skipped]
    (18, ['greedy', 'greedy'])
    """

    def __init__(
        self,
        learners: Sequence[Any],
        adversaries: Sequence[Any],
        games: Iterable[GivenGame] = ({},),
        seeds: int | Sequence[int] = 1,
        *,
        bounds: Any = "auto",
        hindsight: Hindsight = "auto",
        comparators: Sequence[Any] = (),
        only: str = "",
        grids: bool = True,
        try_out: bool = True,
        isolate: bool | Isolation = False,
        names: Sequence[str] = (),
    ):
        self.seeds = _seeds(seeds)
        self.hindsight, self.claims = hindsight, bounds
        self.comparators = tuple(build("comparator", each) for each in comparators)
        self.bounds = tuple(each if isinstance(each, str) else spec_text(each) for each in _listed(bounds))
        problems: list[str] = []
        for name in {*self.bounds} - {"auto", "none"}:
            if not is_unnamed(name):
                noting(problems, functools.partial(build, "theorem", name))
        self.isolate = isolate
        self.learners = entrants("learner", learners, problems, grids=grids, isolate=isolate, names=names)
        self.adversaries = entrants("adversary", adversaries, problems, grids=grids)
        self.games = _games(games, problems, grids=grids)
        size = len(self.learners) * len(self.adversaries) * len(self.games) * len(self.seeds)
        if size > LARGEST:
            problems.append(f"a tournament may have {LARGEST:,} matches, but this one has {size:,}")
        if problems:
            raise ArenaError("\n".join(dict.fromkeys(problems)))
        self._try_out = Trials() if try_out else None
        self.matches: tuple[PlannedMatch, ...] = ()
        self.skipped: tuple[Skipped, ...] = ()
        self._plan(only)

    def _plan(self, only: str) -> None:
        matches: dict[str, PlannedMatch] = {}
        skipped = []
        for learner in self.learners:
            for adversary in self.adversaries:
                for start, fields in self.games:
                    try:
                        game = self._arranged(learner, adversary, start, fields)
                    except ArenaError as error:
                        skipped.append(Skipped(learner.name, adversary.name, None, str(error), len(self.seeds)))
                        continue
                    for seed in self.seeds:
                        if fits(only, text_of(learner.name, adversary.name, game.rounds, seed)):
                            match = self._match(learner, adversary, game, seed)
                            matches.setdefault(match.key, match)
        self.matches, self.skipped = tuple(matches.values()), tuple(skipped)

    def _arranged(self, learner: Entrant, adversary: Entrant, start: Game, fields: Mapping[str, Any]) -> Game:
        """Return the game `start` with the adversary's changes and the user's `fields`; the user's fields prevail.

        Raise an `ArenaError` if a player cannot play this game.
        """
        opposing = as_adversary(adversary.built)
        check_foresight(as_learner(learner.built), opposing, (learner.name, adversary.name))
        game = arranged(opposing, start, fields)
        if self._try_out:
            self._try_out.begin("learner", learner, game)
            self._try_out.begin("adversary", adversary, game)
        return game

    def _match(self, learner: Entrant, adversary: Entrant, game: Game, seed: int) -> PlannedMatch:
        content = tuple(sorted({*learner.content, *adversary.content, *_content_of(game)}))
        names = learner.name, adversary.name
        specs = learner.full, adversary.full
        given = learner.given, adversary.given
        return PlannedMatch(*specs, game, seed, given, self.hindsight, content, names, learner.called)

    @property
    def names(self) -> tuple[str, ...]:
        """The full specs of all learners and adversaries."""
        return tuple(each.full for each in (*self.learners, *self.adversaries))

    @property
    def places(self) -> frozenset[str]:
        """The files and modules outside the arena that the specs name.

        Specs of learners that are built in another process do not count.
        """
        bounds = [each for each in self.bounds if each not in ("auto", "none") and not is_unnamed(each)]
        games = {match.game for match in self.matches}
        parts = [str(full_spec(part)) for game in games for part in (game.kernel, game.loss)]
        players = [each.full for each in (*self.learners, *self.adversaries) if not isinstance(each.built, Absent)]
        texts = [each for each in (*players, *bounds, *parts) if not is_unnamed(each)]
        return places_in(texts)

    @cached_property
    def broken(self) -> dict[str, str]:
        """The reasons why learners cannot be made; the keys are the full specs of these learners."""
        return {each.full: each.broken for each in self.learners if each.broken}

    @property
    def all_specs(self) -> bool:
        """True if all learners and adversaries were given as specs, from which any process can build them."""
        return all(isinstance(each.given, str) for each in (*self.learners, *self.adversaries))

    def run(
        self,
        *,
        store: Store | str | Path | None = None,
        workers: int | None = None,
        executor: Executor | None = None,
        progress: Callable[[Report], None] | None = None,
        time_limit: float | None = None,
        retry: bool = False,
        isolate: bool | Isolation | None = None,
    ) -> TournamentResult:
        """Play the matches that the store lacks, and return the result.

        - `store` keeps transcripts with their judgements. Without a store the summaries are in memory, and there are no
          transcripts.
        - `workers` is the number of processes on this machine, by default one for each processor.
        - `executor` plays the matches in place of processes on this machine; `workers` is then the number of matches
          that are handed to it at a time.
        - `time_limit` is the largest number of seconds of one match.
        - With `retry`, matches whose failure is recorded in the store are played again.
        - With `isolate`, learners are isolated even if the tournament was made without it.
        """
        from arena.tournament.running import run

        return run(
            self,
            store=store,
            workers=workers,
            cluster=None if executor is None else Cluster(executor),
            progress=progress,
            time_limit=time_limit,
            retry=retry,
            isolate=isolate,
        )


def text_of(learner: str, adversary: str, rounds: int, seed: int) -> str:
    """Return `LEARNER ADVERSARY rounds=N seed=N`, the text with which patterns of matches are compared.

    `rounds` is the horizon.
    """
    return f"{learner} {adversary} rounds={rounds} seed={seed}"


def fits(pattern: str, text: str) -> bool:
    """Return whether a pattern with `*` and `?` fits a part of the text; brackets in it are plain characters."""
    return not pattern or fnmatch.fnmatchcase(text, f"*{pattern.replace('[', '[[]')}*")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _seeds(given: Any) -> tuple[int, ...]:
    if is_whole(given, at_least=1):
        given = range(given)
    if isinstance(given, str) or not isinstance(given, Collection):
        raise ArenaError(f"seeds must be a whole number >= 1, or a list of seeds, but it is {given!r}")
    if len(given) > LARGEST:
        raise ArenaError(f"a tournament may have {LARGEST:,} matches, but {len(given):,} seeds are wanted")
    if not len(given):
        raise ArenaError("seeds must be a whole number >= 1, or a list of seeds, but the list is empty")
    for seed in given:
        if not is_whole(seed, at_least=0):
            raise ArenaError(f"seed must be a whole number >= 0, but it is {seed!r}")
    return tuple(dict.fromkeys(map(int, given)))


def _games(given: Iterable[GivenGame], problems: list[str], *, grids: bool) -> list[tuple[Game, dict[str, Any]]]:
    """Return a pair (game, fields) for each game; the fields replace the game's own, and no adversary may change them.

    With `grids`, a mapping with lists gives several games. Messages of errors are appended to `problems`.
    """
    games: list[tuple[Game, dict[str, Any]]] = []
    for each in [given] if isinstance(given, (Game, Mapping)) else given:
        if isinstance(each, Game):
            games.append((each, {}))
            continue
        if isinstance(each, tuple):
            if noting(problems, functools.partial(each[0].replace, **each[1])) is not None:
                games.append((each[0], dict(each[1])))
            continue
        for fields in expanded_fields(each) if grids else [dict(each)]:
            if noting(problems, functools.partial(Game().replace, **fields)) is not None:
                games.append((Game(), fields))
    return games


@functools.lru_cache(maxsize=1000)
def _content_of(game: Game) -> Digests:
    return tuple(
        digest for built in (game.kernel, game.loss) for digest in digests_of(str(full_spec(built)), built, type(built))
    )
