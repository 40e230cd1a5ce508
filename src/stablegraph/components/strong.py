"""Strong components on the CPU: the choice of the fastest method, and the labels.

Result: labels by the smallest vertex of each component, from any numbers that are equal within a component.

Rule: label(v) = the rank of the smallest vertex whose number equals that of v. In the code: `by_smallest_vertex`.

Cost: two passes over the vertices. Work memory: two numbers per vertex.
"""

from __future__ import annotations

from typing import Any

from .._core.csr.arrays import index_type
from .._core.csr.groups import find_smallest
from .._core.runtime import array_module, device_of, kernel
from .._core.typing import Labels
from ..graph import Graph
from . import forward_backward, tarjan
from .numbering import number_components


@kernel(types="V[] int32[] int32[]")
def _link_to_smallest(v, keys, smallest, parent):
    """Set the parent of a vertex to the smallest vertex with the same key."""
    parent[v] = smallest[keys[v]]


def by_smallest_vertex(keys: Any) -> tuple[int, Any]:
    """Count the different keys (from 0 to n), and number them by the smallest vertex that has them."""
    xp, n = array_module(device_of(keys)), keys.size
    smallest = xp.full(n + 1, n, index_type(n))
    find_smallest(n, keys, smallest)
    parent = xp.empty(n, smallest.dtype)
    _link_to_smallest(n, keys, smallest, parent)
    return number_components(parent)


def on_one_thread(graph: Graph) -> Any:
    """Return a number for each vertex, the same within each strong component; found by Tarjan's search on the CPU."""
    return graph.xp.asarray(tarjan.components(graph.to("cpu")))


def directed_components(graph: Graph) -> tuple[int, Labels]:
    """Return the number of components and the label of each vertex, using the fastest method."""
    small = graph.device == "cpu" and graph.num_vertices + graph.num_entries <= forward_backward.SMALL
    return by_smallest_vertex((on_one_thread if small else forward_backward.components)(graph))
