"""Figures and HTML pages of matches and test runs, made for the command line and the pytest plugin.

May call `testing` and the rooms below it. Reports play nothing: they read transcripts, verdicts and the observations of
assertions. Films alone ask `arena.engine.elsewhere` what a learner would have predicted at other points.
"""
