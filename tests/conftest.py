import pytest

pytest_plugins = ["pytester"]
pytest.register_assert_rewrite("arena_tests")
