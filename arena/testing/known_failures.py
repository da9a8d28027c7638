"""Failures of an assertion, kept on disk and played first when the same assertion is made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.counterexamples.case import Case, fresh, played
from arena.counterexamples.failures import Failure, Failures
from arena.counterexamples.shrinking import Shrunk
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.engine.isolation import Isolation
from arena.errors import ArenaError
from arena.game.game import Game
from arena.players.learner import as_learner, promised_theorems
from arena.record.judging import Claims, theorems_named
from arena.record.theorem import Theorem
from arena.record.transcript import Transcript
from arena.record.verdict import Verdict
from arena.specs.building import build
from arena.specs.spelling import identity, is_unnamed, spec_text
from arena.testing.failure import (
    RegretTooLarge,
    failure_message,
    smallest_lines,
    violation_message,
    with_given_moves,
)
from arena.testing.session import run_settings


class KnownFailures:
    """The failures of one assertion that are kept on disk.

    In a later run, the assertion is recognised by the name of its test, the learner, the adversary, the theorems and
    demands, and its other arguments, such as the game.
    """

    def __init__(
        self,
        learner: Any,
        *identifying: Any,
        game: Game | None = None,
        fields: Any = None,
        isolate: bool | Isolation = False,
        name: str | None = None,
    ):
        settings = run_settings.get()
        self.learner, self.isolate, self.called = learner, isolate, name
        self.folder = None if settings.failures is None else Path(settings.failures)
        if self.folder is None:
            return
        # an isolated learner must not be made in this process
        isolated = bool(isolate) and isinstance(learner, str)
        self.name = learner if isolated else identity(learner, build("learner", fresh(learner)))
        parts = [settings.test, self.name, *map(_text, identifying), _text(game), _text(fields)]
        self.key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
        # the folder may name code to run, but it belongs to the tests, whose code is running anyway
        self.store = Failures(self.folder, trust=True)

    def failure(
        self,
        run: Transcript,
        message: str,
        theorem: Theorem | None = None,
        verdict: Verdict | None = None,
        *,
        shrinks: bool = True,
    ) -> RegretTooLarge:
        """Shrink the match, keep the result for the next run, and return the exception for the assertion to raise.

        `message` says what failed. `theorem` is the violated theorem, and `verdict` the verdict on it in this match.
        Each may be None, for instance after a forfeit. Nothing is shrunk if `shrinks` is false, or if the adversary
        forfeited.
        """
        adversary_failed = run.forfeit is not None and run.forfeit.side == "adversary"
        shrunk, kept_as = self._shrink_and_keep(run, theorem) if shrinks and not adversary_failed else (None, None)
        if shrunk is not None:
            message = "\n  ".join([message, *smallest_lines(shrunk, kept_as)])
        return RegretTooLarge(message, run, verdict, shrunk)

    def _shrink_and_keep(self, run: Transcript, theorem: Theorem | None) -> tuple[Shrunk | None, str | None]:
        """Shrink the match, keep the small match for the next run, and return a pair.

        - the `Shrunk`, or None if the match cannot be shrunk or shrinking is switched off;
        - the arguments with which `arena failures show` prints the small match, or None if it is not kept.
        """
        budget = run_settings.get().shrinking
        if budget <= 0:
            return None, None
        store = None if self.folder is None else self.store
        result = shrink_and_keep(self.learner, run, theorem, budget=budget, store=store, isolate=self.isolate)
        if result.shrunk is not None and result.shrunk.interrupted:
            raise KeyboardInterrupt
        if result.failure is None:
            return result.shrunk, None
        try:
            self._links.mkdir(exist_ok=True)
            (self._links / f"{self.key}-{result.failure.id}").touch()
        except OSError:  # the test must report the failure, not the state of the disk
            return result.shrunk, None
        return result.shrunk, f"{result.failure.id}{self.store.option}"

    def kept(self) -> list[Failure]:
        """Return the kept failures of this assertion, those with the fewest rounds first."""
        if self.folder is None:
            return []
        seen = {path.name.partition("-")[2] for path in self._links.glob(f"{self.key}-*")}
        kept = {failure.id: failure for failure in self.store.kept()}
        for lost in seen - set(kept):  # deleted by the user
            self._forget(lost)
        return sorted((kept[each] for each in seen & set(kept)), key=lambda failure: (failure.rounds, failure.id))

    def play_again(self, theorems: Callable[[Transcript], Sequence[Theorem]]) -> RegretTooLarge | None:
        """Play the kept failures until the learner fails again; return the exception, or None if all are passed.

        `theorems(run)` returns the theorems that judge the match `run`. If the learner has a spec, the failures that
        the learner passes are deleted.
        """
        for failure, run in self._played():
            verdicts = () if run.forfeit else map(run.verdict, theorems(run))
            broken = next((verdict for verdict in verdicts if verdict.violated), None)
            if run.forfeit or broken:
                again = f"it fails again: {run.forfeit}"
                message = violation_message(run, broken) if broken else failure_message(run, again, [])
                since = f"known since {failure.when[:10]}: arena failures show {failure.id}{self.store.option}"
                return RegretTooLarge(f"{message}\n  {since}", run, broken, self.store.shrunk(failure))
            # a name in angle brackets is that of a class: another object of the class may have failed
            if not is_unnamed(self.name):
                self._forget(failure.id)
                self.store.remove(failure)
        return None

    def _played(self) -> Iterator[tuple[Failure, Transcript]]:
        for failure in self.kept():
            try:
                kept = self.store.smallest(failure)
                case = Case.of(kept)
                options: Any = {"isolate": self.isolate, "name": self.called}
                run = played(self.learner, case, seed=kept.seed, one_by_one=failure.one_by_one, **options)
                yield failure, run if failure.one_by_one else with_given_moves(run, case.points, case.labels)
            except ArenaError:  # the file is damaged, or its kernel does not exist any more
                self._forget(failure.id)

    @property
    def _links(self) -> Path:
        assert self.folder is not None
        return self.folder / "assertions"

    def _forget(self, name: str) -> None:
        (self._links / f"{self.key}-{name}").unlink(missing_ok=True)


def theorems_for(learner: Any, claims: Claims) -> list[Theorem]:
    """Return the theorems that `claims` names; `auto` stands for the learner's promises."""
    promised = promised_theorems(as_learner(build("learner", fresh(learner))).theorems)
    return theorems_named(claims, promised)


def _text(value: Any) -> str:
    """Return a text that identifies the value and is the same in every process."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={_text(each)}" for key, each in sorted(value.items()))
    if isinstance(value, (str, int, float)) or value is None:
        return str(value)
    return spec_text(value) if not isinstance(value, type) else value.__qualname__
