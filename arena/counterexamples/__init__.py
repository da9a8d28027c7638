"""Counterexamples: matches in which a learner fails are shrunk, kept in a folder, and made into scripts and tests.

May call `engine` and the rooms below it.
"""
