"""Linear algebra on CSR matrices and vectors, bit for bit the same on any number of threads."""
