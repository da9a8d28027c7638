"""Explicit features of kernels: finitely many coordinates in which a kernel method can run; a file for each kind."""
