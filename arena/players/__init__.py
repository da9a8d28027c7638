"""The interfaces of learners and adversaries, what an adversary may see, and what the referee forbids.

May call `record` and the rooms below it.
"""
