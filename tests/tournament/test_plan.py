"""The matches of a tournament, what their keys depend on, and matches that cannot be played."""

import pytest

from arena import ArenaError, Game, Tournament
from arena.adversaries.drift import Drift
from arena.specs.grammar import parse_spec
from arena.tournament import plan as plans
from arena.tournament.grids import expanded

MINE = """
from helper import SHIFT

class Mine:
    def __init__(self, rate=0.1): self.rate = rate
    def predict(self, x): return SHIFT
    def update(self, x, y): pass
"""


def key(learner="krr", adversary="drift", seed=0, hindsight="auto", bounds="auto", **fields):
    (match,) = Tournament([learner], [adversary], [fields], [seed], hindsight=hindsight, bounds=bounds).matches
    return match.key


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with a user's learner, a file that it imports, and data."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "helper.py").write_text("SHIFT = 0.0\n")
    (tmp_path / "data.csv").write_text("0.5,1\n0.25,-1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_key_covers_what_determines_the_match():
    different = [
        key(),
        key(learner="krr(regularisation=2)"),
        key(adversary="drift(places=7)"),
        key(seed=1),
        key(rounds=7),
        key(kernel="gaussian(bandwidth=2)"),
        key(label_bound=2),
        key(hindsight="none"),
    ]
    assert len(set(different)) == len(different)


def test_the_key_covers_nothing_else():
    assert key() == key(learner="krr( regularisation = none )") == key(adversary="drift(places=50)")
    assert key() == key(bounds=["awv-logdet"]) == key(kernel="gaussian(bandwidth=1)", box=(-1, 1))
    assert key(learner="zero") != key()


def test_the_key_covers_data_code_and_the_version_of_the_algorithms(mine, monkeypatch):
    data = "replay(file=data.csv)"
    before = key(), key(adversary=data), key("./mine.py:Mine")
    (mine / "data.csv").write_text("0.5,1\n0.25,-0.5\n")
    assert key(adversary=data) != before[1]
    (mine / "data.csv").write_text("0.5,1\n0.25,-1\n")
    assert key(adversary=data) == before[1]
    (mine / "helper.py").write_text("SHIFT = 0.5\n")
    assert key("./mine.py:Mine") != before[2]
    (mine / "unrelated.py").write_text("")
    assert (key(), key(adversary=data)) == before[:2]
    monkeypatch.setattr(plans, "ALGORITHM", plans.ALGORITHM + 1)
    assert key() != before[0]


def test_data_that_change_during_a_tournament_are_noticed(mine):
    plan = Tournament(["zero"], ["replay(file=data.csv)"], [{"rounds": 2}])
    (mine / "data.csv").write_text("0.5,1\n0.25,-0.5\n")
    result = plan.run(workers=0)
    assert result.played == 0
    assert "is not what the tournament was planned with" in result.skipped[0].reason


def test_keys_are_the_same_in_every_version_of_python_and_on_every_machine():
    assert key(rounds=10) == "5f124d4c1cf649a5fd5a0a48d385b8358b0e6c8c8382b1f10eabe9c77ba14629"


@pytest.mark.parametrize(
    ("kind", "text", "specs"),
    [
        ("learner", "pkawv(embedding=taylor(degree=[2, 3]))", ["pkawv(embedding=taylor(degree=2))",
                                                               "pkawv(embedding=taylor(degree=3))"]),
        ("learner", "fgd(rate=[0.1, 0.2], steps=[constant])", ["fgd(rate=0.1, steps=constant)",
                                                               "fgd(rate=0.2, steps=constant)"]),
        ("learner", "ewa(of=[krr, zero])", ["ewa(of=[krr, zero])"]),
        ("learner", "ewa(of=[[krr], [zero]])", ["ewa(of=[krr])", "ewa(of=[zero])"]),
        ("adversary", "replay(file=[a.csv, b.csv], rows=[0, 5])", ["replay(file=a.csv, rows=[0, 5])",
                                                                   "replay(file=b.csv, rows=[0, 5])"]),
        ("learner", "sklearn:linear_model.SGDRegressor(alpha=[0.1, 0.2])",
         ["sklearn:linear_model.SGDRegressor(alpha=0.1)", "sklearn:linear_model.SGDRegressor(alpha=0.2)"]),
        ("learner", "krr", ["krr"]),
    ],
)  # fmt: skip
def test_grids(kind, text, specs):
    assert list(map(str, expanded(kind, parse_spec(text)))) == specs


def test_grids_of_games_and_their_sizes():
    plan = Tournament(["zero"], ["drift"], [{"rounds": [5, 6], "kernel": "gaussian(bandwidth=[1, 2])"}], 2)
    assert len(plan.matches) == 8
    boxes = Tournament(["zero"], ["drift"], [{"box": ["[0,1]", "[-2,2]"]}]).matches
    assert [match.game.box for match in boxes] == [(0.0, 1.0), (-2.0, 2.0)]
    assert len(Tournament(["zero"], ["drift"], [{"box": [[0, 1], [0, 2]], "dimension": 2}]).matches) == 1
    with pytest.raises(ArenaError, match="may have 1,000,000 matches"):
        Tournament(["zero"], ["drift"], [{}], 10**12)
    with pytest.raises(ArenaError, match="stands for 1,000,000,000 combinations"):
        Tournament(
            ["zero"], ["drift"], [{name: list(range(1, 1001)) for name in ("rounds", "label_bound", "dimension")}]
        )


def test_equal_entries_are_played_once():
    plan = Tournament(["krr", "krr(regularisation=none)"], ["drift", "drift"], [{}, Game()], [0, 0])
    assert len(plan.matches) == 1


@pytest.mark.usefixtures("mine")
def test_combinations_that_cannot_be_played_are_skipped_with_the_reason():
    plan = Tournament(
        ["krr", "pkawv-beforehand"],
        ["greedy", "replay(file=data.csv)", "drift"],
        [{"loss": ["squared", "hinge"]}, {"dimension": 3}],
        2,
    )
    reasons = {(each.learner, each.adversary): each.reason for each in plan.skipped}
    assert "needs the squared loss" in reasons["krr", "greedy"]
    assert "must know the whole sequence" in reasons["pkawv-beforehand", "greedy"]
    assert "1 columns but the game has dimension 3" in reasons["krr", "replay(file=data.csv)"]
    assert ("krr", "drift") not in reasons
    assert all(each.matches == 2 for each in plan.skipped)
    result = plan.run(workers=0)
    assert result.skipped == list(plan.skipped)
    assert result.played == len(plan.matches)


@pytest.mark.usefixtures("mine")
def test_data_have_their_own_dimension():
    (match,) = Tournament(["zero"], ["replay(file=data.csv)"]).matches
    assert match.game.dimension == 1


def test_a_match_that_is_refused_while_it_is_played_is_skipped():
    class Picky:
        def begin(self, game, rng):
            raise ArenaError("not this game")

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            pass

    result = Tournament([Picky, "zero"], ["drift"], [{"rounds": 5}]).run(workers=0)
    assert (result.played, result.missing) == (1, 0)
    assert [skipped.reason for skipped in result.skipped] == ["not this game"]


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(ArenaError) as raised:
        Tournament(["krrr", "fgd(rate=[1, -1])"], ["greedyy"], [{"rounds": 0}], bounds=["awv-logdett"])
    lines = str(raised.value).splitlines()
    assert len(lines) == 5
    for part in ("krrr", "rate", "greedyy", "rounds", "awv-logdett"):
        assert any(part in line for line in lines)
    for seeds in (0, True, [], [-1], [0.5]):
        with pytest.raises(ArenaError, match="seed"):
            Tournament(["zero"], ["drift"], seeds=seeds)
    with pytest.raises(ArenaError, match="at least one learner"):
        Tournament([], ["drift"])


def test_only_keeps_what_the_pattern_fits():
    plan = Tournament(
        ["krr", "fgd(rate=[0.1,0.2])"], ["drift", "greedy"], [{"rounds": [5, 15]}], 3, only="rate=0.1*greedy"
    )
    assert {(match.game.rounds, match.seed) for match in plan.matches} == {
        (t, seed) for t in (5, 15) for seed in range(3)
    }
    assert all("rate=0.1" in match.learner and match.adversary.startswith("greedy") for match in plan.matches)
    assert len(Tournament(["krr"], ["drift"], [{"rounds": [5, 15]}], 3, only="rounds=5 seed=?").matches) == 3


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (ValueError("no box"), "arrange(game) raised ValueError: no box"),
        (5, "must return a Game"),
        (None, "must return"),
    ],
)
def test_a_game_that_an_adversary_of_ones_own_fails_to_arrange_is_skipped(result, reason):
    class Arranges(Drift):
        def arrange(self, game):
            if isinstance(result, Exception):
                raise result
            return result

    plan = Tournament(["krr"], [Arranges(), "drift"], [{"rounds": 5}])
    assert len(plan.matches) == 1
    assert reason in plan.skipped[0].reason
