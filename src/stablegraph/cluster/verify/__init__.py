"""Verifiers for graphs in partitions; like those in `stablegraph.verify`, they share no code with the algorithms."""
