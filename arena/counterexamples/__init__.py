"""A match on which a learner fails: made small, kept, played again, turned into a test.

May call `engine` and the rooms below it.
"""
