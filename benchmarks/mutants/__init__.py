"""One-token mutants of the learners and their components, which `arena check` and `arena hunt` should catch.

`benchmarks.mutants.__main__` explains how they are made and judged.
"""
