"""One-token mutants of the learners and their components, judged by checks and hunts; see `__main__`."""
