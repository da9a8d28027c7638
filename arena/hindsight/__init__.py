"""The best predictors in hindsight: computed exactly, or enclosed in certified intervals.

May call `linalg` and the rooms below it.
"""
