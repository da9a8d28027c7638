"""Code that plays experiments of papers again, for `arena reproduce`, and compares results with published numbers.

Each experiment is a module of `arena.papers`, which states data, learners, measure and parameters.
"""
