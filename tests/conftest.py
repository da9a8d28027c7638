import signal

import pytest

# A shell that runs the tests in the background ignores Ctrl-C, and programs inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["pytester"]
pytest.register_assert_rewrite("arena_tests")
