"""Named comparators: predictors such as the best constant or the last label, to which a learner is compared.

May call `players` and the rooms below it. The registry finds comparators by their names; no module imports them.
"""
