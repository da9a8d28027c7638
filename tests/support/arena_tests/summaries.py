"""Made-up summaries of matches, with numbers that a test sets."""

from pathlib import Path

from arena.game.game import Game
from arena.record.forfeit import Forfeit
from arena.record.storage import game_as_json
from arena.record.verdict import Verdict
from arena.tournament.summary import Summary

GAME = game_as_json(Game())


def summary(
    learner="a", adversary="x", seed=0, *, regret=1.0, ends=None, game=None, forfeit=None, violated=(), **others
):
    """Return a summary of a match that was not played.

    `ends` are the two ends of the regret's interval. `forfeit` is the side that committed a foul. `violated` has the
    names of the violated theorems.
    """
    ends = ends if ends is not None else None if regret is None else (regret, regret)
    verdicts = tuple(Verdict(name, name, "violated", measured=2.0, allowed=1.0, round=1) for name in violated)
    fields = {
        "key": f"{learner}-{adversary}-{seed}", "path": Path(f"nowhere/{learner}-{adversary}-{seed}.npz"),
        "hindsight": "auto", "rounds": 200, "ended": "forfeit" if forfeit else "completed",
        "forfeit": Forfeit(forfeit, 3, "it predicted NaN") if forfeit else None, "loss": 10.0, "data_loss": None,
        "error_rate": None, "plain_regret": None, "dictionary_size": 7, "seconds": 0.1, "match_seconds": 0.2,
        "verdicts": verdicts,
    }  # fmt: skip
    exact = ends is not None and ends[0] == ends[1]
    return Summary(
        learner=learner, adversary=adversary, game=game or GAME, seed=seed,
        regret=ends[0] if exact else None, regret_ends=ends, **{**fields, **others},
    )  # fmt: skip


def league(regrets, *, adversaries=("x", "y", "z"), seeds=5):
    """Return summaries of the matches of all learners in `regrets` against all adversaries, with all seeds.

    `regrets` maps the name of a learner to a function that returns the regret for an adversary and a seed.
    """
    return [
        summary(learner, adversary, seed, regret=regret(adversary, seed))
        for learner, regret in regrets.items()
        for adversary in adversaries
        for seed in range(seeds)
    ]
