"""The steps of ``stablegraph demo``: each has an answer for a real graph, its verifier, and a sentence about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.csgraph import laplacian

import stablegraph as sg

from ..terminal import Facts

_ROUNDS = 20  # of the search for a large set: a third of a second
_TOLERANCE = 1e-10  # of the solution, which is shown with six digits

Result = tuple[tuple[Any, ...], Facts]  # the answer as arguments of its verifier, and facts about it


def _maximal_set(graph: sg.Graph, seed: int = 0) -> Result:
    mask = sg.maximal_independent_set(graph, seed=seed)
    return (mask,), {"size": int(mask.sum())}


def _large_set(graph: sg.Graph, seed: int = 0) -> Result:
    best = sg.large_independent_set(graph, rounds=_ROUNDS, seed=seed)
    return (best.mask,), {"size": best.size, "upper_bound": best.upper_bound}


def _coloring(graph: sg.Graph, seed: int = 0) -> Result:
    colors = sg.vertex_coloring(graph, seed=seed)
    return (colors,), {"colors": int(colors.max()) + 1, "lower_bound": sg.color_bounds(graph)[0]}


def _components(graph: sg.Graph, seed: int = 0) -> Result:
    return _parts(graph, *sg.connected_components(graph))


def _strong_components(graph: sg.Graph, seed: int = 0) -> Result:
    return _parts(graph, *sg.strongly_connected_components(graph))


def _parts(graph: sg.Graph, count: int, labels: Any) -> Result:
    return (labels,), {"components": count, "largest": int(graph.xp.bincount(labels).max())}


def _forest(graph: sg.Graph, seed: int = 0) -> Result:
    forest = sg.minimum_spanning_forest(graph)
    return (forest,), {"edges": forest.nnz, "weight": sg.total_weight(forest)}


def _search(graph: sg.Graph, seed: int = 0) -> Result:
    source = int(graph.degrees.argmax())
    distance, parent = sg.breadth_first_search(graph, source)
    start = graph.nodes[source] if graph.nodes else source
    return (source, distance, parent), {
        "start": str(start),
        "reached": int((distance >= 0).sum()),
        "farthest": int(distance.max()),
    }


def _with_miles(graph: sg.Graph) -> sg.Graph:
    """Return the graph with the distances between counties as weights."""
    where = sg.gallery.positions("us-counties").astype(np.float64)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    across = where[rows] - where[graph.indices]
    return sg.as_graph((graph.indptr, graph.indices, np.sqrt(across[:, 0] ** 2 + across[:, 1] ** 2)))


def _aggregates(graph: sg.Graph, seed: int = 0) -> Result:
    count, labels = sg.aggregate(graph)
    return (labels,), {"aggregates": count, "mean_size": graph.num_vertices / count}


def _resistance(graph: sg.Graph, seed: int = 0) -> Result:
    """Compute the potentials of a current between two distant vertices; every edge is a resistor of one ohm."""
    start = int(graph.degrees.argmax())
    end = int(sg.breadth_first_search(graph, start)[0].argmax())
    current = np.zeros(graph.num_vertices)
    current[[start, end]] = 1, -1
    residuals: list[float] = []
    hierarchy = sg.smoothed_aggregation(_conductances(graph), nullspace=np.ones(graph.num_vertices), coarse_size=50)
    potential = hierarchy.solve(current, tol=_TOLERANCE, residuals=residuals).round(6)
    return (start, end, potential), {
        "ohms": float(potential[start] - potential[end]),
        "iterations": len(residuals) - 1,
        "ends": [str(graph.nodes[v]) if graph.nodes else str(v) for v in (start, end)],
    }


def _conductances(graph: sg.Graph) -> Any:
    return laplacian(graph.simple().to_scipy().astype(np.float64))


def _unbalanced(graph: sg.Graph, start: int, end: int, potential: Any) -> str | None:
    """Check Kirchhoff's law: the currents at each vertex except for the two ends add up to zero."""
    currents = _conductances(graph) @ potential
    currents[[start, end]] -= 1, -1
    worst = int(np.abs(currents).argmax())
    return None if abs(currents[worst]) < 1e-4 else f"at vertex {worst}, {currents[worst]:.2g} amperes are lost"


@dataclass(frozen=True)
class Step:
    """A computation of the demo."""

    compute: Callable[..., Result]
    wrong: Callable[..., str | None]  # returns the defect of an answer for a graph, or None
    shown: str  # format of the facts
    sentence: str  # format of a sentence about the facts
    on_gpu: bool = True
    graph_for: Callable[[sg.Graph], sg.Graph] = lambda graph: graph


STEPS = {
    "maximal set": Step(
        _maximal_set,
        partial(sg.explain, sg.is_maximal_independent_set),
        "{size:,}",
        "No two of these {size:,} counties touch, and every other county touches one of them.",
    ),
    "large set": Step(
        _large_set,
        partial(sg.explain, sg.is_maximal_independent_set),
        "{size:,}",
        "Searching longer finds {size:,} such counties; it is proved that no choice has more than {upper_bound:,}.",
        on_gpu=False,
    ),
    "coloring": Step(
        _coloring,
        partial(sg.explain, sg.is_proper_coloring),
        "{colors} colors",
        "{colors} colors are enough for neighbors to differ; at least {lower_bound} are necessary, since "
        "{lower_bound} counties all touch each other.",
    ),
    "components": Step(
        _components,
        partial(sg.explain, sg.is_component_labeling),
        "{components}",
        "{largest:,} counties are connected; with islands and the like there are {components} components.",
    ),
    "strong components": Step(
        _strong_components,
        partial(sg.explain, sg.is_strong_component_labeling),
        "{components}",
        "Were three of four borders open one way only, {largest:,} counties could still reach one another.",
        graph_for=sg.gallery.with_directions,
    ),
    "spanning forest": Step(
        _forest,
        partial(sg.explain, sg.is_minimum_spanning_forest),
        "{weight:,.0f} mi",
        "{weight:,.0f} miles of lines from county to county, {edges:,} of them, join each part; no shorter ones do.",
        graph_for=_with_miles,
    ),
    "search": Step(
        _search,
        partial(sg.explain, sg.is_bfs_tree),
        "{farthest} borders",
        "From {start}, which has the most neighbors, {reached:,} can be reached over at most {farthest} borders.",
    ),
    "aggregates": Step(
        _aggregates,
        partial(sg.explain, sg.is_aggregation),
        "{aggregates:,}",
        "{aggregates:,} groups of neighbors, {mean_size:.1f} counties on average, are the vertices of a coarser map.",
    ),
    "multigrid": Step(
        _resistance,
        _unbalanced,
        "{ohms:.3f} ohms",
        "If each border were a resistor of one ohm, the resistance between {ends[0]} and {ends[1]} would be "
        "{ohms:.3f} ohms; multigrid finds it in {iterations} steps.",
        on_gpu=False,
        graph_for=lambda graph: sg.largest_component(graph)[0],
    ),
}
