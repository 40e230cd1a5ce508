"""Larger graphs, up to about 10^5 vertices, of shapes that are hard for algorithms; verifiers check each function.

The oracles are too slow for these sizes. The verifiers, which use other methods, or SciPy must accept an answer. It
must be the same for one, two and three threads, for more workers than threads, and after loops and repeated entries are
added.

A case is a shape, a number of vertices, and a seed. It is shrunk by halving the number of vertices.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import stablegraph as sg
from stablegraph._core import option_names as names

from ..pins.checksums import checksum
from .cases import Run, must
from .run import share_of, until

Ends = tuple[np.ndarray, np.ndarray]
_LARGEST = 10**5
_QUADRATIC = 3000  # maximum number of vertices where a function's documented cost on such shapes is quadratic


def _path(n: int) -> Ends:
    return np.arange(n - 1), np.arange(1, n)


def _star(n: int) -> Ends:
    return np.zeros(n - 1, int), np.arange(1, n)


def _comb(n: int) -> Ends:
    back = (n + 1) // 2
    u, v = _path(back)
    return np.r_[u, np.arange(n - back)], np.r_[v, np.arange(back, n)]


def _cliques_on_a_path(n: int) -> Ends:
    """Return cliques of eight vertices, joined by paths of eight."""
    inside = (np.arange(n)[:, None] // 16 * 16 + np.arange(8)).ravel()
    u = np.repeat(np.arange(n), 8)
    kept = (u % 16 < 8) & (inside > u) & (inside < n)
    a, b = _path(n)
    return np.r_[u[kept], a], np.r_[inside[kept], b]


def _common_neighbors(n: int) -> Ends:
    """Return four hubs, each adjacent to all other vertices."""
    hubs = min(4, n - 1)
    return np.repeat(np.arange(hubs), n - hubs), np.tile(np.arange(hubs, n), hubs)


def _grid(n: int) -> Ends:
    width = max(int(n**0.5), 1)
    v = np.arange(n)
    across, down = v[(v + 1) % width != 0][:-1], v[: n - width]
    across = across[across + 1 < n]
    return np.r_[across, down], np.r_[across + 1, down + width]


def _random(n: int) -> Ends:
    rng = np.random.default_rng(n)
    return rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)


def _bipartite(n: int) -> Ends:
    u, v = _random(n)
    half = n // 2
    return u % max(half, 1), np.minimum(half + v % max(n - half, 1), n - 1)


def _nearly_bipartite(n: int) -> Ends:
    u, v = _bipartite(n)
    return np.r_[u, 0], np.r_[v, min(1, n - 1)]


def _skewed(n: int) -> Ends:
    """Return a graph in which a few vertices have most of the edges."""
    rng = np.random.default_rng(n)
    return (n * rng.random(4 * n) ** 4).astype(int), rng.integers(0, n, 4 * n)


def _matching(n: int) -> Ends:
    return np.arange(0, n - 1, 2), np.arange(1, n, 2)


def _lollipop(n: int) -> Ends:
    clique = min(n, 60)
    u, v = np.triu_indices(clique, 1)
    return np.r_[u, np.arange(clique - 1, n - 1)], np.r_[v, np.arange(clique, n)]


SHAPES: dict[str, Callable[[int], Ends]] = {
    "path": _path,
    "star": _star,
    "comb": _comb,
    "cliques on a path": _cliques_on_a_path,
    "common neighbors": _common_neighbors,
    "grid": _grid,
    "random": _random,
    "bipartite": _bipartite,
    "nearly bipartite": _nearly_bipartite,
    "skewed": _skewed,
    "matching": _matching,
    "lollipop": _lollipop,
}
HUBS = ("star", "common neighbors", "skewed")


def _matrix(graph: sg.Graph) -> sp.csr_array:
    """Return the pattern as a SciPy matrix."""
    n = graph.num_vertices
    matrix = sp.csr_array((np.ones(graph.num_entries), graph.indices, graph.indptr), shape=(n, n))
    return sp.csr_array(matrix > 0).astype(float)


def _checks(random: Random, shape: str) -> list[tuple[str, Callable[[Any], Any], Callable[[Any, Any], Any]]]:
    """Return names, calls, and checks of their answers."""
    seed = random.randint(0, 99)
    priority, order = random.choice(get_args(names.Priority)), random.choice(["largest_first", "natural", "random"])
    distance = random.choice(get_args(names.DistancePriority))
    aggregation = random.choice(get_args(names.Aggregation))
    sets = [name for name in get_args(names.SetAlgorithm) if name not in ("priority", "lexicographic", "locked")]
    algorithm = random.choice(sets)
    source = random.randint(0, 5)

    def components(graph: Any, answer: Any) -> bool:
        count, labels = csgraph.connected_components(_matrix(graph), False)
        return answer[0] == count and np.array_equal(answer[1], labels)

    def strong(graph: Any, answer: Any) -> bool:
        count, _ = csgraph.connected_components(_matrix(graph), True, "strong")
        return answer[0] == count and sg.is_strong_component_labeling(graph, answer[1])

    def search(graph: Any, answer: Any) -> bool:
        return sg.is_bfs_tree(graph, [min(source, len(graph) - 1)], *answer, smallest=True)

    def forest(graph: Any, answer: Any) -> bool:
        return sg.is_minimum_spanning_forest(graph, answer)

    def maximal(graph: Any, mask: Any) -> bool:
        return sg.is_maximal_independent_set(graph, mask)

    checks: list[tuple[str, Callable[[Any], Any], Callable[[Any, Any], Any]]] = [
        (
            f"maximal_independent_set(priority={priority!r}, seed={seed})",
            lambda g: sg.maximal_independent_set(g, priority=priority, seed=seed),
            maximal,
        ),
        (
            f"maximal_independent_set(algorithm={algorithm!r}, seed={seed})",
            lambda g: sg.maximal_independent_set(g, algorithm=algorithm, seed=seed),
            maximal,
        ),
        (
            f"maximal_independent_set(distance=2, priority={distance!r}, seed={seed})",
            lambda g: sg.maximal_independent_set(g, 2, priority=distance, seed=seed),
            lambda g, mask: sg.is_maximal_independent_set(g, mask, 2),
        ),
        (
            f"vertex_coloring(order={order!r}, seed={seed})",
            lambda g: sg.vertex_coloring(g, order=order, seed=seed),
            sg.is_proper_coloring,
        ),
        ("connected_components", sg.connected_components, components),
        ("connected_components('fastsv')", lambda g: sg.connected_components(g, algorithm="fastsv"), components),
        ("strongly_connected_components", sg.strongly_connected_components, strong),
        ("breadth_first_search", lambda g: sg.breadth_first_search(g, [min(source, len(g) - 1)]), search),
        ("minimum_spanning_forest", sg.minimum_spanning_forest, forest),
        (
            f"aggregate(algorithm={aggregation!r})",
            lambda g: sg.aggregate(g, algorithm=aggregation),
            lambda g, answer: sg.is_aggregation(g, answer[1]),
        ),
        (
            "large_independent_set",
            lambda g: sg.large_independent_set(g).mask,
            maximal,
        ),
        (
            "large_independent_set(weights=)",
            lambda g: sg.large_independent_set(g, weights=np.arange(len(g)) % 97 + 1, rounds=3).mask,
            maximal,
        ),
    ]
    if shape not in HUBS:
        checks.append(
            (
                f"vertex_coloring(distance=2, order={order!r})",
                lambda g: sg.vertex_coloring(g, distance=2, order=order),
                lambda g, colors: sg.is_proper_coloring(g, colors, 2),
            )
        )
    return checks


def make(shape: str, n: int, messy: int = 0) -> sg.Graph:
    """Return the graph of a shape; with `messy`, add loops and repeated entries, and leave rows unsorted."""
    u, v = SHAPES[shape](n)
    apart = u != v
    graph = sg.from_edges(u[apart], v[apart], n=n, symmetrize=True)
    if not messy:
        return graph
    rows, columns = np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices.astype(int)
    again, loops = np.flatnonzero((rows + columns) % 5 == 0), np.arange(0, n, 3)
    rows, columns = np.r_[rows, rows[again], loops], np.r_[columns, columns[again], loops]
    order = np.lexsort((np.random.default_rng(messy).random(rows.size), rows))
    return sg.as_graph((np.r_[0, np.cumsum(np.bincount(rows, minlength=n))], columns[order]))


def failure(shape: str, n: int, seed: int) -> str | None:
    """Return the error on the graph of this shape, or None."""
    random = Random(f"{shape} {seed}")
    tidy, messy = make(shape, n), make(shape, n, 1 + seed)
    for name, call, is_right in _checks(random, shape):
        sums = []
        for graph, run in (
            (tidy, Run(random.randint(1, 3))),
            (tidy, Run(random.randint(1, 3), random.choice([2, 5, 40]))),
            (messy, Run(random.randint(1, 3))),
        ):
            with run():
                answer = call(graph)
            sums.append(checksum(answer))
        if not is_right(tidy, answer):
            return f"{name} is wrong"
        if len(set(sums)) > 1:
            return f"{name} depends on threads, workers, loops or repetitions: {sums}"
    return None


def case(seed: int, number: int, largest: int = _LARGEST) -> tuple[str, int, int]:
    """Return the shape, size and seed of a number; the shapes alternate."""
    shape = list(SHAPES)[number % len(SHAPES)]
    random = Random(f"{seed} {number}")
    limit = min(largest, _QUADRATIC) if shape in HUBS else largest
    return shape, int(2 * (limit / 2) ** random.random()), random.randint(0, 10**6)


def report(shape: str, n: int, seed: int) -> str | None:
    """Return the error on the smallest failing graph found by halving, or None."""
    what = failure(shape, n, seed)
    if what is None:
        return None
    while n > 2 and (smaller := failure(shape, n // 2, seed)) is not None:
        n, what = n // 2, smaller
    must(what, "a failure says what is wrong")
    return f"# {what}\nfrom tests.fuzz.large import failure\n\nprint(failure({shape!r}, {n}, {seed}))"


def campaign(arguments: Namespace, share: int) -> Counter[str]:
    """Run one process's cases until the time is up; count them by shape, and the failures as "failed"."""
    counts: Counter[str] = Counter()
    numbers = share_of(count(arguments.first), share, arguments.jobs, len(SHAPES))
    for number in until(arguments.seconds or 30, numbers):
        shape, n, seed = case(arguments.seed, number, arguments.large)
        reported = report(shape, n, seed)
        counts[shape] += 1
        if reported is not None:
            counts["failed"] += 1
            print(reported, flush=True)
    return counts
