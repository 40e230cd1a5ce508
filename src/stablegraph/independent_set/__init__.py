"""Independent sets, in which no two vertices are adjacent: maximal ones, which cannot be extended, and large ones."""

from .depth import dependence_depth
from .large import IndependentSet, large_independent_set
from .maximal import maximal_independent_set

__all__ = ["IndependentSet", "dependence_depth", "large_independent_set", "maximal_independent_set"]
