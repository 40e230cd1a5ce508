"""Random small graphs of many shapes, including difficult ones; and weights, including the extremes of a type.

The shapes are common graphs and worst cases of algorithms: one vertex with a long row, a long chain of dependences, a
choice that many vertices can make at once, a nearly bipartite component, many vertices with the same neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from random import Random
from typing import Any

import numpy as np

from .input_graphs import Edges, InputGraph, draw_form

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float32", "float64")


def _random(random: Random, n: int) -> Edges:
    density = random.random() ** 2
    return [pair for pair in combinations(range(n), 2) if random.random() < density]


def _sparse(random: Random, n: int) -> Edges:
    pairs = list(combinations(range(n), 2))
    return random.sample(pairs, min(len(pairs), random.randint(0, n)))


def _path(random: Random, n: int) -> Edges:
    return list(pairwise(range(n)))


def _cycle(random: Random, n: int) -> Edges:
    return _path(random, n) + ([(n - 1, 0)] if n > 2 else [])


def _grid(random: Random, n: int) -> Edges:
    width = random.randint(1, 5)
    return [(v, v + 1) for v in range(n - 1) if (v + 1) % width] + [(v, v + width) for v in range(n - width)]


def _bipartite(random: Random, n: int) -> Edges:
    side = random.randint(0, n)
    return [(u, v) for u in range(side) for v in range(side, n) if random.random() < 0.6]


def _nearly_bipartite(random: Random, n: int) -> Edges:
    """Return a bipartite graph with one additional edge, which may close odd cycles."""
    return _bipartite(random, n) + ([tuple(random.sample(range(n), 2))] if n > 1 else [])


def _tree(random: Random, n: int) -> Edges:
    return [(random.randrange(v), v) for v in range(1, n)]


def _hubs(random: Random, n: int) -> Edges:
    pairs = list(combinations(range(n), 2))
    return [(u, v) for u, v in pairs if u < 2 and random.random() < 0.8] + random.sample(pairs, min(len(pairs), 3))


def _common_neighbors(random: Random, n: int) -> Edges:
    """Return hubs with the same neighbors."""
    hubs = random.randint(0, min(n, 4))
    return [(u, v) for u in range(hubs) for v in range(hubs, n)]


def _comb(random: Random, n: int) -> Edges:
    """Return a path with a pendant vertex at each of its vertices."""
    back = (n + 1) // 2
    return list(pairwise(range(back))) + [(v - back, v) for v in range(back, n)]


def _cliques_on_a_path(random: Random, n: int) -> Edges:
    size, starts = random.randint(2, 5), range(0, n, random.randint(5, 7))
    inside = [(u, v) for start in starts for u, v in combinations(range(start, min(start + size, n)), 2)]
    return inside + [(v, v + 1) for v in range(n - 1) if (v, v + 1) not in inside]


def _lollipop(random: Random, n: int) -> Edges:
    """Return a clique at the end of a path."""
    size = random.randint(0, min(n, 6))
    return list(combinations(range(size), 2)) + [(v - 1, v) for v in range(max(size, 1), n)]


def _two_parts(random: Random, n: int) -> Edges:
    """Return two disjoint graphs."""
    part = random.randint(0, n)
    second = random.choice(list(SHAPES.values()))(random, n - part)
    return random.choice(list(SHAPES.values()))(random, part) + [(u + part, v + part) for u, v in second]


SHAPES: dict[str, Callable[[Random, int], Edges]] = {
    "random": _random,
    "sparse": _sparse,
    "star": lambda random, n: [(0, v) for v in range(1, n)],
    "path": _path,
    "cycle": _cycle,
    "clique": lambda random, n: list(combinations(range(n), 2)),
    "grid": _grid,
    "bipartite": _bipartite,
    "nearly bipartite": _nearly_bipartite,
    "tree": _tree,
    "hubs": _hubs,
    "common neighbors": _common_neighbors,
    "comb": _comb,
    "cliques on a path": _cliques_on_a_path,
    "lollipop": _lollipop,
    "two parts": _two_parts,
}


def draw_edges(random: Random, largest: int) -> tuple[int, Edges]:
    """Draw small edge lists of many kinds, some with loops, repetitions and isolated vertices; most are renumbered."""
    n = random.randint(0, largest) if random.random() < 0.9 else random.randint(0, 3)
    shape = random.choice(["random", *SHAPES])
    if random.random() < 0.01:  # sets of 64 colors are full
        n, shape = random.randint(62, 68), "clique"
    edges = SHAPES[shape](random, n)
    names = list(range(n))
    if random.random() < 0.6:
        random.shuffle(names)
    edges = [(names[u], names[v]) if random.random() < 0.5 else (names[v], names[u]) for u, v in edges]
    if n and random.random() < 0.25:
        edges += [(v, v) for v in random.sample(range(n), random.randint(1, n))]
    if edges and random.random() < 0.2:
        edges += [random.choice(edges) for _ in range(random.randint(1, 4))]
    if n < largest and random.random() < 0.3:  # isolated vertices at the end
        n += random.randint(1, largest - n)
    random.shuffle(edges)
    return n, edges


def draw_weights(random: Random, count: int) -> tuple[list[Any], str | None]:
    """Draw numbers, and their type if it is not NumPy's default for them."""
    kind = random.choice(["ties", "equal", "negative", "apart", "floats", "large", "extremes", "extremes"])
    match kind:
        case "ties":
            return [random.randint(1, 3) for _ in range(count)], None
        case "equal":
            return [random.choice([0, 1, -1, 7])] * count, None
        case "negative":
            return [random.randint(-4, 4) for _ in range(count)], None
        case "apart":
            return [random.randint(-(10**6), 10**6) for _ in range(count)], None
        case "floats":
            return [random.choice([0.0, 0.5, -1.25, 1e-300, 1e300, random.uniform(-2, 2)]) for _ in range(count)], None
        case "large":
            return [random.choice([2**62, 2**53 + 1, 2**53, -(2**62), 7]) for _ in range(count)], None
    dtype = random.choice([*INTEGERS, *FLOATS])
    return [random.choice(extremes(dtype)) for _ in range(count)], dtype


def extremes(dtype: str) -> list[Any]:
    """Return numbers of a type near its limits and around zero."""
    if dtype in INTEGERS:
        about = np.iinfo(dtype)
        return sorted({about.min, about.min + 1, 0, 1, about.max // 2 + 1, about.max - 1, about.max})
    limits = np.finfo(dtype)
    sizes = [float(x) for x in (limits.smallest_subnormal, limits.tiny, limits.eps, 1.0, limits.max)]
    return [0.0, -0.0, *sizes, *(-x for x in sizes)]


def draw_input_graph(random: Random, *, directed: bool = False, weights: bool = False, largest: int = 14) -> InputGraph:
    """Draw a graph in some form; repeated edges have equal weights."""
    n, edges = draw_edges(random, largest)
    if directed and random.random() < 0.5:
        edges += [(v, u) for u, v in edges if random.random() < 0.3]
    input_graph = InputGraph(n, edges, directed=directed)
    return draw_form(random, with_weights(random, input_graph) if weights else input_graph)


def with_weights(random: Random, input_graph: InputGraph) -> InputGraph:
    """Return the graph with a weight for each edge, the same for its repetitions."""
    drawn, dtype = draw_weights(random, len(input_graph.edges))
    ends = [(u, v) if input_graph.directed else (min(u, v), max(u, v)) for u, v in input_graph.edges]
    of_edge: dict[tuple[int, int], Any] = {}
    for edge, weight in zip(ends, drawn, strict=True):
        of_edge.setdefault(edge, weight)
    return InputGraph(
        input_graph.n, input_graph.edges, [of_edge[edge] for edge in ends], input_graph.directed, dtype=dtype
    )
