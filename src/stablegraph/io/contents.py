"""Building a Graph from the contents of a file, by the same rules for every format.

A reader returns `Contents`: edges or complete CSR arrays, and the statement of the format about the direction:

* Some formats state that the graph is undirected (METIS, PACE, ``.col``, symmetric Matrix Market files). In other
  formats a header, metadata or a member of the file may state the direction.
* A matrix, whose entries are listed one by one (Matrix Market "general", DIMACS arcs, ECL, SciPy's .npz), is undirected
  if each entry (u, v) has its partner (v, u), with the same weight if there are weights. Otherwise it is directed.
* A list or table of edges without such a statement is undirected, unless the caller passes directed=True. The symmetry
  of its rows has no influence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core.memory import free_memory
from .._core.option_names import Merge
from ..conversion import as_graph, from_edges
from ..graph import Graph
from .edge_lists import has_symmetric_weights
from .source import Allowance, GraphFileError

_BYTES_PER_VERTEX = 24  # a row start, and a few arrays of the algorithm that uses the graph
_GIBIBYTE = 2**30


@dataclass
class Contents:
    """The graph that a file describes.

    Either `u`, `v` (edges between vertices 0 .. n - 1) or `indptr`, `indices` are set. `directed` is None if the file
    does not state the direction. `is_list` is true for a list of edges, in which an undirected edge may be listed in
    only one direction, and false for the entries of a matrix. `explain` locates the one-sided entries of an undirected
    graph; it is called only after such entries were detected.
    """

    n: int
    u: np.ndarray | None = None
    v: np.ndarray | None = None
    indptr: np.ndarray | None = None
    indices: np.ndarray | None = None
    weights: np.ndarray | None = None
    directed: bool | None = None
    is_list: bool = False
    nodes: Any = None
    facts: dict[str, Any] = field(default_factory=dict)
    explain: Callable[[], ValueError | None] | None = None


def assemble(
    name: str, contents: Contents, allowance: Allowance, *, symmetrize: bool | Merge, directed: bool | None
) -> Graph:
    """Build the Graph, with the direction stated by the file, by its entries, or by the caller."""
    if contents.u is not None:
        check_announced(name, contents.n, allowance)
    if contents.is_list and contents.directed is None:
        contents.directed = bool(directed)
    try:
        graph = _described(_graph_of(contents, symmetrize), contents)
    except ValueError as error:
        raise (contents.explain and contents.explain()) or _refused(name, error) from None
    except MemoryError:
        raise GraphFileError(f"{name}: {contents.n} vertices are announced, for which the memory is short") from None
    try:
        if symmetrize:
            graph = as_graph(graph, symmetrize=symmetrize)
        elif directed is False:
            graph = _with_one_weight_an_edge(as_graph(graph), contents.is_list and contents.directed is True)
        elif contents.directed is False:
            graph = as_graph(graph, directed=bool(directed))
        elif directed is None and contents.directed is None:
            graph = _as_found(graph)
    except ValueError as error:
        raise _refused(name, error) from None
    return _described(graph, contents)


def check_announced(name: str, n: int, allowance: Allowance) -> None:
    """Refuse a file that announces more vertices than fit into the free memory or the file's allowance."""
    needed, free = _BYTES_PER_VERTEX * n, free_memory()
    if needed > free:
        raise GraphFileError(
            f"{name}: {n} vertices are announced, which take {needed / _GIBIBYTE:.1f} GiB to read and use, but only "
            f"{free / _GIBIBYTE:.1f} GiB of memory are free; correct the header, or number the vertices without gaps"
        )
    allowance.check(needed, f"the {n} vertices that it announces")


def _refused(name: str, error: ValueError) -> GraphFileError:
    """Return the error about a file's graph, with the remedy phrased for callers of `read_graph`."""
    reason = re.sub("(?<= to )(as_graph|from_edges)", "read_graph", str(error))
    return GraphFileError(f"{name}: {reason.replace('pass no weights', 'pass weights=False')}")


def _graph_of(contents: Contents, symmetrize: bool | Merge) -> Graph:
    """Return the graph of the entries: undirected if the file states so, otherwise directed."""
    undirected = contents.directed is False
    if contents.u is None:
        return as_graph((contents.indptr, contents.indices, contents.weights), directed=not undirected)
    # Add the opposite entry of each listed edge; if their weights differ, the caller's rule combines them.
    mirror = (symmetrize or True) if undirected and contents.is_list else False

    def build(drop_duplicates: bool) -> Graph:
        return from_edges(
            contents.u,
            contents.v,
            contents.weights,
            contents.n,
            directed=not undirected,
            symmetrize=mirror,
            drop_duplicates=drop_duplicates,
            nodes=contents.nodes,
        )

    if contents.weights is None or mirror:
        return build(True)
    if isinstance(symmetrize, str) and not undirected:
        return build(False)  # `as_graph` combines all weights of an edge, including equal ones
    try:
        return build(True)
    except ValueError:
        return build(False)  # parallel edges with different weights remain separate entries


def _as_found(graph: Graph) -> Graph:
    """Return an undirected graph if each entry has its partner of the same weight, otherwise the graph itself."""
    if not graph.is_symmetric:
        return graph
    twofold = as_graph(graph, directed=False)
    return twofold if has_symmetric_weights(twofold) else graph


def _with_one_weight_an_edge(graph: Graph, are_arcs: bool) -> Graph:
    """Return an undirected graph with one weight for each edge; refuse an edge with different weights.

    Parallel entries are merged if a list or table states that its rows are arcs; those of a matrix remain.
    """
    return graph if not are_arcs and has_symmetric_weights(graph) else as_graph(graph, symmetrize=True)


def _described(graph: Graph, contents: Contents) -> Graph:
    """Return the graph with the node names and facts of the file."""
    if contents.nodes is None and not contents.facts:
        return graph
    return graph._replace(nodes=contents.nodes, facts={**graph._facts, **contents.facts})
