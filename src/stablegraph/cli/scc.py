"""``stablegraph scc``: find the strongly connected components of a directed graph."""

from __future__ import annotations

from .._core.option_names import StrongAlgorithm
from .answer import Answer, Job, answering
from .cluster import on_a_cluster
from .components import algorithm_option, labels, labels_output
from .options import graph_on_a_device, verify_option


@answering("scc", graph_on_a_device, algorithm_option(StrongAlgorithm), on_a_cluster, verify_option, labels_output)
def command(job: Job, algorithm: str) -> Answer:
    """Find the strongly connected components of a directed graph.

    Two vertices are in one component if each can be reached from the other along arcs. Components are numbered from 0
    by their smallest vertices, and do not depend on the number of threads. The lines of an edge list and the rows of a
    table are arcs, even without --directed; an edge of an undirected graph is two arcs.

    Example: stablegraph scc arcs.txt -o labels.txt
    """
    from ..components.api import strongly_connected_components
    from ..verify import is_strong_component_labeling

    right = "the strongly connected components"
    return labels(job, algorithm, strongly_connected_components, is_strong_component_labeling, right, directed=True)
