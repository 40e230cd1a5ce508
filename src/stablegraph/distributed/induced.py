"""The graph on some of the vertices of a graph in partitions.

Result: the same, entry by entry, as `stablegraph.subgraph` of one machine with the same mask.

Idea: each partition counts its vertices that stay, so that their new ids are known; the boundary tells these; entries
to ghosts that have none, go. Ranges stay where they are: a partition of the subgraph is what is left of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .boxes import tell
from .exchange import heard
from .graph import DistributedGraph
from .linking import linked
from .partition import Partition, of_rows
from .supersteps import Supersteps, run_alone
from .workers import gather


def subgraph(graph: DistributedGraph, vertices: Any) -> DistributedGraph:
    """`stablegraph.subgraph` for a graph in partitions, by a mask of bool; another `DistributedGraph`."""
    run, masks = Supersteps(graph, "subgraph"), graph.pieces(vertices, "vertices", "b")
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
    """The new id of each vertex, -1 for those that go."""
    ids = np.where(mask, np.cumsum(mask) - 1 + bounds[part.number], -1)
    everywhere = part.with_owned(ids, -1)
    return everywhere, tell(part, everywhere >= 0, everywhere), None


def _keep(part: Partition, state: Any, inbox: Any, bounds: Any) -> Any:
    ids = heard(part, state, inbox)
    rows, columns, weights = part.graph._rows(), part.graph.indices, part.graph.weights
    kept = (ids[rows] >= 0) & (ids[columns] >= 0)
    size = int(bounds[part.number + 1] - bounds[part.number])
    lengths = np.bincount(ids[rows[kept]] - bounds[part.number], minlength=size)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    weights = None if weights is None else weights[kept]
    return of_rows(part.number, bounds, indptr, ids[columns[kept]], weights), None, None


def _kept(part: Partition, state: Partition) -> Partition:
    return state
