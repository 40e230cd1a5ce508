"""Matchings, their verifier, and bipartite graphs."""

from __future__ import annotations

from random import Random
from typing import Any

from ..support import naive, naive_matchings
from .cases import Options, Targets, equal, is_too_large, must
from .input_graphs import InputGraph
from .verifiers import changed_values, verifier

TARGETS = Targets()


def _draw_seed(random: Random, input_graph: InputGraph) -> Options:
    return {"seed": random.choice([0, 1, -1, 2**40])}


@TARGETS.of("maximal_matching", _draw_seed, graph="undirected", wrong="seed: seed, return_info: truth")
def _check_maximal(graph: Any, options: Options, mate: Any) -> None:
    equal(mate, naive_matchings.greedy_matching(graph, options["seed"]), "mates")


@TARGETS.of(
    "weighted_matching",
    _draw_seed,
    code="mate = sg.weighted_matching(graph, {options})\ntry:\n"
    "    mate, info = sg.weighted_matching(graph, return_info=True, {options})\n"
    "except ValueError:\n    info = {'weight': None}\n"
    "answer = mate, info['weight'], sg.matched_pairs(mate), sg.is_maximal_matching(graph, mate, weighted=True)",
    weights=True,
    graph="undirected",
    wrong="seed: seed",
)
def _check_weighted(graph: Any, options: Options, found: Any) -> None:
    mate, weight, pairs, right = found
    equal(mate, naive_matchings.greedy_matching(graph, options["seed"], weighted=True), "mates")
    equal(pairs.reshape(-1), [v for edge in enumerate(mate.tolist()) if edge[0] < edge[1] for v in edge], "pairs")
    if weight is None:
        edges = naive_matchings.edges_of(graph, True)
        must(is_too_large(edges[u, v] for u, v in enumerate(mate.tolist()) if u < v), "a finite sum was refused")
    elif graph.weights is None or graph.weights.dtype.kind in "iub":
        equal(weight, naive_matchings.weight_of(graph, mate), "weight")
    must(right, "the verifier refuses the matching")


def _draw_mates(random: Random, input_graph: InputGraph) -> Options:
    mate = naive_matchings.greedy_matching(input_graph.plain(), random.randint(0, 3))
    return {"answer": changed_values(random, mate, input_graph.n)}


def _is_matching(graph: Any, options: Options) -> bool:
    neighbors, mates = naive.simple_adjacency(graph), options["answer"]
    return all(u == -1 or (u in neighbors[v] and mates[u] == v) for v, u in enumerate(mates))


@verifier(TARGETS, "is_matching", _draw_mates, wrong="answer: verified")
def _matching(graph: Any, options: Options) -> bool:
    return _is_matching(graph, options)


@verifier(TARGETS, "is_maximal_matching", _draw_mates, wrong="answer: verified, weighted: truth")
def _maximal(graph: Any, options: Options) -> bool:
    neighbors, mates = naive.simple_adjacency(graph), options["answer"]
    free = {v for v, u in enumerate(mates) if u == -1}
    return _is_matching(graph, options) and not any(neighbors[v] & free for v in free)


@TARGETS.of(
    "bipartition",
    code="answer = sg.bipartition(graph), sg.is_bipartite(graph)",
    graph="undirected",
    stable=lambda _: False,
)
def _check_bipartition(graph: Any, options: Options, answer: Any) -> None:
    (sides, cycle), is_bipartite = answer
    neighbors = naive.simple_adjacency(graph)
    parts = naive.components(neighbors)
    must(is_bipartite == all(naive.is_bipartite(neighbors, part) for part in parts), f"bipartite: {is_bipartite}")
    if is_bipartite:
        must(cycle is None and all(sides[min(part)] == 0 for part in parts), f"sides {sides}")
        must(all(sides[u] != sides[v] for u, row in enumerate(neighbors) for v in row), f"sides {sides}")
    else:
        around = cycle.tolist()
        must(sides is None and len(around) % 2 == 1 and len(set(around)) == len(around), f"cycle {around}")
        must(all(v in neighbors[u] for u, v in zip(around, around[1:] + around[:1], strict=True)), f"cycle {around}")
