"""Downloads of data sets by pooch: from any mirror, verified by hash, and continued after an interruption."""

from __future__ import annotations

import contextlib
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from typing import IO, Any

import numpy as np

from arena.data.registry import DataSet, Original, check_file, find
from arena.data.registry.digests import digest_of_numbers
from arena.data.registry.originals import converted
from arena.errors import ArenaError, DamagedFile
from arena.guards.whole_files import make_folder

CHUNK = 1 << 16
PATIENCE = 30.0  # seconds without any byte after which a connection is given up
UNFINISHED = ".unfinished"  # end of the name of an incomplete file

Progress = Callable[[str, int, int | None], None]  # called with the file's name, the bytes so far, and all bytes


def fetch(wanted: DataSet, folder: Path, *, mirror: str | None = None, progress: Progress | None = None) -> bool:
    """Download a data set into a folder, unless the folder has it; return whether it was downloaded.

    `mirror` is a folder or an address from which the set's file is copied. Without a mirror, the set's file is made
    from the files at the original addresses. `DamagedFile` is raised if a hash differs from the registry's, also for a
    file that is in the folder already. pooch must be installed.
    """
    target = folder / wanted.file
    if target.is_file():
        check_file(target, wanted)
        return False
    if mirror is None and not wanted.files:
        there = find(wanted.name, folder)
        beside = f"; {there} can be used as it is" if there else ""
        raise ArenaError(
            f"{wanted.name} has no address that it can be downloaded from: name a folder or an address that holds "
            f"{wanted.file} by `mirror=...`. It was made from {wanted.source}{beside}"
        )
    make_folder(folder)
    if mirror is not None:
        _retrieve(Original(f"{base_address(mirror)}/{wanted.file}", wanted.sha256), wanted.file, folder, progress)
        return True
    _fetch_originals(wanted, folder, progress)
    return True


def base_address(mirror: str) -> str:
    """Return the address of a mirror without a slash at the end; the address of a folder begins with `file:`.

    >>> base_address("https://example.org/sets/")
    'https://example.org/sets'
    """
    scheme = urllib.parse.urlsplit(mirror).scheme
    if scheme in ("http", "https", "file"):
        return mirror.rstrip("/")
    folder = Path(mirror).expanduser()
    if not folder.is_dir():
        raise ArenaError(f"there is no folder {mirror}: `mirror=...` is a folder or an address http(s)://...")
    return folder.resolve().as_uri().rstrip("/")


def _fetch_originals(wanted: DataSet, folder: Path, progress: Progress | None) -> None:
    """Download the original files, make the set's file from their numbers, and delete the downloaded files."""
    paths = []
    for number, original in enumerate(wanted.files):
        name = f"{wanted.name}-{number}-{original.address.rpartition('/')[2]}"
        paths.append(_retrieve(original, name, folder, progress))
    X, y = converted(wanted, paths)
    if digest_of_numbers(X, y) != wanted.numbers:
        raise DamagedFile(
            f"the numbers of {wanted.name} at {wanted.files[0].address} are not those of the registry: the source has "
            f"changed. Fetch it from a mirror (`mirror=...`), or put your own {wanted.name}.csv into {folder}"
        )
    unfinished = folder / f"{wanted.file}{UNFINISHED}"
    with open(unfinished, "wb") as file:
        np.savez_compressed(file, X=X, y=y)
    unfinished.replace(folder / wanted.file)
    for path in paths:
        path.unlink()


def _retrieve(original: Original, name: str, folder: Path, progress: Progress | None) -> Path:
    """Download the file `original` as `folder` / `name`, and return its path.

    Pooch compares the hash, and renames the file when it is complete.
    """
    import pooch

    resume = Resume(folder / f"{name}{UNFINISHED}", name, progress)
    pooch.get_logger().setLevel("ERROR")  # the command prints its own messages
    known = None if original.sha256 is None else f"sha256:{original.sha256}"
    try:
        path = Path(pooch.retrieve(original.address, known, fname=name, path=folder, downloader=resume))
        if resume.mode is not None:  # pooch's temporary file may be read by its owner alone
            path.chmod(resume.mode)
        return path
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise ArenaError(_refused(original.address, error, resume.partial)) from None
    except ArenaError:
        raise
    except ValueError as error:  # pooch raises it for a wrong hash
        resume.partial.unlink(missing_ok=True)
        raise DamagedFile(
            f"{original.address} is not the file of the registry: its hash differs, and it was removed "
            f"({str(error)[:200]}). Fetch it from another mirror (`mirror=...`)."
        ) from None


def _refused(address: str, error: Exception, partial: Path) -> str:
    reason = getattr(error, "reason", None) or error
    code = f"{error.code} " if isinstance(error, urllib.error.HTTPError) else ""
    kept = partial.stat().st_size if partial.exists() else 0
    again = f" {kept:,} bytes are kept: the same command goes on from there." if kept else ""
    return (
        f"cannot download {address}: {code}{reason}.{again} A mirror, which may be a folder, is named by `mirror=...`."
    )


class Resume:
    """Downloader for pooch that keeps an unfinished file, and asks the server only for the missing bytes."""

    def __init__(self, partial: Path, name: str, progress: Progress | None):
        self.partial, self.name, self.progress = partial, name, progress
        self.mode: int | None = None

    def __call__(self, url: str, output_file: str | IO[bytes], _pooch: Any, check_only: bool = False) -> None:
        """Write the content at `url` into `output_file`, which is pooch's temporary file."""
        self._download(url)
        with contextlib.ExitStack() as stack:
            source = stack.enter_context(open(self.partial, "rb"))
            into = output_file if hasattr(output_file, "write") else stack.enter_context(open(output_file, "wb"))
            shutil.copyfileobj(source, into)
        self.mode = self.partial.stat().st_mode & 0o777
        self.partial.unlink()

    def _download(self, url: str) -> None:
        there = self.partial.stat().st_size if self.partial.exists() else 0
        request = urllib.request.Request(url, headers={"User-Agent": "regret-arena"})
        if there and not url.startswith("file:"):
            request.add_header("Range", f"bytes={there}-")
        try:
            response = urllib.request.urlopen(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            if error.code == 416 and there:  # the requested range begins at the file's end, so nothing is missing
                return
            raise
        with response:
            # a server may ignore the range and send the whole file
            goes_on = getattr(response, "status", None) == 206
            done = there if goes_on else 0
            length = response.headers.get("Content-Length")
            total = None if length is None else done + int(length)
            with open(self.partial, "ab" if goes_on else "wb") as file:
                while chunk := response.read(CHUNK):
                    file.write(chunk)
                    done += len(chunk)
                    if self.progress:
                        self.progress(self.name, done, total)
            if total is not None and done < total:
                raise IncompleteRead(b"", total - done)
