"""Named comparators of a learner's loss: the best constant, the last label, shifting predictors and others.

May call `players` and the rooms below it. The registry finds comparators by their names; no module imports them.
"""
