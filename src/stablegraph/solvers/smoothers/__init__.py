"""Smoothers of multigrid: polynomials in D^-1 A, and Gauss-Seidel sweeps."""

from .registry import SMOOTHERS, smoother_maker

__all__ = ["SMOOTHERS", "smoother_maker"]
