"""A check before the match: a learner that needs all moves beforehand can only play an oblivious adversary."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.players.adversary import Adversary
from arena.players.learner import Learner, unusable


def check_foresight(learner: Learner, adversary: Adversary, names: tuple[str, str]) -> None:
    """Raise an `ArenaError` if the learner needs all moves beforehand, and the adversary is not oblivious.

    `names` are the names of the learner and of the adversary in the message.
    """
    with unusable("learner", learner, "foresight"):
        foresight = learner.foresight
    with unusable("adversary", adversary, "oblivious"):
        oblivious = adversary.oblivious
    if foresight and not oblivious:
        raise ArenaError(
            f"{names[0]} must know the whole sequence beforehand, so it cannot play against "
            f"{names[1]}, which waits for its predictions; choose an oblivious adversary"
        )
