"""A transcript that is saved again has the same bytes, and a write that fails leaves the old file."""

import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import ArenaError, Game, Interrupted, Laplacian, Transcript, play
from arena.record import storage
from arena.record.commands import play_command
from arena_tests.players import EndsAtOnce, LeavesEvidence

quick = settings(max_examples=40)
evidence = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda name: "\0" not in name and name.isprintable()),
    st.sampled_from([
        np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.array(7), np.zeros((0, 3)),
        np.array([True, False]), np.array(["a", "bcd"]), np.array([np.nan, np.inf]), np.arange(3, dtype=np.int16),
        np.arange(3.0).astype(">f8"),
    ]),
    max_size=3,
)  # fmt: skip


@quick
@given(
    rounds=st.integers(1, 12),
    fails=st.none() | st.integers(1, 12),
    adversary=st.sampled_from(["alternating", "repeated(points=3)", "greedy(starts=2, polished=0)", None]),
    told=evidence,
    others=st.lists(st.sampled_from([0.1, 1 / 3, 2.0, 1e-6]), max_size=2, unique=True),
    game=st.sampled_from([
        Game(), Game(dimension=1, box=(0, 2), label_bound=2.5), Game(regularisation=1 / 3, kernel=Laplacian(0.3)),
        Game(dimension=2, box=[(0, 1), (-3, 3)], prediction_bound=0.5), Game(kernel="linear(offset=0.1)"),
    ]),
)  # fmt: skip
def test_saving_loading_and_saving_gives_the_same_bytes(
    tmp_path_factory, rounds, fails, adversary, told, others, game, same
):
    folder = tmp_path_factory.mktemp("transcripts")
    run = play(LeavesEvidence(told, fails), adversary or EndsAtOnce(), game=game, rounds=rounds, seed=3)
    for regularisation in others:
        run.hindsight(regularisation)
    first, second = folder / "first.npz", folder / "second.npz"
    assert run.save(first) == first
    loaded = Transcript.load(first)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    same(run, loaded)
    assert np.array_equal(run.regret, loaded.regret)
    assert run.summary() == loaded.summary()
    assert os.listdir(folder) == ["first.npz", "second.npz"] or sorted(os.listdir(folder)) == [
        "first.npz",
        "second.npz",
    ]


@pytest.mark.parametrize("learner", ["kernel-awv", "clipped-krr", "fgd(rate=0.1)", "krr(regularisation=2)"])
def test_the_verdicts_of_a_loaded_transcript_are_those_of_the_match(tmp_path, learner):
    run = play(learner, "repeated(points=4)", rounds=40)
    loaded = Transcript.load(run.save(tmp_path / "a.npz"))
    assert [str(verdict) for verdict in loaded.verdicts()] == [str(verdict) for verdict in run.verdicts()]
    assert loaded.verdicts()
    Transcript.load(loaded.save(tmp_path / "b.npz"))


def test_other_losses_and_no_hindsight(tmp_path, same):
    for options in ({"loss": "hinge"}, {"hindsight": "none"}):
        run = play("fgd", "alternating", rounds=10, **options)
        loaded = Transcript.load(run.save(tmp_path / "a.npz"))
        same(run, loaded)
        assert loaded.regret is None
        assert loaded.comparator.why_unknown == run.comparator.why_unknown != ""


def test_an_interrupted_match_can_be_kept(tmp_path):
    class Stops(LeavesEvidence):
        def update(self, x, y):
            if self.round == 4:
                raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        play(Stops(), "alternating", rounds=9)
    loaded = Transcript.load(caught.value.transcript.save(tmp_path / "a.npz"))
    assert (loaded.ended, loaded.rounds) == ("interrupted", 3)


def test_a_folder_that_does_not_exist(tmp_path, whole):
    with pytest.raises(ArenaError, match=r"cannot write .*Choose a folder that exists"):
        whole[0].save(tmp_path / "none" / "a.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ArenaError, match="cannot write"):
        whole[0].save(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize(
    ("error", "raised"),
    [(OSError(errno.ENOSPC, "No space left"), ArenaError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, whole, monkeypatch, error, raised):
    path = whole[0].save(tmp_path / "a.npz")
    before = path.read_bytes()

    def half(file, _array):
        file.write(b"half of a file")
        raise error

    monkeypatch.setattr(storage, "_write_array", half)
    with pytest.raises(raised):
        play("zero", "alternating", rounds=3).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_new_file_replaces_the_old_one_and_has_the_usual_permissions(tmp_path):
    path = tmp_path / "a.npz"
    play("zero", "alternating", rounds=3).save(path)
    play("zero", "alternating", rounds=5).save(str(path))
    assert Transcript.load(str(path)).rounds == 5
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_kernel_without_a_spec_cannot_be_saved(tmp_path):
    class Local(Laplacian):
        name = ""

    run = play("krr", "alternating", rounds=3, kernel=Local())
    assert play_command(run) is None
    with pytest.raises(ArenaError, match="cannot be named"):
        run.save(tmp_path / "a.npz")
    assert os.listdir(tmp_path) == []
