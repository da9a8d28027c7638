"""Data frames for models of scikit-learn that select their columns by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena.arrays import Array
from arena.errors import ArenaError, nearest
from arena.game.game import Game


def wants_frames(*steps: Any) -> bool:
    """Return whether one of these steps of a pipeline needs data frames.

    A step needs them if it selects columns by name or by a function, or if it has the attribute `data_frames = True`.
    """
    # other pipelines get arrays, which are several times faster
    return any(getattr(step, "data_frames", False) is True or any(_selections(step)) for step in steps)


def frames_for(first_step: Any, game: Game) -> Callable[[Array], Any]:
    """Return a function that makes a data frame of points; its columns have the names of the game's features.

    `first_step` is the first step of a scikit-learn pipeline, or an estimator that is no pipeline. An `ArenaError` is
    raised if pandas is missing, or if this step selects a column by a name that no feature has.
    """
    names = list(game.feature_names)
    for wanted in _selections(first_step):
        if isinstance(wanted, str) and wanted not in names:
            given = "" if game.features else " A file with a header brings names, and so does `features=...`."
            raise ArenaError(f"the pipeline selects a column {wanted!r}. {nearest(wanted, names)}{given}")
    pandas = pandas_for("an estimator that selects columns by name")
    return lambda X: pandas.DataFrame(X, columns=names)


def pandas_for(user: str) -> Any:
    """Return the module pandas; raise an `ArenaError` if it is not installed.

    `user` is the subject of the error's message, such as "an estimator that selects columns by name".
    """
    try:
        import pandas
    except ImportError:
        raise ArenaError(f"{user} needs data frames: pip install pandas") from None
    return pandas


def _selections(step: Any) -> Iterator[Any]:
    """Yield the names and the functions by which `step` selects columns.

    `step` may be a ColumnTransformer or a union of transformers; other steps select no columns.
    """
    for part in getattr(step, "transformer_list", None) or ():
        yield from _selections(part[1])
    for part in getattr(step, "transformers", None) or ():
        columns = part[2] if isinstance(part, tuple) and len(part) == 3 else ()
        listed = columns if isinstance(columns, (list, tuple)) else [columns]
        yield from (each for each in listed if isinstance(each, str) or callable(each))
