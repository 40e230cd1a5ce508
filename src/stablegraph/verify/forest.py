"""Verification of spanning forests and minimum spanning forests.

Spanning: every edge of the forest is an edge of the graph, the number of edges equals the number of vertices minus the
number of components (from SciPy), and no edge of the graph joins two components of the forest.

Minimum: by the cycle property, no edge of the graph is lighter than an edge on the path between its ends in the forest.
The heaviest edge on each path is found without traversing the path. Every vertex of the forest selects its lightest
edge, the selected edges are contracted, and this is repeated. The vertices of each step are the children of those of
the next step, and each child stores its selected edge. In the resulting tree, which has at most log2(n) levels, the
heaviest edge between two leaves is the heaviest edge between them in the forest (V. King, "A Simpler Minimum Spanning
Tree Verification Algorithm", Algorithmica 18, 1997). All leaves have the same depth. Therefore the ends of all edges
of the graph move up the tree together, one level per step, until they meet.

Cost: two sorts of the edges, and for each level a pass over the edges whose ends have not met. Work memory: about 100
bytes per edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from .._core.dispatch import dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, boolean, is_sparse
from .._core.vertex_names import shown_entry
from ..conversion import undirected
from ..graph import Graph
from .checks import in_host_memory, vertex, vertices
from .searches import adjacency, components


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges from their smaller to their larger ends, sorted, each once."""

    u: np.ndarray
    v: np.ndarray
    weights: np.ndarray


@suggests_options
def is_spanning_forest(graph: Any, forest: Any) -> bool:
    """Return whether a forest has only edges of the graph, no cycle, and the same components as the graph.

    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((4,))
    >>> sg.is_spanning_forest(path, sg.minimum_spanning_forest(path))
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    forest : (n, n) sparse array or matrix
        Each edge once, in either direction. All stored entries count as edges; their values are ignored.

    Returns
    -------
    bool
        Whether the forest is correct. If not, `explain_spanning_forest` names the edge, or two unconnected vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or the forest is not an (n, n) sparse matrix.

    Notes
    -----
    Two sorts of the edges, and SciPy's search for the components of the forest. Work memory: about 50 bytes per edge. A
    graph on a GPU is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> forest = sg.minimum_spanning_forest(cycle)
    >>> sg.is_spanning_forest(cycle, forest)
    True
    >>> sg.explain(sg.is_spanning_forest, cycle, cycle.to_scipy())
    'edge (0, 1) is in the forest more than once'
    """
    return explain_spanning_forest(graph, forest) is None


@dispatches_on_graph
def explain_spanning_forest(graph: Any, forest: Any) -> str | None:
    """Explain which edge must not be in the forest, or which two vertices it fails to connect; else return None.

    Parameters and errors are those of `is_spanning_forest`.
    """
    graph = in_host_memory(undirected(graph, partitions=True))
    if isinstance(graph, PartitionedGraph):
        return in_partitions(explain_spanning_forest, graph, forest)
    tree = _edges_of_forest(graph, forest)
    if isinstance(tree, str):
        return tree
    return _not_spanning(graph, _edges_of_graph(graph, False), tree)


@suggests_options
def is_minimum_spanning_forest(graph: Any, forest: Any, maximum: bool = False) -> bool:
    """Return whether a forest is a spanning forest of minimum weight; several forests may have this weight.

    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((4,))
    >>> sg.is_minimum_spanning_forest(path, sg.minimum_spanning_forest(path))
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops are ignored; the lightest of duplicate entries counts. Weights are read from
        entries (u, v) with u < v; without weights all weights are one.
    forest : (n, n) sparse array or matrix
        Each edge once, in either direction, with its weight. All stored entries count as edges.
    maximum : bool, optional
        Check for maximum weight instead. The heaviest of duplicate entries then counts.

    Returns
    -------
    bool
        Whether the forest is minimum. If not, `explain_minimum_spanning_forest` names an edge and its replacement.

    Raises
    ------
    ValueError, TypeError
        As for `is_spanning_forest`, and if `maximum` is not a bool.

    Notes
    -----
    By the cycle property: every edge that is not in the forest is compared with the heaviest edge on the path between
    its ends, which is found in at most log2(n) steps of Borůvka's algorithm on the forest. Work memory: about 100 bytes
    per edge. A graph on a GPU is copied to host memory.

    Examples
    --------
    >>> import scipy.sparse, stablegraph as sg
    >>> triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 3, 4], symmetrize=True)
    >>> forest = scipy.sparse.csr_array([[0, 5, 0], [0, 0, 3], [0, 0, 0]])
    >>> print(sg.explain(sg.is_minimum_spanning_forest, triangle, forest))
    edge (0, 2) has weight 4 and is not in the forest, but edge (0, 1) of weight 5 is, on the path between its ends
    """
    return explain_minimum_spanning_forest(graph, forest, maximum) is None


@dispatches_on_graph
def explain_minimum_spanning_forest(graph: Any, forest: Any, maximum: bool = False) -> str | None:
    """Explain which edge must not be in the forest, and which edge is better; else return None.

    Parameters and errors are those of `is_minimum_spanning_forest`.
    """
    maximum = boolean(maximum, "maximum")
    graph = in_host_memory(undirected(graph, weights=True, partitions=True))
    if isinstance(graph, PartitionedGraph):
        return in_partitions(explain_minimum_spanning_forest, graph, forest, maximum)
    tree, edges = _edges_of_forest(graph, forest), _edges_of_graph(graph, maximum)
    if isinstance(tree, str):
        return tree
    fault = _not_spanning(graph, edges, tree)
    if fault is not None:
        return fault
    place = _places_in_graph(graph.num_vertices, edges, tree)
    different = np.flatnonzero(tree.weights != edges.weights[place])
    if different.size:
        e = different[0]
        wrong, right = tree.weights[e], edges.weights[place[e]]
        return f"{_edge_words(graph, tree, e)} has weight {wrong} in the forest, but {right} in the graph"
    ranks = np.unique(edges.weights, return_inverse=True)[1]
    if maximum:
        ranks = -ranks
    others = np.delete(np.arange(edges.u.size), place)
    heaviest = _heaviest_between(graph.num_vertices, edges, place[np.argsort(ranks[place], kind="stable")], others)
    better = np.flatnonzero(ranks[others] < ranks[heaviest])
    if not better.size:
        return None
    e, f = others[better[0]], heaviest[better[0]]
    return (
        f"{_edge_words(graph, edges, e)} has weight {edges.weights[e]} and is not in the forest, but "
        f"{_edge_words(graph, edges, f)} of weight {edges.weights[f]} is, on the path between its ends"
    )


def _edges_of_forest(graph: Graph, forest: Any) -> Edges | str:
    """Return the edges of a forest, or a sentence about the first violation."""
    n = graph.num_vertices
    forest = forest.get() if hasattr(forest, "get") else forest
    if not is_sparse(forest):
        raise TypeError(f"the forest must be a sparse array, got {type(forest).__name__}")
    if forest.shape != (n, n):
        raise ValueError(f"the forest has shape {forest.shape}, but the graph has {n} vertices: expected ({n}, {n})")
    entries = forest.tocoo()
    u, v = np.minimum(entries.row, entries.col), np.maximum(entries.row, entries.col)
    order = np.lexsort((v, u))
    edges = Edges(u[order].astype(np.int64), v[order].astype(np.int64), entries.data[order])
    loops = np.flatnonzero(edges.u == edges.v)
    if loops.size:
        return f"the forest has a loop at {vertex(graph, edges.u[loops[0]])}"
    twice = np.flatnonzero((edges.u[1:] == edges.u[:-1]) & (edges.v[1:] == edges.v[:-1]))
    return f"{_edge_words(graph, edges, twice[0])} is in the forest more than once" if twice.size else edges


def _edges_of_graph(graph: Graph, maximum: bool) -> Edges:
    """Return the edges of a graph from its upper entries; of repeated edges the lightest, or the heaviest."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    upper = np.flatnonzero(rows < graph.indices)
    weights = np.ones(upper.size, np.int8) if graph.weights is None else graph.weights[upper]
    return _best_of_repeated(rows[upper], graph.indices[upper].astype(np.int64), weights, maximum)


def _best_of_repeated(u: np.ndarray, v: np.ndarray, weights: np.ndarray, maximum: bool) -> Edges:
    """Return edges sorted, each once; of repeated edges the lightest, or the heaviest."""
    order = np.lexsort((v, u))
    u, v, weights = u[order], v[order], weights[order]
    first = np.flatnonzero(np.concatenate([[True], (u[1:] != u[:-1]) | (v[1:] != v[:-1])])[: u.size])
    best = (np.maximum if maximum else np.minimum).reduceat(weights, first)
    return Edges(u[first], v[first], best)


def _places_in_graph(n: int, edges: Edges, tree: Edges) -> np.ndarray:
    """Return the index, or the insertion point, of each edge of a forest among the edges of the graph."""
    places: np.ndarray = np.searchsorted(edges.u * n + edges.v, tree.u * n + tree.v)
    return places


def _not_spanning(graph: Graph, edges: Edges, tree: Edges) -> str | None:
    n = graph.num_vertices
    place = _places_in_graph(n, edges, tree)
    known = place < edges.u.size
    known[known] = (edges.u[place[known]] == tree.u[known]) & (edges.v[place[known]] == tree.v[known])
    if not known.all():
        return f"{_edge_words(graph, tree, known.argmin())} is in the forest, but not in the graph"
    count, labels = components(n, tree.u, tree.v)
    if tree.u.size > n - count:
        return f"{_edge_words(graph, tree, _closing_a_cycle(n, tree))} closes a cycle in the forest"
    cut = np.flatnonzero(labels[edges.u] != labels[edges.v])
    if cut.size:
        return f"{vertices(graph, edges.u[cut[0]], edges.v[cut[0]])} are adjacent, but not connected in the forest"
    return None


def _closing_a_cycle(n: int, tree: Edges) -> int:
    """Return the first edge that closes a cycle with earlier ones: a spanning forest by index leaves it out."""
    kept = scipy.sparse.csgraph.minimum_spanning_tree(adjacency(n, tree.u, tree.v, np.arange(1.0, tree.u.size + 1)))
    remaining = np.ones(tree.u.size, bool)
    remaining[kept.data.astype(np.int64) - 1] = False
    return int(remaining.argmax())


def _heaviest_between(n: int, edges: Edges, tree: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return for each of some edges the heaviest edge on the path between its ends in a forest.

    `tree` are the edges of the forest in the order of their weights.
    """
    u, v = edges.u[tree], edges.v[tree]
    numbers = np.arange(tree.size)  # the number of an edge is its position in the order of weights
    left, right = edges.u[others], edges.v[others]
    heaviest = np.full(others.size, -1)
    climbing = np.arange(others.size)
    while numbers.size:
        lightest = np.full(n, tree.size)
        backwards = slice(None, None, -1)  # assignment keeps the last of several values for an index
        for ends in (u, v):
            taken = np.full(n, tree.size)
            taken[ends[backwards]] = numbers[backwards]
            lightest = np.minimum(lightest, taken)
        taken = np.isin(numbers, lightest)
        n, parents = components(n, u[taken], v[taken])
        for ends in (left, right):
            heaviest[climbing] = np.maximum(heaviest[climbing], lightest[ends])
        left, right = parents[left], parents[right]
        apart = left != right
        left, right, climbing = left[apart], right[apart], climbing[apart]
        u, v = parents[u], parents[v]
        apart = u != v
        u, v, numbers = u[apart], v[apart], numbers[apart]
    result: np.ndarray = tree[heaviest]
    return result


def _edge_words(graph: Graph, edges: Edges, e: Any) -> str:
    """Return the words for an edge."""
    return f"edge {shown_entry(edges.u[e], edges.v[e], graph.nodes)}"
