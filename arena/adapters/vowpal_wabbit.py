"""The adapter of Vowpal Wabbit: workspaces that learn one labelled example at a time."""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.adapters.base import Adapter, has_methods, quiet
from arena.adapters.calls import Calls, dictionary
from arena.adapters.signs import Signs
from arena.arrays import Array
from arena.game.game import Game
from arena.specs.adapting import adapter

CLASSIFIES = ("logistic", "hinge")  # values of --loss_function for which labels are -1 and 1
BALANCES = {"logistic": (2.0, -1.0), "glf1": (1.0, 0.0)}  # for each --link: factor and offset that give P(+1) - P(-1)
NAMED_FILES = ("-f", "--final_regressor", "--cache_file", "-p", "--predictions")  # options with the name of a file
FILES = (*NAMED_FILES, "-c", "--cache")  # options that write files


@adapter
class VowpalWabbitAdapter(Adapter):
    """A learner that plays for a `vowpalwabbit.Workspace` whose labels are numbers or two classes.

    The coordinates become features with the game's names, or x0, x1, and so on. Spaces, colons and bars separate the
    parts of an example in Vowpal Wabbit, so in names they become underscores; if two names become equal, the index of
    the coordinate is appended to the second.

    Each match trains a new workspace, with the options of the given one except those that write files. A workspace
    cannot be copied: a copy of this learner trains another workspace on all rounds so far.
    """

    @staticmethod
    def fits(thing: Any) -> bool:
        """Return whether `thing` is a workspace that learns from numbers or from two classes."""
        return _is_workspace(thing) and thing.get_label_type() == thing.lSimple

    @staticmethod
    def why_not(thing: Any) -> str:
        """Return the reason why `thing`, a workspace that does not fit, cannot play; "" if `thing` is no workspace."""
        return (
            "its labels are costs, rewards or several classes, where a game has numbers" if _is_workspace(thing) else ""
        )

    @staticmethod
    def calls(workspace: Any, names: Sequence[str], /) -> Calls:
        """Return the code that plays a round with a workspace, for standalone scripts.

        If the workspace is a classifier, the code learns the label's sign.
        """
        loss = _value(shlex.split(workspace.get_arguments()), "--loss_function")
        label = "1 if y > 0 else -1" if loss in CLASSIFIES else "y"
        features = dictionary(_without_separators(names))
        row = f'row = "| " + " ".join(f"{{name}}:{{value!r}}" for name, value in {features}.items())'
        return Calls(row, "model.predict(row)", f'model.learn(f"{{{label}}} {{row}}")')

    def begin(self, game: Game, rng: np.random.Generator) -> None:
        words = shlex.split(self.given.get_arguments())
        loss, self.link = (_value(words, option) for option in ("--loss_function", "--link"))
        self.signs = Signs(game) if loss in CLASSIFIES else None
        self.names = _without_separators(game.feature_names)
        self.examples: list[str] = []
        self._start()

    def _start(self) -> None:
        """Make a new workspace, and train it on all examples of the match so far."""
        with quiet():
            self.model = type(self.given)(_without_files(self.given.get_arguments()))
            for example in self.examples:
                self.model.learn(example)

    def peek(self, X: Array) -> Array:
        answers = np.array([float(self.model.predict(self._features(x))) for x in X])
        if self.signs is None:
            return answers
        if self.link in BALANCES:
            factor, offset = BALANCES[self.link]
            return self.signs.of_balance(factor * answers + offset)
        return self.signs.of_score(answers)

    def update(self, x: Array, y: float) -> None:
        target = y if self.signs is None else self.signs.class_of(y)
        if self.signs is not None and not target:
            return
        self.examples.append(f"{target!r} {self._features(x)}")
        self.model.learn(self.examples[-1])

    def _features(self, x: Array) -> str:
        return "| " + " ".join(f"{name}:{value!r}" for name, value in zip(self.names, x.tolist(), strict=True))

    def __deepcopy__(self, memo: Any) -> VowpalWabbitAdapter:
        # neither a workspace nor its weights can be copied
        twin = VowpalWabbitAdapter(self.given)
        if hasattr(self, "examples"):
            # a copy of the counts of labels, which `remark` reports
            twin.signs, twin.link, twin.names = copy.copy(self.signs), self.link, self.names
            twin.examples = list(self.examples)
            twin._start()
        return twin


def _is_workspace(thing: Any) -> bool:
    return has_methods(thing, "learn", "predict", "get_arguments", "get_label_type")


def _without_separators(names: Sequence[str]) -> list[str]:
    """Return the names with underscores in place of separators; equal ones get their index, counted from 0.

    >>> _without_separators(["a b", "a:b", "c"])
    ['a_b', 'a_b_1', 'c']
    """
    found: list[str] = []
    for index, name in enumerate(names):
        new = re.sub(r"[\s:|]", "_", name)
        while new in found:
            new = f"{new}_{index}"
        found.append(new)
    return found


def _value(words: list[str], option: str) -> str:
    """Return the value of an option in the words of a command line; empty if the option is not there.

    The option is written `--option value` or `--option=value`.
    """
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def _without_files(arguments: str) -> str:
    """Return the options of a command line without those that write files, followed by --quiet.

    >>> _without_files("--l2 0.1 -f model.vw")
    '--l2 0.1 --quiet'
    >>> _without_files("--cache --l2 0.1 --cache_file examples.cache")
    '--l2 0.1 --quiet'
    """
    words = shlex.split(arguments)
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if word.partition("=")[0] not in FILES and before not in NAMED_FILES and word != "--quiet"
    ]
    return shlex.join([*kept, "--quiet"])
