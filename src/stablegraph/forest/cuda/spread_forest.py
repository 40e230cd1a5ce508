"""Minimum spanning forest on several GPUs; result as in forest_state.py.

Rule: the minimum spanning forest of a graph is that of the minimum spanning forests of its parts, because an edge that
is the heaviest one of a cycle in a part is also the heaviest one of a cycle in the graph.

Idea: each card finds the forest of the upper entries of its rows, by the kernels for one GPU. In these rows an edge
occurs once, so the first step, in which both ends choose, is left out. The current GPU then finds the forest of all
edges of these forests. Edges are ordered by (weight, smaller end, larger end) everywhere.

Cost: that of boruvka.py for the entries of a card; then a sort and a forest of up to n - 1 edges from each card. A
graph with few entries per vertex is therefore not faster than on one GPU. Work memory: as in boruvka.py; on the current
GPU about 100 bytes per edge of the forests.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.build import build_rows, rows_of
from ..._core.runtime.cuda.cards import joined, wait
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..weights import SYMMETRIC, Order, check_sums, check_type, order_of, sums_of_weights, tidied
from .boruvka import Forest, minimum_spanning_forest


def checked_orders(graph: SpreadGraph, maximum: bool) -> tuple[SpreadGraph, list[Order]]:
    """Return the graph with sorted rows and no repeated entries, and the order of the entries of each card.

    An error is raised for weights of which no forest exists.
    """
    weights = graph.parts[0].weights
    if weights is not None:
        check_type(weights.dtype)
    if not graph.is_sorted or graph.has_duplicates:
        graph = graph._rebuilt(lambda part: tidied(part, maximum))
    orders = graph._on_each_card(lambda k, part, *_: order_of(part, maximum))
    if weights is not None and not graph.facts.get(SYMMETRIC):
        sums = graph._on_each_card(lambda k, part, *_: sums_of_weights(part, orders[k].weights._replace(bias=0)))
        forward, backward, lowest, highest = zip(*sums, strict=True)
        check_sums(graph, orders[0], (sum(forward), sum(backward), min(lowest), max(highest)))
    return graph, orders


def forest_of_parts(graph: SpreadGraph, maximum: bool) -> Any:
    """Return the forest on the current GPU."""
    graph, orders = checked_orders(graph, maximum)
    xp, n, cards, ids = graph.xp, graph.num_vertices, graph.cards, graph.parts[0].indices.dtype

    def start(k: int, part: Graph, *_: int) -> tuple[Forest, Any]:
        forest = Forest(part, orders[k], cards[k].report, is_part=True)
        return forest, forest.steps()

    forests = graph._on_each_card(start)
    running = True
    while running:  # a step of all cards at a time
        running = any(graph._on_each_card(lambda k, *_: next(forests[k][1], True) is None))

    def edges(k: int, part: Graph, *_: int) -> tuple[Any, ...]:
        indptr, indices, bits = forests[k][0].rows()
        return rows_of(indptr, int(indices.size), ids), indices, bits

    pieces = graph._on_each_card(edges)
    wait(cards)
    smaller, larger, bits = (joined(cards, arrays, xp) for arrays in zip(*pieces, strict=True))
    built = build_rows(smaller, larger, n, mirror=True, positions=True)
    indptr = built.indptr if ids == np.int32 else built.indptr.astype(np.int64)
    union = Graph._trusted(indptr, built.indices.astype(ids, copy=False))
    order = Order(orders[0].dtype, orders[0].weights._replace(bits=bits[built.positions]))
    return minimum_spanning_forest(union, order)
