"""Building a Graph from the contents of a file, by the same rules for every format.

A reader returns `Contents`: edges or complete CSR arrays, and the statement of the format about the direction:

* Some formats state that the graph is undirected (METIS, PACE, ``.col``, symmetric Matrix Market files). In other
  formats a header, metadata or a member of the file may state the direction.
* A matrix, whose entries are listed one by one (Matrix Market "general", DIMACS arcs, ECL, SciPy's .npz), is undirected
  if each entry (u, v) has its partner (v, u), with the same weight if there are weights. Otherwise it is directed.
* A list or table of edges without such a statement is undirected, unless the caller passes directed=True. The symmetry
  of its rows has no influence.

The edges and the names of the vertices of a graph, as the writers need them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from .._core.memory import free_memory
from .._core.option_names import Merge
from .._core.vertex_names import shown_name, shown_vertex
from ..conversion import as_graph, from_edges
from ..graph import Graph
from ..tables.columns import distinct_columns, edges_of, stated_graph
from .source import Allowance, GraphFileError, Source

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


def table_contents(source: Source, table: Any, ends: list[str], weight: str | None) -> Contents:
    """Return the contents of a table of edges, given the columns of its ends and weights."""
    lost = [column for column in distinct_columns(ends, weight) if column not in table.column_names]
    if lost:  # a damaged file may list different columns in two places
        raise source.error(f"the table is damaged: its column {lost[0]!r} cannot be read")
    vertices, directed = stated_graph(source.error, table.schema.metadata)
    edges = edges_of(source.error, table, ends, weight, vertices)
    return Contents(
        edges.n, edges.u, edges.v, weights=edges.weights, directed=directed, is_list=True, nodes=edges.nodes
    )


def assemble(
    name: str, contents: Contents, allowance: Allowance, *, symmetrize: bool | Merge, directed: bool | None
) -> Graph:
    """Build the Graph, with the direction stated by the file, by its entries, or by the caller."""
    if contents.u is not None:
        check_announced(name, contents.n, allowance)
    if contents.is_list and contents.directed is None:
        contents.directed = bool(directed)
    try:
        graph = _with_names_and_facts(_graph_of(contents, symmetrize), contents)
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
    return _with_names_and_facts(graph, contents)


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


def _with_names_and_facts(graph: Graph, contents: Contents) -> Graph:
    """Return the graph with the node names and facts of the file."""
    if contents.nodes is None and not contents.facts:
        return graph
    return graph._replace(nodes=contents.nodes, facts={**graph._facts, **contents.facts})


_LARGEST_SIGNED = 2**63 - 1


def entries(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return row, column and weight of every stored entry."""
    rows = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr))
    return rows, graph.indices, graph.weights


def check_text_weights(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> None:
    """Refuse weights that the parser could not read back: it reads signed 64-bit integers, decimals and infinity."""
    if w is None:
        return
    if w.dtype.kind not in "iubf":
        raise ValueError(f"weights in a text file are real numbers, not {w.dtype}; write the format 'npz' instead")
    wrong = np.isnan(w) if w.dtype.kind == "f" else (w > _LARGEST_SIGNED) | (w < -_LARGEST_SIGNED)
    if wrong.any():
        k = int(np.argmax(wrong))
        kind = "numbers" if w.dtype.kind == "f" else "integers of 64 bits with a sign"
        raise ValueError(
            f"weights in a text file are {kind}, but entry ({int(u[k])}, {int(v[k])}) weighs {w[k]}; write the format "
            "'npz' instead"
        )


def upper_half(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the entries with u <= v, that is each edge of an undirected graph once."""
    is_upper = u <= v
    return u[is_upper], v[is_upper], None if w is None else w[is_upper]


def has_symmetric_weights(graph: Any) -> bool:
    """Return whether each entry of an undirected graph has the weight of its partner (True without weights)."""
    if graph.weights is None:
        return True
    n = graph.num_vertices
    rows = scipy.sparse.csr_array((graph.weights, graph.indices, graph.indptr), shape=(n, n))
    columns = rows.T.tocsr()
    if not graph.facts.get("sorted", False):
        rows = rows.copy()
        rows.sort_indices()
    return np.array_equal(rows.indices, columns.indices) and np.array_equal(rows.data, columns.data)


def edge_list(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, np.ndarray | None]:
    """Return the content of an edge list: ends, weights, whether each edge is listed once, ascending integer names."""
    u, v, w, undirected = _edges(graph)
    names = _ascending_integers(graph)
    if names is not None:
        _check_isolated(graph, u, v, names, "an edge list cannot hold", " together with ids that have gaps")
    return u, v, w, undirected, names


def table_edges(graph: Any, *, counted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, Any]:
    """Return the content of a table of edges: ends, weights, whether each edge is listed once, and names of vertices.

    Names are integers, texts, or an Arrow array; None if they are 0 .. n - 1. `counted` indicates whether the table
    states the number of vertices, so that it can hold isolated ones that have no names.
    """
    u, v, w, undirected = _edges(graph)
    names = graph.nodes
    if names is not None and not hasattr(names, "at"):
        names = plain_names(names)
        distinct, first = np.unique(names, return_index=True)
        if distinct.size < names.size:
            repeated = names[np.setdiff1d(np.arange(names.size), first)[0]]
            raise ValueError(f"several vertices are called {str(repeated)!r}; write the format 'npz' instead")
        if names.dtype.kind in "iu":
            names = None if np.array_equal(names, np.arange(names.size)) else names
    if names is not None or not counted:
        _check_isolated(graph, u, v, names, "a table of edges cannot hold", "")
    return u, v, w, undirected, names


def names_at(names: Any, vertices: np.ndarray) -> Any:
    """Return the names of the given vertices as an array; without names, their numbers as int64."""
    if names is None:
        return vertices.astype(np.int64, copy=False)
    return names.array.take(vertices) if hasattr(names, "at") else names[vertices]


def _edges(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool]:
    """Return ends and weights of the edges, and whether each edge is listed once."""
    u, v, w = entries(graph)
    undirected = not graph.directed and has_symmetric_weights(graph)
    return (*(upper_half(u, v, w) if undirected else (u, v, w)), undirected)


def _check_isolated(graph: Any, u: np.ndarray, v: np.ndarray, names: Any, cannot: str, where: str) -> None:
    isolated = np.ones(graph.num_vertices, bool)
    isolated[u] = isolated[v] = False
    if isolated.any():
        name = shown_vertex(int(isolated.argmax()), names)
        raise ValueError(f"{cannot} the isolated vertex {name}{where}; write the format 'npz' instead")


def _ascending_integers(graph: Any) -> np.ndarray | None:
    """Return the node names if they are ascending non-negative integers other than 0 .. n - 1, otherwise None."""
    if graph.nodes is None:
        return None
    try:
        names = np.asarray(graph.nodes)
    except ValueError:
        return None
    if names.dtype.kind not in "iu" or names.ndim != 1 or not names.size or (names[1:] <= names[:-1]).any():
        return None
    smallest, largest = int(names[0]), int(names[-1])
    return names if smallest >= 0 and names.size <= largest <= _LARGEST_SIGNED else None


def plain_names(nodes: Any) -> np.ndarray:
    """Return node names as an array that needs no pickle: integers if possible, otherwise texts."""
    if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iuU":
        return nodes
    if all(isinstance(node, (int, np.integer)) and abs(int(node)) < 2**63 for node in nodes):
        return np.array([int(node) for node in nodes], np.int64)
    texts = [str(node) for node in nodes]
    if wrong := next((text for text in texts if text.endswith("\0")), None):
        raise ValueError(f"the name {shown_name(wrong)} ends in NUL, which an array of texts drops; rename the vertex")
    return np.array(texts, np.str_)
