"""`Rounds`: a match played round by round, with extra calls of `predict` and `peek`, and judged after any round."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arena.arrays import Array
from arena.errors import describe_error
from arena.game.kernels import Kernel
from arena.guards.user_code import guarded
from arena.players.learner import overrides
from arena.players.random_numbers import random_numbers
from arena.players.referee import SET_UP, Foul, ask, fouls_of
from arena.record.theorem import Claim
from arena.record.transcript import Transcript
from arena.specs.building import build
from arena.specs.spelling import spec_text
from arena.testing.checks.check import CheckFailed, point_text, require_same
from arena.testing.checks.subjects import CheckedLearner, peek, predict
from arena.testing.failure import RegretTooLarge, violation_message
from arena.testing.handmade import transcript
from arena.testing.moves import Moves


class Rounds:
    """A learner in a match, with the rounds that have been played so far."""

    def __init__(self, subject: CheckedLearner):
        self.subject, self.game = subject, subject.game
        self.learner = subject.fresh()
        with fouls_of("learner", "begin", passing=SET_UP):
            self.learner.begin(self.game, random_numbers(subject.seed, "learner"))
        self.points: list[Array] = []
        self.labels: list[float] = []
        self.predictions: list[float] = []
        self.disturbed = False

    @property
    def played(self) -> int:
        """The number of rounds played so far."""
        return len(self.labels)

    def past(self, which: int) -> Array:
        """Return the point of round number `which`, counted from 0 and taken modulo the number of rounds played."""
        return self.points[which % self.played]

    def play(self, x: Array, y: float, asked: Array | None = None) -> None:
        """Play one round with this point and this label.

        If `asked` is given, the learner is also asked for a prediction at the point `asked`, between its prediction at
        `x` and the label.
        """
        __tracebackhide__ = True
        self._round(x, lambda _: y, asked)

    def play_contrary(self, x: Array) -> None:
        """Play one round in which the label is -B if the prediction is positive, otherwise B."""
        __tracebackhide__ = True
        bound = self.game.label_bound
        self._round(x, lambda prediction: -bound if prediction > 0 else bound)

    def ask_twice(self, x: Array) -> None:
        """Raise `CheckFailed` unless the learner makes three equal predictions at the point `x`.

        Before the third prediction, `peek` is called at `x` and at up to two earlier points.
        """
        __tracebackhide__ = True
        self.disturbed = True
        with self._refereed():
            first = predict(self.learner, x)
            self._same("asked twice at one point it says", first, predict(self.learner, x), x)
            peek(self.learner, np.array([*self.points[:2], x]))
            self._same("asked again after a peek it says", first, predict(self.learner, x), x)

    def peek(self, X: Sequence[Array]) -> None:
        """Raise `CheckFailed` unless the learner's `peek(X)` returns what its `predict` returns for each row of `X`."""
        __tracebackhide__ = True
        self.disturbed = True
        with self._refereed():
            for x, prediction in zip(X, peek(self.learner, np.array(X)).tolist(), strict=True):
                self._same("peek and predict give", prediction, predict(self.learner, x), x)

    def go_on_with_a_copy(self, x: Array, y: float) -> None:
        """Copy the learner, let the original learn the label `y` at `x`, and continue the match with the copy.

        Raise `CheckFailed` if this update of the original changes the copy's predictions.
        """
        __tracebackhide__ = True
        self.disturbed = True
        name = self.subject.name
        with guarded(lambda error: CheckFailed(f"{name} cannot be copied: {describe_error(error)}"), passing=()):
            twin = copy.deepcopy(self.learner)
        some = np.array([*self.points[:4], x])
        with self._refereed():
            before = peek(self.learner, some)
            ask("learner", self.learner.reveal, x.copy())
            ask("learner", self.learner.update, x.copy(), y)
            after = peek(twin, some)
        what = f"{name}: its copy predicts otherwise once the original has learnt a label"
        require_same(before, after, what, tolerance=1e-9)
        self.learner = twin

    def check_whole_match(self) -> None:
        """Raise `CheckFailed` if the predictions or the regret of the whole match are wrong.

        The predictions must be the same as in a match without extra calls of `predict` and `peek`, and without copies.
        The optimum in hindsight and the regret must agree with a solution of one linear system in plain NumPy.
        """
        __tracebackhide__ = True
        if self.disturbed:
            quiet = Rounds(self.subject)
            for x, y in zip(self.points, self.labels, strict=True):
                quiet.play(x, y)
            what = f"{self.subject.name}: the same rounds without and with questions and copies in between differ"
            require_same(np.array(quiet.predictions), np.array(self.predictions), what, tolerance=1e-8)
        check_against_direct_solve(self.transcript())

    def judge(self, theorem: Claim | Sequence[Claim], machine: Any) -> dict[str, float]:
        """Raise `RegretTooLarge` if a theorem is violated in the rounds so far; otherwise return the tightnesses.

        The result is {name of theorem: tightness}, without identities and theorems whose tightness is unknown or
        infinite. `machine` is the class of the hypothesis state machine. A violation also updates `machine.worst`, the
        largest margin of a violation in all examples so far.
        """
        __tracebackhide__ = True
        run = self.transcript()
        verdicts = run.verdicts(theorem)
        for verdict in verdicts:
            if verdict.violated:
                assert verdict.margin is not None
                machine.worst = max(machine.worst, verdict.margin)
                more = f"the largest margin among all examples so far: {machine.worst:.3g}"
                raise RegretTooLarge(violation_message(run, verdict, more), run, verdict)
        return {
            verdict.theorem: verdict.tightness
            for verdict in verdicts
            if verdict.tightness is not None and not verdict.is_deviation and np.isfinite(verdict.tightness)
        }

    def _round(self, x: Array, label: Callable[[float], float], asked: Array | None = None) -> None:
        __tracebackhide__ = True
        with self._refereed():
            ask("learner", self.learner.reveal, x.copy())
            prediction = predict(self.learner, x)
            self._same("asked twice at one point it says", prediction, predict(self.learner, x), x)
            y = float(label(prediction))
            if asked is not None:
                self.disturbed = True
                peek(self.learner, asked[np.newaxis])
                # after `reveal` a learner with coins may be asked by `predict` at the revealed point only
                if not overrides(self.learner, "reveal"):
                    predict(self.learner, asked)
            ask("learner", self.learner.update, x.copy(), y)
        self.points.append(x)
        self.labels.append(y)
        self.predictions.append(prediction)

    @contextlib.contextmanager
    def _refereed(self) -> Iterator[None]:
        """Context manager: a foul of the learner in the block raises `CheckFailed`."""
        __tracebackhide__ = True
        try:
            yield
        except Foul as foul:
            raise CheckFailed(f"{self.subject.name}: {foul.reason}") from foul.__cause__

    def _same(self, what: str, first: float, second: float, x: Array) -> None:
        __tracebackhide__ = True
        if not abs(first - second) <= 1e-9 * (1.0 + abs(first)):
            raise CheckFailed(f"{self.subject.name}: {what} {first:.9g}, then {second:.9g} (at {point_text(x)})")

    def transcript(self) -> Transcript:
        """Return the match so far."""
        X = np.array(self.points, dtype=float).reshape(self.played, self.game.dimension)
        y = np.array(self.labels, dtype=float)
        promised = tuple(build("theorem", theorem) for theorem in self.learner.theorems)
        return replace(
            transcript(X, y, self.predictions),
            game=self.game,
            learner=self.subject.name,
            adversary=spec_text(Moves.of(X, y)),
            seed=self.subject.seed,
            ended="completed" if self.played == self.game.rounds else "exhausted",
            theorems=tuple(map(spec_text, promised)),
            evidence={key: np.asarray(value) for key, value in self.learner.evidence().items()} if self.played else {},
            promised=promised,
        )


def direct_optimum(kernel: Kernel, regularisation: float, X: Array, y: Array) -> float:
    """Return the best regularised squared loss of these points and labels, by one linear solve in plain NumPy.

    It is min_f sum_t (f(x_t) - y_t)^2 + lambda ||f||^2 = lambda y' (K + lambda I)^-1 y, where lambda is the
    `regularisation`, f ranges over the RKHS of `kernel`, and K is the kernel matrix of the rows of `X`.

    >>> from arena.game.kernels import Linear
    >>> round(direct_optimum(Linear(), 1.0, np.array([[1.0]]), np.array([1.0])), 12)
    0.5
    """
    if not len(y):
        return 0.0
    # row by row: slow, but unlike the code that is tested
    K = np.array([kernel.gram(x[np.newaxis], X)[0] for x in X])
    return regularisation * float(y @ np.linalg.solve(K + regularisation * np.eye(len(y)), y))


def check_against_direct_solve(run: Transcript) -> None:
    """Raise `CheckFailed` unless the optimum in hindsight agrees with `direct_optimum`.

    The regret must agree with the loss minus `direct_optimum`, too. That function shares no code with
    `arena.hindsight`. Nothing is checked if the regret is unknown.
    """
    if not run.rounds or run.comparator.why_unknown:
        return
    kernel, regularisation = run.game.kernel, run.game.regularisation
    direct = direct_optimum(kernel, regularisation, run.points, run.labels)
    condition = 1.0 + run.rounds * float(kernel.diagonal(run.points).max()) / regularisation
    tolerance = 1e-9 + 64 * float(np.finfo(float).eps) * condition
    scale = tolerance * (1.0 + float(np.square(run.labels).sum()))
    _require_equal("the optimum in hindsight", float(run.hindsight().optimum[-1]), direct, scale)
    assert run.regret is not None
    _require_equal("the regret", float(run.regret[-1]), run.loss - direct, scale + tolerance * (1.0 + run.loss))


def _require_equal(what: str, ours: float, direct: float, tolerance: float) -> None:
    __tracebackhide__ = True
    if np.isfinite(ours) and not abs(ours - direct) <= tolerance:
        raise CheckFailed(f"{what} is {ours:.12g}, but a direct solve gives {direct:.12g}: is the kernel positive?")
