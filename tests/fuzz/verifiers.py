"""Verifiers on correct and on changed answers: is_x, and the sentence of `explain`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from ..support import naive, naive_colorings
from .cases import Edges, Numbers, Options, Targets, Vertices, must
from .input_graphs import InputGraph

TARGETS = Targets()
Truth = Callable[[Any, Options], bool]


def verifier(
    targets: Targets,
    name: str,
    draw: Callable[[Random, InputGraph], Options],
    arguments: str = "graph, {answer}, {options}",
    *,
    before: str = "",
    graph: str = "undirected",
    **how: Any,
) -> Callable[[Truth], Truth]:
    """Add a verifier to targets; the decorated function returns whether an answer is correct.

    Parameters as in `Targets.of`.
    """

    def add(truth: Truth) -> Truth:
        @targets.of(name, draw, code=code, graph=graph, **how)
        def check(graph: Any, options: Options, answer: Any) -> None:
            verdict, sentence = answer
            expected = truth(graph, options)
            must(verdict == expected, f"{name} says {verdict}, expected {expected}")
            must((sentence is None) == expected, f"explain says {sentence!r} of an answer that is {expected}")
            must(expected or (sentence and "\n" not in sentence), f"explain says {sentence!r}")

        return truth

    code = f"{before}answer = sg.{name}({arguments}), sg.explain(sg.{name}, {arguments})"
    return add


def changed_values(random: Random, values: list[Any], top: int) -> Numbers:
    """Return the values, or a copy with some of them changed."""
    values = list(values)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        if values:
            v = random.randrange(len(values))
            values[v] = not values[v] if isinstance(values[v], bool) else random.randint(-1, top)
    return Numbers(values)


def _draw_set(random: Random, input_graph: InputGraph) -> Options:
    graph, distance = input_graph.plain(), random.choice([1, 1, 2, 3])
    exclude = (
        random.sample(range(input_graph.n), random.randint(0, input_graph.n // 3)) if random.random() < 0.4 else []
    )
    mask = naive.set_at_distance(graph, distance, exclude=exclude)[0]
    answer = changed_values(random, mask.tolist(), 1)
    return {"answer": answer, "distance": distance, **({"exclude": Vertices(exclude)} if exclude else {})}


def _draw_independent(random: Random, input_graph: InputGraph) -> Options:
    options = _draw_set(random, input_graph)
    options.pop("exclude", None)
    return options


@verifier(TARGETS, "is_independent_set", _draw_independent, wrong="distance: count, answer: mask")
def _independent(graph: Any, options: Options) -> bool:
    return naive.is_independent(graph, options["answer"], options["distance"])


@verifier(TARGETS, "is_maximal_independent_set", _draw_set, wrong="distance: count, answer: mask, exclude: vertices")
def _maximal(graph: Any, options: Options) -> bool:
    return naive.is_maximal_independent(graph, options["answer"], options["distance"], options.get("exclude", ()))


def _draw_colors(random: Random, input_graph: InputGraph) -> Options:
    graph, distance = input_graph.plain(), random.choice([1, 2])
    order = random.sample(range(input_graph.n), input_graph.n)
    limits: Options = {}
    colors, gap = naive.first_fit(graph, order, distance), random.choice([1, 1, 2])
    if random.random() < 0.4:
        room = max(Counter(colors).values(), default=0) + random.choice([0, 0, -1])
        limits = {"rooms": {i: random.choice([2, 3, 3]) for i in range(room)}}
        limits["sizes"] = Numbers(random.choice([1, 2, 2, 3]) for _ in colors)
    answer = changed_values(random, [gap * one for one in colors], 4)
    return {"answer": answer, "distance": distance, "gap": gap, **limits}


@verifier(TARGETS, "is_proper_coloring", _draw_colors, wrong="distance: count, answer: verified")
def _proper(graph: Any, options: Options) -> bool:
    limits = {name: value for name, value in options.items() if name != "answer"}
    colors = list(options["answer"])
    return min(colors, default=0) >= 0 and naive_colorings.violates_no_constraint(graph, colors, **limits)


def _draw_labels(oracle: Callable[[Any], tuple[int, list[int]]]) -> Callable[[Random, InputGraph], Options]:
    def draw(random: Random, input_graph: InputGraph) -> Options:
        count, labels = oracle(input_graph.plain())
        names = random.sample(range(2 * count), count) if random.random() < 0.3 else list(range(count))
        return {"answer": changed_values(random, [names[label] for label in labels], count)}

    return draw


def _same_parts(oracle: Callable[[Any], tuple[int, list[int]]]) -> Truth:
    """Return a check of labels, which may be any values: they must be equal exactly where the oracle's are equal."""

    def truth(graph: Any, options: Options) -> bool:
        count, labels = oracle(graph)
        pairs = set(zip(labels, options["answer"], strict=True))
        return len(pairs) == count == len({name for _, name in pairs})

    return truth


for name, oracle in (
    ("is_component_labeling", naive.connected_components),
    ("is_strong_component_labeling", naive.strong_components),
):
    add = verifier(TARGETS, name, _draw_labels(oracle), graph="any", wrong="answer: verified")
    add(_same_parts(oracle))


def _draw_paths(random: Random, input_graph: InputGraph) -> Options:
    sources = random.sample(range(input_graph.n), random.randint(0, min(2, input_graph.n)))
    distance, parent = _paths(input_graph.plain(), sources)
    if random.random() < 0.5:
        distance = changed_values(random, distance, 9)
    else:
        parent = changed_values(random, parent, input_graph.n - 1)
    return {"sources": Vertices(sources), "answer": Numbers(distance), "parent": Numbers(parent)}


def _paths(graph: Any, sources: Any) -> tuple[list[int], list[int]]:
    weights = (naive.rows_of(graph) + graph.indices) % 4
    distance, parent = naive.shortest_paths(graph, sources, weights)
    return [-1 if d is None else d for d in distance], parent


@verifier(
    TARGETS,
    "is_shortest_path_tree",
    _draw_paths,
    "graph, {sources}, {answer}, {parent}, weights=lengths, smallest=True",
    before="graph = graph if isinstance(graph, sg.Graph) else sg.as_graph(graph, directed=True)\n"
    "lengths = (np.repeat(np.arange(len(graph)), np.diff(graph.indptr)) + graph.indices) % 4\n",
    graph="any",
)
def _shortest(graph: Any, options: Options) -> bool:
    return _paths(graph, options["sources"]) == (list(options["answer"]), list(options["parent"]))


def _draw_tree(random: Random, input_graph: InputGraph) -> Options:
    sources = random.sample(range(input_graph.n), random.randint(0, min(2, input_graph.n)))
    distance, parent = naive.breadth_first(input_graph.plain(), sources)
    if random.random() < 0.5:
        answer = {"answer": changed_values(random, distance, input_graph.n), "parent": Numbers(parent)}
    else:
        answer = {"answer": Numbers(distance), "parent": changed_values(random, parent, input_graph.n - 1)}
    return {"sources": Vertices(sources), **answer, "smallest": random.random() < 0.5}


@verifier(
    TARGETS,
    "is_bfs_tree",
    _draw_tree,
    "graph, {sources}, {answer}, {parent}, {options}",
    graph="any",
    wrong="sources: vertices, answer: verified, parent: verified, smallest: truth",
)
def _tree(graph: Any, options: Options) -> bool:
    distance, parent = naive.breadth_first(graph, options["sources"])
    if list(options["answer"]) != distance or options["smallest"]:
        return list(options["answer"]) == distance and list(options["parent"]) == parent
    neighbors = naive.simple_adjacency(graph)
    for v, (far, above) in enumerate(zip(distance, options["parent"], strict=True)):
        if far <= 0:
            right = above == (v if far == 0 else -1)
        else:
            right = 0 <= above < len(neighbors) and v in neighbors[above] and distance[above] == far - 1
        if not right:
            return False
    return True


def _draw_forest(random: Random, input_graph: InputGraph) -> Options:
    """Draw the lightest or the heaviest forest; perhaps remove one edge or change its weight."""
    edges, maximum = naive.minimum_spanning_forest(input_graph.plain(), random.random() < 0.5), random.random() < 0.5
    if edges and random.random() < 0.3:
        u, v, w = edges.pop(random.randrange(len(edges)))
        edges += [(u, v, w + 1)] if random.random() < 0.5 and abs(w) < 2**53 else []
    return {"edges": Edges(edges), "maximum": maximum}


_OF_FORESTS: dict[str, Any] = {
    "before": "n, edges = sg.as_graph(graph).num_vertices, np.array({edges}, object).reshape(-1, 3)\n"
    "u, v, w = edges[:, 0].astype(int), edges[:, 1].astype(int), np.array(edges[:, 2].tolist())\n"
    "forest = sp.csr_array((w if w.size else np.zeros(0), (u, v)), shape=(n, n))\n",
    "weights": True,
}


@verifier(
    TARGETS,
    "is_spanning_forest",
    lambda random, input_graph: {"edges": _draw_forest(random, input_graph)["edges"]},
    "graph, forest",
    **_OF_FORESTS,
)
def _spanning(graph: Any, options: Options) -> bool:
    """Return whether a forest's edges are in the graph and of the right number; as drawn, they have no cycle."""
    neighbors = naive.simple_adjacency(graph)
    known = all(v in neighbors[u] for u, v, _ in options["edges"])
    return known and len(options["edges"]) == len(naive.minimum_spanning_forest(graph))


@verifier(
    TARGETS,
    "is_minimum_spanning_forest",
    _draw_forest,
    "graph, forest, maximum={maximum}",
    wrong="maximum: truth",
    **_OF_FORESTS,
)
def _minimum(graph: Any, options: Options) -> bool:
    best, edges = naive.minimum_spanning_forest(graph, options["maximum"]), options["edges"]
    weights = {(u, v): w for u, v, w in edges}
    right = all(w in _weights(graph, u, v) for u, v, w in edges)
    return right and _spanning(graph, options) and sorted(weights.values()) == sorted(w for *_, w in best)


def _weights(graph: Any, u: int, v: int) -> list[Any]:
    """Return the weights of the entries (u, v)."""
    entries = np.arange(graph.indptr[u], graph.indptr[u + 1])[graph.indices[graph.indptr[u] : graph.indptr[u + 1]] == v]
    return [1] if graph.weights is None else graph.weights[entries].tolist()
