"""The columns that are played, the columns that are left out, and the label's column, in every format."""

import json

import numpy as np
import pytest

import arena.data.mapped as mapped
from arena.adversaries.from_data import FromData
from arena.adversaries.replay import Replay
from arena.data import read_data
from arena.data.limits import limits_of
from arena.data.selection import Selection
from arena.errors import ArenaError
from arena.record.setting import LISTED

NAMES = ["day", "temp", "wind", "price"]
TABLE = np.arange(20.0).reshape(5, 4)
TEMP_AND_WIND = TABLE[:, 1:3]


def write(folder, suffix):
    path = folder / f"d{suffix}"
    if suffix == ".csv":
        np.savetxt(path, TABLE, delimiter=",", header=",".join(NAMES), comments="")
    elif suffix == ".npy":
        np.save(path, TABLE)
    elif suffix == ".npz":
        np.savez(path, X=TABLE[:, :3], y=TABLE[:, 3], feature_names=np.array(NAMES[:3]))
    elif suffix == ".libsvm":
        path.write_text("".join(f"{y} 1:{a} 2:{b} 3:{c}\n" for a, b, c, y in TABLE + 1))
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow

        columns = [[f"2025-01-{row + 1}" for row in range(5)], *TABLE.T[1:].tolist()]  # words, which are left out
        parquet.write_table(pyarrow.table(dict(zip(NAMES, columns, strict=True))), path)
    return path


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("suffix", [".csv", ".npy", ".npz", ".libsvm", ".parquet"])
def test_each_format_leaves_columns_out(suffix, large, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if large:
        monkeypatch.setattr(mapped, "in_memory", lambda: 0)
    path, moved = write(tmp_path, suffix), float(suffix == ".libsvm")
    for selection in (Selection(drop=(0,)), Selection(columns=(1, 2))):
        data = mapped.open_data(path, selection)
        np.testing.assert_array_equal(data.X, TEMP_AND_WIND + moved)
        np.testing.assert_array_equal(data.y, TABLE[:, 3] + moved)
    assert mapped.open_data(path, Selection(columns=(2,))).X.shape == (5, 1)  # another key in the cache
    if suffix == ".npz":
        assert mapped.open_data(path).names == tuple(NAMES[:3])
        assert mapped.open_data(path, Selection(columns=("wind",))).names == ("wind",)
    if suffix in (".csv", ".parquet"):
        data = mapped.open_data(path, Selection("temp", drop=("day",)))
        assert data.names == ("wind", "price")
        np.testing.assert_array_equal(data.y, TABLE[:, 1])


def test_what_is_left_out_may_be_words_and_gaps(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("day,temp,price\n2025-01-01,3,1\n,4,2\n")
    assert read_data(path, drop=["day"]).X.tolist() == [[3.0], [4.0]]
    assert read_data(path, columns=["temp"]).names == ("temp",)
    assert FromData(file=str(path), drop=["day"]).data.X.tolist() == [[3.0], [4.0]]
    assert limits_of(path, drop=["day"])["box"] == ((3.0, 4.0),)
    with pytest.raises(ArenaError, match=r"line 2, column 1 \('day'\).*drop=\[NAME\]"):
        read_data(path)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"label_column": "pric"}, "no column 'pric'. Did you mean 'price'"),
        ({"drop": ["dya"]}, "no column 'dya'. Did you mean 'day'"),
        ({"drop": ["price"]}, "last column, price, and drop leaves it out: name the label's column"),
        ({"drop": [7]}, "0 to 3"),
        ({"columns": ["day"], "drop": ["temp"]}, "exclude each other"),
        ({"columns": ["price"]}, "no column is left but the label's"),
    ],
)
def test_mistakes_are_reported_before_any_row(options, complaint, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("day,temp,wind,price\n2025-01-01,words,words,1\n")
    with pytest.raises(ArenaError, match=complaint):
        read_data(path, **options)


def test_columns_of_arrays_and_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE[:, :3], columns=NAMES[:3])
    for X, drop in ((frame, "day"), (TABLE[:, :3], 0)):
        data = Replay(X=X, y=TABLE[:, 3], drop=[drop]).data
        np.testing.assert_array_equal(data.X, TEMP_AND_WIND)
        assert data.names == (("temp", "wind") if X is frame else ())
    coded = Replay(X=frame.assign(day="a"), y=TABLE[:, 3], drop=["day"], missing="mean").data
    np.testing.assert_array_equal(coded.X, TEMP_AND_WIND)


def test_prepare_and_the_box(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from arena.cli import main

    monkeypatch.chdir(tmp_path)
    words = "\n".join(f"2025-01-{row + 1},{'ABCDEFGHIJ'[row % 10]},{row},{row}" for row in range(30))
    (tmp_path / "d.csv").write_text(f"day,town,temp,price\n{words}\n")

    def run(*words):
        return CliRunner().invoke(main, words, prog_name="arena")

    prepared = run("data", "prepare", "d.csv", "--drop", "day", "--categories", "one-hot", "-o", "d.npz")
    assert prepared.exit_code == 0, prepared.output
    assert np.load("d.npz")["X"].shape == (30, 11)
    labelled = run("data", "prepare", "d.csv", "--columns", "price", "--label-column", "temp", "-o", "e.npz")
    assert labelled.exit_code == 0, labelled.output
    boxes = "d.npz", "replay(file=d.csv, drop=[day], categories=one-hot)"
    for box in boxes:
        result = run("play", "zero", "alternating", "--rounds", "3", "--box", box)
        assert f"[(0.0, 1.0), {'(0.0, 1.0), ' * (LISTED - 1)}... 11 in all]" in result.output.splitlines()[0]
        again = result.output.splitlines()[-1]
        assert again in (f"Again: arena play zero alternating --rounds 3 --box {text}" for text in (box, f"'{box}'"))
    games = [json.loads(run("play", "zero", "alternating", "--box", box, "--json").output)["game"] for box in boxes]
    assert games[0] == games[1]
    refused = run("play", "zero", "alternating", "--box", "d.csv")
    assert refused.exit_code == 2
    assert '--box "replay(file=d.csv, ...)"' in refused.output
