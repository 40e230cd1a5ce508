"""What the backend cannot do, and where NetworkX is as fast: the reasons, as NetworkX logs them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx
from networkx.algorithms.tree import mst

from . import coloring, components, forests, matrices, searches, sets, strong, tables
from .graph import already_converted

Given = dict[str, Any]  # the arguments of a call, by name

_MODULES = (coloring, components, forests, matrices, searches, sets, strong, tables)


def _simple_kinds(given: Given) -> str:
    if given["create_using"] not in (None, nx.Graph, nx.DiGraph):
        return "create_using is neither Graph nor DiGraph"
    return ""


def _matrix(given: Given) -> str:
    A = given["A"]
    if A.format != "csr" or not A.has_canonical_format or A.dtype.kind not in "biuf":
        return "the matrix is not in canonical CSR format, with real numbers"
    return _simple_kinds(given)


def _table(given: Given) -> str:
    column = given["edge_attr"]
    if column is not None:
        if column is True or isinstance(column, list | tuple) or column not in given["df"]:
            return "edge_attr is not the name of one column"
        if getattr(given["df"][column].dtype, "kind", "O") not in "biuf":
            return "the column of edge_attr does not hold numbers"
    if given["edge_key"] is not None:
        return "there are no keys here"
    return _simple_kinds(given)


def _written_matrix(given: Given) -> str:
    if given["nodelist"] is not None:
        return "nodes are to be selected or put into another order"
    return _no_parallel_edges(given)


def _no_parallel_edges(given: Given) -> str:
    return "the graph may have parallel edges" if given["G"].is_multigraph() else ""


def _undirected(given: Given) -> str:
    return "the graph is directed" if given["G"].is_directed() else ""


def _strategy(given: Given) -> str:
    strategy = given["strategy"]
    if not isinstance(strategy, str) or strategy not in coloring.STRATEGIES:
        return "the strategy is not one of " + ", ".join(coloring.STRATEGIES)
    if given["interchange"]:
        return "there is no interchange here"
    return _undirected(given) or _no_parallel_edges(given)


def _kruskal(given: Given) -> str:
    if given["algorithm"] in mst.ALGORITHMS.keys() - {"kruskal"}:
        return "the edges are Kruskal's, not those of another algorithm"
    return _undirected(given) or _no_parallel_edges(given)


def _search(given: Given) -> str:
    if given["sort_neighbors"] is not None:
        return "neighbors are to be sorted"
    if given["reverse"] and given["G"].is_directed():
        return "the order of predecessors is not kept"
    return ""


def _whole(given: Given) -> str:
    return "components are given" if given["scc"] is not None else ""


_CONDITIONS: dict[str, Callable[[Given], str]] = {
    "bfs_edges": _search,
    "bfs_tree": _search,
    "condensation": _whole,
    "dominating_set": _undirected,
    "from_pandas_edgelist": _table,
    "from_scipy_sparse_array": _matrix,
    "greedy_color": _strategy,
    "maximum_spanning_edges": _kruskal,
    "maximum_spanning_tree": _kruskal,
    "minimum_spanning_edges": _kruskal,
    "minimum_spanning_tree": _kruskal,
    "to_scipy_sparse_array": _written_matrix,
}


def _given(name: str, args: Any, kwargs: Any) -> Given:
    function = next(getattr(module, name) for module in _MODULES if hasattr(module, name))
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def can_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether a function takes these arguments; if not, the reason."""
    if name not in _CONDITIONS:
        return True
    try:
        given = _given(name, args, kwargs)
    except TypeError as error:
        return str(error)
    return _CONDITIONS[name](given) or True


# Nodes from which a single call with its conversion takes less time than NetworkX, as measured on two cores by
# `python -m benchmarks run networkx_backend --parts crossover`: random graphs with four edges a node, sizes by powers
# of two. Conversion is most of the time: a traversal costs NetworkX hardly more than reading all its dictionaries.
_WORTH_IT = {
    "condensation": 500,
    "dominating_set": 1_000_000,  # NetworkX was faster at all sizes
    "greedy_color": 1_000,
    "maximal_independent_set": 1_000,
    "maximum_independent_set": 150,
    "maximum_spanning_edges": 1_000,
    "maximum_spanning_tree": 1_000,
    "minimum_spanning_edges": 1_000,
    "minimum_spanning_tree": 1_000,
    "number_strongly_connected_components": 500,
    "strongly_connected_components": 500,
    "to_scipy_sparse_array": 250,
}
_TRAVERSALS = 10_000  # for all others


def fewest_nodes(name: str) -> int:
    """From how many nodes on a function is worth a conversion."""
    return _WORTH_IT.get(name, _TRAVERSALS)


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Whether a call is worth a conversion; if not, the reason."""
    graph = args[0] if args else kwargs.get("G")
    if already_converted(graph) is not None:
        return True
    fewest = fewest_nodes(name)
    if len(graph) < fewest:
        return f"NetworkX is as fast on fewer than {fewest:,} nodes, if they have to be converted first"
    return True
