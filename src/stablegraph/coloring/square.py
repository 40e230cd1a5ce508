"""The square of a graph: its edges are all pairs within distance 2, so its colorings are distance-2 colorings."""

from __future__ import annotations

from .._core.csr.arrays import Pattern
from .._core.csr.patterns import product_pattern, with_diagonal
from .._core.memory import allocate_or_raise
from ..conversion import as_graph
from ..graph import Graph

_PURPOSE = "all pairs within distance 2; pass reduce='none' and balance=False, which do without them"


def square(graph: Graph) -> Graph:
    """Return the square, with a loop at each vertex. Memory: up to the sum of the squared degrees, in entries."""
    host, n = graph.to("cpu"), graph.num_vertices
    fullest = int(host.degrees.max()) + 1 if n else 0
    allocate_or_raise(fullest * fullest, host.indices.dtype, _PURPOSE)  # a lower bound, checked before any work is done
    rows = Pattern(host.indptr, host.indices)
    pairs = product_pattern(with_diagonal(rows, purpose=_PURPOSE), rows, n, purpose=_PURPOSE)
    return as_graph(pairs.arrays()).to(graph.device)
