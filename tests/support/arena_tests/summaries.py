"""Made-up rows of matches, with numbers that a test sets."""

from arena.game.game import Game
from arena.record.both_sides import smallest_upper_bound
from arena.record.forfeit import Forfeit
from arena.record.judgement import Judgement
from arena.record.series import Series
from arena.record.storage import game_as_json
from arena.record.tables import MATCH, Entry, Tables
from arena.record.verdict import Verdict

GAME = game_as_json(Game())


def summary(
    learner="a",
    adversary="x",
    seed=0,
    *,
    regret=1.0,
    ends=None,
    game=None,
    forfeit=None,
    violated=(),
    verdicts=(),
    lower=(),
    path=None,
    **others,
):
    """Return the row of a match that was not played.

    `ends` are the two ends of the regret's interval. `forfeit` is the side that committed a foul. `violated` has the
    names of the violated theorems.
    """
    ends = ends if ends is not None else (None, None) if regret is None else (regret, regret)
    verdicts = verdicts or tuple(
        Verdict(name, name, "violated", measured=2.0, allowed=1.0, round=1) for name in violated
    )
    forfeits = (Forfeit(forfeit, 3, "it predicted NaN"),) if forfeit else ()
    judgement = Judgement(tuple(verdicts), tuple(lower), forfeits=forfeits)
    exact = ends[0] if ends[0] == ends[1] else None
    below, tightest = judgement.largest_lower, judgement.tightest
    values = dict.fromkeys(each.name for each in MATCH) | {
        "learner": learner, "adversary": adversary, "learner_name": learner, "adversary_name": adversary,
        "game": game or GAME, "seed": seed,
        "key": f"{learner}-{adversary}-{seed}", "hindsight": "auto", "rounds": 200,
        "ended": "forfeit" if forfeit else "completed", "forfeit": vars(forfeits[0]) if forfeits else None,
        "loss": 10.0, "dictionary_size": 7, "seconds": 0.1, "match_seconds": 0.2,
        "regret": exact, "regret_lower": ends[0], "regret_upper": ends[1],
        "violated": judgement.violated, "state": judgement.state, "tier": judgement.tier,
        "tightest": tightest[0] if tightest else "", "tightness": tightest[1] if tightest else None,
        "forced": below.allowed if below else None, "allowed": smallest_upper_bound(verdicts, exact),
        "comparators": {}, "regret_samples": [], "promised": (), "content": "",
    }  # fmt: skip
    place = f"nowhere/{learner}-{adversary}-{seed}.npz" if path is None else str(path)
    return Tables().add(Entry({**values, **others}, judgement), place)


def tables(matches):
    """Return the tables of these rows."""
    return Tables.of((each.entry, str(each.path)) for each in matches)


def series(matches):
    """Return the series of these rows."""
    found = tables(matches)
    return Series(found, tuple(range(len(found))))


def league(regrets, *, adversaries=("x", "y", "z"), seeds=5):
    """Return rows of the matches of all learners in `regrets` against all adversaries, with all seeds.

    `regrets` maps the name of a learner to a function that returns the regret for an adversary and a seed.
    """
    return [
        summary(learner, adversary, seed, regret=regret(adversary, seed))
        for learner, regret in regrets.items()
        for adversary in adversaries
        for seed in range(seeds)
    ]
