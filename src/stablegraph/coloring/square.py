"""The square of a graph: its edges are all pairs within distance 2, so its colorings are those at distance 2."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..graph import Graph, as_graph


def square(graph: Graph) -> Graph:
    """The square. Memory: up to the sum of the squared degrees, in entries."""
    host, n = graph.to("cpu"), graph.num_vertices
    pattern = sp.csr_array((np.ones(host.num_entries, bool), host.indices, host.indptr), shape=(n, n))
    both = sp.csr_array(pattern + pattern @ pattern)
    both.sort_indices()
    return as_graph((both.indptr, both.indices)).to(graph.device)
