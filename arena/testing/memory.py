"""What broke a learner is kept, and played first when the same assertion is made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.counterexamples.case import Case, fresh, played
from arena.counterexamples.failures import Failure, Failures, shrink_and_keep
from arena.counterexamples.shrinking import Shrunk
from arena.errors import ArenaError
from arena.game.game import Game
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import identity, spec_text
from arena.testing.failure import RegretTooLarge, as_moves, told, violation
from arena.testing.session import run_settings


class Memory:
    """The failures that one assertion has seen: of this test, this learner, this opponent, in this game."""

    def __init__(self, learner: Any, *circumstances: Any, game: Game | None = None, fields: Any = None):
        settings = run_settings.get()
        self.learner = learner
        self.folder = None if settings.failures is None else Path(settings.failures)
        if self.folder is None:
            return
        self.name = identity(learner, build("learner", fresh(learner)))
        told_apart = [settings.test, self.name, *map(_text, circumstances), _text(game), _text(fields)]
        self.key = hashlib.sha256(json.dumps(told_apart).encode()).hexdigest()[:12]
        self.store = Failures(self.folder, trust=True)  # the folder is the tests' own, whose code is running anyway

    def shrink_and_keep(self, run: Transcript, theorem: Theorem | None) -> tuple[Shrunk | None, str | None]:
        """Shrink a failure and keep it for the next time; return the result, and the id under which it is kept.

        The result is None if the failure does not come again or shrinking is switched off, the id if nothing can be
        written.
        """
        budget = run_settings.get().shrinking
        if budget <= 0:
            return None, None
        store = None if self.folder is None else self.store
        result = shrink_and_keep(self.learner, run, theorem, budget=budget, store=store)
        if result.shrunk is not None and result.shrunk.interrupted:
            raise KeyboardInterrupt
        if result.failure is None:
            return result.shrunk, None
        try:
            self._links.mkdir(exist_ok=True)
            (self._links / f"{self.key}-{result.failure.id}").touch()
        except OSError:  # the test must report the failure, not the state of the disk
            return result.shrunk, None
        return result.shrunk, result.failure.id

    def known(self) -> list[Failure]:
        """What this assertion has seen, the shortest first."""
        if self.folder is None:
            return []
        seen = {path.name.partition("-")[2] for path in self._links.glob(f"{self.key}-*")}
        kept = {failure.id: failure for failure in self.store.kept()}
        for lost in seen - set(kept):  # somebody has removed it
            self._forget(lost)
        return sorted((kept[each] for each in seen & set(kept)), key=lambda failure: (failure.rounds, failure.id))

    def check(self, theorems: Sequence[Theorem]) -> RegretTooLarge | None:
        """Play what is known; the failure if the learner still fails. What it passes is forgotten."""
        for failure, run in self._played():
            problem = _problem(run, theorems)
            if problem is not None:
                message = "\n  ".join(
                    [problem[0], f"known since {failure.when[:10]}: arena failures show {failure.id}"]
                )
                return RegretTooLarge(message, run, problem[1], self.store.shrunk(failure))
            if not self.name.startswith("<"):  # of an object only the class is known: another one may have failed
                self._forget(failure.id)
                self.store.remove(failure)
        return None

    def _played(self) -> Iterator[tuple[Failure, Transcript]]:
        for failure in self.known():
            try:
                kept = self.store.smallest(failure)
                case = Case.of(kept)
                run = played(self.learner, case, seed=kept.seed, one_by_one=failure.one_by_one)
                yield failure, run if failure.one_by_one else as_moves(run, case.points, case.labels)
            except ArenaError:  # damaged, and set aside; or its kernel is gone
                self._forget(failure.id)

    @property
    def _links(self) -> Path:
        assert self.folder is not None
        return self.folder / "assertions"

    def _forget(self, name: str) -> None:
        (self._links / f"{self.key}-{name}").unlink(missing_ok=True)


def _problem(run: Transcript, theorems: Sequence[Theorem]) -> tuple[str, Any] | None:
    """The message and the verdict, if this known match fails again."""
    if run.forfeit:
        return told(run, f"it fails again: {run.forfeit}", []), None
    for verdict in (theorem.verdict(run) for theorem in theorems):
        if verdict.violated:
            return violation(run, verdict), verdict
    return None


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={_text(each)}" for key, each in sorted(value.items()))
    if isinstance(value, (str, int, float)) or value is None:
        return str(value)
    return spec_text(value) if not isinstance(value, type) else value.__qualname__
