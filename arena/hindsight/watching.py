"""The type of functions that follow the progress of long computations."""

from collections.abc import Callable

Watch = Callable[[str, int, int], None]  # called with the current step, the rows done and the rows in all
