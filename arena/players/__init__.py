"""The interfaces of learners and adversaries, an adversary's view of a match, and the referee's checks.

May call `record` and the rooms below it.
"""
