"""From what a file says to a Graph: the same few decisions for every format.

A reader returns `Contents`: edges or ready CSR arrays, and whether the format says that the graph is undirected.
Where the format does not say (Matrix Market "general", SNAP, DIMACS arcs, ECL), the entries decide: the graph is
undirected if each entry (u, v) has its partner (v, u), with the same weight if there are weights, and directed if not.
A list of edges that stand once each is directed by that rule, too; who says directed=False gets its edges.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..conversion import as_graph, from_edges
from ..graph import Graph
from ..host_memory import free_memory
from .errors import GraphFileError
from .proportion import Allowance
from .source import Source
from .symmetry import has_symmetric_weights

__all__ = ["Contents", "assemble", "check_range"]

_BYTES_PER_VERTEX = 24  # a row start, and a few arrays of the algorithm that runs on the graph
_GIBIBYTE = 2**30


@dataclass
class Contents:
    """What a file says.

    Either `u`, `v` (edges between vertices 0 .. n - 1) or `indptr`, `indices`; `directed` is None if the format does
    not say; `mirrored` is False if an undirected edge may stand in the file in one direction only, for all that the
    file says. `explain` finds out
    where the entries of an undirected graph are one-sided, once it is known that they are.
    """

    n: int
    u: np.ndarray | None = None
    v: np.ndarray | None = None
    indptr: np.ndarray | None = None
    indices: np.ndarray | None = None
    weights: np.ndarray | None = None
    directed: bool | None = None
    mirrored: bool = True
    nodes: Any = None
    facts: dict[str, Any] = field(default_factory=dict)
    explain: Callable[[], ValueError | None] | None = None


def check_range(source: Source, ids: np.ndarray, n: int, first: int, position_of: Any) -> None:
    """Refuse vertex ids outside first .. first + n - 1, naming the line of the first one (given its place in `ids`)."""
    if ids.size and (int(ids.min()) < first or int(ids.max()) >= first + n):
        k = int(np.flatnonzero((ids < first) | (ids >= first + n))[0])
        raise source.error(
            f"vertex {int(ids[k])} is out of range, the file announces vertices {first} to {first + n - 1}"
            if n
            else f"vertex {int(ids[k])} is out of range, the file announces no vertices",
            position=position_of(k),
        )


def assemble(
    name: str, contents: Contents, allowance: Allowance, *, symmetrize: bool | str, directed: bool | None
) -> Graph:
    """Make the Graph, with the direction that the file, its entries, or the caller says."""
    if contents.u is not None:
        check_announced(name, contents.n, allowance)
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
            graph = _with_one_weight_an_edge(_undirected(graph, contents))
        elif contents.directed is False:
            graph = as_graph(graph, directed=bool(directed))
        elif directed is None and contents.directed is None:
            graph = _as_found(graph)
    except ValueError as error:
        raise _refused(name, error) from None
    return _described(graph, contents)


def check_announced(name: str, n: int, allowance: Allowance) -> None:
    """Refuse a header of more vertices than the memory holds, or than the file may take, whatever its edges."""
    needed, free = _BYTES_PER_VERTEX * n, free_memory()
    if needed > free:
        raise GraphFileError(
            f"{name}: {n} vertices are announced, which take {needed / _GIBIBYTE:.1f} GiB to read and use, but only "
            f"{free / _GIBIBYTE:.1f} GiB of memory are free; correct the header, or number the vertices without gaps"
        )
    allowance.check(needed, f"the {n} vertices that it announces")


def _refused(name: str, error: ValueError) -> GraphFileError:
    """What is wrong with a file's graph; a cure is for who calls `read_graph`."""
    reason = re.sub("(?<= to )(as_graph|from_edges)", "read_graph", str(error))
    return GraphFileError(f"{name}: {reason.replace('pass no weights', 'pass weights=False')}")


def _graph_of(contents: Contents, symmetrize: bool | str) -> Graph:
    """The graph of the entries: undirected if the file says so, else directed."""
    undirected = contents.directed is False
    if contents.u is None:
        return as_graph((contents.indptr, contents.indices, contents.weights), directed=not undirected)
    # Where an edge stands once, its partner is made; a rule of the caller's for weights that differ is used here.
    mirror = (symmetrize or True) if undirected and not contents.mirrored else False

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
    try:
        return build(True)
    except ValueError:
        return build(False)  # parallel edges whose weights differ stay as entries of their own


def _as_found(graph: Graph) -> Graph:
    """Undirected if each entry has its partner, of the same weight."""
    if not graph.is_symmetric:
        return graph
    twofold = as_graph(graph, directed=False)
    return twofold if has_symmetric_weights(twofold) else graph


def _undirected(graph: Graph, contents: Contents) -> Graph:
    """An undirected graph: each entry has its partner or, in a list that may have edges once, none has."""
    if graph.directed and contents.directed is None and not contents.mirrored:
        edges = as_graph(graph, symmetrize=True, weights=False)
        if 0 < graph.num_edges == edges.num_edges:  # two arcs that are partners would be one edge
            edges = as_graph(graph, symmetrize=True)
            edges._remember(edges_once=True)
            return edges
    return as_graph(graph, directed=False)


def _with_one_weight_an_edge(graph: Graph) -> Graph:
    """An undirected graph as it is; refused if the weights of an entry and its partner differ."""
    return graph if has_symmetric_weights(graph) else as_graph(graph, symmetrize=True)


def _described(graph: Graph, contents: Contents) -> Graph:
    """The graph with the names and facts that stand beside it in the file."""
    if contents.nodes is None and not contents.facts:
        return graph
    return graph._replace(nodes=contents.nodes, facts={**graph._facts, **contents.facts})
