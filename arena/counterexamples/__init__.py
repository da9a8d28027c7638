"""Counterexamples: a match on which a learner fails, shrunk, kept, printed as a script, and turned into a test.

May call `engine` and the rooms below it.
"""
