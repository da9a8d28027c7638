"""An explicit step turns missing values and words in a table into numbers, and reports each change."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import arena
from arena.adversaries.from_data import FromData
from arena.adversaries.replay import Replay
from arena.data import read_data
from arena.data.coding import Coding, read_coded
from arena.data.selection import Selection
from arena.errors import ArenaError

TABLE = """temp,colour,y
1.0,red,0.5
,green,-0.5
4.0,,1.0
1.0,red,
10,"dark blue",0
5,red,0.25
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text=TABLE, label_column=None, **how):
        path = tmp_path / "d.csv"
        path.write_text(text)
        return read_coded(path, Coding(**how), Selection(label_column))

    return read_text


@pytest.mark.parametrize(
    ("missing", "filler", "said"),
    [("mean", 5.0, "its mean, 5"), ("median", 4.5, "its median, 4.5"), ("zero", 0.0, "0")],
)
def test_gaps_are_filled_and_words_become_columns(read, missing, filler, said):
    data, report = read(missing=missing, categories="one-hot")
    assert data.names == ("temp", "colour=dark blue", "colour=green", "colour=red")
    assert data.X.tolist() == [[1, 0, 0, 1], [filler, 0, 1, 0], [4, 0, 0, 1], [10, 1, 0, 0], [5, 0, 0, 1]]
    assert data.y.tolist() == [0.5, -0.5, 1.0, 0.0, 0.25]
    assert report == (
        f"1 row without a label left out; 1 missing value of temp set to {said}; "
        "1 missing value of colour set to the most frequent, red; "
        "colour as 3 columns: colour=dark blue, colour=green, colour=red"
    )


def test_rows_with_gaps_are_dropped_and_words_become_codes(read):
    data, report = read(missing="drop", categories="ordinal")
    assert data.names == ("temp", "colour")
    assert data.X.tolist() == [[1, 1], [10, 0], [5, 1]]
    assert report == "3 rows with missing values left out; colour as 0 (dark blue), 1 (red)"


def test_words_as_labels_are_codes(read):
    data, report = read("a,answer\n1,yes\n2,no\n", categories="one-hot")
    assert data.y.tolist() == [1.0, 0.0]
    assert report == "answer as 0 (no), 1 (yes)"
    data, _ = read("answer,a\nyes,1\nno,2\n", categories="one-hot", label_column="answer")
    assert data.X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("categories", ["ordinal", "one-hot"])
def test_a_missing_label_is_no_class(read, categories):
    """It is refused unless `missing` says what to do, also after a label that is a word."""
    for labels in ("yes,,no", ",yes,no", "1,,2", "yes,nan,no"):
        text = "a,answer\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels.split(",")))
        with pytest.raises(ArenaError, match=r"line \d, .*answer.*: the value is missing"):
            read(text, categories=categories)
        assert len(read(text, categories=categories, missing="drop")[0].y) == 2


def test_a_table_without_a_header(read):
    data, _ = read("1,red,0.5\n2,blue,0.25\n", categories="one-hot")
    assert data.names == ("x0", "x1=blue", "x1=red")
    assert read("1,2\n3,4\n", missing="mean")[0].names == ()


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        (TABLE, {"categories": "ordinal"}, r"line 3, column 1 \('temp'\): the value is missing .*missing=drop"),
        (TABLE, {"missing": "mean"}, r"line 2, column 2 \('colour'\): 'red' is not a number: .*categories=one-hot"),
        ("a,b\n1,inf\n2,3\n", {"missing": "mean"}, r"line 2, column 2 \('b'\): inf is not finite"),
        ("a,b,y\n1,,3\n2,,3\n", {"missing": "mean"}, "column 2 .'b'. has no value at all"),
        ("a,y\n,3\n2,\n", {"missing": "drop"}, "every row lacks a value"),
        ("a,y\n1,2\n3\n", {"missing": "drop"}, "line 3, column 2 .'y'.: it has 1 values"),
        ("a,y\n" + "".join(f"w{i},1\n" for i in range(1001)), {"categories": "one-hot"}, "1,001 different words"),
    ],
)  # fmt: skip
def test_what_cannot_be_coded_is_named(read, text, how, said):
    with pytest.raises(ArenaError, match=said):
        read(text, **how)


def test_matches_play_the_coded_rows_and_say_so(tmp_path):
    (tmp_path / "d.csv").write_text(TABLE)
    for name in ("replay", "from-data"):
        run = arena.play("krr", f"{name}(file={tmp_path / 'd.csv'}, missing=mean, categories=one-hot)", rounds=9)
        assert run.rounds == 5
        assert run.game.features == ("temp", "colour=dark blue", "colour=green", "colour=red")
        assert "temp set to its mean, 5" in run.header["remark"]
    with pytest.raises(ArenaError, match="missing=drop, mean, median or zero"):
        arena.play("krr", f"replay(file={tmp_path / 'd.csv'}, categories=one-hot)")


def test_data_frames_with_gaps_and_words():
    frame = pandas.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["red", "blue", None], "c": [True, False, True]})
    how = {"missing": "mean", "categories": "one-hot"}
    for made in (Replay(X=frame, y=[0.0, 0.5, 1.0], **how), FromData(X=frame, y=[0.0, 0.5, 1.0], **how)):
        assert made.data.names == ("a", "b=blue", "b=red", "c")
        assert made.data.X.tolist() == [[1, 0, 1, 1], [2, 1, 0, 0], [3, 1, 0, 1]]
    with pytest.raises(ArenaError, match="missing=mean is for files and data frames of pandas, and X is a list"):
        Replay(X=[[1.0]], y=[1.0], missing="mean")


def test_files_without_text_have_no_words(tmp_path):
    np.savez(tmp_path / "d.npz", X=[[1.0]], y=[1.0])
    with pytest.raises(ArenaError, match="no table of text: missing=mean is for CSV"):
        read_coded(tmp_path / "d.npz", Coding("mean"))
    assert len(read_coded(tmp_path / "d.npz", Coding())[0].y) == 1


DATED = "day,town,price\n" + "".join(f"2025-01-{day:02},{'ABC'[day % 3]},{day}\n" for day in range(1, 29))


def test_dates_are_no_categories_and_can_be_left_out(read, tmp_path):
    with pytest.raises(ArenaError, match=r"28 different dates in 28 rows.*drop=\[day\].*weekday"):
        read(DATED, categories="one-hot")
    _, report = read(DATED, categories="ordinal")
    assert "dates: drop=[day] leaves them out" in report
    data = Replay(file=str(tmp_path / "d.csv"), drop=["day"], categories="one-hot").data
    assert data.names == ("town=A", "town=B", "town=C")


def test_words_that_hardly_repeat_are_no_categories(read):
    text = "name,y\n" + "".join(f"word{row},{row}\n" for row in range(30))
    with pytest.raises(ArenaError, match=r"30 different words in 30 rows.*drop=\[name\].*ordinal"):
        read(text, categories="one-hot")
    data, _ = read("name,y\n" + "".join(f"word{row % 12},{row}\n" for row in range(20)), categories="one-hot")
    assert data.X.shape == (20, 12)


def test_a_mark_of_comments_is_text_in_a_header_and_between_quotation_marks(read, tmp_path):
    text = 'lang,item #,y\n"C#",1,2 # a comment, with "marks"\nC,2,3\n'
    data, report = read(text, categories="ordinal")
    assert (data.X.tolist(), data.y.tolist()) == ([[1.0, 1.0], [0.0, 2.0]], [2.0, 3.0])
    assert report == "lang as 0 (C), 1 (C#)"
    assert read_data(tmp_path / "d.csv", drop=["lang"]).X.tolist() == [[1.0], [2.0]]


def test_labels_of_a_data_frame_are_checked(read):
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0]})
    gap = Replay(X=frame, y=pandas.Series([1, None, 0], dtype="Int64"), missing="drop")
    assert arena.play("zero", gap, rounds=2).labels.tolist() == [1.0, 0.0]
    with pytest.raises(ArenaError, match="y is missing: give X and y together"):
        Replay(X=frame, missing="drop")
    for y, shape in ((frame, r"\(3, 1\)"), (3, r"\(\)")):
        with pytest.raises(ArenaError, match=rf"y must have shape \(rows,\), but its shape is {shape}"):
            Replay(X=frame, y=y, missing="drop")
    with pytest.raises(ArenaError, match=r"every row lacks its label$"):
        read("a,y\n1,\n2,\n", missing="mean")
