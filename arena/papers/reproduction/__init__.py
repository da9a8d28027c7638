"""The experiments of papers, as `arena reproduce` plays them and compares the results with published numbers.

Each experiment is a module of `arena.papers` that states data, learners, measure and parameters; this package has
the code that all experiments share.
"""
