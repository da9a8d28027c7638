"""The type of functions that follow the progress of long computations."""

from collections.abc import Callable

Watch = Callable[[str, int, int], None]  # called with the name of the step, the rows done and the number of rows
