"""What an adversary may know: the past and, unless it promised not to look, the learner as it stands."""

from __future__ import annotations

from arena.players.adversary import has_own_block
from arena.testing.checks.check import CheckFailed, check
from arena.testing.checks.opponent import ROUNDS, Moving, Opponent, Still, same_moves
from arena.testing.one_by_one import OneByOne

TURN = 20


def _oblivious(opponent: Opponent) -> str | None:
    return None if opponent.adversary.oblivious else "it does not say that it is oblivious"


def _watching(opponent: Opponent) -> str | None:
    return "it says that it is oblivious, and is held to that" if opponent.adversary.oblivious else None


def _own_block(opponent: Opponent) -> str | None:
    return _oblivious(opponent) or (None if has_own_block(opponent.adversary) else "it has no block of its own")


@check(why_not=_oblivious)
def oblivious_never_looks(opponent: Opponent) -> None:
    """An adversary that says `oblivious` makes the same moves against anybody, whatever is predicted."""
    runs = [opponent.match(learner, OneByOne(opponent.fresh())) for learner in (Moving(), Still(), Moving())]
    if _differs(runs[0], runs[2]):
        return  # it does not repeat itself at all, which is for another check to say
    same_moves(
        runs[0], runs[1], "it says oblivious, but moves otherwise against another learner", points=ROUNDS, labels=ROUNDS
    )


def _differs(first: object, second: object) -> bool:
    try:
        same_moves(first, second, "", points=ROUNDS, labels=ROUNDS)  # type: ignore[arg-type]
    except CheckFailed:
        return True
    return False


@check("moves-are-legal", "same-seed-same-moves", why_not=_own_block)
def blocks_equal_single_moves(opponent: Opponent) -> None:
    """`block` gives the moves that `point` and `label` give one by one."""
    whole = opponent.match()
    single = opponent.match(adversary=OneByOne(opponent.fresh(), oblivious=True))
    same_moves(whole, single, "block and single moves differ", points=ROUNDS, labels=ROUNDS)


@check("moves-are-legal", "same-seed-same-moves", "the-learner-is-let-alone", why_not=_watching)
def only_the_past_is_known(opponent: Opponent) -> None:
    """Against two learners that part after some rounds it moves alike until then."""
    straight, turning = opponent.match(Moving()), opponent.match(Moving(TURN))
    what = f"learners that part after {TURN} rounds are met with different moves before"
    same_moves(straight, turning, what, points=TURN, labels=TURN)


@check("moves-are-legal", why_not=_watching)
def the_learner_is_let_alone(opponent: Opponent) -> None:
    """Asking is allowed, teaching is not: the learner hears of each round once, from the referee."""
    learner = Moving()
    run = opponent.match(learner)
    played = [(x.tobytes(), float(y)) for x, y in zip(run.points, run.labels, strict=True)]
    if learner.heard != played:
        raise CheckFailed(
            f"the learner was taught {len(learner.heard)} labels in {len(played)} rounds: ask a copy of it instead"
        )
