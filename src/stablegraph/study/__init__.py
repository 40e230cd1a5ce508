"""Algorithms from the literature that are kept for study and comparison, and a measure of the parallelism of orders."""
