"""Named comparators of a learner's loss: the best constant, the last label, shifting predictors and others.

May call `players` and the rooms below it. Comparators are found by their names and imported by nobody.
"""
