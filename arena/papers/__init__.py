"""What the papers claim, held against matches: errata, tightness, worked examples.

May call `tournament` and the rooms below it.
"""
