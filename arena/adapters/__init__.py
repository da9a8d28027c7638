"""Adapters: learners that play for a model of another library.

May call `players` and the rooms below it. An adapter recognises its models by their methods, and imports their library
in a match at the earliest.
"""
