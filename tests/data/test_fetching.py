"""Downloads of data sets from folders and servers are verified, and continued after an interruption."""

from __future__ import annotations

import bz2
import dataclasses
import gzip
import http.server
import io
import tarfile
import threading
import zipfile
from typing import ClassVar

import numpy as np
import pytest

from arena.data import read_data
from arena.data.registry import Original, data_set, find, read_set, registered_sets
from arena.data.registry.digests import digest_of_file, digest_of_numbers
from arena.data.registry.fetching import CHUNK, UNFINISHED, base_address, fetch
from arena.errors import ArenaError, DamagedFile

pytest.importorskip("pooch")

X = np.random.default_rng(0).integers(0, 2**20, (10_000, 2)).astype(np.float32)
Y = np.where(X[:, 0] > 2**19, 1, -1).astype(np.float32)


class Files(http.server.BaseHTTPRequestHandler):
    """An HTTP server of files that a test sets; it can serve parts of files, and end connections early."""

    files: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[tuple[str, str | None]]] = []
    break_after: int | None = None
    ranges = True

    def do_GET(self):
        self.asked.append((self.path, self.headers["Range"]))
        if self.path not in self.files:
            self.send_error(404)
            return
        content, start = self.files[self.path], 0
        if self.headers["Range"] and self.ranges:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start:] if self.break_after is None else content[start : start + self.break_after])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    handler = type("Own", (Files,), {"files": {}, "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        handler.address = f"http://127.0.0.1:{running.server_port}"
        yield handler
        running.shutdown()
        thread.join()


@pytest.fixture
def archive():
    file = io.BytesIO()
    np.savez(file, X=X, y=Y)
    return file.getvalue()


@pytest.fixture
def wanted(archive, tmp_path):
    """An entry of the registry of data sets whose file is `archive`."""
    (tmp_path / "hash").write_bytes(archive)
    hashes = {"sha256": digest_of_file(tmp_path / "hash"), "numbers": digest_of_numbers(X, Y)}
    return dataclasses.replace(data_set("susy21k"), name="small", rows=len(X), columns=2, **hashes)


def test_a_set_comes_from_a_folder_and_is_not_fetched_twice(wanted, archive, tmp_path):
    mirror = tmp_path / "a mirror"
    mirror.mkdir()
    (mirror / "small.npz").write_bytes(archive)
    assert fetch(wanted, tmp_path / "data", mirror=str(mirror))
    assert (tmp_path / "data" / "small.npz").read_bytes() == archive
    assert (tmp_path / "data" / "small.npz").stat().st_mode == (mirror / "small.npz").stat().st_mode
    (mirror / "small.npz").unlink()
    assert not fetch(wanted, tmp_path / "data", mirror=str(mirror))


def test_a_broken_download_goes_on_where_it_broke_off(wanted, archive, server, tmp_path):
    server.files["/sets/small.npz"], server.break_after = archive, CHUNK + 10
    with pytest.raises(ArenaError, match="65,546 bytes are kept: the same command goes on"):
        fetch(wanted, tmp_path, mirror=f"{server.address}/sets/")
    assert (tmp_path / f"small.npz{UNFINISHED}").stat().st_size == CHUNK + 10
    server.break_after, seen = None, []
    assert fetch(wanted, tmp_path, mirror=f"{server.address}/sets/", progress=lambda *each: seen.append(each))
    assert server.asked[-1][1] == f"bytes={CHUNK + 10}-"
    assert seen[-1] == ("small.npz", len(archive), len(archive))
    assert seen[0][1] > CHUNK + 10
    assert (tmp_path / "small.npz").read_bytes() == archive
    assert not (tmp_path / f"small.npz{UNFINISHED}").exists()


def test_a_server_without_ranges_sends_everything_again(wanted, archive, server, tmp_path):
    server.files["/small.npz"], server.ranges = archive, False
    (tmp_path / f"small.npz{UNFINISHED}").write_bytes(archive[:1000])
    assert fetch(wanted, tmp_path, mirror=server.address)
    assert (tmp_path / "small.npz").read_bytes() == archive


def test_a_whole_unfinished_file_needs_no_byte_more(wanted, archive, server, tmp_path):
    server.files["/small.npz"] = archive
    (tmp_path / f"small.npz{UNFINISHED}").write_bytes(archive)
    assert fetch(wanted, tmp_path, mirror=server.address)
    assert (tmp_path / "small.npz").read_bytes() == archive


def test_another_file_is_refused_and_not_kept(wanted, archive, server, tmp_path):
    server.files["/small.npz"] = archive[:-1] + b"?"
    with pytest.raises(DamagedFile, match="not the file of the registry"):
        fetch(wanted, tmp_path, mirror=server.address)
    assert [path.name for path in tmp_path.iterdir()] == ["hash"]
    np.savez(tmp_path / "small.npz", X=X + 1, y=Y)
    with pytest.raises(DamagedFile, match="does not hold the numbers of small"):
        fetch(wanted, tmp_path, mirror=server.address)


def test_a_set_is_made_from_its_original_files(wanted, server, tmp_path):
    """The set has two parts: a table in a zip archive, whose columns are reordered, and a table in a tar archive."""
    table = "b,label,a,unused\n" + "\n".join(
        f"{b:.0f},{5 if y > 0 else 3},{a:.0f},7" for (a, b), y in zip(X, Y, strict=True)
    )
    zipped, tarred = io.BytesIO(), io.BytesIO()
    lines = table.splitlines()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("inner/t.csv", "\n".join(lines[:1000]))
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        rest = "\n".join([lines[0], *lines[1000:]]).encode()
        info = tarfile.TarInfo("t.csv")
        info.size = len(rest)
        archive.addfile(info, io.BytesIO(rest))
    server.files |= {"/one.zip": zipped.getvalue(), "/two.tar.gz": tarred.getvalue()}
    parts = [
        Original(f"{server.address}/one.zip", member="inner/t.csv"),
        Original(f"{server.address}/two.tar.gz", member="t.csv"),
    ]
    shape = {"format": "csv", "label": "label", "positive": 5.0, "without": ("unused",), "order": (1, 0)}
    made = dataclasses.replace(wanted, files=tuple(parts), **shape)
    assert fetch(made, tmp_path)
    found = read_data(tmp_path / "small.npz")
    assert np.array_equal(found.X, X)
    assert np.array_equal(found.y, Y)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hash", "small.npz"]
    assert not fetch(made, tmp_path)  # another file than the mirror's, with the registry's numbers

    server.files["/one.zip"] = zipped.getvalue()[:100]
    (tmp_path / "small.npz").unlink()
    with pytest.raises(DamagedFile, match="has no member"):
        fetch(made, tmp_path)


def test_arff_and_libsvm_originals(wanted, server, tmp_path):
    rows = "\n".join(f"{a:.0f},{b:.0f},{y:.0f}" for (a, b), y in zip(X, Y, strict=True))
    server.files["/a.arff"] = f"% a comment\n@relation r\n@attribute a numeric\n@DATA\n% another\n{rows}\n".encode()
    made = dataclasses.replace(wanted, files=(Original(f"{server.address}/a.arff"),), format="arff")
    assert fetch(made, tmp_path / "arff")
    pairs = "\n".join(f"{y:+.0f} 1:{a:.0f} 2:{b:.0f}" for (a, b), y in zip(X, Y, strict=True))
    server.files["/a.bz2"] = bz2.compress(pairs.encode())
    made = dataclasses.replace(wanted, files=(Original(f"{server.address}/a.bz2"),), format="libsvm")
    assert fetch(made, tmp_path / "libsvm")
    server.files["/a.bz2"] = bz2.compress(pairs.replace("+1 ", "-1 ", 1).encode())
    with pytest.raises(DamagedFile, match="the source has changed"):
        fetch(made, tmp_path / "changed")


def test_mistakes_are_explained(wanted, server, tmp_path):
    with pytest.raises(ArenaError, match=r"small\.npz by `mirror=...`"):
        fetch(wanted, tmp_path)
    with pytest.raises(ArenaError, match="404"):
        fetch(wanted, tmp_path, mirror=server.address)
    with pytest.raises(ArenaError, match="there is no folder"):
        base_address(str(tmp_path / "nowhere"))
    with pytest.raises(ArenaError, match="Did you mean 'casp'"):
        data_set("caps")


def test_files_of_the_users_own_take_a_sets_place(tmp_path):
    columns = ",".join("1234567890"[:9])
    (tmp_path / "casp.csv.gz").write_bytes(gzip.compress(f"{columns},5\n{columns},6\n".encode()))
    assert find("casp", tmp_path) == tmp_path / "casp.csv.gz"
    data, found = read_set("casp", tmp_path)
    assert data.X.shape == (2, 9)
    assert not found.registered
    (tmp_path / "cadata.csv").write_text("1,2\n3,4\n")
    with pytest.raises(ArenaError, match="has 1 columns, but cadata has 8"):
        read_set("cadata", tmp_path)
    with pytest.raises(ArenaError, match="`fetch\\('ijcnn1'"):
        read_set("ijcnn1", tmp_path)


def test_the_registry_is_complete():
    for name, each in registered_sets().items():
        assert each.name == name
        assert len(each.sha256) == len(each.numbers) == 64
        assert each.source.startswith("https://")
        assert each.licence
        assert each.task in ("regression", "classification")
        assert (each.format != "") == bool(each.files)
