"""Components of a graph to which edges are added: from earlier labels and the new edges.

Result: the components of the earlier graph together with the new edges; the earlier edges are not needed.

Rule: two vertices have the same label  <=>  a path of new edges and of pairs with equal earlier labels connects them.
The oracle is `connected_components` in tests/support/naive.py, for all edges. In the code: `trees_of` makes the parents
from which union.py continues.

Idea: in union-find, a component is a tree with its smallest vertex as the root. Earlier labels define such trees: each
vertex is linked to the smallest vertex with its label. New vertices, which have no label yet, are trees of one vertex.
Then all new edges are united, except those inside the largest tree if the graph is symmetric (union.py).

Cost: three passes over the vertices, and one over the new entries. Work memory: 12 bytes per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.groups import smallest_members
from .._core.runtime.primitives import extent
from .._core.validation import host_array
from .._core.vertex_names import shown_vertex
from ..graph import Graph
from . import union
from .numbering import number_components


def components(graph: Graph, start: Any) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex; on the device of the graph."""
    count, labels = number_components(union.unite_remaining(graph.to("cpu"), trees_of(graph, start)))
    return count, graph.xp.asarray(labels)


def trees_of(graph: Graph, start: Any) -> Any:
    """Return the parents of the trees that the earlier labels define, in host memory."""
    labels, n = host_array(start, "start"), graph.num_vertices
    if labels.ndim != 1 or labels.size > n:
        raise ValueError(
            f"start must be the labels of the first vertices, at most {n}, got shape {labels.shape}; if the graph has "
            "fewer vertices than before, pass n= to from_edges"
        )
    if labels.size and labels.dtype.kind not in "iu":
        raise TypeError(f"start must be labels of integers, got {labels.dtype}")
    lowest, highest = map(int, extent(np.ascontiguousarray(labels))) if labels.size else (0, 0)
    if lowest < 0 or highest >= max(labels.size, 1):
        v = int(labels.argmin() if lowest < 0 else labels.argmax())
        raise ValueError(
            f"start[{v}], the label of vertex {shown_vertex(v, graph.nodes)}, is {labels[v]}, but labels are at least "
            f"0 and less than {labels.size}, their number; pass labels of connected_components"
        )
    kind = index_type(n)
    members = smallest_members(np.ascontiguousarray(labels, kind))
    return np.concatenate([members, np.arange(labels.size, n, dtype=kind)]) if labels.size < n else members
