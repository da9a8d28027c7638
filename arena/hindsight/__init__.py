"""Best predictors in hindsight: exact, in certified intervals, for streams, and for losses besides the squared one.

May call `linalg` and the rooms below it.
"""
