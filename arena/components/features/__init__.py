"""Explicit features for kernels: finitely many coordinates in which a kernel method can run; one file for each kind."""
