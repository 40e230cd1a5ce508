"""NetworkX calls with and without the backend, on graphs and views that change between the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from random import Random
from typing import Any
from unittest.mock import patch

import networkx as nx
import scipy.sparse as sp
from networkx.algorithms.coloring.equitable_coloring import is_coloring

from stablegraph.interop import networkx_backend

Call = tuple[str, Callable[[str | None], Any]]  # a description, and the call with a backend


def unrolled(answer: Any) -> Any:
    """Convert an answer to a form that can be compared, including the order and the types of its parts."""
    if isinstance(answer, nx.Graph):
        rows = {u: list(row.items()) for u, row in answer.adjacency()}
        return type(answer), answer.graph, list(answer.nodes(data=True)), rows
    if sp.issparse(answer):
        return answer.dtype, answer.format, answer.shape, answer.toarray().tolist()
    if hasattr(answer, "to_networkx"):
        return unrolled(answer.to_networkx())
    if hasattr(answer, "__next__"):
        answer = list(answer)
    return list(answer.items()) if isinstance(answer, dict) else answer


def outcome(call: Callable[[str | None], Any], backend: str | None) -> Any:
    """Return the answer of a call, or the error that it raises."""
    try:
        return unrolled(call(backend))
    except KeyError:  # its message depends on the kind of view
        return KeyError
    except Exception as error:
        return type(error), str(error)


# Calls


def exact_calls(graph: Any, random: Random) -> Iterator[Call]:
    """Yield calls whose answers with the backend must equal those of NetworkX."""
    nodes = [*graph, "no node"]
    directed = graph.is_directed()
    source, some = random.choice(nodes), random.sample(nodes, random.randint(0, len(nodes)))
    limit = random.choice([None, 0, 1, 1.5, 3])

    def of(function: Any, *args: Any, **options: Any) -> Call:
        text = ", ".join([*map(repr, args), *(f"{key}={value!r}" for key, value in options.items())])
        return f"{function.name}({text})", lambda backend: function(graph, *args, backend=backend, **options)

    yield of(nx.bfs_edges, source, depth_limit=limit)
    yield of(nx.bfs_tree, source, depth_limit=limit)
    yield of(nx.bfs_layers, source)
    yield of(nx.single_source_shortest_path_length, source, cutoff=limit)
    yield of(nx.is_dominating_set, some)
    if directed:
        yield from map(of, (nx.weakly_connected_components, nx.number_weakly_connected_components))
        yield from map(of, (nx.is_weakly_connected, nx.is_strongly_connected, nx.condensation))
        yield from map(of, (nx.strongly_connected_components, nx.number_strongly_connected_components))
    else:
        yield from map(of, (nx.connected_components, nx.number_connected_components, nx.is_connected))
        yield of(nx.node_connected_component, source)
    if graph.is_multigraph():
        return
    yield of(is_coloring, {v: random.randrange(3) for v in graph})
    yield of(nx.to_scipy_sparse_array, weight=random.choice(["weight", None, "no such attribute"]))
    matrix = sp.csr_array(nx.to_scipy_sparse_array(graph)) if len(graph) else sp.csr_array((2, 3))
    kind = nx.DiGraph if directed else random.choice([None, nx.Graph, nx.DiGraph])
    yield (
        f"from_scipy_sparse_array(to_scipy_sparse_array(graph), create_using={kind})",
        lambda backend: nx.from_scipy_sparse_array(matrix, create_using=kind, backend=backend),
    )
    if find_spec("pandas"):
        yield _of_table(graph, kind, random.choice([None, "w"]))
    if not directed:
        for function in (nx.minimum_spanning_edges, nx.maximum_spanning_edges):
            yield of(function, data=random.random() < 0.5, weight=random.choice(["weight", None]))
        yield from map(of, (nx.minimum_spanning_tree, nx.maximum_spanning_tree))
        if not any(graph.has_edge(v, v) for v in graph):  # else an error in other words
            yield of(nx.core_number)
            yield of(nx.has_bridges)
            yield "bridges()", lambda backend: {frozenset(edge) for edge in nx.bridges(graph, backend=backend)}
            yield of(nx.k_core, random.choice([None, 0, 1, 2, 3]))
        yield "greedy_color()", lambda backend: set(nx.greedy_color(graph, backend=backend).items())


def _of_table(graph: Any, kind: Any, column: str | None) -> Call:
    """Return the call that makes a graph from a table of edges."""
    import pandas as pd

    edges = list(graph.edges())
    ends = {"source": [u for u, _ in edges], "target": [v for _, v in edges]}
    table = pd.DataFrame({**ends, "w": range(len(edges))})

    def call(backend: str | None) -> Any:
        result = nx.from_pandas_edgelist(table, edge_attr=column, create_using=kind, backend=backend)
        return result.copy() if isinstance(result, nx.Graph) else result  # to_networkx() has the order of a copy

    return f"from_pandas_edgelist({edges}, edge_attr={column!r}, create_using={kind})", call


def checked_calls(graph: Any, random: Random) -> Iterator[tuple[str, Callable[[], bool]]]:
    """Yield calls with several correct answers; each returns whether its answer is correct."""
    if graph.is_directed():
        return
    loops = {v for v in graph if graph.has_edge(v, v)}
    free = [v for v in graph if v not in loops]

    def is_independent(answer: Any) -> bool:
        return len(set(answer)) == len(answer) and all(u == v or not {u, v} <= set(answer) for u, v in graph.edges())

    def is_maximal(nodes: Any) -> bool:
        answer = nx.maximal_independent_set(graph, nodes, backend="stablegraph")
        return is_independent(answer) and set(nodes) <= set(answer) and nx.is_dominating_set(graph, answer)

    def is_large() -> bool:
        return is_independent(nx.approximation.maximum_independent_set(graph, backend="stablegraph"))

    def dominates() -> bool:
        return nx.is_dominating_set(graph, nx.dominating_set(graph, backend="stablegraph"))

    if len(graph):
        nodes = random.sample(free, min(len(free), 1))
        yield f"maximal_independent_set({nodes})", lambda: is_maximal(nodes)
        yield "dominating_set", dominates
    if not graph.is_multigraph():
        yield "maximum_independent_set", is_large
        strategy = random.choice(["smallest_last", "random_sequential", "saturation_largest_first"])

        def is_colored() -> bool:
            colors = nx.greedy_color(graph, strategy, backend="stablegraph")
            return list(colors) == list(graph) and all(u == v or colors[u] != colors[v] for u, v in graph.edges())

        yield f"greedy_color({strategy})", is_colored


# Graphs, views and changes


def made_graph(kind: str, n: int, arcs: list[tuple[int, int]], random: Random) -> Any:
    """Make a NetworkX graph; some edges have weights (integers or also floats), some nodes are strings."""
    names: list[Any] = [v if random.random() < 0.7 else f"n{v}" for v in range(n)]
    graph = getattr(nx, kind)(name="base")
    graph.add_nodes_from((names[v], {"place": v}) for v in random.sample(range(n), n))
    weights = [0, 1, 2, 3] if random.random() < 0.5 else [0, 1, 0.5, 2.5]
    for u, v in random.sample(arcs, len(arcs)):
        graph.add_edge(names[u], names[v], **({"weight": random.choice(weights)} if random.random() < 0.8 else {}))
    return graph


def change(graph: Any, random: Random) -> str:
    """Change a graph by one of its methods, or an attribute of an edge, and describe the change."""
    nodes, edges = list(graph), list(graph.edges())
    new = random.randint(1000, 1005)
    ends = random.choice([*nodes, new]), random.choice([*nodes, new + 1])
    some, pairs = random.sample(nodes, min(len(nodes), 2)), random.sample(edges, min(len(edges), 2))
    weight = random.randint(0, 4)
    ways: list[tuple[str, tuple[Any, ...]]] = [
        ("add_edge", ends),
        ("add_weighted_edges_from", ([(*ends, weight)],)),
        ("add_edges_from", ([ends, ends[::-1]],)),
        ("remove_edges_from", (pairs,)),
        ("remove_edges_from", (pairs,)),
        ("remove_nodes_from", (some,)),
        ("add_nodes_from", ([new, new + 2],)),
        ("update", ([ends], [new])),
    ]
    ways += [("remove_edge", pairs[0]), ("remove_edge", pairs[0]), ("weight", pairs[0])] if pairs else []
    ways += [("remove_node", (some[0],))] if some else []
    ways += [("clear_edges", ()), ("clear", ())] if random.random() < 0.1 else []
    method, args = random.choice(ways)
    if method != "weight":
        getattr(graph, method)(*args)
    elif graph.is_multigraph():
        next(iter(graph.get_edge_data(*args).values()))["weight"] = weight
    else:
        graph.edges[args]["weight"] = weight
    return f"base.{method}{args!r}"


def made_view(graph: Any, random: Random) -> tuple[str, Any]:
    """Return a description and a view of a graph, which may itself be a view."""
    nodes = random.sample(list(graph), random.randint(0, len(graph)))
    edges = list(graph.edges(keys=True)) if graph.is_multigraph() else list(graph.edges())
    edges = random.sample(edges, random.randint(0, len(edges)))
    hidden = set(nodes[:2])
    ways: list[tuple[str, Callable[[], Any]]] = [
        (f"subgraph({nodes})", lambda: graph.subgraph(nodes)),
        (f"edge_subgraph({edges})", lambda: graph.edge_subgraph(edges)),
        (f"subgraph_view(hide {hidden})", lambda: nx.subgraph_view(graph, filter_node=lambda v: v not in hidden)),
        ("subgraph_view(no loops)", lambda: nx.subgraph_view(graph, filter_edge=lambda u, v, *_: u != v)),
        (f"restricted_view({nodes[:1]}, {edges[:1]})", lambda: nx.restricted_view(graph, nodes[:1], edges[:1])),
        ("copy(as_view=True)", lambda: graph.copy(as_view=True)),
        ("to_directed(as_view=True)", lambda: graph.to_directed(as_view=True)),
        ("to_undirected(as_view=True)", lambda: graph.to_undirected(as_view=True)),
    ]
    ways += [("reverse(copy=False)", lambda: graph.reverse(copy=False))] if graph.is_directed() else []
    text, make = random.choice(ways)
    return text, make()


def differences(kind: str, n: int, arcs: list[tuple[int, int]], seed: int, steps: int = 8, calls: int = 5) -> list[str]:
    """Make a graph and views, change them between calls, and list the calls whose answers differ from NetworkX's."""
    random = Random(seed)
    graph = made_graph(kind, n, arcs, random)
    graphs, history, result = [graph], [f"base = {kind}", f"{list(graph.edges(data=True))}"], []
    priority = random.random() < 0.3
    for _ in range(steps):
        if random.random() < 0.4 and len(graphs) < 5:
            place = random.randrange(len(graphs))
            text, view = made_view(graphs[place], random)
            graphs.append(view)
            history.append(f"view {len(graphs) - 1} = {text} of {place}")
        elif random.random() < 0.7:
            history.append(change(graph, random))
        place = random.randrange(len(graphs))
        for text, wrong in _verdicts(graphs[place], random, calls, priority):
            history.append(f"{text} of {place}")
            if wrong:
                result.append(f"{wrong}, after {'; '.join(history)}")
    return result


def _verdicts(graph: Any, random: Random, calls: int, priority: bool) -> Iterator[tuple[str, str]]:
    """Yield some calls, and the differences of their answers; `priority` sets the backend by configuration."""
    exact, checked = list(exact_calls(graph, random)), list(checked_calls(graph, random))
    for text, call in random.sample(exact, min(calls, len(exact))):
        configured = nx.config.backend_priority(algos=["stablegraph"]) if priority else nullcontext()
        with configured, patch.object(networkx_backend, "fewest_nodes", lambda name: 0):
            ours = outcome(call, None if priority else "stablegraph")
        theirs = outcome(call, "networkx")
        yield text, "" if ours == theirs else f"{ours}, NetworkX {theirs}"
    for text, is_right in random.sample(checked, min(1, len(checked))):
        yield text, "" if is_right() else "a wrong answer"
