"""`arena new learner NAME`: writes the first version of a learner, with its test and a README."""

from __future__ import annotations

import importlib.util
import keyword
import re
import shlex
import sys
from pathlib import Path
from string import Template

import click

from arena.errors import ArenaError, printable
from arena.guards.whole_files import is_new, make_folder, reason, writing

MOST_LETTERS = 60  # most letters of a name; three files have it in their names
STARTED = {"conftest", "sitecustomize", "usercustomize"}  # files that pytest or Python runs by their names alone
LEARNER = Template('''\
"""$Class: say in one sentence what it does."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena import Game, Learner, parameter


@dataclass
class $Class(Learner):
    """A linear function, moved towards each label."""

    name: ClassVar[str] = "$name"
    paper: ClassVar[str] = "write here which paper it comes from"
    cost: ClassVar[str] = "O(d) time a round, O(d) memory"
    memory_growth: ClassVar[str] = "constant"  # with the rounds; `arena check` measures it

    rate: float = parameter(0.5, "share of the error that a step removes", above=0, at_most=1)

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        """Start with zero weights; a learner that needs randomness takes it from `rng`."""
        self.weights = np.zeros(game.dimension + 1)
        self.bound = game.clip

    def predict(self, x: np.ndarray) -> float:
        """The function's value at x, clipped to the bound; predicting must not change the state."""
        return float(np.clip(self.weights @ np.append(x, 1.0), -self.bound, self.bound))

    def update(self, x: np.ndarray, y: float) -> None:
        """Move the function towards the label y at x."""
        features = np.append(x, 1.0)
        error = y - self.weights @ features
        self.weights = self.weights + self.rate * error * features / (features @ features)
''')

TEST = Template('''\
"""$Class keeps the contract and does not get worse."""

from $module import $Class

from arena.testing import assert_regret, parametrize_with_checks


@parametrize_with_checks([$Class])
def test_it_keeps_the_contract(check):
    check()


def test_it_does_not_get_worse():
    assert_regret($Class(), "alternating", rounds=100, at_most=120.0)
''')

README = Template("""\
# $name

Say what it predicts, how it learns, and which theorem it should obey.

```sh
arena check ./$module.py:$Class
arena play ./$module.py:$Class greedy
pytest test_$module.py
```
""")


@click.group()
def new() -> None:
    """Write the first version of a learner, with its test."""


@new.command("learner", short_help="Write a learner, its test and a README.")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for the files; it is made if it does not exist.  [default: one of the learner's name]",
)
def new_learner(name: str, folder: Path | None) -> None:
    """Write a learner called NAME, such as my-learner or MyLearner, its test and a README; nothing is overwritten."""
    spec_name, class_name = names(name)
    module = spec_name.replace("-", "_")
    folder = folder or Path(spec_name)
    written = write(folder, spec_name, module, class_name)
    click.echo(printable("Written: " + ", ".join(str(path) for path in written)))
    address = f"./{module}.py:{class_name}"
    click.echo(printable(f"Next:    cd {shlex.quote(str(folder))} && arena check {address} && pytest test_{module}.py"))


def names(given: str) -> tuple[str, str]:
    """Return the name for specs and the class name of a learner, for a name like my-learner, my_learner or MyLearner.

    Raise an `ArenaError` if `given` has another form, is too long or is a keyword of Python, or if the learner's file
    would hide another module.

    >>> names("my-learner"), names("my_learner"), names("MyAWV")
    (('my-learner', 'MyLearner'), ('my-learner', 'MyLearner'), ('my-awv', 'MyAWV'))
    """
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", given).replace("_", "-").lower()
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ArenaError(
            f"a learner's name has letters and digits, with single hyphens or underscores between its words, "
            f"like my-learner or MyLearner; it is {given!r}"
        )
    if len(name) > MOST_LETTERS:
        raise ArenaError(f"a learner's name has at most {MOST_LETTERS} letters; this one has {len(name)}")
    if keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()):  # the class would be called None or True
        raise ArenaError(f"{name!r} is a keyword of Python; choose another name, such as my-{name}")
    module = name.replace("-", "_")
    if module in STARTED or is_imported_elsewhere(module):
        raise ArenaError(
            f"{module}.py would stand in the way of the module {module!r}, which other programs import: choose another "
            f"name, such as my-{name}"
        )
    return name, given if re.fullmatch("[A-Z][A-Za-z0-9]*", given) else "".join(map(str.capitalize, name.split("-")))


def is_imported_elsewhere(module: str) -> bool:
    """Return whether `import` already finds a module of this name.

    It may belong to Python or to an installed package, or be a file of the user.
    """
    if module in sys.stdlib_module_names or module in sys.builtin_module_names:
        return True
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # the module is half loaded
        return True
    return found is not None and found.origin is not None  # a folder without code hides no module


def write(folder: Path, name: str, module: str, class_name: str) -> list[Path]:
    """Write the learner's file, its test and a README, and return their paths.

    If one of the files exists already, an `ArenaError` is raised and nothing is written.
    """
    words = {"name": name, "module": module, "Class": class_name}
    texts = {
        folder / f"{module}.py": LEARNER.substitute(words),
        folder / f"test_{module}.py": TEST.substitute(words),
        folder / "README.md": README.substitute(words),
    }
    try:
        taken = [str(path) for path in texts if path.exists() or path.is_symlink()]
        if taken:
            there = "exists" if len(taken) == 1 else "exist"
            raise ArenaError(
                f"nothing was written: {', '.join(taken)} {there} already; choose another --folder or name"
            )
        make_folder(folder)
        for path, text in texts.items():
            with writing(path, is_new) as file:
                file.write(text.encode())
    except ArenaError:
        raise
    except (OSError, ValueError) as error:  # ValueError: of a path with a zero byte
        raise ArenaError(f"{folder} cannot be written: {reason(error)}. Choose another --folder.") from error
    return list(texts)
