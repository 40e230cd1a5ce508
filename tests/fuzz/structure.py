"""Components, searches, forests, and aggregates."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any, get_args

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from stablegraph._core import option_names as names

from ..support import naive, naive_communities
from .cases import Code, Numbers, Options, Targets, Vertices, algorithm_of, equal, is_too_large, must
from .input_graphs import InputGraph
from .sets import draw_order
from .verifiers import changed_values, verifier

TARGETS = Targets()


def _matrix(graph: Any) -> Any:
    """Return the pattern without weights; repeated entries are merged."""
    shape = graph.num_vertices, graph.num_vertices
    matrix = sp.csr_array((np.ones(graph.num_entries), graph.indices, graph.indptr), shape=shape)
    return (matrix > 0).astype(float).tocsr()


def _same_graph(result: Any, vertices: list[int], graph: Any, what: str) -> None:
    """Check that a graph has exactly the entries between some vertices of another graph, including repetitions."""
    number = {v: i for i, v in enumerate(vertices)}
    weights = [None] * graph.num_entries if graph.weights is None else graph.weights.tolist()
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)).tolist()
    entries = zip(rows, graph.indices.tolist(), weights, strict=True)
    expected = sorted((number[u], number[v], str(w)) for u, v, w in entries if u in number and v in number)
    rows = np.repeat(np.arange(result.num_vertices), np.diff(result.indptr)).tolist()
    weights = [None] * len(rows) if graph.weights is None else result.weights.tolist()  # a matrix always has weights
    must(sorted(zip(rows, result.indices.tolist(), map(str, weights), strict=True)) == expected, what)


# ----------------------------------------------------------------------------------------------------------- components


@TARGETS.of("connected_components", algorithm_of(names.ComponentAlgorithm), graph="any", wrong="algorithm: choice")
def _check_components(graph: Any, options: Options, result: Any) -> None:
    count, labels = naive.connected_components(graph)
    equal(result[0], count, "components")
    equal(result[1], labels, "labels")
    equal(result[1], csgraph.connected_components(_matrix(graph))[1], "labels by SciPy")


def _draw_start(random: Random, input_graph: InputGraph) -> Options:
    size = random.randint(0, input_graph.n)
    options: Options = {"start": Numbers(random.randrange(size) for _ in range(size))}
    label = random.choice(["smallest", "number", None])
    return options | ({"label": label} if label else {})


@TARGETS.of(
    "connected_components",
    _draw_start,
    code="answer = sg.connected_components(graph, {options})",
    graph="any",
    wrong="label: choice",
)
def _check_added_edges(graph: Any, options: Options, result: Any) -> None:
    start, n = list(options["start"]), graph.num_vertices
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    pairs = [(start.index(label), v) for v, label in enumerate(start)]
    u, v = np.array([*zip(rows.tolist(), graph.indices.tolist(), strict=True), *pairs], int).reshape(-1, 2).T
    matrix = sp.coo_array((np.ones(u.size), (u, v)), shape=(n, n))
    count, labels = csgraph.connected_components(matrix, directed=False)
    equal(result[0], count, "components")
    expected = labels.tolist()
    if options.get("label") == "smallest":
        expected = [expected.index(label) for label in expected]
    equal(result[1], expected, "labels")


@TARGETS.of("bridges", graph="undirected")
def _check_bridges(graph: Any, options: Options, result: Any) -> None:
    must(result.tolist() == naive.bridges(naive.simple_adjacency(graph)), "bridges")


def _draw_bridges(random: Random, input_graph: InputGraph) -> Options:
    found = naive.bridges(naive.simple_adjacency(input_graph.plain()))
    kept = [edge[:: random.choice([1, -1])] for edge in found if random.random() < 0.9]
    more = [[random.randrange(input_graph.n) for _ in range(2)]] if input_graph.n and random.random() < 0.3 else []
    return {"answer": Code(f"np.array({kept + more}, int).reshape(-1, 2)"), "listed": kept + more}


@verifier(TARGETS, "is_bridge_list", _draw_bridges, "graph, {answer}", before="# {listed}\n")
def _bridges(graph: Any, options: Options) -> bool:
    return sorted(map(sorted, options["listed"])) == naive.bridges(naive.simple_adjacency(graph))


def _draw_sources(random: Random, input_graph: InputGraph) -> Options:
    n, graph = input_graph.n, input_graph.plain()
    sources = [random.randrange(max(n // 2, 1)) for _ in range(n)]
    edges = [(u, v, 1) for u, row in enumerate(naive.simple_adjacency(graph)) for v in row if u < v]
    clusters = naive.one_per_source(n, edges, sources)
    labels = [next(k for k, cluster in enumerate(clusters) if v in cluster) for v in range(n)]
    return {"answer": changed_values(random, labels, n), "origins": Numbers(sources)}


@verifier(
    TARGETS,
    "is_one_per_source",
    _draw_sources,
    "sg.as_graph(graph).simple(), {answer}, {origins}",
    wrong="answer: classes, origins: classes",
)
def _one_per_source(graph: Any, options: Options) -> bool:
    labels, sources = list(options["answer"]), list(options["origins"])
    edges = [(u, v, 1) for u, row in enumerate(naive.simple_adjacency(graph)) for v in row if u < v]
    found = {frozenset(v for v, other in enumerate(labels) if other == label) for label in labels}
    return found == set(map(frozenset, naive.one_per_source(len(labels), edges, sources)))


@TARGETS.of("largest_component", graph="any")
def _check_largest(graph: Any, options: Options, result: Any) -> None:
    component, vertices = result
    count, labels = naive.connected_components(graph)
    sizes = [labels.count(label) for label in range(count)]
    expected = [v for v, label in enumerate(labels) if label == sizes.index(max(sizes))]
    equal(vertices, expected, "vertices")
    _same_graph(component, expected, graph, "the graph of the largest component has other entries")


def _draw_vertices(random: Random, input_graph: InputGraph) -> Options:
    chosen = random.sample(range(input_graph.n), random.randint(0, input_graph.n))
    if random.random() < 0.3:
        return {
            "vertices": Code(f"np.isin(np.arange({input_graph.n}), {sorted(chosen)})"),
            "expected": Vertices(sorted(chosen)),
        }
    return {"vertices": Vertices(chosen), "expected": Vertices(chosen)}


@TARGETS.of(
    "subgraph",
    _draw_vertices,
    code="answer = sg.subgraph(graph, {vertices})  # {expected}",
    graph="any",
    wrong="vertices: vertices",
)
def _check_subgraph(graph: Any, options: Options, result: Any) -> None:
    _same_graph(result, list(options["expected"]), graph, "the subgraph has other entries")


@TARGETS.of(
    "strongly_connected_components", algorithm_of(names.StrongAlgorithm), graph="any", wrong="algorithm: choice"
)
def _check_strong(graph: Any, options: Options, result: Any) -> None:
    count, labels = naive.strong_components(graph)
    equal(result[0], count, "components")
    equal(result[1], labels, "labels")


@TARGETS.of("condensation", code="answer = sg.condensation(graph, return_order=True)", graph="any")
def _check_condensation(graph: Any, options: Options, result: Any) -> None:
    dag, order = result
    count, labels = naive.strong_components(graph)
    around = naive.simple_adjacency(graph)
    arcs = sorted(
        {(labels[u], labels[v]) for u in range(len(around)) for v in around[u]} - {(c, c) for c in range(count)}
    )
    rows = np.repeat(np.arange(dag.num_vertices), np.diff(dag.indptr))
    must(dag.num_vertices == count, f"{dag.num_vertices} vertices, expected {count}")
    equal(list(zip(rows.tolist(), dag.indices.tolist(), strict=True)), arcs, "arcs")
    equal(sorted(order.tolist()), range(count), "order")
    place = {c: i for i, c in enumerate(order.tolist())}
    must(all(place[c] < place[d] for c, d in arcs), "an arc leads backward in the order")


# ---------------------------------------------------------------------------------------------------------- communities


def _draw_communities(random: Random, input_graph: InputGraph) -> Options:
    options: Options = {
        "algorithm": random.choice(get_args(names.CommunityAlgorithm)),
        "objective": random.choice(get_args(names.Objective)),
        "resolution": random.choice([0.0, 0.05, 0.5, 1.0, 2.0, 1e9]),
        "iterations": random.choice([1, 2, 3, None]),
        "seed": random.choice([0, 1, -1, 2**40]),
    }
    if random.random() < 0.3:
        options["max_size"] = random.randint(1, 5)
    if random.random() < 0.3:
        options["min_size"] = random.randint(1, options.get("max_size", 50))
    if "max_size" not in options and random.random() < 0.5:
        options["start"] = Numbers(random.randint(-2, 4) for _ in range(input_graph.n))
        options["fixed"] = Vertices(random.sample(range(input_graph.n), random.randint(0, input_graph.n)))
    return options


@TARGETS.of(
    "communities",
    _draw_communities,
    code="graph = sg.as_graph(graph, weights=False)\noptions = dict({options})\n"
    "count, labels = sg.communities(graph, {options})\n"
    "scores = sg.modularity(graph, labels), sg.potts(graph, labels)\n"
    "several = sg.communities(graph, **dict(options, resolution=[0.7, options['resolution']]))\n"
    "answer = count, labels, sg.is_community_labeling(graph, labels), *scores, several",
    graph="undirected",
    wrong="algorithm: choice, objective: choice",
)
def _check_communities(graph: Any, options: Options, answer: Any) -> None:
    graph = SimpleNamespace(**{**vars(graph), "weights": None})
    count, labels = naive_communities.communities(graph, **options)
    equal(answer[0], count, "communities")
    equal(answer[1], labels, "labels")
    for resolution, several in zip([0.7, options["resolution"]], answer[5], strict=True):
        expected = naive_communities.communities(graph, **{**options, "resolution": resolution})
        equal(several[0], expected[0], "communities of several resolutions")
        equal(several[1], expected[1], "labels of several resolutions")
    rows = np.repeat(np.arange(len(labels)), np.diff(graph.indptr))
    once = sorted({(int(u), int(v)) for u, v in zip(rows, graph.indices, strict=True) if u <= v})
    inside = [(u, v) for u, v in once if labels[u] == labels[v]]
    pieces = nx.Graph(inside)
    pieces.add_nodes_from(range(len(labels)))
    equal(answer[2], nx.number_connected_components(pieces) == count, "whether communities are connected")
    sizes = np.bincount(labels, minlength=count)
    close(answer[4], len(inside) - float((sizes * (sizes - 1) / 2).sum()), "Potts objective")
    if once:
        strengths = np.bincount([labels[end] for edge in once for end in edge], minlength=count)
        expected = len(inside) / len(once) - float(((strengths / (2 * len(once))) ** 2).sum())
        close(answer[3], expected, "modularity")


def _draw_inheritance(random: Random, input_graph: InputGraph) -> Options:
    n, largest = input_graph.n, random.choice([1, 4, 50, 2**40])
    labels = [Numbers(random.choice([-1, largest, random.randint(0, largest)]) for _ in range(n)) for _ in range(2)]
    return {"new": labels[0], "old": Numbers(labels[1][: random.randint(0, n)])}


@TARGETS.of(
    "inherit_labels",
    _draw_inheritance,
    code="answer = sg.inherit_labels({new}, {old})",
    wrong="new: groups, old: groups",
)
def _check_inheritance(graph: Any, options: Options, labels: Any) -> None:
    equal(labels, naive_communities.inherit_labels(list(options["new"]), list(options["old"])), "labels")


def close(value: float, expected: float, what: str) -> None:
    """Fail unless a number equals another one within rounding."""
    if not abs(value - expected) <= 1e-9 * max(1.0, abs(expected)):
        raise AssertionError(f"{what}: {value!r}, expected {expected!r}")


# ------------------------------------------------------------------------------------------------------------- searches


def _draw_sources(random: Random, input_graph: InputGraph) -> Options:
    sources = Vertices(random.sample(range(input_graph.n), random.randint(0, min(3, input_graph.n))))
    return {"sources": sources, "max_distance": random.choice([None, 0, 1, 2, 5])}


@TARGETS.of(
    "breadth_first_search",
    _draw_sources,
    code="limit = {max_distance}\n"
    "distance, parent = sg.breadth_first_search(graph, {sources}, max_distance=limit)\n"
    "way = sg.bfs_path(parent, int(distance.argmax())) if (distance >= 0).any() else None\n"
    "answer = distance, parent, sg.reachable(graph, {sources}, max_distance=limit), way",
    graph="any",
    wrong="sources: vertices",
)
def _check_search(graph: Any, options: Options, result: Any) -> None:
    distance, parent = naive.breadth_first(graph, options["sources"], options["max_distance"])
    equal(result[0], distance, "distance")
    equal(result[1], parent, "parent")
    equal(result[2], [d >= 0 for d in distance], "reachable")
    if result[3] is not None:
        way = result[3].tolist()
        around = naive.simple_adjacency(graph)
        must(way[0] in options["sources"] and all(v in around[u] for u, v in pairwise(way)), "no path")
        must(len(way) == max(distance) + 1, "the path is not a shortest one")


def _draw_paths(random: Random, input_graph: InputGraph) -> Options:
    lengths = random.choice([[0, 1, 2], [1], [3, 5, 100, 0], [0.5, 0.25, 0.0], [1e-300, 1.0, 0.0, 1e20], [0.1, 0.7]])
    return {**_draw_sources(random, input_graph), "lengths": lengths}


@TARGETS.of(
    "shortest_paths",
    _draw_paths,
    code="graph = graph if isinstance(graph, sg.Graph) else sg.as_graph(graph, directed=True)\n"
    "tails = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))\n"
    "lengths = np.array({lengths})[(7 * tails + 3 * graph.indices) % len({lengths})]\n"
    "answer = sg.shortest_paths(graph, {sources}, weights=lengths, max_distance={max_distance})\n"
    "parts = {sources}, *answer\n"
    "options = dict(weights=lengths, smallest=True, max_distance={max_distance})\n"
    "answer = *answer, sg.explain(sg.is_shortest_path_tree, graph, *parts, **options)",
    directed=True,
)
def _check_paths(graph: Any, options: Options, result: Any) -> None:
    lengths = np.array(options["lengths"])
    weights = lengths[(7 * naive.rows_of(graph) + 3 * graph.indices) % lengths.size]
    distance, parent = naive.shortest_paths(graph, options["sources"], weights, options["max_distance"])
    missing = np.inf if lengths.dtype.kind == "f" else -1
    equal(result[0], [missing if d is None else d for d in distance], "distance")
    equal(result[1], parent, "parent")
    must(result[2] is None, f"the verifier says {result[2]!r}")


# -------------------------------------------------------------------------------------------------------------- forests


def _draw_forest(random: Random, input_graph: InputGraph) -> Options:
    return {"algorithm": random.choice(get_args(names.ForestAlgorithm)), "maximum": random.random() < 0.4}


@TARGETS.of(
    "minimum_spanning_forest",
    _draw_forest,
    code="forest = sg.minimum_spanning_forest(graph, {options})\ntry:\n    total = sg.total_weight(forest)\n"
    "except ValueError:\n    total = None\nanswer = forest, total",
    weights=True,
    graph="undirected",
    wrong="algorithm: choice, maximum: truth",
)
def _check_forest(graph: Any, options: Options, result: Any) -> None:
    forest, total = result
    expected = naive.minimum_spanning_forest(graph, options["maximum"])
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(forest.indptr)).tolist()
    edges = list(zip(rows, forest.indices.tolist(), forest.data.tolist(), strict=True))
    must(edges == expected, f"forest {edges}, expected {expected}")
    if total is None:
        must(is_too_large(w for _, _, w in expected), "a finite sum was refused")
    elif graph.weights is None or graph.weights.dtype.kind in "iu":
        must(total == sum(w for _, _, w in expected), f"total weight {total}")
        reference = nx.Graph()
        reference.add_weighted_edges_from(naive.minimum_spanning_forest(graph, options["maximum"]))
        must(sum(w for *_, w in reference.edges(data="weight")) == total, "NetworkX has another total weight")


@TARGETS.of(
    "single_linkage",
    code="forest = sg.minimum_spanning_forest(graph)\ntry:\n    answer = sg.single_linkage(forest)\n"
    "except ValueError as error:\n    answer = str(error)",
    weights=True,
    graph="undirected",
)
def _check_linkage(graph: Any, options: Options, result: Any) -> None:
    edges = naive.minimum_spanning_forest(graph)
    if isinstance(result, str):
        must("a distance is at least 0" in result and min(w for *_, w in edges) < 0, result)
        return
    order = {edge: i for i, edge in enumerate(sorted(edges, key=lambda edge: (edge[2], edge[:2])))}
    rows = naive.single_linkage(graph.num_vertices, [(u, v, order[u, v, w]) for u, v, w in edges])
    lengths = [float(w) for *_, w in order]
    expected = [(a, b, lengths[i] if i < len(lengths) else np.inf, size) for i, (a, b, _, size) in enumerate(rows)]
    equal(result, np.array(expected).reshape(-1, 4), "linkage")


def _draw_rank(random: Random, input_graph: InputGraph) -> Options:
    return {"min_samples": random.choice([1, 2, 3, 5, 2**40])}


@TARGETS.of(
    "mutual_reachability",
    _draw_rank,
    code="graph = sg.as_graph(graph)\ntry:\n    answer = sg.mutual_reachability(graph, {options})\n"
    "except ValueError as error:\n    answer = str(error)",
    weights=True,
    graph="undirected",
)
def _check_reachability(graph: Any, options: Options, result: Any) -> None:
    if isinstance(result, str):
        must("distances are at least 0" in result and graph.weights.min() < 0, result)
        return
    expected = naive.mutual_reachability(graph, options["min_samples"])
    must(naive.weight_of_entries(result) == expected, "other distances")


# ----------------------------------------------------------------------------------------------------------- coarsening


def _draw_aggregation(random: Random, input_graph: InputGraph) -> Options:
    options = algorithm_of(names.Aggregation)(random, input_graph)
    if random.random() < 0.5:
        options["return_roots"] = random.random() < 0.5
    if random.random() < 0.5:
        return options
    return options | {"priority": draw_order(random, get_args(names.DistancePriority), input_graph.n)}


@TARGETS.of(
    "aggregate",
    _draw_aggregation,
    code="found = sg.aggregate(graph, {options})\nanswer = found, sg.aggregation_operator(found[1])",
    graph="undirected",
    wrong="algorithm: choice, priority: order, return_roots: truth",
)
def _check_aggregates(graph: Any, options: Options, found: Any) -> None:
    (count, labels, *roots), operator = found
    expected = naive.aggregates_and_roots(graph, options["algorithm"], options.get("priority", "random"))
    equal(labels, expected[0], "labels")
    equal(len(roots), int(options.get("return_roots", False)), "further results")
    if roots:
        equal(roots[0], expected[1], "roots")
    equal(count, len(set(labels.tolist())), "aggregates")
    equal(operator.toarray(), np.eye(count, dtype=int)[labels] if count else np.zeros((0, 0)), "operator")


def _draw_labels(random: Random, input_graph: InputGraph) -> Options:
    drawn = [random.randint(0, random.choice([1, 3, 20])) for _ in range(input_graph.n)]
    numbers = {label: i for i, label in enumerate(sorted(set(drawn)))}
    options: Options = {"labels": Numbers(numbers[label] for label in drawn)}
    return options | {name: True for name in ("count", "loops") if random.random() < 0.3}


@TARGETS.of(
    "coarse_graph",
    _draw_labels,
    code="try:\n    answer = sg.coarse_graph(graph, {options})\nexcept ValueError as error:\n"
    "    if ' sum ' not in str(error):\n        raise\n    answer = str(error)",
    weights=True,
    graph="undirected",
    wrong="labels: labels, count: truth, loops: truth",
)
def _check_coarse(graph: Any, options: Options, coarse: Any) -> None:
    labels = list(options["labels"])
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)).tolist()
    sums: dict[tuple[int, int], Any] = {}
    count, loops = options.get("count", False), options.get("loops", False)
    weights = [1] * graph.num_entries if graph.weights is None else graph.weights.tolist()
    entries = list(zip(rows, graph.indices.tolist(), weights, strict=True))
    for u, v, weight in {(u, v, 1) for u, v, _ in entries} if count else entries:
        if labels[u] != labels[v] or (loops and u <= v):
            sums[labels[u], labels[v]] = sums.get((labels[u], labels[v]), 0) + weight
    dtype = np.dtype(np.int8) if count or graph.weights is None else graph.weights.dtype
    limits = np.iinfo(np.uint64 if dtype == np.uint64 else np.int64)
    fit = limits.min <= min(sums.values(), default=0) and max(sums.values(), default=0) <= limits.max
    if isinstance(coarse, str):  # sums.py checks the rejections in detail
        must(dtype.kind == "f" or not fit, coarse)
        return
    rows = np.repeat(np.arange(coarse.num_vertices), np.diff(coarse.indptr)).tolist()
    entries = list(zip(rows, coarse.indices.tolist(), strict=True))
    must(entries == sorted(sums), f"entries {entries}, expected {sorted(sums)}")
    if coarse.weights is not None and dtype.kind in "iu":
        must(fit, "not refused")
        equal(coarse.weights, [sums[entry] for entry in entries], "weights")
