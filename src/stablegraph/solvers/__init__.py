"""Multigrid and Gauss-Seidel."""
