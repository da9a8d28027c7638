"""Figures and HTML pages of matches and test runs; called by the command line and the pytest plugin.

A report reads transcripts, verdicts and what the assertions noted; it plays nothing.
"""
