"""The record of a match, its file, its theorems and verdicts, and the command that repeats it.

May call `hindsight` and the rooms below it.
"""
