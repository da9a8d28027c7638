"""What a learner and an adversary are, what they may see, and what the referee forbids.

May call `record` and the rooms below it.
"""
