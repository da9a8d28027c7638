"""Playing: one match, many seeds of it, growth over horizons.

May call `theorems` and the rooms below it; it knows no learner and no adversary by name.
"""
