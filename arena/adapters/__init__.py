"""Adapters: learners that play for a model of another library.

May call `players` and the rooms below it. An adapter recognises a model by the model's methods. No adapter imports a
library before a match needs it.
"""
