"""Statements of the papers, tested in matches: errata, tightness of theorems, and experiments played again.

May call `tournament` and the rooms below it.
"""
