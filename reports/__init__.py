"""Figures and HTML pages of matches and test runs, made for the command line and the pytest plugin.

May call `testing` and the rooms below it. Reports play no match: they read transcripts, verdicts and the observations
of assertions. Only films call a learner, through `arena.engine.elsewhere`, to compute its predictions at other points.
"""
