"""Quantities of a match that theorems of several files recompute, from its transcript alone."""
