"""What a learner's loss can be compared with, each by its name: the best constant, the last label, shifting predictors.

May call `players` and the rooms below it. Comparators are found by their names and imported by nobody.
"""
