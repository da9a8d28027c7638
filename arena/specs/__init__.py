"""From text to objects and back: the grammar of specs, the registry of names, checked parameters, adapters.

May call `guards` and the rooms below it.
"""
