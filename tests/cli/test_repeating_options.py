"""Options that the command repeating a match must have."""

import html
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, Transcript, play, play_series
from arena.engine import long_matches, match
from arena.hindsight import comparator
from arena.record.commands import play_command
from arena.record.repeating import OPTIONS, Option
from arena.record.storage import content_digest


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for module in (comparator, long_matches, match):
        monkeypatch.setattr(module, "EXACT_LIMIT", 500)
    monkeypatch.setattr(long_matches, "LONG", 500)
    monkeypatch.setattr(comparator, "FEW_POINTS", 50)
    monkeypatch.setattr("arena.components.long_sequences.MOST", 20)
    monkeypatch.setattr("arena.hindsight.certificate.affordable", lambda _: 20)
    monkeypatch.setenv("REGRET_ARENA_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 3))
    np.savez("data.npz", X=X, y=np.clip(np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=600), -1, 1))


def test_the_estimate_comes_first_and_the_interval_gets_narrow(arena):
    words = ("play", "fogd", "replay(file=data.npz)", "--rounds", 600)
    told = arena(*words)
    assert "narrowing the interval of the best loss" in told.stderr
    assert "at most 60 s" in told.stderr
    low, high = json.loads(arena(*words, "--json").stdout)["regret_interval"]
    assert high - low < 1e-3
    told = arena(*words, "--hindsight-time", 0, "--json")
    low, high = json.loads(told.stdout)["regret_interval"]
    assert high - low > 0.1
    assert "narrowing" not in told.stderr
    short = arena(*words, "--hindsight-time", 1e-6)
    assert "--hindsight-time allows" in short.stderr
    assert "--hindsight-time 1e-06" in short.stdout.split("Again:")[1]
    assert "--hindsight-time" not in arena(*words, "--hindsight-time", 60).stdout.split("Again:")[1]


GIVEN = ["--hindsight-time 0", "--hindsight-time 2.5", "--hindsight exact", "--exact", "--isolate"]


@pytest.mark.parametrize("option", GIVEN)
def test_a_saved_match_keeps_the_option_that_repeats_it(arena, option):
    words = ("play", "zero", "alternating", "--rounds", 510, *option.split())
    told = arena(*words, "--save", "match.npz", "--report", "played.html")
    again = told.stdout.split("Again: ")[1].strip()
    assert again.endswith(option) or option == "--exact"  # zero is never played through features
    assert arena("judge", "match.npz").exit_code == told.exit_code == 0
    assert arena("report", "match.npz").exit_code == 0
    page = Path("played.html").read_text()
    assert again in html.unescape(page)
    for versions in (page.split('id="versions"')[1], Path("report.html").read_text().split('class="versions"')[1]):
        listed = re.findall(r"<li>(\w+) ", versions.split("</ul>")[0])
        assert sorted(listed) == ["arena", "machine", "numpy", "python", "scipy"]


def test_a_match_from_python_keeps_the_option_too():
    run = play("zero", "alternating", rounds=510, hindsight="exact")
    assert play_command(run).endswith("--hindsight exact")
    assert "--hindsight" not in play_command(play("zero", "alternating", rounds=490, hindsight="exact"))


def test_exact_learners_say_how_they_were_played(arena):
    words = ("play", "kernel-awv", "replay(file=data.npz)", "--rounds", 600)
    told = arena(*words)
    assert "more than 500 different points: the learner was played through 20 features" in told.stdout
    assert "--exact" not in told.stdout.split("Again:")[1]
    exact = arena(*words, "--exact")
    assert "the learner was played" not in exact.stdout
    assert "--exact" in exact.stdout.split("Again:")[1]


def test_a_saved_match_is_replayed_exactly_on_request(arena):
    arena("play", "zero", "replay(file=data.npz)", "--rounds", 600, "--hindsight", "none", "--save", "moves.npz")
    told = arena("replay", "moves.npz", "kernel-awv")
    assert "the learner was played through 20 features" in told.stdout
    exact = arena("replay", "moves.npz", "kernel-awv", "--exact")
    assert "the learner was played" not in exact.stdout
    assert exact.stdout.endswith("Again: arena replay moves.npz kernel-awv --exact\n")


def test_an_isolated_learner_that_needs_features_is_refused(arena):
    words = ("play", "krr", "replay(file=data.npz)", "--rounds", 600, "--hindsight", "none", "--isolate")
    refused = arena(*words)
    assert refused.exit_code == 2
    assert "krr plays more than 500 different points through features" in refused.stderr
    assert arena(*words, "--exact").exit_code == 0


def words_of(option: Option) -> tuple[str, ...]:
    if isinstance(option.kind, tuple):
        return option.flag, option.kind[-1]
    return option.flag, *{bool: (), float: ("7.25",), "comparator": ("constant",)}[option.kind]


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_what_is_declared_is_in_the_help_the_file_and_the_command(arena, option):
    assert option.flag in arena("play", "--help").stdout
    words = ("play", "krr", "repeated(points=3)", "--rounds", 510)  # so many that krr might need features
    plain = play_command(play("krr", "repeated(points=3)", rounds=510))
    assert option.flag not in plain
    told = arena(*words, *words_of(option), "--save", "match.npz", "--json")
    run = Transcript.load("match.npz")
    command = play_command(run)
    assert json.loads(told.stdout)["command"] == command == f"{plain} {shlex.join(words_of(option))}"
    arena(*shlex.split(command)[1:], "--save", "again.npz")
    assert content_digest(Transcript.load("again.npz")) == content_digest(run)
    several = json.loads(arena(*words, *words_of(option), "--seeds", 2, "--json").stdout)["command"]
    assert several == f"{command} --seeds 2"


def test_a_series_from_python_takes_the_options_too():
    options = {"hindsight_time": 3, "exact": True}
    command = "arena play krr 'repeated(points=3)' --rounds 510 --hindsight-time 3 --exact"
    assert play_command(play("krr", "repeated(points=3)", rounds=510, **options)) == command
    assert play_series("krr", "repeated(points=3)", seeds=1, rounds=510, workers=1, **options).seeds == (0,)
    with pytest.raises(ArenaError, match="hindsight_time must be a number >= 0, or None, but it is -1"):
        play_series("krr", "repeated(points=3)", seeds=1, rounds=510, workers=1, hindsight_time=-1)
