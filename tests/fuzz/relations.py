"""Comparisons of two answers: invariants, or known changes of the answer, when the graph is changed.

These targets need no oracle, so they share no errors with one. Loops and repeated entries are ignored. Isolated
vertices do not affect the other vertices. A disjoint second graph does not affect the answer on the first one. A power
of two passes through floating-point arithmetic without rounding.
"""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import numpy as np

from stablegraph._core import option_names as names

from .cases import Code, Options, Targets, equal, must
from .input_graphs import InputGraph
from .sets import draw_seed

TARGETS = Targets()

_OF_IDS = ("natural", "high_degree", "random", "degree")  # priorities that depend only on a vertex and its neighbors


def _calls(random: Random) -> list[str]:
    """Return calls on `graph` whose answer has one value per vertex, or labels in the order of the vertices."""
    seed, order = draw_seed(random), random.choice(["largest_first", "natural", "random", "smallest_last"])
    calls = [
        f"sg.maximal_independent_set(graph, priority={priority!r}, seed={seed})" for priority in ("degree", "random")
    ]
    calls += [f"sg.maximal_independent_set(graph, priority={priority!r})" for priority in ("natural", "high_degree")]
    calls += [f"sg.maximal_independent_set(graph, algorithm='luby', seed={seed})"]
    calls += [f"sg.connected_components(graph, algorithm={name!r})[1]" for name in get_args(names.ComponentAlgorithm)]
    calls += [
        f"sg.vertex_coloring(graph, order={order!r}, ties={ties!r}, reduce='none', seed={seed})"
        for ties in get_args(names.Ties)
    ]
    calls += [f"sg.vertex_coloring(graph, distance=2, order={order!r}, reduce='none', seed={seed})"]
    calls += [
        f"sg.strongly_connected_components(graph, algorithm={name!r})[1]" for name in get_args(names.StrongAlgorithm)
    ]
    return calls


def _draw_call(random: Random, input_graph: InputGraph) -> Options:
    return {"call": Code(random.choice(_calls(random))), "alone": random.randint(1, 5)}


_ENDS = (
    "given = sg.as_graph(graph)\nn = given.num_vertices\n"
    "u, v = np.repeat(np.arange(n), np.diff(given.indptr)), given.indices.astype(int)\n"
)
_MADE = "graph = sp.csr_array(sp.coo_array((np.ones(u.size), (u, v)), shape=({n}, {n})))\n"


@TARGETS.of(
    "as_graph and isolated vertices",
    _draw_call,
    code=_ENDS + "before = {call}\n" + _MADE.replace("{n}", "n + {alone}") + "answer = before, {call}, n",
)
def _alone(graph: Any, options: Options, answer: Any) -> None:
    before, after, n = answer
    equal(after[:n], before, f"{options['call']} with vertices alone")


@TARGETS.of(
    "as_graph and loops",
    _draw_call,
    code=_ENDS
    + "before = {call}\nu, v = np.r_[u, np.arange(0, n, {alone})], np.r_[v, np.arange(0, n, {alone})]\n"
    + _MADE.replace("{n}", "n")
    + "answer = before, {call}",
)
def _loops(graph: Any, options: Options, answer: Any) -> None:
    equal(answer[1], answer[0], f"{options['call']} with loops")


@TARGETS.of(
    "as_graph and repetitions",
    _draw_call,
    code=_ENDS
    + "before = {call}\nsome = np.flatnonzero((u + v) % {alone} == 0)\n"
    + "u, v = np.r_[u, u[some]], np.r_[v, v[some]]\norder = np.lexsort((v, u))\n"
    + "graph = np.r_[0, np.cumsum(np.bincount(u, minlength=n))], v[order]\n"
    + "answer = before, {call}",
)
def _repetitions(graph: Any, options: Options, answer: Any) -> None:
    equal(answer[1], answer[0], f"{options['call']} with repetitions")


@TARGETS.of(
    "subgraph and components",
    _draw_call,
    code="whole = sg.as_graph(graph)\ncount, labels = sg.connected_components(whole)\nanswer = [labels]\n"
    "for call in range(count + 1):\n"
    "    graph = whole if call == count else sg.subgraph(whole, labels == call)\n"
    "    answer.append((sg.minimum_spanning_forest(graph).nnz, sg.color_bounds(graph), "
    "int(sg.maximal_independent_set(graph, priority='natural').sum()), "
    "int(sg.vertex_coloring(graph, order='natural', reduce='none').max(initial=-1))))  # {call} {alone}",
)
def _beside(graph: Any, options: Options, answer: Any) -> None:
    _, *parts, whole = answer
    if parts:
        equal(whole[0], sum(part[0] for part in parts), "edges of the forest")
        equal(whole[1][1], max(part[1][1] for part in parts), "upper bounds of colors")
        equal(whole[2], sum(part[2] for part in parts), "sizes of sets")
        equal(whole[3], max(part[3] for part in parts), "colors")


def _draw_renaming(random: Random, input_graph: InputGraph) -> Options:
    return {"seed": random.randint(0, 999), "shift": random.choice([-3, -1, 1, 10])}


@TARGETS.of(
    "connected_components and other names",
    _draw_renaming,
    code=_ENDS
    + "names = np.random.default_rng({seed}).permutation(n)\n"
    + "numbers = names % 7 - 3\nplain = sg.maximal_independent_set(graph, priority=numbers[:n] * n + names)\n"
    + "colors = sg.vertex_coloring(graph, order=numbers * n + names, reduce='none')\n"
    + "before = sg.connected_components(graph), sg.color_bounds(graph), plain, colors\n"
    + "u, v = names[u], names[v]\nback = np.argsort(names)\n"
    + _MADE.replace("{n}", "n")
    + "plain = sg.maximal_independent_set(graph, priority=(numbers * n + names)[back])\n"
    + "colors = sg.vertex_coloring(graph, order=(numbers * n + names)[back], reduce='none')\n"
    + "answer = before, (sg.connected_components(graph), sg.color_bounds(graph), plain, colors), names  # {shift}",
)
def _renamed(graph: Any, options: Options, answer: Any) -> None:
    """Check that renaming vertices does not matter if the order is given by distinct numbers."""
    (parts, bounds, mask, colors), (others, same_bounds, other_mask, other_colors), names = answer
    equal(others[0], parts[0], "number of components")
    pairs = set(zip(parts[1].tolist(), others[1][names].tolist(), strict=True))
    equal(len(pairs), parts[0], "components under other names")
    equal(same_bounds[1], bounds[1], "upper bound of colors")
    equal(other_mask[names], mask, "set under other names")
    equal(other_colors[names], colors, "colors under other names")


@TARGETS.of(
    "minimum_spanning_forest and powers of two",
    lambda random, input_graph: {"power": random.randint(-20, 20), "maximum": random.random() < 0.5},
    code=_ENDS
    + "w = (np.minimum(u, v) * 7 + np.maximum(u, v) * 13) % 11 - 3.5\n"
    + "kept = u != v\nu, v, w = u[kept], v[kept], w[kept]\n"
    + "answer = [sg.minimum_spanning_forest(sp.csr_array(sp.coo_array((scale * w, (u, v)), shape=(n, n))), "
    + "maximum={maximum}) for scale in (1.0, 2.0**{power})]",
)
def _scaled_forest(graph: Any, options: Options, answer: Any) -> None:
    first, second = answer
    equal(second.indices, first.indices, "edges of the scaled forest")
    # Repeated entries are summed up before: by SciPy, exactly.
    equal(second.data, first.data * 2.0 ** options["power"], "weights of the scaled forest")


def _draw_scaled(random: Random, input_graph: InputGraph) -> Options:
    return {
        "smoother": random.choice(get_args(names.Smoother)),
        "matrix": 2.0 ** random.choice([-300, -60, -2, 2, 60, 300]),  # even: the coarsest level takes square roots
        "right": 2.0 ** random.choice([-300, -60, 1, 60, 300]),
    }


@TARGETS.of(
    "smoothed_aggregation and powers of two",
    _draw_scaled,
    code="pattern = sg.as_graph(graph).to_scipy().toarray() != 0\nnp.fill_diagonal(pattern, False)\n"
    "A = sp.csr_array(np.diag(pattern.sum(axis=1) + 0.5) - pattern)\nb = np.cos(np.arange(A.shape[0]))\n"
    "answer = [sg.smoothed_aggregation(a * A, smoother={smoother}, coarse_size=3).solve(c * b) "
    "for a, c in ((1.0, 1.0), (1.0, {right}), ({matrix}, 1.0))]",
)
def _scaled_system(graph: Any, options: Options, answer: Any) -> None:
    plain, of_right, of_matrix = answer
    must(np.array_equal(of_right, plain * options["right"]), "another solution of a scaled right-hand side")
    must(np.array_equal(of_matrix, plain / options["matrix"]), "another solution of a scaled matrix")
