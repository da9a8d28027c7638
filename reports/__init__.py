"""Figures and HTML pages of matches and test runs; called by the command line and the pytest plugin.

May call `testing` and the rooms below it, of which it only reads: transcripts, verdicts, what assertions noted.
"""
