"""Solvers: multigrid from aggregates, and the smoothers it is made of."""
