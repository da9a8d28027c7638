"""Figures and HTML pages of matches and test runs, made for the command line and the pytest plugin.

May call `testing` and the rooms below it, but plays nothing: reports read transcripts, verdicts and the observations of
assertions. Films alone ask `arena.engine.elsewhere` for the predictions that a learner would have made at other points.
"""
