"""The playing field: `Game`, kernels and losses.

May call `specs`.
"""
