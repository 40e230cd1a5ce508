"""`cluster_table`: the cluster of each vertex as a table, with the smallest id of the cluster and its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.groups import as_groups, smallest_members
from .._core.dispatch import suggests_options
from .._core.validation import host_array
from ..graph import Graph
from .columns import pyarrow_module
from .interface import checked_graph, id_column


@suggests_options
def cluster_table(graph: Graph, labels: Any) -> Any:
    """Make a table of clusters: the id of each vertex, the smallest id of its cluster, and the size of the cluster.

    Parameters
    ----------
    graph : Graph
        The graph to which the labels belong.
    labels : integer array (n,)
        The cluster of each vertex, as from `connected_components`, `communities` or `aggregate`; any numbers.

    Returns
    -------
    pyarrow.Table
        One row for each vertex, with the columns ``id``, ``cluster`` and ``size``. A cluster is called by the id of its
        smallest vertex. `from_table` numbers vertices in ascending order of id, so this is its smallest id, and it does
        not depend on other clusters. In a graph with names from `from_edges`, it is the first of its names in
        ``graph.nodes``.

    Raises
    ------
    ValueError
        If there is not one label for each vertex, or names have several types.
    TypeError
        If `graph` is no Graph, or the labels are not integers.
    ModuleNotFoundError
        Pyarrow is not installed.

    Notes
    -----
    Work memory: about 30 bytes per vertex. Labels that are negative or at least n are sorted first.

    Examples
    --------
    >>> import pyarrow as pa, stablegraph as sg
    >>> graph = sg.from_table(pa.table({"source": ["r-17", "r-02", "r-88"], "target": ["r-20", "r-17", "r-31"]}))
    >>> count, labels = sg.connected_components(graph)
    >>> table = sg.cluster_table(graph, labels).to_pydict()
    >>> table["id"]
    ['r-02', 'r-17', 'r-20', 'r-31', 'r-88']
    >>> table["cluster"], table["size"]
    (['r-02', 'r-02', 'r-02', 'r-31', 'r-31'], [3, 3, 3, 2, 2])
    """
    pa, graph = pyarrow_module(), checked_graph(graph, "cluster_table(graph, labels)")
    array = host_array(labels, "labels")
    if array.shape != (graph.num_vertices,):
        raise ValueError(f"labels must have one label for each of the {graph.num_vertices} vertices, got {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    smallest, ids = smallest_members(as_groups(array)), id_column(graph.num_vertices, graph.nodes)
    sizes = np.bincount(smallest)[smallest]
    return pa.table({"id": ids, "cluster": ids.take(pa.array(smallest)), "size": pa.array(sizes, pa.int64())})
