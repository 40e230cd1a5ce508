"""Breadth-first searches."""
