"""`learner_machine`: a hypothesis state machine that plays a learner against arbitrary moves, and shrinks failures.

    from arena.testing.stateful import learner_machine

    TestMyLearner = learner_machine(MyLearner)

pytest and unittest run the class. Hypothesis chooses the moves. A point is new, an earlier point, an earlier point
moved by the last bit of a coordinate, or a corner of the box. A label is arbitrary, or has the opposite sign of the
prediction. Between the rounds the machine calls `predict` several times, calls `peek`, or replaces the learner by a
copy. Between a prediction and its label, it may call `peek` and `predict` at another point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.specs.extras import import_extra

import_extra("hypothesis", "arena.testing.stateful")

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from arena.arrays import Array
from arena.engine.match import play
from arena.errors import ArenaError
from arena.game.game import Game
from arena.linalg.threads import one_thread
from arena.record.theorem import Claim
from arena.testing.checks.subjects import CheckedLearner
from arena.testing.regret import require_something_judged
from arena.testing.rounds import Rounds
from arena.testing.strategies import corners, labels, moved_by_an_ulp, points

GAME = Game(dimension=2, rounds=50)


def learner_machine(
    learner: Any,
    *,
    theorem: Claim | Sequence[Claim] = "auto",
    game: Game | None = None,
    seed: int = 0,
) -> Any:
    """Return a subclass of `unittest.TestCase` that plays the learner against arbitrary moves.

    `learner` is a spec, a class, a function that makes the learner, or an object, which is copied. In every example the
    test checks that

    - the predictions are finite, and a second call of `predict` returns the same value;
    - extra calls of `predict` and `peek`, and copies of the learner, change no prediction;
    - the regret equals the regret that plain NumPy computes by solving one linear system;
    - every theorem holds after every round: with `auto` the learner's promises, with `none` no theorem.

    The default game has two dimensions and 50 rounds. An `ArenaError` is raised if the learner has foresight, or if a
    theorem that the user named cannot be judged.

    Set hypothesis' settings on the class: `TestMyLearner.settings = settings(max_examples=500)`. The attribute
    `machine` of the class is the state machine.
    """
    subject = CheckedLearner(learner, game or GAME, seed)
    _require_something_to_check(subject, theorem)
    machine = _machine(subject, theorem)
    case = machine.TestCase
    case.machine = machine
    case.__doc__ = f"{subject.name} against arbitrary moves."
    return case


def _machine(subject: CheckedLearner, theorem: Claim | Sequence[Claim]) -> Any:
    game = subject.game
    some_points, some_labels = points(game), labels(game)
    which = st.integers(0, 7)

    class LearnerMachine(RuleBasedStateMachine):
        # the largest margin of all examples so far; hypothesis reports the smallest example, not the worst
        worst: float = 0.0

        def __init__(self) -> None:
            super().__init__()
            self.rounds = Rounds(subject)
            self.tightness: dict[str, float] = {}

        def has_past(self) -> bool:
            return 0 < self.rounds.played < game.rounds

        def has_time(self) -> bool:
            return self.rounds.played < game.rounds

        @precondition(has_time)
        @rule(x=some_points, y=some_labels, asked=st.none() | some_points)
        def new_point(self, x: Array, y: float, asked: Array | None) -> None:
            __tracebackhide__ = True
            self.rounds.play(x, y, asked)
            self.judge()

        @precondition(has_past)
        @rule(which=which, y=some_labels)
        def old_point(self, which: int, y: float) -> None:
            __tracebackhide__ = True
            self.rounds.play(self.rounds.past(which), y)
            self.judge()

        @precondition(has_past)
        @rule(which=which, coordinate=st.integers(0, game.dimension - 1), up=st.booleans(), y=some_labels)
        def an_ulp_away(self, which: int, coordinate: int, up: bool, y: float) -> None:
            __tracebackhide__ = True
            self.rounds.play(moved_by_an_ulp(game, self.rounds.past(which), coordinate, up), y)
            self.judge()

        @precondition(has_time)
        @rule(x=corners(game), y=some_labels)
        def corner(self, x: Array, y: float) -> None:
            __tracebackhide__ = True
            self.rounds.play(x, y)
            self.judge()

        @precondition(has_time)
        @rule(x=some_points)
        def contrary(self, x: Array) -> None:
            __tracebackhide__ = True
            self.rounds.play_contrary(x)
            self.judge()

        @precondition(has_past)
        @rule(which=which)
        def contrary_at_old_point(self, which: int) -> None:
            __tracebackhide__ = True
            self.rounds.play_contrary(self.rounds.past(which))
            self.judge()

        @rule(x=some_points)
        def ask_twice(self, x: Array) -> None:
            __tracebackhide__ = True
            self.rounds.ask_twice(x)

        @rule(X=st.lists(some_points, min_size=1, max_size=4))
        def peek(self, X: list[Array]) -> None:
            __tracebackhide__ = True
            self.rounds.peek(X)

        @rule(x=some_points, y=some_labels)
        def go_on_with_a_copy(self, x: Array, y: float) -> None:
            __tracebackhide__ = True
            self.rounds.go_on_with_a_copy(x, y)

        def judge(self) -> None:
            # after each round: a failing example ends there, and hypothesis can leave out the rounds before
            __tracebackhide__ = True
            with one_thread():
                self.tightness = self.rounds.judge(theorem, type(self))

        def teardown(self) -> None:
            # only at the end, since it takes as long as all the rounds
            __tracebackhide__ = True
            with one_thread():
                self.rounds.check_whole_match()
            for name, tightness in self.tightness.items():
                hypothesis.target(tightness, label=f"tightness of {name}")

    LearnerMachine.__name__ = LearnerMachine.__qualname__ = "LearnerMachine"
    return LearnerMachine


def _require_something_to_check(subject: CheckedLearner, theorem: Claim | Sequence[Claim]) -> None:
    """Raise an `ArenaError` if the learner has foresight, or if a theorem that the user named cannot be judged."""
    if subject.foresight:
        raise ArenaError(f"{subject.name} must know the whole sequence beforehand, so no moves can depend on it")
    if theorem in ("auto", "none"):
        return
    run = play(subject.fresh(), "alternating", game=subject.game, seed=subject.seed)
    if not run.forfeit:
        require_something_judged(run, run.verdicts(theorem), promised=False, otherwise=False)
