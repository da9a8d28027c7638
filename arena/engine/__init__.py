"""Playing one match, many seeds of it, and matches of growing length; the one pool of processes.

May call `theorems` and the rooms below it; it knows no learner and no adversary by name.
"""
