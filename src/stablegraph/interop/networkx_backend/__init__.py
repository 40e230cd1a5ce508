"""The NetworkX backend "stablegraph": NetworkX looks up functions in `backend` by their names.

NetworkX converts a graph once (`convert_from_nx`), caches the result with the graph, and passes it to the functions of
this backend. Inside the backend nodes are numbers, in the order of the graph; arguments and results contain the node
names. Results contain Python numbers, and have NetworkX's order.

Unsupported arguments, and the graph sizes below which NetworkX is as fast: NetworkX calls `should_run` before it
converts a graph for a backend in its priority list, and logs the reason of a refusal. For a call with
``backend="stablegraph"`` it does not; then the function itself raises NotImplementedError, which names the argument.
(`can_run`, the hook for unsupported arguments, is not used, because NetworkX does not show its reason to the user.)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import networkx as nx
from networkx.algorithms.tree import mst

from ..._core.texts import short_repr
from .. import networkx_info
from . import connectivity, graph, paths, sets
from .graph import already_converted
from .sets import STRATEGIES

Arguments = dict[str, Any]  # the arguments of a call, by name


def _simple_kinds(arguments: Arguments) -> str:
    kind = arguments["create_using"]
    return (
        "" if kind in (None, nx.Graph, nx.DiGraph) else f"create_using must be Graph or DiGraph, got {short_repr(kind)}"
    )


def _matrix(arguments: Arguments) -> str:
    A = arguments["A"]
    if A.format != "csr" or not A.has_canonical_format or A.dtype.kind not in "biuf":
        return f"A must be a CSR array of real numbers after A.sum_duplicates(), got {A.format} of {A.dtype}"
    return _simple_kinds(arguments)


def _table(arguments: Arguments) -> str:
    column = arguments["edge_attr"]
    if column is not None:
        if column is True or isinstance(column, list | tuple) or column not in arguments["df"]:
            return f"edge_attr must be None or the name of one column, got {short_repr(column)}"
        kind = arguments["df"][column].dtype
        if getattr(kind, "kind", "O") not in "biuf":
            return f"edge_attr must name a column of numbers, but column {short_repr(column)} has dtype {kind}"
    if arguments["edge_key"] is not None:
        return f"edge_key is not supported, got {short_repr(arguments['edge_key'])}"
    return _simple_kinds(arguments)


def _written_matrix(arguments: Arguments) -> str:
    if arguments["nodelist"] is not None:
        return "nodelist is not supported: rows are all nodes in the order of the graph"
    return _no_parallel_edges(arguments)


def _no_parallel_edges(arguments: Arguments) -> str:
    return "G must be a Graph or DiGraph, not one with parallel edges" if arguments["G"].is_multigraph() else ""


def _undirected(arguments: Arguments) -> str:
    return "G must be undirected" if arguments["G"].is_directed() else ""


def _communities(arguments: Arguments) -> str:
    resolution = arguments["resolution"]
    if not isinstance(resolution, (int, float)) or not 0 <= resolution < float("inf"):
        return f"resolution must be a finite number of at least 0, got {short_repr(resolution)}"
    return _undirected(arguments)


def _strategy(arguments: Arguments) -> str:
    strategy = arguments["strategy"]
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        return f"strategy must be one of {', '.join(STRATEGIES)}, got {short_repr(strategy)}"
    if arguments["interchange"]:
        return "interchange is not supported"
    return _undirected(arguments) or _no_parallel_edges(arguments)


def _kruskal(arguments: Arguments) -> str:
    algorithm = arguments["algorithm"]
    if algorithm in mst.ALGORITHMS.keys() - {"kruskal"}:
        return f"algorithm must be 'kruskal', got {short_repr(algorithm)}"
    return _undirected(arguments) or _no_parallel_edges(arguments)


def _plain_search(arguments: Arguments) -> str:
    if arguments["sort_neighbors"] is not None:
        return "sort_neighbors is not supported"
    if arguments["reverse"] and arguments["G"].is_directed():
        return "reverse is not supported for directed graphs"
    return ""


def _by_attribute(arguments: Arguments) -> str:
    if callable(arguments["weight"]):
        return "weight must be the name of an edge attribute, got a function"
    return "" if arguments["weight"] is None else _no_parallel_edges(arguments)


def _lengths(arguments: Arguments) -> str:
    if arguments["source"] is None:
        return "paths between all pairs, or from all nodes to a target, are not supported"
    if arguments["weight"] is None and arguments["target"] is not None:
        return "target is supported only with weight: by edges, NetworkX searches from both ends"
    if arguments["method"] != "dijkstra":
        return f"method must be 'dijkstra', got {short_repr(arguments['method'])}"
    return _by_attribute(arguments)


def _whole_graph(arguments: Arguments) -> str:
    if arguments["root"] is not None:
        return "root is not supported: bridges of all components are found"
    return _undirected(arguments) or _no_parallel_edges(arguments)


def _paths(arguments: Arguments) -> str:
    if arguments["weight"] is None or arguments["target"] is not None:
        return "weight is required, and target is not supported: dijkstra_path has both"
    return _lengths(arguments)


def _without_scc(arguments: Arguments) -> str:
    return "scc is not supported" if arguments["scc"] is not None else ""


_CONDITIONS: dict[str, Callable[[Arguments], str]] = {
    "bfs_edges": _plain_search,
    "bfs_tree": _plain_search,
    "bridges": _whole_graph,
    "condensation": _without_scc,
    "core_number": _undirected,
    "dijkstra_path": _by_attribute,
    "dijkstra_path_length": _by_attribute,
    "dominating_set": _undirected,
    "from_pandas_edgelist": _table,
    "from_scipy_sparse_array": _matrix,
    "greedy_color": _strategy,
    "has_bridges": _whole_graph,
    "is_bipartite": _undirected,
    "k_core": _undirected,
    "leiden_communities": _communities,
    "leiden_partitions": _communities,
    "louvain_communities": _communities,
    "louvain_partitions": _communities,
    "modularity": _communities,
    "maximum_spanning_edges": _kruskal,
    "maximum_spanning_tree": _kruskal,
    "minimum_spanning_edges": _kruskal,
    "minimum_spanning_tree": _kruskal,
    "shortest_path": _paths,
    "shortest_path_length": _lengths,
    "single_source_dijkstra": _by_attribute,
    "single_source_dijkstra_path": _by_attribute,
    "single_source_dijkstra_path_length": _by_attribute,
    "to_scipy_sparse_array": _written_matrix,
}


def _unsupported(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> str:
    """Return a message about an argument that a backend function does not support; empty if all are supported."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return _CONDITIONS[name](bound.arguments) if name in _CONDITIONS else ""


def refuses_unsupported(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of the backend raise NotImplementedError for arguments that it does not support."""
    if name not in _CONDITIONS:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        reason = _unsupported(name, function, args, kwargs)
        if reason:
            raise NotImplementedError(f"{name}: {reason}")
        return function(*args, **kwargs)

    return call


# Numbers of nodes from which on a single call, including its conversion, is faster than NetworkX. Measured on two cores
# by `python -m benchmarks run networkx_backend --parts crossover`: random graphs with four edges per node, sizes in
# powers of two. Conversion dominates: a traversal costs NetworkX hardly more than reading all of its dictionaries.
_WORTH_IT = {
    "condensation": 500,
    "dominating_set": 1_000_000,  # NetworkX was faster at all sizes
    "greedy_color": 1_000,
    "leiden_communities": 0,  # NetworkX before 3.7 has no implementation
    "leiden_partitions": 0,
    "louvain_communities": 100,
    "louvain_partitions": 100,
    "maximal_independent_set": 1_000,
    "maximum_independent_set": 150,
    "maximum_spanning_edges": 1_000,
    "maximum_spanning_tree": 1_000,
    "minimum_spanning_edges": 1_000,
    "minimum_spanning_tree": 1_000,
    "number_strongly_connected_components": 500,
    "single_source_dijkstra": 2_000,
    "single_source_dijkstra_path": 2_000,
    "single_source_dijkstra_path_length": 2_000,
    "strongly_connected_components": 500,
    "to_scipy_sparse_array": 250,
}
_TRAVERSALS = 10_000  # for all other functions


def fewest_nodes(name: str) -> int:
    """Return the number of nodes from which on a function is worth a conversion."""
    return _WORTH_IT.get(name, _TRAVERSALS)


def should_run(name: str, args: Any, kwargs: Any) -> bool | str:
    """Return True if a call is supported and worth a conversion, otherwise the reason."""
    try:
        reason = _unsupported(name, FUNCTIONS[name], args, kwargs)
    except TypeError as error:
        reason = str(error)
    if reason:
        return reason
    G = args[0] if args else kwargs.get("G")
    if already_converted(G) is not None:
        return True
    fewest = fewest_nodes(name)
    if len(G) < fewest:
        return f"NetworkX is as fast on fewer than {fewest:,} nodes, if they have to be converted first"
    return True


# Exceptions for NetworkX's own tests with this backend: tests that require one of several correct results.
_EXPECTED_FAILURES = {
    ("test_mis.py", "test_random_seed"): "asks for the set that one stream of random numbers gives",
    ("test_coloring.py", "test_special_cases"): "asks for 5 colors by 'smallest_last', where 4 are found",
    **{
        ("test_louvain.py", name): "asks for the communities of one stream of random numbers, in one order"
        for name in (
            "test_karate_club_partition",
            "test_undirected_selfloops",
            "test_none_weight_param",
            "test_petersen",
        )
    },
    **{
        ("test_leiden.py", name): "asks for the communities of one stream of random numbers"
        for name in ("test_expected_stable_across_code_changes_cpm", "test_cpm_node_weights_on_G")
    },
    ("test_leiden.py", "test_weights_matter[modularity]"): "asks for more levels than there are",
}


def on_start_tests(items: list[Any]) -> None:
    """Mark the exceptions as expected failures; NetworkX calls this before it runs its tests with the backend."""
    import pytest

    for item in items:
        reason = _EXPECTED_FAILURES.get((item.path.name, item.name))
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason))


FUNCTIONS: dict[str, Callable[..., Any]] = {  # those of NetworkX that networkx_info.py lists, and those of a backend
    **{
        name: function
        for module in (connectivity, graph, paths, sets)
        for name, function in vars(module).items()
        if name in networkx_info.FUNCTIONS
    },
    "convert_from_nx": graph.convert_from_nx,
    "convert_to_nx": graph.convert_to_nx,
    "on_start_tests": on_start_tests,
    "should_run": should_run,
}

# A namespace instead of this module, in which NetworkX would find submodules: `bipartite.sets` would be sets.py.
backend = SimpleNamespace(**{name: refuses_unsupported(name, function) for name, function in FUNCTIONS.items()})
