"""Smoothers of multigrid: polynomials in D^-1 A, and Gauss-Seidel sweeps."""
