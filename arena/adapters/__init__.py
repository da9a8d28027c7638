"""Adapters that let models of other libraries play; each recognises a model by its methods and imports no library.

May call `players` and the rooms below it.
"""
