"""Other programs can read exported matches, which have the numbers of the store."""

import csv
import json
import math
import tracemalloc

import numpy as np
import pandas
import polars
import pytest

from arena import Store, Tournament
from arena.errors import ArenaError
from arena.record.tables import EXPORTED
from arena.record.verdict import Verdict
from arena.specs import extras
from arena.tournament.export import export, frame, row_of
from arena_tests.summaries import summary

SUMMARIES = [
    summary("krr", "greedy", 0, regret=1 / 3, verdicts=(Verdict("awv", "awv", "holds", measured=0.5, allowed=2.0),)),
    summary("pkawv(degree=3)", 'replay(file="a,b.csv")', 1, ends=(1.0, 2.0), dictionary_size=None),
    summary("krr", "greedy", 2, regret=math.inf, loss=math.inf, violated=("awv", "ogd")),
    summary("krr", "greedy", 2**40, regret=None, forfeit="learner"),
]


def test_a_row_holds_what_is_known():
    exact, interval, infinite, foul = map(row_of, SUMMARIES)
    assert list(exact) == list(EXPORTED)
    assert exact["regret"] == exact["regret_lower"] == exact["regret_upper"] == 1 / 3
    assert (exact["tightest"], exact["tightness"]) == ("awv", 0.25)
    assert json.loads(exact["verdicts"]) == {"awv": ["holds", 0.25]}
    assert (interval["regret"], interval["regret_lower"], interval["regret_upper"]) == (None, 1.0, 2.0)
    assert infinite["violated"] == "awv ogd"
    assert foul["forfeit"] == "the learner forfeits in round 3: it predicted NaN"
    assert (exact["kernel"], exact["rounds"], exact["box"]) == ("gaussian", 200, "[-1.0, 1.0]")


def test_csv(tmp_path):
    assert export(SUMMARIES, tmp_path / "m.csv") == 4
    with open(tmp_path / "m.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["adversary"] for row in rows] == [each.adversary for each in SUMMARIES]
    assert [row["regret"] for row in rows] == [repr(1 / 3), "", "inf", ""]
    assert pandas.read_csv(tmp_path / "m.csv")["seed"].tolist() == [0, 1, 2, 2**40]
    assert pandas.read_csv(tmp_path / "m.csv")["regret_upper"][:3].tolist() == [1 / 3, 2.0, math.inf]


def test_json_lines(tmp_path):
    assert export(iter(SUMMARIES), tmp_path / "m.jsonl") == 4
    rows = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [row["regret"] for row in rows] == [1 / 3, None, None, None]
    assert [row["dictionary_size"] for row in rows] == [7, None, 7, 7]
    assert "Infinity" not in (tmp_path / "m.jsonl").read_text()
    assert polars.read_ndjson(tmp_path / "m.jsonl")["learner"].to_list() == [each.learner for each in SUMMARIES]


@pytest.mark.parametrize("read", [pandas.read_parquet, polars.read_parquet], ids=["pandas", "polars"])
def test_parquet(tmp_path, read):
    assert export(SUMMARIES, tmp_path / "m.parquet") == 4
    table = read(tmp_path / "m.parquet")
    assert list(table.columns) == list(EXPORTED)
    assert list(table["regret_upper"])[:3] == [1 / 3, 2.0, math.inf]
    assert list(table["seed"]) == [0, 1, 2, 2**40]


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    def absent(_module):
        raise ModuleNotFoundError(name="pyarrow")

    monkeypatch.setattr(extras.importlib, "import_module", absent)
    with pytest.raises(ArenaError, match=r"pip install 'regret-arena\[data\]'"):
        export(SUMMARIES, tmp_path / "m.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("count", [0, 4])
def test_frames(make, count):
    table = make(frame(SUMMARIES[:count]))
    assert list(table.columns) == list(EXPORTED)
    assert len(table) == count
    if count:
        assert np.isnan(table["regret"][1])
        assert table["regret_lower"][1] == 1.0
        assert list(table["learner"]) == [each.learner for each in SUMMARIES]
        assert "int64" in str(table["seed"].dtype).lower()


def test_a_tournament_and_its_store_give_the_same_frame(tmp_path):
    result = Tournament(["krr", "zero"], ["alternating"], [{"rounds": 5}], 2).run(store=tmp_path / "store", workers=0)
    kept, played = pandas.DataFrame(Store(tmp_path / "store").frame()), pandas.DataFrame(result.frame())
    assert kept.equals(played)
    assert sorted(zip(kept["learner"], kept["seed"], strict=True)) == [("krr", 0), ("krr", 1), ("zero", 0), ("zero", 1)]
    regrets = {each.learner: each.regret[1] for each in result.ranking().standings}
    assert kept.groupby("learner")["regret"].mean().to_dict() == pytest.approx(regrets)


def test_a_seed_of_many_digits_is_no_hindrance():
    assert frame([summary(seed=2**70)])["seed"].tolist() == [float(2**70)]


@pytest.mark.parametrize("name", ["m.xlsx", "m", "folder.csv"])
def test_wrong_names(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ArenaError, match=r"\.csv, \.jsonl, \.parquet|is a folder"):
        export(SUMMARIES, tmp_path / name)


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(ArenaError, match="cannot write"):
        export(SUMMARIES, tmp_path / "nowhere" / "m.csv")


def test_an_error_on_the_way_leaves_no_file(tmp_path):
    def torn():
        yield SUMMARIES[0]
        raise ArenaError("the store is gone")

    for name in ("m.csv", "m.jsonl", "m.parquet"):
        with pytest.raises(ArenaError, match="gone"):
            export(torn(), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_memory_does_not_grow_with_the_matches(tmp_path, name, monkeypatch):
    monkeypatch.setattr("arena.tournament.export.PIECE", 20)
    export(SUMMARIES, tmp_path / name)  # imports

    def peak(matches):
        tracemalloc.start()
        export((summary(f"{number}" * 10_000) for number in range(1000, 1000 + matches)), tmp_path / name)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(400) < 1.5 * peak(60)  # a piece is made while the last one is still there


def test_a_seed_that_parquet_cannot_hold(tmp_path):
    with pytest.raises(ArenaError, match=f"a seed is {2**63}: export to .csv"):
        export([summary("krr", "greedy", 2**63)], tmp_path / "matches.parquet")
    assert list(tmp_path.iterdir()) == []
