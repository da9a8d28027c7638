"""Excludes the project, which tests run with its own pytest in an environment of its own."""

collect_ignore = ["project"]
