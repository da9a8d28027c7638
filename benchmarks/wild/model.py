"""One entry of the catalogue: a public model, what is known about it, and how long its matches are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROUNDS = 128
MEASURED = 3  # raise it with every change after which the same model gives another row
SHORT = 64  # of matches of models that take milliseconds a round


@dataclass(frozen=True)
class Model:
    """A public model: the distribution that it comes from, its name in the table, its spec, and its theorems.

    `theorems` are specs of the theorems by which the model is judged; without them, it is judged by those that its
    adapter promises. If no theorem applies, `why` is the reason. `loss` is the loss under which the theorems are
    judged; the regret is always that of the squared loss.
    """

    library: str
    name: str
    spec: str
    family: str
    theorems: tuple[str, ...] = ()
    loss: str = "squared"
    why: str = ""
    rounds: int = ROUNDS

    @property
    def version(self) -> str | None:
        """The installed version of the library; None if it is not installed."""
        try:
            return version(self.library)
        except PackageNotFoundError:
            return None

    @property
    def key(self) -> str:
        """The hash of the entry, of the library's version, of the glue and of the way of measuring."""
        glue = Path(self.spec.partition(":")[0])
        source = glue.read_bytes() if glue.suffix == ".py" and glue.is_file() else b""
        return hashlib.sha256(f"{self!r}{self.version}{MEASURED}".encode() + source).hexdigest()[:12]

    def matches(self, pattern: str) -> bool:
        """Return whether library and name match a shell pattern, or contain it."""
        name = f"{self.library} {self.name}".lower()
        return fnmatch(name, pattern.lower()) or pattern.lower() in name
