"""Names of learners in tournaments: shown in tables, while matches are grouped by specs."""

import pytest

from arena import ArenaError, Tournament, play_series
from arena.tournament.leaderboard import leaderboard
from arena.tournament.league import read_league

GAMES = [{"rounds": 6}]


def names_of(result):
    return {each.learner: result.tables.names[each.learner] for each in result.ranking().standings}


def test_tables_show_the_names_and_matches_keep_the_specs():
    result = Tournament(["krr", "fgd"], ["alternating"], GAMES, 2, names=["ours", "theirs"]).run(workers=0)
    assert names_of(result) == {"krr": "ours", "fgd": "theirs"}
    assert {row.learner for row in result.summaries()} == {"krr", "fgd"}
    assert "ours" in result._repr_html_()
    assert all(command.startswith(("arena play krr", "arena play fgd")) for command in result.commands.values())


def test_learners_of_one_name_are_ranked_by_their_specs():
    result = Tournament(["krr", "fgd"], ["alternating"], GAMES, 2, names=["ours", "ours"]).run(workers=0)
    assert names_of(result) == {"krr": "krr", "fgd": "fgd"}


def test_the_learners_of_a_grid_are_shown_by_their_specs():
    plan = Tournament(["fgd(rate=[0.1, 0.2])", "krr"], ["alternating"], GAMES, names=["steps", "ridge"])
    names = names_of(plan.run(workers=0))
    assert names.pop("krr") == "ridge"
    assert names == {each: each for each in ("fgd(rate=0.1)", "fgd(rate=0.2)")}


def test_a_name_is_no_part_of_the_key_and_replaces_the_name_of_a_kept_match(tmp_path):
    plans = [Tournament(["krr"], ["alternating"], GAMES, names=[name]) for name in ("first", "second")]
    assert [match.key for match in plans[0].matches] == [match.key for match in plans[1].matches]
    first, second = (plan.run(store=tmp_path, workers=0) for plan in plans)
    assert (first.played, second.kept) == (1, 1)
    assert (names_of(first), names_of(second)) == ({"krr": "first"}, {"krr": "second"})


@pytest.mark.parametrize("names", [["one"], ["one", "two", "three"], "ab", 2])
def test_there_is_one_name_for_each_learner(names):
    with pytest.raises(ArenaError, match="give one name for each of the 2 learners, in their order"):
        Tournament(["krr", "fgd"], ["alternating"], GAMES, names=names)


def test_names_in_a_league_file(tmp_path):
    file = tmp_path / "league.toml"
    file.write_text('learners = ["krr"]\nnames = ["ours"]\nadversaries = ["alternating"]\n[game]\nrounds = 6\n')
    assert names_of(read_league(file).run(workers=0)) == {"krr": "ours"}
    file.write_text('learners = ["krr"]\nnames = [3]\nadversaries = ["alternating"]\n')
    with pytest.raises(ArenaError, match="a name must be a text"):
        read_league(file)


def test_series_and_leaderboards_know_the_name():
    series = play_series("krr", "alternating", seeds=2, rounds=6, workers=1, name="ours")
    assert (series.learner, series.learner_name, series.adversary_name) == ("krr", "ours", "alternating")
    table = leaderboard("krr", adversaries=["drift"], rounds=6, workers=1, name="ours")
    assert [(row.learner, row.learner_name) for row in table.rows] == [("krr", "ours")]
