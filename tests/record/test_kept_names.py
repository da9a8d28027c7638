"""Names in transcripts: they are kept, and leave the match's digest and the files of other matches as they are."""

import numpy as np
import pytest

from arena import ArenaError, Transcript, play
from arena.record.storage import content_digest
from arena.record.tables import Entry, JudgedMatch, Tables
from arena.testing import Moves

GAME = {"rounds": 5}


def test_a_name_is_kept_in_the_file_and_is_no_part_of_the_match(tmp_path):
    plain, named = (play("krr", "alternating", name=name, **GAME) for name in (None, "ours"))
    assert (named.learner, named.learner_name, named.adversary_name) == ("krr", "ours", "alternating")
    assert content_digest(plain) == content_digest(named)
    loaded = Transcript.load(named.save(tmp_path / "named.npz"))
    assert (loaded.learner, loaded.learner_name) == ("krr", "ours")
    np.testing.assert_array_equal(loaded.predictions, plain.predictions)


def test_a_file_without_names_is_read_and_no_short_spec_is_written(tmp_path):
    run = play("pkawv(embedding=taylor(degree=3))", "greedy", **GAME)
    assert not any(key.endswith("_name") for key in run.header)
    loaded = Transcript.load(run.save(tmp_path / "plain.npz"))
    assert loaded.learner_name == run.learner_name == "pkawv(embedding=taylor(degree=3))"


@pytest.mark.parametrize("name", ["", "x" * 41, "two\nlines", "\x1b[2J"])
def test_a_name_in_a_file_that_is_none_is_not_shown(tmp_path, name):
    run = play("krr", "alternating", **GAME)
    run.header["learner_name"] = name
    assert Transcript.load(run.save(tmp_path / "foreign.npz")).learner_name == "krr"


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "two\nlines", 3, ["ours"]])
def test_a_name_must_be_a_short_printable_text(name):
    with pytest.raises(ArenaError, match="a name must be a text of 1 to 40 printable characters, but it is"):
        play("krr", "alternating", name=name, **GAME)


def test_an_adversary_declares_its_name():
    run = play("krr", Moves(X=[[0.0, 0.0]] * 3, y=[1.0, -1.0, 1.0]), **GAME)
    assert run.adversary_name == "a sequence of 3 rounds"


def test_names_are_columns_and_a_table_shows_specs_in_place_of_equal_names():
    runs = [play(learner, "alternating", name="ours", **GAME) for learner in ("krr", "kernel-awv")]
    tables = Tables.of((Entry.of(JudgedMatch(run, run.judgement())), "") for run in runs)
    assert [row.learner_name for row in tables] == ["ours", "ours"]
    assert (tables.names["krr"], tables.names["kernel-awv"]) == ("krr", "kernel-awv")
    assert runs[0].summary()["learner_name"] == "ours"


def test_figures_and_notebooks_show_the_name():
    run = play("krr", "alternating", name="ours", **GAME)
    assert "ours against alternating" in run._repr_html_()
    assert any("ours against alternating" in text.get_text() for text in run.figure().texts)
