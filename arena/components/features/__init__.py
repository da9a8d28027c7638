"""Explicit features for kernels: finitely many coordinates in which a kernel method can be run; one file for each."""
