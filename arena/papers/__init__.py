"""Claims of the papers, tested in matches: errata, tightness, examples of theorems.

May call `tournament` and the rooms below it.
"""
