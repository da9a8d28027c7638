"""How `arena reproduce` plays the experiments of papers, and compares the results with published ones.

An experiment is a file in `arena.papers` that states data, settings, learners and measure; everything else is here.
"""
