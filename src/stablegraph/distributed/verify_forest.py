"""Verifiers of forests for graphs in partitions: each partition judges the edges whose smaller ends are its own.

The forest itself is read whole by every worker, 20 to 24 bytes an edge: the worker that found it could hold it. What is
looked at is what `stablegraph.verify` looks at on one machine, with its own functions: that the forest is one, and
spans what the graph connects; that its weights are the graph's; and that no edge of the graph is lighter than the
heaviest one between its ends in the forest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arguments import boolean
from ..verify.forest import Edges, best_of_repeated, closing_a_cycle, heaviest_between, named
from ..verify.searches import components
from .forest import DistributedForest
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps, run_alone
from .verify import first_told


def explain_spanning_forest(graph: DistributedGraph, forest: Any) -> str | None:
    """`stablegraph.verify.explain_spanning_forest` for a graph in partitions and a `DistributedForest` of it."""
    return _explain(graph, forest, False, ("loop", "twice", "unknown", "cycle", "cut"))


def explain_minimum_spanning_forest(graph: DistributedGraph, forest: Any, maximum: bool = False) -> str | None:
    """`stablegraph.verify.explain_minimum_spanning_forest` for a graph in partitions and a `DistributedForest`."""
    every = ("loop", "twice", "unknown", "cycle", "cut", "different", "better")
    return _explain(graph, forest, boolean(maximum, "maximum"), every)


def _explain(graph: DistributedGraph, forest: Any, maximum: bool, looked_for: tuple[str, ...]) -> str | None:
    if not isinstance(forest, DistributedForest):
        raise TypeError(f"the forest of a graph in partitions is a DistributedForest, got {type(forest).__name__}")
    if forest.num_vertices != graph.num_vertices:
        raise ValueError(f"the forest has {forest.num_vertices} vertices, but the graph has {graph.num_vertices}")
    client = graph.client
    columns = [client.compute(array.to_delayed().ravel().tolist()) for array in (forest.u, forest.v, forest.weights)]
    whole = client.submit(run_alone, _whole, *columns, pure=False)
    known = client.submit(run_alone, _as_a_forest, whole, graph.num_vertices, pure=False)
    told = dict(client.gather([client.submit(run_alone, _faults, known, pure=False)])[0])
    if not {"loop", "twice"} & set(told):
        found = Supersteps(graph, "verify").step(_judge_forest, whole, known, maximum)
        for what in ("unknown", "cut", "different", "better"):
            sentence = first_told(found, what)
            if sentence is not None:
                told[what] = sentence
    return next((told[what] for what in looked_for if what in told), None)


def _whole(u: list[Any], v: list[Any], weights: list[Any]) -> Edges:
    ends = np.concatenate(u).astype(np.int64), np.concatenate(v).astype(np.int64)
    u_all, v_all = np.minimum(*ends), np.maximum(*ends)
    order = np.lexsort((v_all, u_all))
    return Edges(u_all[order], v_all[order], np.concatenate(weights)[order])


def _as_a_forest(tree: Edges, n: int) -> tuple[Any, dict[str, str]]:
    """The components of a forest, and what is wrong with it as one."""
    loops = np.flatnonzero(tree.u == tree.v)
    if loops.size:
        return None, {"loop": f"the forest has a loop at vertex {tree.u[loops[0]]}"}
    twice = np.flatnonzero((tree.u[1:] == tree.u[:-1]) & (tree.v[1:] == tree.v[:-1]))
    if twice.size:
        return None, {"twice": f"{named(None, tree, twice[0])} is in the forest more than once"}
    count, labels = components(n, tree.u, tree.v)
    if tree.u.size > n - count:
        return labels, {"cycle": f"{named(None, tree, closing_a_cycle(n, tree, labels))} closes a cycle in the forest"}
    return labels, {}


def _faults(known: tuple[Any, dict[str, str]]) -> dict[str, str]:
    return known[1]


def _judge_forest(
    part: Partition, state: Any, inbox: Any, tree: Edges, known: tuple[Any, dict[str, str]], maximum: bool
) -> Any:
    """What is wrong with the edges, of the graph and of the forest, whose smaller ends are a partition's own."""
    labels, faults = known
    edges, told = _own_edges(part, maximum), {}
    a, b = np.searchsorted(tree.u, (part.start, part.stop))
    mine = Edges(tree.u[a:b], tree.v[a:b], tree.weights[a:b])
    n = max(part.num_vertices, 1)
    places = np.searchsorted(edges.u * n + edges.v, mine.u * n + mine.v)
    there = places < edges.u.size
    there[there] = (edges.u[places[there]] == mine.u[there]) & (edges.v[places[there]] == mine.v[there])
    if not there.all():
        told["unknown"] = f"{named(None, mine, there.argmin())} is in the forest, but not in the graph"
        return None, None, told
    cut = np.flatnonzero(labels[edges.u] != labels[edges.v])
    if cut.size:
        u, v = edges.u[cut[0]], edges.v[cut[0]]
        told["cut"] = f"vertices {u} and {v} are adjacent, but not connected in the forest"
        return None, None, told
    different = np.flatnonzero(mine.weights != edges.weights[places])
    if different.size:
        e = different[0]
        wrong, right = mine.weights[e], edges.weights[places[e]]
        told["different"] = f"{named(None, mine, e)} has weight {wrong} in the forest, but {right} in the graph"
    if faults:
        return None, None, told
    others = np.delete(np.arange(edges.u.size), places) + tree.u.size  # behind those of the forest
    both = Edges(*(np.concatenate(pair) for pair in zip(_columns(tree), _columns(edges), strict=True)))
    ranks = np.unique(both.weights, return_inverse=True)[1] * (-1 if maximum else 1)
    heaviest = heaviest_between(part.num_vertices, both, np.argsort(ranks[: tree.u.size]), others)
    better = np.flatnonzero(ranks[others] < ranks[heaviest])
    if better.size:
        e, f = others[better[0]], heaviest[better[0]]
        told["better"] = (
            f"{named(None, both, e)} has weight {both.weights[e]} and is not in the forest, but "
            f"{named(None, both, f)} of weight {both.weights[f]} is, on the path between its ends"
        )
    return None, None, told


def _columns(edges: Edges) -> tuple[Any, Any, Any]:
    return edges.u, edges.v, edges.weights


def _own_edges(part: Partition, maximum: bool) -> Edges:
    """The edges of the graph whose smaller ends are a partition's own; of repeated ones the best."""
    graph = part.graph
    rows = graph._rows()
    upper = np.flatnonzero(rows < graph.indices)
    weights = np.ones(upper.size, np.int8) if graph.weights is None else graph.weights[upper]
    u, v = part.ids[rows[upper]].astype(np.int64), part.ids[graph.indices[upper]].astype(np.int64)
    return best_of_repeated(u, v, weights, maximum)
