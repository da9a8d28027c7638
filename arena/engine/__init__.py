"""Playing and judging: single matches, series of seeds, matches of growing length, and the pool of processes.

May call `theorems` and the rooms below it; it knows no learner and no adversary by name.
"""
