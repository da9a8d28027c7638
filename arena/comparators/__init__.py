"""Named comparators, to whose loss a learner's loss is compared: the best constant, the last label, and others.

May call `players` and the rooms below it. The registry finds comparators by their names; no module imports them.
"""
