"""Compressed sparse rows (CSR): properties of given rows, rows from edge arrays, rows of induced subgraphs."""
