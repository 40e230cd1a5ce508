"""Induced subgraphs of graphs in partitions.

Result: the same, entry by entry, as `stablegraph.subgraph` of one machine with the same mask.

Idea: each partition counts its selected vertices, which determines their new ids. It sends those of its boundary, and
drops entries to ghosts without a new id. The ranges do not move: a partition of the subgraph has the selected vertices
of a partition of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..building import linked
from ..graph import DistributedGraph
from ..messages import pack_boundary_updates, with_ghost_values
from ..partition import Partition, of_rows, owned_mask
from ..supersteps import Supersteps, identity
from ..tasks import submit_each
from ..workers import gather
from .components import starts_of


def subgraph(graph: DistributedGraph, vertices: Any) -> DistributedGraph:
    """Compute `stablegraph.subgraph` for a graph in partitions; the result is another `DistributedGraph`."""
    run = Supersteps(graph, "subgraph")
    masks = graph.map_and_store(owned_mask, each=graph.split_vertices(vertices))
    counts = gather(graph.client, submit_each(graph.client, np.count_nonzero, [masks]))
    bounds = np.array(starts_of(counts), np.int64)
    run.step(_renumber, bounds, each=masks)
    run.step(_drop_other_entries, bounds)
    loose = run.answers(identity)
    nodes = None
    if graph._nodes is not None:
        nodes = submit_each(graph.client, _select_names, [graph._nodes, masks])
    return linked(graph.client, loose, bounds, graph.weight_type, nodes=nodes)


def _select_names(names: Any, mask: Any) -> Any:
    import pyarrow as pa

    return names.filter(pa.array(mask))


def _renumber(part: Partition, state: Any, inbox: Any, bounds: Any, mask: Any) -> Any:
    """Compute the new id of each owned vertex, -1 for those that are not selected."""
    ids = np.where(mask, np.cumsum(mask) - 1 + bounds[part.number], -1)
    new_ids = part.with_owned(ids, -1)
    return new_ids, pack_boundary_updates(part, new_ids >= 0, new_ids), None


def _drop_other_entries(part: Partition, state: Any, inbox: Any, bounds: Any) -> Any:
    ids = with_ghost_values(part, state, inbox)
    rows, columns, weights = part.graph._rows(), part.graph.indices, part.graph.weights
    inside = (ids[rows] >= 0) & (ids[columns] >= 0)
    size = int(bounds[part.number + 1] - bounds[part.number])
    lengths = np.bincount(ids[rows[inside]] - bounds[part.number], minlength=size)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    weights = None if weights is None else weights[inside]
    return of_rows(part.number, bounds, indptr, ids[columns[inside]], weights), None, None
