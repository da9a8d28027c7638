"""The project is run by its own pytest, in its own environment."""

collect_ignore = ["project"]
