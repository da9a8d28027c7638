"""An entry of the catalogue: a public model, how it is played, and the theorems by which it is judged."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROUNDS = 128
MEASURED = 3  # raise it with every change after which the same model gives another row
SHORT = 64  # rounds of a match of a model that takes milliseconds a round


@dataclass(frozen=True)
class Model:
    """A public model: its library on PyPI, its name in the table, its spec, and its theorems.

    - `theorems` are specs of the theorems by which the model is judged. If there are none, the promises of the model's
      adapter are used.
    - `why` is the reason if no theorem applies.
    - `loss` is the loss for which the theorems are judged. The growth of the regret is always measured for the squared
      loss.
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
        """A hash of all that determines the model's row: the entry, the library's version, the wrapper, and `MEASURED`.

        `MEASURED` is the version of the measurement itself.
        """
        glue = Path(self.spec.partition(":")[0])
        source = glue.read_bytes() if glue.suffix == ".py" and glue.is_file() else b""
        return hashlib.sha256(f"{self!r}{self.version}{MEASURED}".encode() + source).hexdigest()[:12]

    def matches(self, pattern: str) -> bool:
        """Return whether the text "LIBRARY NAME" matches a shell pattern, or contains it."""
        name = f"{self.library} {self.name}".lower()
        return fnmatch(name, pattern.lower()) or pattern.lower() in name
