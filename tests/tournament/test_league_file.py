"""Tournaments in TOML files: all bad entries are reported together, with their lines; no foreign code runs unasked."""

import tomllib

import pytest

from arena import ArenaError
from arena.tournament.league import read_league
from arena.tournament.toml_lines import lines_of

GOOD = """
# everything that a file can say
learners = ["krr", "pkawv(embedding=taylor(degree=[2, 3]))"]
adversaries = [
  "alternating",  # the first
  "greedy",
]
seeds = [0, 3]
bounds = ["auto", "awv-logdet"]
hindsight = "exact"
only = "rounds=10"

[game]
rounds = [10, 20]
kernel = ["gaussian", "gaussian(bandwidth=2)"]
"""
BAD = """learners = ["krr",
   "krrr", './mine.py:X(a="[")',
   3]
adversaries = ["greedyy"]
seeds = [1,
 true]
bound = "x"
bounds = ["awv-logdett"]
hindsight = "no"
[game]
rounds = [10, 0]
kernel = ["gaussian",
  "gausian", "./mine.py:K"]
box = ["[-1,1]", "[0,1"]
roundz = 3
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text, **changes):
        (tmp_path / "league.toml").write_text(text)
        return read_league(tmp_path / "league.toml", **changes)

    return read_text


def test_a_file_is_a_tournament(read):
    plan = read(GOOD)
    assert len(plan.matches) == 3 * 2 * 2 * 2
    assert {match.seed for match in plan.matches} == {0, 3}
    assert {match.game.rounds for match in plan.matches} == {10}
    assert {match.bounds for match in plan.matches} == {("auto", "awv-logdet")}
    assert {match.hindsight for match in plan.matches} == {"exact"}


def test_options_replace_what_the_file_says(read):
    plan = read(GOOD, fields={"rounds": 7}, seeds=1, only="krr", bounds="none")
    assert [(match.game.rounds, match.seed, match.bounds) for match in plan.matches] == [(7, 0, ("none",))] * 4


def test_several_tables_of_games(read):
    plan = read(
        'learners = "zero"\nadversaries = "drift"\n[[game]]\nrounds = 5\n[[game]]\nrounds = 6\nlabel_bound = 2\n'
    )
    assert [(match.game.rounds, match.game.label_bound) for match in plan.matches] == [(5, 1.0), (6, 2.0)]


def test_theorems_get_the_name_of_the_setting(read):
    with pytest.raises(ArenaError, match=r"no setting 'theorems'\. It is called 'bounds' here"):
        read('learners = "zero"\nadversaries = "drift"\ntheorems = "awv-logdet"\n')


def test_every_bad_entry_is_reported_with_its_line(read):
    with pytest.raises(ArenaError) as raised:
        read(BAD)
    expected = {
        2: ["no learner named 'krrr'", "run only with --trust"],
        3: ["a learner is a text such as"],
        4: ["no adversary named 'greedyy'"],
        6: ["seeds must be a whole number"],
        7: ["no setting 'bound'. Did you mean 'bounds'?"],
        8: ["no theorem named 'awv-logdett'"],
        9: ["hindsight must be auto, exact, interval, none"],
        11: ["rounds must be a whole number >= 1"],
        12: ["run only with --trust"],
        14: ["cannot read the spec"],
        15: ["no field 'roundz'. Did you mean 'rounds'?"],
    }
    lines = str(raised.value).splitlines()
    found = [int(line.partition("line ")[2].partition(":")[0]) for line in lines]
    assert found == sorted(found)
    for number, parts in expected.items():
        for part in parts:
            assert any(f"line {number}: " in line and part in line for line in lines), (number, part, lines)
    assert len(lines) == sum(map(len, expected.values()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learners = [", "is not TOML"),
        ("adversaries = ['drift']", "learners are missing"),
        ("learners = []\nadversaries = ['drift']", "line 1: learners must be a list of specs"),
        ("learners = ['zero']\nadversaries = ['drift']\ngame = 3", "line 3: game must be a table"),
        ("learners = ['zero']\nadversaries = ['drift']\nseeds = 0", "line 3: seeds must be a whole number"),
        ("learners = ['zero']\nadversaries = ['drift']\nseeds = []", "line 3: seeds must be"),
        ("learners = ['zero']\nadversaries = ['drift']\nbounds = 3", "line 3: bounds must be a list"),
        ("learners = ['zero(']\nadversaries = ['drift']", "line 1: cannot read the spec"),
    ],
)
def test_mistakes_in_files(text, message, read):
    with pytest.raises(ArenaError, match=message):
        read(text)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ArenaError, match="cannot read"):
        read_league(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"learners = ['\xe9']")
    with pytest.raises(ArenaError, match="not UTF-8"):
        read_league(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    "entry",
    [
        "./evil.py:Evil",
        "evil:Evil",
        "ewa(of=['./evil.py:Evil'()])",
        "sklearn:linear_model.SGDRegressor(penalty=evil:Evil())",
    ],
)
def test_no_code_of_a_stranger_is_run(entry, tmp_path, monkeypatch, read):
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('evil-was-here').touch()\nclass Evil: pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ArenaError, match=r"line 1: .*run only with --trust"):
        read(f'learners = ["{entry}"]\nadversaries = ["drift"]\n')
    for place in ("adversaries", "bounds", "game.kernel", "game.loss"):
        text = f'learners = ["zero"]\nadversaries = ["drift"]\n{place} = ["{entry}"]\n'
        text = text.replace('adversaries = ["drift"]\nadversaries', "adversaries")
        with pytest.raises(ArenaError, match="run only with --trust"):
            read(text)
    assert not (tmp_path / "evil-was-here").exists()


def test_code_is_run_when_the_user_says_so(tmp_path, monkeypatch, read):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = read('learners = ["./mine.py:Mine"]\nadversaries = ["drift"]\n', trust=True)
    assert [match.learner for match in plan.matches] == ["./mine.py:Mine"]


TRICKY = '''a = "x" # a = 3
"quoted key" = """
several
lines""" # after three
b.c = [ # comment with ]
  1, [2,
  3], {x = 1, y = [
  4]},
]
d = 'lit # eral'
e = 1979-05-27 07:32:00
f = 3.14
[t.u]
g = [[1, 2], [3]]
[[n]]
h = 1
[[n]]
h = 2
'''


def test_lines_of_tricky_files():
    tomllib.loads(TRICKY)
    lines = lines_of(TRICKY)
    expected = {
        ("a",): 1, ("quoted key",): 2, ("b", "c"): 5, ("b", "c", 0): 6, ("b", "c", 1, 1): 7, ("b", "c", 2): 7,
        ("b", "c", 2, "y", 0): 8, ("d",): 10, ("e",): 11, ("f",): 12, ("t", "u"): 13, ("t", "u", "g", 1, 0): 14,
        ("n", 0, "h"): 16, ("n", 1, "h"): 18,
    }  # fmt: skip
    assert {path: lines.get(path) for path in expected} == expected


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ('["temp", "price"]', [("temp", "price")]),
        ('["a", "b", "c"]\ndimension = 3', [("a", "b", "c")]),
        ('[["a", "b"], ["c"]]', [("a", "b"), ("c",)]),
    ],
)
def test_names_of_features_are_one_value(given, names, tmp_path):
    path = tmp_path / "league.toml"
    path.write_text(f'learners = "zero"\nadversaries = "drift"\n[game]\nfeatures = {given}\n')
    assert [match.game.features for match in read_league(path).matches] == names


def test_features_that_are_no_list_are_an_entry_with_a_line(tmp_path):
    path = tmp_path / "league.toml"
    path.write_text('learners = "zero"\nadversaries = "drift"\n[game]\nfeatures = 3\n')
    with pytest.raises(ArenaError, match="line 4: Game: features must be a list"):
        read_league(path)


def test_quotes_at_the_end_of_a_text_of_several_lines():
    lines = lines_of('a = """x"""""\nb = 1\nc = \'\'\'\n\'x\'\'\'\'\nd = ["", """"""]\ne = 2\n')
    assert (lines["b",], lines["d",], lines["e",]) == (2, 5, 6)
