"""Functions shared by the verifiers: checks of arguments, loops over entries, and names of vertices in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core.validation import (
    PartitionedGraph,
    host_array,
    integer,
    is_spread,
    on_gpu,
    refuse_dict_in_partitions,
    single_array,
    vertices_on,
)
from .._core.vertex_names import refuse_other_order, shown_entry, shown_vertex
from ..graph import Graph
from ..spread_graph import SpreadGraph


class FoundTree(NamedTuple):
    """The result of a search that is checked, for each vertex of a graph."""

    ids: NDArray[Any]  # of the vertices, in which parents are given
    sources: NDArray[Any]  # a mask
    steps: NDArray[Any]  # the distances
    parents: NDArray[Any]
    exists: NDArray[Any]  # a mask of the vertices whose parent exists
    joined: NDArray[Any]  # ... has an arc to them
    nearer: NDArray[Any]  # ... is one step nearer


_PIECE = 1 << 25  # entries of a graph on a GPU that are checked at a time: about 1.5 GB of work memory


def integer_each(values: Any, graph: Graph, name: str, *, or_text: bool = False) -> Any:
    """Return an array with an integer for each vertex, on the device of the graph or on its workers.

    Texts are returned as an array of strings if the argument may hold them.
    """
    n, is_partitioned = graph.num_vertices, isinstance(graph, PartitionedGraph)
    refuse_dict_in_partitions(values, name, graph)
    refuse_other_order(values, name, graph)
    if isinstance(values, Mapping):
        by_number = dict(by_vertex(graph, values, name))
        if len(by_number) < n:
            v = next(v for v in range(n) if v not in by_number)
            raise ValueError(f"{name} has no value for {vertex(graph, v)}: pass one for every vertex")
        values = [by_number[v] for v in range(n)]
    if is_spread(values, graph):
        array = values
    elif not is_partitioned and graph.device.startswith("cuda") and on_gpu(values):
        array = graph.xp.asarray(single_array(values, name))
    else:
        array = host_array(values, name)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} vertices: expected shape ({n},)")
    if or_text and array.dtype.kind in "OTU" and all(isinstance(one, str) for one in array.tolist()):
        return array.astype(str)
    if n and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers{' or texts' if or_text else ''}, got dtype {array.dtype}")
    return array if is_partitioned else graph.xp.asarray(array)


def by_vertex(graph: Graph, values: Mapping[Any, Any], name: str) -> Iterator[tuple[int, Any]]:
    """Yield the vertex and the value of each item of a dict of names, or of numbers if vertices have no names."""
    if graph.nodes is not None:
        yield from zip(graph.index(list(values)).tolist(), values.values(), strict=True)
        return
    for key, value in values.items():
        yield integer(key, f"a vertex in {name}", minimum=0, maximum=graph.num_vertices - 1), value


def in_host_memory(graph: Graph) -> Graph:
    """Return a graph in host memory; a graph in partitions is returned unchanged."""
    return graph if isinstance(graph, PartitionedGraph) else graph.to("cpu")


def vertex_mask(vertices: Any, graph: Graph, name: str) -> Any:
    """Return a bool mask on the graph's device, given a mask or distinct vertices, by number or by name."""
    mask = graph.xp.zeros(graph.num_vertices, bool)
    mask[vertices_on(graph, vertices, name)] = True
    return mask


def ends_of_entries(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the column of every entry of a graph in host memory."""
    return np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr)), graph.indices


def pieces_of_entries(graph: Graph) -> Iterator[tuple[Any, Any]]:
    """Yield rows and columns of entries on the graph's device: all at once in host memory, in pieces on a GPU.

    The pieces of a graph on several GPUs are copied to the current one.
    """
    if graph.device == "cpu":
        yield ends_of_entries(graph)
        return
    if isinstance(graph, SpreadGraph):
        for k, part in enumerate(graph.parts):
            for start in range(0, part.num_entries, _PIECE):
                rows, columns = graph._computed_by(k, ends_of_some, start, min(start + _PIECE, part.num_entries))
                yield rows, columns
        return
    for start in range(0, graph.num_entries, _PIECE):
        yield ends_of_some(graph, start, min(start + _PIECE, graph.num_entries))


def ends_of_some(graph: Graph, start: int, end: int) -> tuple[Any, Any]:
    """Return the row and the column of each entry in `start` .. `end` - 1, on the graph's device."""
    xp, indptr, indices = graph.xp, graph.indptr, graph.indices
    entries = xp.arange(start, end, dtype=indptr.dtype)
    return xp.searchsorted(indptr[1:], entries, side="right").astype(indices.dtype), indices[start:end]


def first_entry(graph: Graph, is_wrong: Callable[[Any, Any], Any]) -> tuple[int, int] | None:
    """Return the first entry for which `is_wrong(rows, columns)` is true, or None."""
    for rows, columns in pieces_of_entries(graph):
        wrong = is_wrong(rows, columns)
        if wrong.any():
            e = int(wrong.argmax())
            return int(rows[e]), int(columns[e])
    return None


def tree_faults(
    graph: Graph,
    tree: FoundTree,
    is_checked: Any,
    limit: int,
    smallest: bool,
    arcs: Iterable[tuple[Any, Any]],
    shown_parent: Callable[[Any], Any],
) -> list[str | None]:
    """Explain the first violation, or None, of each rule of a search tree, by the vertices in a mask.

    The search ended at the distance `limit`. Parents must be the smallest possible ones if `smallest`.
    """
    steps, parents, begin = tree.steps, tree.parents, tree.sources
    reached, far, better = steps >= 0, None, None

    def words_of(v: Any) -> str:
        return f"{vertex(graph, v)} has distance {int(steps[v])} and parent {shown_parent(v)}"

    rules = [
        (begin & ((steps != 0) | (parents != tree.ids)), "but is a source"),
        (~reached & ((steps != -1) | (parents != -1)), "but without a distance both must be -1"),
        (~begin & (steps == 0), "but is no source"),
        (reached & ~tree.exists, "which is no vertex"),
        (~begin & reached & ~tree.joined, "but no edge leads from it"),
        (~begin & reached & ~tree.nearer, "which is not one step nearer"),
    ]
    faults = []
    for broken, words in rules:
        wrong = broken & is_checked
        faults.append(f"{words_of(int(wrong.argmax()))}, {words}" if wrong.any() else None)
    v = int((steps * is_checked).argmax()) if steps.size else 0
    beyond = steps.size and steps[v] > limit and is_checked[v]
    faults.append(f"{words_of(v)}, but the search ends at distance {limit}" if beyond else None)
    for tails, heads in arcs:
        wrong = reached[tails] & (steps[tails] < limit) & (~reached[heads] | (steps[heads] > steps[tails] + 1))
        if far is None and wrong.any():
            u, v = int(tails[wrong.argmax()]), int(heads[wrong.argmax()])
            far = f"{words_of(v)}, but an edge leads there from {vertex(graph, u)}, which has distance {int(steps[u])}"
        if smallest and better is None:
            wrong = reached[tails] & (steps[heads] == steps[tails] + 1) & (tree.ids[tails] < parents[heads])
            if wrong.any():
                u, v = int(tails[wrong.argmax()]), int(heads[wrong.argmax()])
                better = f"{words_of(v)}, but {vertex(graph, u)} is smaller and as near"
    return [*faults, far, better]


def nearness(distance: int) -> str:
    """Return the words for two vertices that are too close to each other."""
    return "adjacent" if distance == 1 else f"within distance {distance} of each other"


def missing_steps(connected: bool) -> str:
    """Return the words for two vertices of an aggregate without steps of one edge, or of two, between them."""
    if connected:
        return "no path inside it joins them"
    return "no steps of two edges inside it lead from one to the other"


def vertex(graph: Graph, v: Any) -> str:
    """Return the words for a vertex."""
    return f"vertex {shown_vertex(v, graph.nodes)}"


def vertices(graph: Graph, u: Any, v: Any) -> str:
    """Return the words for two vertices."""
    return f"vertices {shown_vertex(u, graph.nodes)} and {shown_vertex(v, graph.nodes)}"


def edge(graph: Graph, u: Any, v: Any) -> str:
    """Return the words for an edge."""
    return f"edge {shown_entry(u, v, graph.nodes)}"
