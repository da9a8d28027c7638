"""Adapters: learners that play for a model of another library.

May call `players` and the rooms below it. An adapter recognises a model by the model's methods. The model's library is
imported in a match at the earliest.
"""
