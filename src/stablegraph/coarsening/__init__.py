"""Aggregates and coarse graphs."""
