"""Tournaments in TOML files: all bad entries are reported together, with their keys; no foreign code runs unasked."""

import pytest

from arena import ArenaError
from arena.tournament.league import read_league

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
    assert plan.bounds == ("auto", "awv-logdet")
    assert {match.hindsight for match in plan.matches} == {"exact"}


def test_options_replace_what_the_file_says(read):
    plan = read(GOOD, fields={"rounds": 7}, seeds=1, only="krr", bounds="none")
    assert [(match.game.rounds, match.seed) for match in plan.matches] == [(7, 0)] * 4
    assert plan.bounds == ("none",)


def test_several_tables_of_games(read):
    plan = read(
        'learners = "zero"\nadversaries = "drift"\n[[game]]\nrounds = 5\n[[game]]\nrounds = 6\nlabel_bound = 2\n'
    )
    assert [(match.game.rounds, match.game.label_bound) for match in plan.matches] == [(5, 1.0), (6, 2.0)]


def test_theorems_get_the_name_of_the_setting(read):
    with pytest.raises(ArenaError, match=r"no setting 'theorems'\. It is called 'bounds' here"):
        read('learners = "zero"\nadversaries = "drift"\ntheorems = "awv-logdet"\n')


def test_every_bad_entry_is_reported_with_its_key(read, tmp_path):
    with pytest.raises(ArenaError) as raised:
        read(BAD)
    expected = [
        (": there is no setting 'bound'.", "Did you mean 'bounds'?"),
        (", learners[1]: ", "no learner named 'krrr'"),
        (", learners[2]: ", "run only with `trust=True`"),
        (", learners[3]: ", "a learner is a text such as"),
        (", adversaries[0]: ", "no adversary named 'greedyy'"),
        (", game.rounds: ", "rounds must be a whole number >= 1"),
        (", game.kernel: ", "run only with `trust=True`"),
        (", game.box: ", "cannot read the spec"),
        (", game.roundz: ", "no field 'roundz'. Did you mean 'rounds'?"),
        (", seeds[1]: ", "seeds must be a whole number"),
        (", bounds[0]: ", "no theorem named 'awv-logdett'"),
        (": hindsight must be ", "auto, exact, interval, none"),
    ]
    lines = str(raised.value).splitlines()
    assert len(lines) == len(expected), lines
    for line, (place, problem) in zip(lines, expected, strict=True):
        assert line.startswith(f"{tmp_path / 'league.toml'}{place}"), line
        assert problem in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learners = [", "is not TOML"),
        ("adversaries = ['drift']", "learners are missing"),
        ("learners = []\nadversaries = ['drift']", "learners must be a list of specs"),
        ("learners = ['zero']\nadversaries = ['drift']\ngame = 3", "game must be a table"),
        ("learners = ['zero']\nadversaries = ['drift']\nseeds = 0", "seeds must be a whole number"),
        ("learners = ['zero']\nadversaries = ['drift']\nseeds = []", "seeds must be"),
        ("learners = ['zero']\nadversaries = ['drift']\nbounds = 3", "bounds must be a list"),
        ("learners = ['zero(']\nadversaries = ['drift']", "cannot read the spec"),
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
    with pytest.raises(ArenaError, match=r"learners(\[0\])?: .*run only with `trust=True`"):
        read(f'learners = ["{entry}"]\nadversaries = ["drift"]\n')
    for place in ("adversaries", "bounds", "game.kernel", "game.loss"):
        text = f'learners = ["zero"]\nadversaries = ["drift"]\n{place} = ["{entry}"]\n'
        text = text.replace('adversaries = ["drift"]\nadversaries', "adversaries")
        with pytest.raises(ArenaError, match="run only with `trust=True`"):
            read(text)
    assert not (tmp_path / "evil-was-here").exists()


def test_code_is_run_when_the_user_says_so(tmp_path, monkeypatch, read):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = read('learners = ["./mine.py:Mine"]\nadversaries = ["drift"]\n', trust=True)
    assert [match.learner for match in plan.matches] == ["./mine.py:Mine"]


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


def test_features_that_are_no_list_are_reported_with_their_key(tmp_path):
    path = tmp_path / "league.toml"
    path.write_text('learners = "zero"\nadversaries = "drift"\n[game]\nfeatures = 3\n')
    with pytest.raises(ArenaError, match=r"league\.toml, game: Game: features must be a list"):
        read_league(path)
