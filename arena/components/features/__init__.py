"""Features: finitely many functions whose inner products equal or approximate a kernel. Each file has one kind."""
