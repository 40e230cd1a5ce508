"""Vertex colorings, orders, reductions, bounds, schedules and Jacobians."""
