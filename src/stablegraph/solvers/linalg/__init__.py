"""Linear algebra on CSR matrices and vectors, bit for bit the same for any number of threads."""
