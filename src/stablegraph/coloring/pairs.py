"""The pairs of vertices that must differ in color; at distance 2 these are the edges of the square of a graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.csr.patterns import product_pattern, with_diagonal
from .._core.memory import allocate_or_raise
from ..conversion import as_graph
from ..graph import Graph

_MANY_PAIRS = 64  # pairs within distance 2, per entry; usual where all rows have similar lengths
_PURPOSE = "all pairs within distance 2; pass reduce='none' and balance=False, which do without them"


def square(graph: Graph) -> Graph:
    """Return the square, with a loop at each vertex. Memory: up to the sum of the squared degrees, in entries."""
    host, n = graph.to("cpu"), graph.num_vertices
    fullest = int(host.degrees.max()) + 1 if n else 0
    allocate_or_raise(fullest * fullest, host.indices.dtype, _PURPOSE)  # a lower bound, checked before any work is done
    rows = Pattern(host.indptr, host.indices)
    pairs = product_pattern(with_diagonal(rows, purpose=_PURPOSE), rows, n, purpose=_PURPOSE)
    return as_graph(pairs).to(graph.device)


class PairsWithin:
    """A graph and the distance within which colors must differ; the graph of all such pairs is built on demand."""

    def __init__(self, graph: Graph, distance: int) -> None:
        self.original, self.distance = graph, distance

    @cached_property
    def graph(self) -> Graph:
        """Return the graph in which vertices that must differ are adjacent."""
        return self.original if self.distance == 1 else square(self.original)

    @cached_property
    def fewest_colors(self) -> int:
        """Return a cheap lower bound of the number of colors: at distance 2 a vertex and its neighbors all differ."""
        return 1 if self.distance == 1 else int(self.original.degrees.max()) + 1

    @cached_property
    def out_of_proportion(self) -> bool:
        """Return whether there are far more pairs than entries, because a few vertices have very many neighbors."""
        if self.distance == 1:
            return False
        degrees = self.original.degrees
        entries = int(degrees.sum(dtype=np.int64))
        usual = max(_MANY_PAIRS, 4 * entries // max(self.original.num_vertices, 1))
        return float((degrees.astype(np.float64) ** 2).sum()) > float(usual * entries)
