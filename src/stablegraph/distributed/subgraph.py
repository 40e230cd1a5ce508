"""Induced subgraphs of graphs in partitions.

Result: the same, entry by entry, as `stablegraph.subgraph` of one machine with the same mask.

Idea: each partition counts its selected vertices, which determines their new ids. It sends those of its boundary, and
drops entries to ghosts without a new id. The ranges do not move: a partition of the subgraph has the selected vertices
of a partition of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .graph import DistributedGraph
from .linking import linked
from .messages import pack_boundary_updates, with_ghost_values
from .partition import Partition, of_rows
from .supersteps import Supersteps
from .tasks import run_alone
from .workers import gather


def subgraph(graph: DistributedGraph, vertices: Any) -> DistributedGraph:
    """Compute `stablegraph.subgraph` for a graph in partitions, by a boolean mask.

    The result is another `DistributedGraph`.
    """
    run, masks = Supersteps(graph, "subgraph"), graph.split(vertices, "vertices", "b")
    counts = gather(graph.client, [graph.client.submit(run_alone, _count, mask, pure=False) for mask in masks])
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    run.step(_renumber, bounds, each=masks)
    run.step(_keep, bounds)
    loose = run.answers(_kept)
    nodes = None
    if graph._nodes is not None:
        pairs = zip(graph._nodes, masks, strict=True)
        nodes = [graph.client.submit(run_alone, _chosen, names, mask, pure=False) for names, mask in pairs]
    return linked(graph.client, loose, bounds, graph.weight_type, nodes=nodes)


def _count(mask: Any) -> int:
    return int(np.count_nonzero(mask))


def _chosen(names: Any, mask: Any) -> Any:
    import pyarrow as pa

    return names.filter(pa.array(mask))


def _renumber(part: Partition, state: Any, inbox: Any, bounds: Any, mask: Any) -> Any:
    """Compute the new id of each own vertex, -1 for those that are not selected."""
    ids = np.where(mask, np.cumsum(mask) - 1 + bounds[part.number], -1)
    everywhere = part.with_owned(ids, -1)
    return everywhere, pack_boundary_updates(part, everywhere >= 0, everywhere), None


def _keep(part: Partition, state: Any, inbox: Any, bounds: Any) -> Any:
    ids = with_ghost_values(part, state, inbox)
    rows, columns, weights = part.graph._rows(), part.graph.indices, part.graph.weights
    kept = (ids[rows] >= 0) & (ids[columns] >= 0)
    size = int(bounds[part.number + 1] - bounds[part.number])
    lengths = np.bincount(ids[rows[kept]] - bounds[part.number], minlength=size)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    weights = None if weights is None else weights[kept]
    return of_rows(part.number, bounds, indptr, ids[columns[kept]], weights), None, None


def _kept(part: Partition, state: Partition) -> Partition:
    return state
