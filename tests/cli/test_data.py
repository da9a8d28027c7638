"""The command `arena data`."""

from __future__ import annotations

import json

import numpy as np

from arena.data.registry import registered_sets


def test_the_list_says_what_is_there(arena, write):
    write("casp.csv", "1,2,3,4,5,6,7,8,9,10\n")
    output = arena("data", "list", "--data", ".").output
    assert all(f"  {name} " in output for name in registered_sets())
    assert output.count("not there") == len(registered_sets()) - 1
    assert "casp.csv" in output
    rows = json.loads(arena("data", "list", "--data", ".", "--json").output)
    assert [row["name"] for row in rows if row["file"]] == ["casp"]


def test_show_prints_the_registry_and_the_content(arena, write):
    write("casp.csv", "1,2,3,4,5,6,7,8,9,10\n1,2,3,4,5,6,7,8,10,11\n")
    shown = json.loads(arena("data", "show", "casp", "--data", ".", "--json").output)
    assert shown["rows"] == 45_730
    assert shown["content"]["rows"] == 2
    assert shown["content"]["constant_columns"] == 8
    assert shown["content"]["registered"] is False
    assert "arena data fetch w8a" in arena("data", "show", "w8a").output
    assert "labels           10 (1 rows), 11 (1 rows)" in arena("data", "show", "./casp.csv").output


def test_prepare_writes_a_file_and_reports_every_change(arena, write):
    write("mine.csv", "0,2,5\n4,2,6\n")
    result = arena("data", "prepare", "./mine.csv", "--features", "[-1,1]", "--labels", "classes", "-o", "mine.npz")
    assert "2 rows; each of 2 columns to [-1,1] (1 constant ones to 0); labels 5 and 6 to -1 and 1" in result.output
    with np.load("mine.npz") as made:
        assert made["X"].tolist() == [[-1, 0], [1, 0]]
        assert made["y"].tolist() == [-1, 1]


def test_mistakes(arena, write):
    write("mine.csv", "0,2,5\n4,2,6\n")
    for words, message in (
        (("data", "fetch"), "name the data sets to fetch"),
        (("data", "fetch", "caps"), "Did you mean 'casp'?"),
        (("data", "fetch", "casp", "--from", "nowhere"), "there is no folder nowhere"),
        (("data", "show", "./none.csv"), "there is no file none.csv"),
        (("data", "prepare", "./mine.csv", "-o", "mine.csv"), "must be an .npz"),
        (("data", "prepare", "./mine.csv", "--features", "unit", "-o", "m.npz"), "features must be one of"),
    ):
        result = arena(*words)
        assert result.exit_code == 2, words
        assert message in result.output


def test_prepare_codes_words_and_gaps_and_keeps_the_names(arena, write):
    write("mine.csv", "temp,colour,y\n1,red,5\n,blue,6\n")
    refused = arena("data", "prepare", "./mine.csv", "-o", "mine.npz")
    assert refused.exit_code == 2
    assert "categories=one-hot" in refused.output
    options = ("--missing", "mean", "--categories", "one-hot")
    result = arena("data", "prepare", "./mine.csv", *options, "-o", "mine.npz")
    assert "1 missing value of temp set to its mean, 1; colour as 2 columns: colour=blue, colour=red" in result.output
    shown = json.loads(arena("data", "show", "./mine.npz", "--json").output)["content"]
    assert shown["features"] == ["temp", "colour=blue", "colour=red"]
    assert "leave the options out" in arena("data", "prepare", "casp", *options, "-o", "casp.npz").output
