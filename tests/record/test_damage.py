"""A damaged file is not read as a whole one, and a file of another program is not read as a transcript."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from arena import (
    ArenaError,
    DamagedFile,
    Transcript,
)
from arena_tests.files import SEAL, sealed


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
def test_flipped_bytes_under_a_seal_that_is_right_never_raise_anything_else(whole, tmp_path, position, same):
    """A changed byte of the zip file either raises `DamagedFile` or has no effect on what is read."""
    run, content = whole
    flipped = bytearray(content[:-SEAL])
    flipped[position % len(flipped)] ^= 0xFF
    path = tmp_path / "flipped.npz"
    path.write_bytes(sealed(bytes(flipped)))
    try:
        loaded = Transcript.load(path)
    except DamagedFile:
        return
    same(run, loaded)


def test_any_zip_tool_can_read_a_transcript(whole, tmp_path):
    path = tmp_path / "plain.npz"
    path.write_bytes(whole[1])
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
    with np.load(path, allow_pickle=False) as file:
        assert np.array_equal(file["labels"], whole[0].labels)


def rewritten(content, change):
    """Return the file with its arrays changed, and with the right seal and the zip's right checksums."""
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    # an archive's last two bytes are the length of its comment, which is the seal
    return sealed(buffer.getvalue()[:-2] + SEAL.to_bytes(2, "little"))


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
    """An object that sets `builtins.arena_bomb` if it is ever unpickled."""

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
