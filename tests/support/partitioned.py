"""Every function that accepts a graph in partitions, with the call on one machine; and checksums of answers."""

import zlib
from functools import partial
from typing import get_args

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core import option_names as names


def _searched(graph, **limit):
    return sg.breadth_first_search(graph, [0] if len(graph) else [], **limit)


CALLS = {
    **{
        f"set by {name}": partial(sg.maximal_independent_set, priority=name, seed=5)
        for name in get_args(names.Priority)
    },
    "set by id": lambda graph: sg.maximal_independent_set(graph, algorithm="lexicographic"),
    "set by numbers": lambda graph: sg.maximal_independent_set(graph, priority=np.arange(len(graph)) % 5 - 2.5, seed=3),
    "set at distance 2": lambda graph: sg.maximal_independent_set(graph, 2),
    "set at distance 2 by degree": lambda graph: sg.maximal_independent_set(graph, 2, priority="degree", seed=2),
    "components": sg.connected_components,
    "components by smallest vertices": partial(sg.connected_components, label="smallest"),
    "search": _searched,
    "search within distance 2": partial(_searched, max_distance=2),
    "colors by degree": lambda graph: sg.vertex_coloring(graph, reduce="none"),
    "colors by degree and hash": lambda graph: sg.vertex_coloring(graph, ties="hash", reduce="none", seed=4),
    "colors by digits": lambda graph: sg.vertex_coloring(graph, order="largest_log_first", reduce="none"),
    "colors, random": lambda graph: sg.vertex_coloring(graph, order="random", reduce="none", seed=8),
    "colors by id": lambda graph: sg.vertex_coloring(graph, order="natural", reduce="none"),
    "colors by numbers": lambda graph: sg.vertex_coloring(graph, order=np.arange(len(graph)) % 3, reduce="none"),
    "forest": sg.minimum_spanning_forest,
    "aggregates": sg.aggregate,
    "aggregates of Kokkos": lambda graph: sg.aggregate(graph, algorithm="kokkos"),
    "aggregates by degree": lambda graph: sg.aggregate(graph, priority="degree"),
    "heaviest forest": lambda graph: sg.minimum_spanning_forest(graph, maximum=True),
}

OF_ARCS = {
    "strong components": sg.strongly_connected_components,
    "weak components": sg.connected_components,
    "search along arcs": _searched,
}


def arcs_of(graph):
    """Return a directed graph with about 55 % of the entries, including loops and repeated entries."""
    tails, kept = graph._rows(), np.random.default_rng(1).random(graph.num_entries) < 0.55
    return sg.from_edges(tails[kept], graph.indices[kept], n=len(graph), directed=True, drop_duplicates=False)


def weighted(graph, dtype=np.int32):
    """Return the same graph with a weight for each edge, computed from its ends."""
    if graph.weights is not None and graph.weights.dtype == dtype:
        return graph
    u, v = graph._rows().astype(np.int64), graph.indices.astype(np.int64)
    return graph._replace(weights=((np.minimum(u, v) * 7 + np.maximum(u, v) * 13) % 11 - 3).astype(dtype))


def fetched(answer):
    """Return an answer in this process, with NumPy arrays instead of Dask arrays."""
    if hasattr(answer, "to_scipy"):
        return answer.to_scipy()
    if isinstance(answer, tuple):
        return tuple(map(fetched, answer))
    return answer.compute() if hasattr(answer, "compute") else answer


def checksum(answer):
    """Return the CRC of an answer and its dtypes."""
    if isinstance(answer, tuple):
        return [checksum(part) for part in answer]
    if sp.issparse(answer):
        return [zlib.crc32(array.astype(np.int64).tobytes()) for array in (answer.indptr, answer.indices)] + [
            checksum(answer.data)
        ]
    return (zlib.crc32(answer.tobytes()), answer.dtype) if isinstance(answer, np.ndarray) else answer


def nearly_a_forest(graph, whole, seed):
    """Return the lightest or the heaviest forest of the whole graph, with random changes, for it or its partitions.

    Edges may be removed, replaced, added, or given other weights.
    """
    import dask.array as da

    rng = np.random.default_rng(seed)
    forest = sg.minimum_spanning_forest(whole, maximum=bool(rng.integers(2))).tocoo()
    u, v, w = (column.astype(np.int64) for column in (forest.row, forest.col, forest.data))
    for change in rng.integers(5, size=rng.integers(3)):
        if change == 0:
            w[rng.random(w.size) < 0.2] += 1
        elif change == 1:
            kept = rng.random(u.size) < 0.8
            u, v, w = u[kept], v[kept], w[kept]
        elif change == 2:
            u, v = v, u
        elif whole.num_entries:
            e, keep = rng.integers(whole.num_entries), slice(change - 3, None)
            more = whole._rows()[e], whole.indices[e], whole.weights[e]
            u, v, w = (np.append(column[keep], one) for column, one in zip((u, v, w), more, strict=True))
    if graph is whole:
        return sp.coo_array((w, (u, v)), shape=forest.shape)
    pieces = [da.from_array(column, chunks=max(1, column.size // 2)) for column in (u, v, w)]
    return sg.distributed.DistributedForest(*pieces, len(whole))
