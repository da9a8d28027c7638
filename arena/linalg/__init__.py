"""Linear algebra on kernels: growing Cholesky factors, ridge regression on them, one BLAS thread.

May call `game` and the rooms below it.
"""
