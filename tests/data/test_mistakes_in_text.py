"""The message about a mistake in a table or in LIBSVM text names its line."""

from __future__ import annotations

import pytest

from arena.data import files, read_data
from arena.errors import ArenaError

TABLES = {  # content: what the message says
    "1,2,3\n4,5,6\n7,8\n": r"line 3, column 3: it has 2 values, but the first row has 3: give every row as many",
    "1,2,3\n4,5,6,7\n": r"line 2, column 3: it has 4 values, but the first row has 3",
    "1 2 3\n4 5\n6\n": r"line 2, column 3: it has 2 values",
    "a,b,c\n1,2,3\n4,5\n": r"line 3, column 3 \('c'\): it has 2 values, but the header names 3",
    "1,2\n3\n4,5,6\n": r"line 2, column 2: it has 1 values",
    "a,b,c\n1,2,3\n4,INLAND,6\n": r"line 3, column 2 \('b'\): 'INLAND' is not a number: write its values as",
    "a,b\n1,2\n\n\n3,4x\n": r"line 5, column 2 \('b'\): '4x' is not a number",
    "1,2\n3,1_0\n": r"line 2, column 2: '1_0' is not a number",
    "1,2\n3,0x10\n": r"line 2, column 2: '0x10' is not a number",
    "1,2 3\n4,5\n": r"line 1, column 2: '2 3' is not a number",
    "id,2019\n1,2\n": r"line 1, column 1: 'id' is not a number",
    "1;2\n3;4,5\n": r"line 2, column 2: '4,5' is not a number: write a decimal point instead of the comma",
    "1,2,3\n4,,6\n": r"line 2, column 2: the value is missing \(empty\): fill it in or leave the row out",
    "1,2,3\n4,5,\n": r"line 2, column 3: the value is missing \(empty\)",
    "1,2,3\n4,5, \n": r"line 2, column 3: the value is missing \(empty\)",
    "1,2,3\n4, ,6\n": r"line 2, column 2: the value is missing \(empty\)",
    "1,2,\n4,5,6\n": r"line 1, column 3: the value is missing \(empty\)",
    "1,2,3\n4,NA,6\n": r"line 2, column 2: the value is missing \(NA\)",
    "NA,2,3\n4,5,6\n": r"line 1, column 1: the value is missing \(NA\)",
    "1,2,3\nnan,5,6\n": r"line 2, column 1: the value is missing \(nan\)",
    "1;2;3\n4;?;6\n": r"line 2, column 2: the value is missing \(\?\)",
    "1\t2\n3\t\n": r"line 2, column 2: the value is missing \(empty\)",
    "1,2\n3,-inf\n": r"line 2, column 2: -inf is not finite: mend the value or leave the row out",
    "1,2\n3,1e999\n": r"line 2, column 2: 1e999 is not finite",
    "1\n2\n3\n": r"has only one column: a row needs at least one coordinate and a label",
    "price\n2\n3\n": r"has only one column",
    "a,b,c\n": r"has a header but no rows: there is nothing to play",
    "# nothing\n": r"has no rows: there is nothing to play",
    "": r"data.csv is empty: it needs rows of numbers",
    "\n  \n": r"data.csv is empty: it needs rows of numbers",
}


@pytest.mark.parametrize("content", TABLES)
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
def test_a_mistake_in_a_table_is_named(folder, content, name):
    path = folder.write(name, content)
    with pytest.raises(ArenaError, match=TABLES[content].replace("data.csv", name)) as caught:
        read_data(path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_far_down_has_its_own_line_number(folder, monkeypatch):
    lines = ["a,b", *(f"{i},{i}" for i in range(5000))]
    lines[4321] = "1,oops"
    for chunk in (100, 1 << 23):
        monkeypatch.setattr(files, "CHUNK", chunk)
        with pytest.raises(ArenaError, match=r"line 4322, column 2 \('b'\): 'oops' is not a number"):
            read_data(folder.write("long.csv", "\n".join(lines)))


PAIRS = {
    "1 1:2\n-1 2:x\n": r"line 2, column 2: 'x' is not a number",
    "1 1:2\n-1 2:nan\n": r"line 2, column 2: the value is missing \(nan\)",
    "1 1:2\n-1 1:1 2:inf\n": r"line 2, column 3: inf is not finite",
    "1 1:2\nx 2:1\n": r"line 2, column 1 \(the label\): 'x' is not a number",
    "1 1:2\n2,3 2:1\n": r"line 2, column 1 \(the label\): '2,3' is not a number",
    "1 1:2\n-1 2:1 2:3\n": r"line 2, column 3: index 2 comes twice in this line: keep one of them",
    "1 1:2\n-1 2 3:1\n": r"line 2, column 2: '2' is not index:value, such as 3:0.5",
    "1 1:2\n-1 2 3:1:5\n": r"line 2, column 2: '2' is not index:value",
    "1 1:2\n-1 1.5:2\n": r"line 2, column 2: '1.5:2' is not index:value",
    "1 1:2\n-1 -1:2\n": r"line 2, column 2: '-1:2' is not index:value",
    "1 1:2\n:1 2 3:4\n": r"line 2, column 1 \(the label\): ':1' is not a number",
    "1 1:2\n-1 1::2\n": r"line 2, column 2: ':2' is not a number",
    "1 1:2\n3\n:4 5:6\n": r"line 3, column 1 \(the label\): ':4' is not a number",
    "1\n-1\n": r"has labels but no coordinates",
    "1 1:2\n-1 99999999999999:1\n": r"has 2 rows and 99999999999999 columns, \d+ GiB as a dense matrix: keep fewer",
}


@pytest.mark.parametrize("content", PAIRS)
def test_a_mistake_in_libsvm_text_is_named(folder, content):
    with pytest.raises(ArenaError, match=PAIRS[content]):
        read_data(folder.write("data.svm", content))
    with pytest.raises(ArenaError, match="the label stands first in each line: leave the label column out"):
        read_data(folder.path / "data.svm", label_column=0)


def test_text_that_is_not_utf8(folder):
    for content in (b"a,b\n1,2\n3,\xe9\n", b"1,2\n3,4\n\xe9,1\n"):
        with pytest.raises(ArenaError, match=r"line 3: byte 0xe9 is not UTF-8 text; save the file as UTF-8"):
            read_data(folder.write("latin.csv", content))
    with pytest.raises(ArenaError, match=r"line 1: byte 0xfc is not UTF-8 text"):
        read_data(folder.write("latin.csv", b"gr\xfcn,b\n1,2\n"))
    with pytest.raises(ArenaError, match=r"is not text \(it holds zero bytes\).*save it as CSV in UTF-8"):
        read_data(folder.write("wide.csv", "1,2\n3,4\n".encode("utf-16")))


def test_a_label_column_that_is_not_there(folder):
    named = folder.write("named.csv", "price,rooms,rooms\n1,2,3\n")
    bare = folder.write("bare.csv", "1,2,3\n")
    with pytest.raises(ArenaError, match=r"has no column 'prize'\. Did you mean 'price'\?"):
        read_data(named, label_column="prize")
    with pytest.raises(ArenaError, match="several columns 'rooms': give the label column by its index"):
        read_data(named, label_column="rooms")
    with pytest.raises(ArenaError, match="has no header to find 'price' in: give the label column by its index"):
        read_data(bare, label_column="price")
    for index in (3, -4):
        with pytest.raises(ArenaError, match=f"is one of 0 to 2 .* but it is {index}"):
            read_data(bare, label_column=index)
