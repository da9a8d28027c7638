"""The type of the functions that long computations call with their progress."""

from collections.abc import Callable

Watch = Callable[[str, int, int], None]  # called with the name of a step, the work done and the whole work
