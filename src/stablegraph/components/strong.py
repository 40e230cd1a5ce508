"""Strong components: the choice of the fastest method.

Result: labels by the smallest vertex of each component.

Rule: one thread searches small graphs depth first; for larger ones, all threads find the largest component first.

Cost: that of the method, and a few passes over the vertices for the labels.
"""

from __future__ import annotations

from typing import Any

from .._core.typing import Labels
from ..graph import Graph
from . import forward_backward, tarjan
from .numbering import by_smallest_vertex


def on_one_thread(graph: Graph) -> tuple[int, Any]:
    """Return the number of components and the label of each vertex, found by Tarjan's search on the CPU."""
    count, labels = by_smallest_vertex(tarjan.components(graph.to("cpu")))
    return count, graph.xp.asarray(labels)


def directed_components(graph: Graph) -> tuple[int, Labels]:
    """Return the number of components and the label of each vertex, using the fastest method."""
    small = graph.device == "cpu" and graph.num_vertices + graph.num_entries <= forward_backward.SMALL
    return (on_one_thread if small else forward_backward.components)(graph)
