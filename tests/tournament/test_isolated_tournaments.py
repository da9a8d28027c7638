"""Tournaments in which users' learners play in processes of their own."""

import json
import os

import pytest

from arena import ArenaError, Tournament, play
from arena.engine import workers
from arena.engine.bubblewrap import SWITCH, why_not
from arena.engine.isolation import Isolation, is_outside
from arena.tournament.entrants import Absent
from arena.tournament.leaderboard import leaderboard
from arena.tournament.series import play_series
from arena.tournament.store import Store
from arena_tests.tournaments import digest, end_fork_server

pytestmark = pytest.mark.skipif(not workers.can_fork(), reason="isolation forks")


MINE = """
import ctypes, os
from arena import Learner, Theorem
{first}

class Own(Theorem):
    name = "own"
    def holds(self, run): return True

class Mine(Learner):
    theorems = ("awv-leverage",)
    def __init__(self, rate=0.5, powers=(1, 2)): self.rate, self.powers = rate, powers
    def begin(self, game, rng): self.noise = rng.normal()
    def predict(self, x): return float(self.rate * x[0] + 0.1 * self.noise)
    def update(self, x, y): pass

class Exits(Mine):
    def __init__(self): os._exit(0)

class Segfaults(Mine):
    def __init__(self): ctypes.string_at(0)

class Hangs(Mine):
    def __init__(self):
        while True: pass

class EndsLate(Mine):
    rounds = 0
    def update(self, x, y):
        self.rounds += 1
        if self.rounds == 4: os._exit(0)

class DiesOnce(Mine):
    def predict(self, x):
        try: os.mkdir("died")
        except FileExistsError: return 0.0
        os._exit(1)
"""
IMPORTED = "with open('imported', 'a') as file: file.write(f'{os.getpid()} ')"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return a function that writes the learners' file and returns the spec of a learner in it.

    The file records each process that imports it.
    """
    monkeypatch.chdir(tmp_path)

    def write(name, first=IMPORTED):
        (tmp_path / "mine.py").write_text(MINE.format(first=first))
        return f"./mine.py:{name}"

    return write


def imported_here(folder):
    file = folder / "imported"
    return file.exists() and str(os.getpid()) in file.read_text().split()


def test_learners_outside_the_arena_are_those_of_files_modules_adapters_and_other_packages():
    outside = ["./mine.py:Mine", "package.module:Mine(rate=1)", "krr(x=a.b:C)", "krr(x=[a(y=./b.py:C)])"]
    assert all(map(is_outside, outside))
    assert not any(map(is_outside, ["krr", "pkawv(embedding=taylor(degree=2))", object(), "no such spec ("]))


@pytest.mark.parametrize("workers", [0, 2])
def test_the_store_is_the_same_with_and_without_isolation(workers, mine, tmp_path):
    learners = [mine("Mine(rate=[0.1, 0.2])"), "krr"]
    plans = []
    for isolate in (True, False):
        plans.append(Tournament(learners, ["alternating", "contrarian"], [{"rounds": 12}], 2, isolate=isolate))
        assert imported_here(tmp_path) == (isolate is False)
        result = plans[-1].run(store=tmp_path / str(isolate), workers=workers)
        assert (result.played, result.failures, result.skipped) == (12, [], [])
        assert imported_here(tmp_path) == (isolate is False)
    assert [each.key for each in plans[0].matches] == [each.key for each in plans[1].matches]
    assert digest(tmp_path / "True") == digest(tmp_path / "False")


def test_a_model_of_another_library_has_the_same_key_and_content_isolated(tmp_path):
    for isolate in (True, False):
        plan = Tournament(["sklearn:linear_model.SGDRegressor"], ["drift"], [{"rounds": 5}], isolate=isolate)
        assert "package sklearn" in dict(plan.matches[0].content)
        assert isinstance(plan.learners[0].built, Absent) == isolate
        assert plan.run(store=tmp_path / str(isolate), workers=0).played == 1
    assert digest(tmp_path / "True") == digest(tmp_path / "False")


def test_what_was_kept_is_not_played_again(mine, tmp_path):
    for isolate, processes, played in ((True, 1, 1), (True, 0, 0), (False, 0, 0)):
        plan = Tournament([mine("Mine")], ["drift"], [{"rounds": 5}], isolate=isolate)
        assert plan.run(store=tmp_path / "store", workers=processes).played == played


@pytest.mark.parametrize("name", ["Exits", "Segfaults", "Hangs"])
def test_a_learner_that_ends_its_process_when_made_is_a_failure_and_the_others_play(name, mine, tmp_path):
    isolate = True if name != "Hangs" else Isolation(seconds=1)
    from arena.engine import isolation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "MAKING", 1.0)
        plan = Tournament([mine(name), "krr"], ["drift"], [{"rounds": 5}], 2, isolate=isolate)
        result = plan.run(store=tmp_path / "store", workers=0)
    assert (result.played, result.missing) == (2, 0)
    assert [failure.learner for failure in result.failures] == [f"./mine.py:{name}"] * 2
    how = {"Exits": "exit code 0", "Segfaults": "SIGSEGV", "Hangs": "did not answer within 1 s"}[name]
    assert how in result.failures[0].reason
    assert not list((tmp_path / "store").rglob("failures/**/*.json"))  # it may be made another time


def test_the_command_survives_an_import_that_ends_the_process(arena, mine, folder):
    mine("Mine", first="os._exit(0)")
    words = ["tournament", "./mine.py:Mine", "krr", "--against", "drift", "--rounds", 5, "--workers", 1, "--isolate"]
    code, out = arena(*words, "--json")
    found = json.loads(out)
    assert (code, found["played"], len(found["failed"])) == (1, 1, 1)
    assert "its process ended (exit code 0)" in found["failed"][0]["reason"]
    assert "fails: ./mine.py:Mine: it cannot be made" in arena(*words, "--dry-run")[1]
    (folder / "league.toml").write_text('learners = ["./mine.py:Mine", "krr"]\nadversaries = ["drift"]\n')
    code, out = arena(
        "tournament", "league.toml", "--trust", "--isolate", "--rounds", 5, "--store", "other", "--workers", 1
    )
    assert (code, "2 matches: 1 played" in out) == (1, True)
    assert arena(*words[:-1])[0] == 0  # the whole program is gone, with the learner's exit code


def test_mistakes_are_reported_before_anything_is_played(mine, tmp_path):
    with pytest.raises(Exception, match="no parameter 'rat'"):
        Tournament([mine("Mine(rat=1)")], ["drift"], isolate=True)
    with pytest.raises(Exception, match="has no 'Other'"):
        Tournament([mine("Other")], ["drift"], isolate=True)
    assert not imported_here(tmp_path)


def test_a_learner_that_ends_its_process_in_a_match_forfeits_and_is_tried_twice(mine, tmp_path):
    learners = [mine("EndsLate"), "./mine.py:DiesOnce"]
    result = Tournament(learners, ["contrarian"], [{"rounds": 9}], isolate=True).run(
        store=tmp_path / "store", workers=0
    )
    kept = {each.learner: each for each in Store(tmp_path / "store").summaries()}
    assert (result.played, result.failures) == (2, [])
    assert "exit code 0" in kept["./mine.py:EndsLate"].forfeit.reason
    assert kept["./mine.py:EndsLate"].rounds == 3
    assert kept["./mine.py:DiesOnce"].forfeit is None


def test_a_changed_file_is_noticed_by_the_isolated_process(mine, tmp_path):
    plan = Tournament([mine("Mine")], ["drift"], [{"rounds": 5}], isolate=True)
    mine("Mine", first=IMPORTED + "  # changed")
    result = plan.run(workers=0)
    assert "is not what the tournament was planned with" in result.skipped[0].reason
    assert not imported_here(tmp_path)


def test_series_and_leaderboards_make_no_isolated_learner_here(mine, tmp_path):
    series = play_series(mine("Mine"), "drift", seeds=2, rounds=5, workers=1, isolate=True)
    assert (len(series.results), series.forfeits) == (2, ())
    table = leaderboard("./mine.py:Mine", adversaries=["drift", "alternating"], rounds=5, workers=1, isolate=True)
    assert all(command.endswith("--isolate") for command in table.commands.values())
    assert not imported_here(tmp_path)
    ended = play_series("./mine.py:Exits", "drift", seeds=2, rounds=5, workers=1, isolate=True)
    assert "exit code 0" in ended.forfeits[0].forfeit.reason
    table = leaderboard("./mine.py:Exits", adversaries=["drift"], rounds=5, workers=1, isolate=True)
    assert "exit code 0" in table.rows[0].forfeit.reason


def test_theorems_of_the_learners_own_code_are_named_and_not_judged(mine, tmp_path):
    mine("Mine")
    text = (tmp_path / "mine.py").read_text().replace('("awv-leverage",)', '("awv-leverage", Own)')
    (tmp_path / "mine.py").write_text(text)
    run = play("./mine.py:Mine", "drift", rounds=5, isolate=True)
    assert run.theorems == ("awv-leverage", "./mine.py:Own")
    assert [verdict.theorem for verdict in run.verdicts()] == ["awv-leverage"]
    judgement = run.judgement()
    assert [each.theorem for each in judgement.unjudged] == ["./mine.py:Own"]
    for kept in (0, 1):
        result = Tournament(["./mine.py:Mine"], ["drift"], [{"rounds": 5}], isolate=True).run(
            store=tmp_path / "store", workers=0
        )
        assert (result.kept, result.played) == (kept, 1 - kept)
        (summary,) = result.summaries()
        assert summary.promised == ("awv-leverage", "./mine.py:Own")
        assert [verdict.theorem for verdict in summary.verdicts] == ["awv-leverage"]
        assert [each.theorem for each in summary.judgement.unjudged] == ["./mine.py:Own"]
    assert not imported_here(tmp_path)


def test_the_command_that_is_printed_repeats_the_isolation(arena):
    for words in ([], ["--seeds", 2]):
        _, out = arena("play", "krr", "drift", "--rounds", 5, "--isolate", *words)
        again = next(line for line in out.splitlines() if line.startswith("Again:"))
        assert "--isolate" in again
    assert "--isolate" not in arena("play", "krr", "drift", "--rounds", 5)[1]


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_tournament_plays_inside_bubblewrap_where_it_works(mine, tmp_path, monkeypatch):
    monkeypatch.delenv(SWITCH)
    end_fork_server()
    with pytest.raises(ArenaError, match="Read-only file system: 'imported'"):
        Tournament([mine("Mine")], ["drift"], [{"rounds": 5}], isolate=True)
    plan = Tournament([mine("Mine", first="")], ["drift"], [{"rounds": 5}], isolate=True)
    assert plan.run(store=tmp_path / "store", workers=1).played == 1
    end_fork_server()
