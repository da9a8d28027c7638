"""Titles and axes of a tournament's figures say no more than its matches show."""

import pytest

from arena.record.verdict import Verdict
from arena.tournament.figures import FigureData, tournament_figure
from arena_tests.summaries import GAME, league, summary

OTHER = {**GAME, "regularisation": 0.1}


def texts_of(drawn):
    return [" ".join(each.get_text().split()) for each in drawn.texts]


def ranked_by_loss(game):
    """Return matches of two learners whose regret is unknown; `quick` is faster and has the smaller loss."""
    return [
        summary("quick", game=game, regret=None, loss=1.0, seconds=0.1, dictionary_size=9),
        summary("slow", game=game, regret=None, loss=2.0, seconds=0.9, dictionary_size=7),
    ]


@pytest.mark.parametrize(
    ("matches", "measure"),
    [
        (ranked_by_loss(GAME), "loss"),
        ([*ranked_by_loss(GAME), summary("quick", game=OTHER, regret=1.0),
          summary("slow", game=OTHER, forfeit="learner")], "regret or loss"),
        ([summary("quick", regret=1.0), summary("slow", regret=float("inf"), loss=float("inf"))], "regret"),
    ],
)  # fmt: skip
def test_ranks_are_said_to_be_by_what_ranks(matches, measure):
    found = FigureData.of(matches)
    costs = tournament_figure(found, "time")
    assert costs.axes[0].get_ylabel() == f"Average rank by {measure} (1 is best)"
    assert texts_of(costs)[0] == "quick is fastest and has the best rank"
    assert f"Average rank by {measure} in " in texts_of(tournament_figure(found, "ranking"))[1]


def test_the_smallest_learner_and_the_best_may_be_two():
    assert texts_of(tournament_figure(FigureData.of(ranked_by_loss(GAME)), "size"))[0] == (
        "slow is smallest, quick has the best rank"
    )


def test_known_regrets_are_drawn_as_such():
    drawn = tournament_figure(FigureData.of(league({"a": lambda *_: 1.0, "b": lambda *_: 2.0})), "time")
    assert drawn.axes[0].get_ylabel() == "Mean regret at the end"
    assert texts_of(drawn)[0] == "a is fastest and has the least regret"


def judged(outcome, measured=1.0, allowed=2.0):
    return (Verdict("krr-bound", "krr-bound", outcome, measured=measured, allowed=allowed),)


@pytest.mark.parametrize(
    ("matches", "title", "cells"),
    [
        ([summary("a"), summary("b")], "No theorem was decided", ["–", "–"]),  # noqa: RUF001
        ([summary("a", verdicts=judged("undecided", 3.0))], "No theorem was decided", ["150"]),
        ([summary("a", verdicts=judged("undecided", 3.0)), summary("b", verdicts=judged("holds"))],
         "No theorem was violated", ["150", "50"]),
        ([summary("a"), summary("b", forfeit="learner")], "A forfeit in 1 of 2 pairings", ["–", "F"]),  # noqa: RUF001
        ([summary("a", forfeit="adversary"), summary("b", verdicts=judged("holds"))],
         "A forfeit in 1 of 2 pairings", ["F", "50"]),
        ([summary("a", violated=["krr-bound"]), summary("b", forfeit="learner"), summary("c")],
         "1 of 3 pairings violate a bound, a forfeit in 1", ["200", "F", "–"]),  # noqa: RUF001
        ([summary("a", violated=["krr-bound"])], "1 of 1 pairing violate a bound", ["200"]),
    ],
)  # fmt: skip
def test_the_title_of_the_matrix_is_what_its_cells_show(matches, title, cells):
    drawn = tournament_figure(FigureData.of(matches), "tightness")
    shown = [each.get_text() for each in drawn.axes[0].texts[: len(cells)]]
    assert (texts_of(drawn)[0], sorted(shown)) == (title, sorted(cells))


def test_equal_learners_are_named_by_their_number():
    matches = [summary(name, regret=1.0, seconds=0.1, dictionary_size=7) for name in "ab"]
    title = texts_of(tournament_figure(FigureData.of(matches), "size"))[0]
    assert title == "2 learners are smallest, 2 learners have the least regret"
