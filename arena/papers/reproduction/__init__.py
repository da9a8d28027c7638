"""How `arena reproduce` plays the experiments of papers, and compares the results with published ones.

Each experiment is a module of `arena.papers` that states data, learners, measure and parameters; the rest is here.
"""
