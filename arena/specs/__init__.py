"""From text to objects and back: the grammar of specs, the registry of names, checked parameters, adapters.

Calls nothing of the arena but errors and arrays.
"""
