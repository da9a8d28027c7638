"""Transcripts on disk: the same bytes again, and never a damaged file taken for a whole one."""

import errno
import hashlib
import io
import json
import os
import pickle
import shlex
import zipfile
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import (
    Adversary,
    ArenaError,
    DamagedFile,
    Game,
    Interrupted,
    Laplacian,
    Learner,
    Transcript,
    play,
    storage,
)
from arena.building import build
from arena.losses import Hinge
from arena.posterior import RidgePosterior
from arena.specs import parse_spec

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)


class Tells(Learner):
    """Has evidence to give, and may fail in some round."""

    def __init__(self, evidence=None, fails=None):
        self.told, self.fails = evidence or {}, fails

    def begin(self, game, rng):
        self.round = 0

    def reveal(self, x):
        self.round += 1

    def predict(self, x):
        if self.round == self.fails:
            raise RuntimeError("quote ' \" and\nnew lines, ünïcode")
        return 0.25

    def update(self, x, y):
        pass

    def evidence(self):
        return self.told

    @property
    def dictionary_size(self):
        return self.round // 2


class Nothing(Adversary):
    def point(self, view):
        return None


def same(one, other):
    """Everything that a transcript holds, to the bit."""
    for field in fields(Transcript):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert mine.dtype == theirs.dtype
            assert mine.tobytes() == theirs.tobytes()
            assert mine.shape == theirs.shape
        elif field.name == "evidence":
            assert mine.keys() == theirs.keys()
            assert all(np.array_equal(mine[key], theirs[key], equal_nan=mine[key].dtype.kind == "f") for key in mine)
            assert all(mine[key].dtype == theirs[key].dtype for key in mine)
        elif field.name == "hindsights":
            assert mine.keys() == theirs.keys()
            for at in mine:
                for part in ("labels", "mean", "variance", "residuals", "optimum", "log_determinant"):
                    assert np.array_equal(getattr(mine[at], part), getattr(theirs[at], part))
        elif field.name == "unanswered" and mine is not None:
            assert all(np.array_equal(ours, others) for ours, others in zip(mine, theirs, strict=True))
        elif field.name not in ("promised", "trusted"):
            assert mine == theirs, field.name


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
    adversary=st.sampled_from(["alternating", "repeated(points=3)", "greedy(starts=2, polished=0)", Nothing()]),
    told=evidence,
    others=st.lists(st.sampled_from([0.1, 1 / 3, 2.0, 1e-6]), max_size=2, unique=True),
    game=st.sampled_from([
        Game(), Game(dimension=1, box=(0, 2), label_bound=2.5), Game(regularisation=1 / 3, kernel=Laplacian(0.3)),
        Game(dimension=2, box=[(0, 1), (-3, 3)], prediction_bound=0.5), Game(kernel="linear(offset=0.1)"),
    ]),
)  # fmt: skip
def test_saving_loading_and_saving_gives_the_same_bytes(tmp_path_factory, rounds, fails, adversary, told, others, game):
    folder = tmp_path_factory.mktemp("transcripts")
    run = play(Tells(told, fails), adversary, game=game, rounds=rounds, seed=3)
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


def test_other_losses_and_no_hindsight(tmp_path):
    for options in ({"loss": "hinge"}, {"hindsight": "none"}):
        run = play("fgd", "alternating", rounds=10, **options)
        loaded = Transcript.load(run.save(tmp_path / "a.npz"))
        same(run, loaded)
        assert loaded.regret is None
        assert loaded.why_no_hindsight == run.why_no_hindsight != ""


def test_an_interrupted_match_can_be_kept(tmp_path):
    class Stops(Tells):
        def update(self, x, y):
            if self.round == 4:
                raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        play(Stops(), "alternating", rounds=9)
    loaded = Transcript.load(caught.value.transcript.save(tmp_path / "a.npz"))
    assert (loaded.ended, loaded.rounds) == ("interrupted", 3)


# ---- damage


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    run = play(Tells({"norms": np.arange(3.0)}), "repeated(points=3)", rounds=4, dimension=1)
    run.header["machine"] = "somewhere"
    return run, run.save(tmp_path_factory.mktemp("whole") / "whole.npz").read_bytes()


def test_a_torn_file_is_refused_wherever_it_was_torn(whole, tmp_path):
    _, content = whole
    path = tmp_path / "torn.npz"
    for size in [*range(0, len(content), 50), len(content) - 1]:
        path.write_bytes(content[:size])
        with pytest.raises(ArenaError, match="torn"):
            Transcript.load(path)


def test_a_flipped_byte_is_refused_wherever_it_is(whole, tmp_path):
    _, content = whole
    path = tmp_path / "flipped.npz"
    for position in [*range(0, len(content), 11), *range(len(content) - 70, len(content))]:
        flipped = bytearray(content)
        flipped[position] ^= (0xFF, 0x01, 0x80)[position % 3]
        path.write_bytes(flipped)
        with pytest.raises(DamagedFile):
            Transcript.load(path)
    for longer in (content + b"\0", b"\0" + content, content + content):
        path.write_bytes(longer)
        with pytest.raises(DamagedFile):
            Transcript.load(path)


@pytest.mark.parametrize("position", range(0, 3400, 7))
def test_flipped_bytes_under_a_seal_that_is_right_never_raise_anything_else(whole, tmp_path, position):
    """The book-keeping of a zip can be broken in many ways; what is read after all is what was written."""
    run, content = whole
    flipped = bytearray(content[: -storage._SEAL_SIZE])
    flipped[position % len(flipped)] ^= 0xFF
    path = tmp_path / "flipped.npz"
    path.write_bytes(sealed(bytes(flipped)))
    try:
        loaded = Transcript.load(path)
    except DamagedFile:
        return
    same(run, loaded)


def sealed(content):
    return content + hashlib.sha256(content).hexdigest().encode()


def test_any_zip_tool_can_read_a_transcript(whole, tmp_path):
    path = tmp_path / "plain.npz"
    path.write_bytes(whole[1])
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
    with np.load(path, allow_pickle=False) as file:
        assert np.array_equal(file["labels"], whole[0].labels)


def rewritten(content, change):
    """The file with its members changed, and its seal and the zip's own checksums right again."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    storage._seal(buffer)
    return buffer.getvalue()


def edit_header(**changes):
    def change(arrays):
        header = json.loads(arrays["header"].tobytes())
        header.update(changes)
        arrays["header"] = np.frombuffer(json.dumps(header, sort_keys=True).encode(), dtype=np.uint8)

    return change


def edit_array(name, value):
    def change(arrays):
        arrays[name] = value(arrays[name])

    return change


@pytest.mark.parametrize(
    "change",
    [
        edit_header(seed=7),
        edit_header(learner="kernel-awv"),
        edit_header(ended="completed "),
        edit_header(digest=None),
        edit_header(format=2),
        edit_header(extra=1),
        edit_header(hindsights=[2.0]),
        edit_array("labels", lambda y: -y),
        edit_array("labels", lambda y: y.astype(np.float32)),
        edit_array("points", lambda X: X.reshape(-1)),
        edit_array("predictions", lambda p: p[:-1]),
        edit_array("evidence/norms", lambda values: values * 2),
        lambda arrays: arrays.update({"evidence/more": np.zeros(1)}),
        lambda arrays: arrays.pop("evidence/norms"),
        lambda arrays: arrays.pop("points"),
        lambda arrays: arrays.pop("header"),
        lambda arrays: arrays.update(header=np.array([1, 2, 3])),
        lambda arrays: arrays.update(header=np.frombuffer(b"[1]", dtype=np.uint8)),
        lambda arrays: arrays.update(header=np.frombuffer(b"[" * 9999, dtype=np.uint8)),
        lambda arrays: arrays.update(header=np.frombuffer(b"{}", dtype=np.uint8)),
    ],
)
def test_a_tampered_file_is_refused_though_its_checksums_are_right(whole, tmp_path, change):
    path = tmp_path / "tampered.npz"
    path.write_bytes(rewritten(whole[1], lambda _: None))
    assert Transcript.load(path).rounds == 4
    path.write_bytes(rewritten(whole[1], change))
    with pytest.raises(DamagedFile):
        Transcript.load(path)


class Bomb:
    """Would leave a trace if it were ever unpickled."""

    def __reduce__(self):
        return (exec, ("import builtins; builtins.arena_bomb = True",))


def strangers():
    buffer = io.BytesIO()
    np.savez(buffer, a=np.arange(3))
    yield "another npz", buffer.getvalue()
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array([Bomb()], dtype=object), points=np.array([Bomb()], dtype=object))
    yield "pickles in an npz", buffer.getvalue()
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    yield "an npy", buffer.getvalue()
    yield "a pickle", pickle.dumps(Bomb())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("header", "not an array")
    yield "another zip", buffer.getvalue()
    yield "text", b"learner,adversary\n"
    yield "nothing", b""


@pytest.mark.parametrize("content", [pytest.param(content, id=what) for what, content in strangers()])
def test_foreign_files_are_refused_and_nothing_in_them_is_run(tmp_path, content):
    import builtins

    path = tmp_path / "foreign.npz"
    for written in (content, sealed(content)):
        path.write_bytes(written)
        with pytest.raises(DamagedFile, match=r"foreign\.npz"):
            Transcript.load(path)
    assert not hasattr(builtins, "arena_bomb")


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(ArenaError, match="there is no file"):
        Transcript.load(tmp_path / "none.npz")
    with pytest.raises(ArenaError):
        Transcript.load(tmp_path)


# ---- writing


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

    def half(file, **_):
        file.write(b"half of a file")
        raise error

    monkeypatch.setattr(storage.np, "savez", half)
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


def test_a_kernel_that_no_spec_names_cannot_be_saved_and_says_so(tmp_path):
    class Local(Laplacian):
        name = ""

    run = play("krr", "alternating", rounds=3, kernel=Local())
    assert run.command is None
    with pytest.raises(ArenaError, match="cannot be named"):
        run.save(tmp_path / "a.npz")
    assert os.listdir(tmp_path) == []


# ---- the command that plays it again

GAMES = [
    Game(),
    Game(rounds=77),
    Game(dimension=5),
    Game(box=(-2, 3)),
    Game(dimension=2, box=[(0, 1), (-0.5, 1e-3)]),
    Game(label_bound=2.5),
    Game(prediction_bound=0.1),
    Game(kernel=Laplacian(bandwidth=1 / 3)),
    Game(regularisation=1e-7),
    Game(loss=Hinge()),
]


def test_a_game_for_every_field():
    assert {field.name for game in GAMES for field in fields(Game) if getattr(game, field.name) != field.default} == {
        field.name for field in fields(Game)
    }


def read_back(command):
    """What the command line makes of the words: each option's value is read as a spec's value is."""
    program, verb, learner, adversary, *options = shlex.split(command)
    assert (program, verb) == ("arena", "play")
    given = dict(zip(options[::2], options[1::2], strict=True))
    seed = int(given.pop("--seed", 0))
    names = {"--" + field.name.replace("_", "-"): field.name for field in fields(Game)}
    values = {names[flag]: dict(parse_spec(f"game(value={text})").parameters)["value"] for flag, text in given.items()}
    return learner, adversary, seed, Game(**values)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game)[:0])
@pytest.mark.parametrize("seed", [0, 12])
@pytest.mark.parametrize("learner", ["fgd", "fgd(rate=0.1, steps=square-root)", "./my code/it's.py:Mine(word='a b')"])
def test_the_command_gives_back_learner_adversary_seed_and_game(game, seed, learner):
    nothing = np.empty(0)
    adversary = "alternating(at=[0.5, -0.5])"
    run = Transcript(learner, adversary, game, seed, nothing, nothing, nothing, nothing, nothing)
    assert read_back(run.command) == (learner, adversary, seed, game)


def test_the_command_plays_the_same_match():
    run = play(
        "fgd(rate=0.3)", "repeated(points=3)", rounds=20, seed=5, box=[(0, 1), (0, 2)], kernel="linear(offset=0.5)"
    )
    learner, adversary, seed, game = read_back(run.command)
    again = play(learner, adversary, game=game, seed=seed)
    assert np.array_equal(run.points, again.points)
    assert np.array_equal(run.predictions, again.predictions)
    assert play("zero", "alternating").command == "arena play zero alternating"


def test_there_is_no_command_for_what_no_spec_can_make():
    assert play(Tells({"a": np.zeros(1)}), "alternating", rounds=2).command is None or "Tells" in str(
        play(Tells(), "alternating", rounds=2).command
    )

    class Local(Tells):
        pass

    assert play(Local(), "alternating", rounds=2).command is None
    assert play("zero", Nothing(), rounds=2).command


# ---- curves


def test_curves_by_hand():
    """One point, linear kernel of x = 1, lambda = 1: the optimum of a prefix is sum y^2 - (sum y)^2 / (t + 1)."""
    run = play("zero", "alternating(at=[1])", rounds=5, dimension=1, kernel="linear", label_bound=2.0)
    y = np.array([2.0, -2, 2, -2, 2])
    t = np.arange(1, 6)
    optimum = 4.0 * t - np.square(np.cumsum(y)) / (t + 1)
    np.testing.assert_allclose(run.hindsight().optimum, optimum, atol=1e-12)
    np.testing.assert_allclose(run.regret, 4.0 * t - optimum, atol=1e-12)
    best = 2.0 / 6
    np.testing.assert_allclose(run.plain_regret, np.cumsum(4.0 - np.square(y - best)), atol=1e-12)
    assert run.loss == 20
    assert run.losses.tolist() == [4] * 5
    assert run.regret_against(3.0)[-1] == pytest.approx(20 - (20 - 4 / 8))
    np.testing.assert_allclose(run.effective_dimensions(), t / (t + 1), atol=1e-12)
    assert run.summary()["rounds"] == 5


def test_effective_dimensions_are_computed_once_for_each_lambda(monkeypatch):
    run, asked = play("zero", "repeated(points=3)", rounds=9), []
    genuine = RidgePosterior.effective_dimensions
    monkeypatch.setattr(RidgePosterior, "effective_dimensions", lambda past: (asked.append(1), genuine(past))[1])
    first, other = run.effective_dimensions(), run.effective_dimensions(0.5)
    run.verdicts(["awv-effective-dimension", "awv-effective-dimension(regularisation=0.5)"])
    assert np.array_equal(run.effective_dimensions(), first)
    assert other[-1] > first[-1]
    assert len(asked) == 2


def test_transcripts_are_equal_to_themselves_alone():
    run, twin = (play("zero", "alternating", rounds=3) for _ in range(2))
    assert run == run
    assert run != twin
    assert run.hindsight() != twin.hindsight()
    assert len({run, twin}) == 2


def test_a_forfeit_before_the_first_round_has_empty_curves(tmp_path):
    run = Transcript.load(play(Tells(fails=1), "alternating", rounds=9).save(tmp_path / "a.npz"))
    assert run.rounds == 0
    assert run.loss == 0
    assert len(run.regret) == len(run.plain_regret) == 0
    assert run.summary()["regret"] is None
    assert run.verdict("awv-leverage").reason == "no round was played"
    assert "ünïcode" in run.forfeit.reason


def test_theorems_by_name_by_object_and_none():
    run = play("kernel-awv(regularisation=2)", "alternating", rounds=5)
    own = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "awv-identity"]
    assert [verdict.name for verdict in run.verdicts()] == own
    assert run.verdicts("none") == []
    assert run.verdict("awv-leverage").theorem == "awv-leverage(regularisation=2.0)"  # the learner's own lambda
    assert run.verdict("awv-leverage(regularisation=1)").theorem == "awv-leverage(regularisation=1.0)"
    assert [verdict.name for verdict in run.verdicts(["ogd", build("theorem", "awv-logdet")])] == ["ogd", "awv-logdet"]
    assert [verdict.name for verdict in run.verdicts("clipped-krr")] == ["clipped-krr"]
    with pytest.raises(ArenaError, match="Did you mean"):
        run.verdict("awv-leverige")
