"""Fewer colors, or equal classes, from a coloring."""
