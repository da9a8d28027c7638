"""The playing field: `Game`, kernels and losses.

May call `specs` and the rooms below it.
"""
