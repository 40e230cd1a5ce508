"""Compressed sparse rows: what graphs stand on. Facts of given rows, rows from edges, rows of induced subgraphs."""
