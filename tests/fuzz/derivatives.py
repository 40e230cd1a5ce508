"""Colorings of Jacobians and Hessians, recovery from products, and differences."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import numpy as np

from stablegraph._core.option_names import HessianMode, JacobianMode, SideOrder

from ..support import derivative_oracles, naive
from .cases import Code, Options, Targets, equal, must
from .colorings import WITH_ORACLE
from .input_graphs import InputGraph
from .sets import draw_order, draw_seed
from .verifiers import changed_values, verifier

TARGETS = Targets()

_SMALL = 12  # vertices; on larger graphs, first fit by definition is slow
_WRONG = {
    "star": derivative_oracles.has_two_colored_path,
    "acyclic": derivative_oracles.has_two_colored_cycle,
}


def _draw_matrix(random: Random, input_graph: InputGraph) -> Options:
    """Draw a rectangular block of the graph's matrix, in some format."""
    rows, columns = random.randint(0, input_graph.n), random.randint(0, input_graph.n)
    format = random.choice(["csr", "csc", "coo", "lil"])
    mode, order = random.choice(get_args(JacobianMode)), random.choice(get_args(SideOrder))
    matrix = f"sg.as_graph(graph, directed=True).to_scipy().astype(float).tocsr()[:{rows}, :{columns}].to{format}()"
    return {"matrix": Code(matrix), "rows": rows, "columns": columns, "mode": mode, "order": order}


@TARGETS.of(
    "jacobian_coloring",
    _draw_matrix,
    code="matrix = {matrix}  # {rows} x {columns}\n"
    "plan = sg.jacobian_coloring(matrix, {mode}, order={order})\n"
    "answer = plan, matrix, plan.recover(plan.compress(matrix)), sg.explain(sg.is_compression_plan, matrix, plan)",
    directed=True,
    wrong="mode: choice, order: choice",
)
def _check_matrix(graph: Any, options: Options, answer: Any) -> None:
    plan, matrix, recovered, sentence = answer
    equal(recovered.toarray(), matrix.toarray(), "recovered matrix")
    must(sentence is None, f"explain says {sentence!r}")
    if options["mode"] == "both":
        return
    entries = set(zip(np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices, strict=True))
    entries = {(i, j) for i, j in entries if i < options["rows"] and j < options["columns"]}
    is_by_column = options["mode"] == "column"
    touched: list[set[int]] = [set() for _ in range(options["columns" if is_by_column else "rows"])]
    for i, j in entries:
        vertex, other = (j, i) if is_by_column else (i, j)
        touched[vertex].add(other)
    order = list(range(len(touched)))
    if options["order"] == "largest_first":
        order.sort(key=lambda v: (-len(touched[v]), v))
    expected: dict[int, int] = {}
    for v in order:
        taken = {expected[u] for u in expected if touched[u] & touched[v]}
        expected[v] = min(set(range(len(touched))) - taken)
    colors = plan.column_colors if is_by_column else plan.row_colors
    equal(colors, [expected[v] for v in range(len(touched))], "colors")


def _draw_symmetric(random: Random, input_graph: InputGraph) -> Options:
    order = draw_order(random, WITH_ORACLE, input_graph.n)
    return {"mode": random.choice(get_args(HessianMode)), "order": order, "seed": draw_seed(random)}


@TARGETS.of(
    "hessian_coloring",
    _draw_symmetric,
    code="matrix = sg.as_graph(graph).to_scipy().astype(float)\n"
    "matrix.sum_duplicates()\nmatrix.data = 1.0 + np.arange(matrix.nnz)\nmatrix = (matrix + matrix.T).tocsr()\n"
    "plan = sg.hessian_coloring(matrix, {mode}, order={order}, seed={seed})\n"
    "answer = plan, matrix, plan.recover(plan.compress(matrix)), sg.explain(sg.is_compression_plan, matrix, plan)",
)
def _check_symmetric(graph: Any, options: Options, answer: Any) -> None:
    plan, matrix, recovered, sentence = answer
    must(sentence is None, f"explain says {sentence!r}")
    must(np.allclose(recovered.toarray(), matrix.toarray()), "recovered matrix")
    neighbors = naive.simple_adjacency(graph)
    _check_first_fit(graph, options, plan.column_colors, options["mode"], neighbors)


def _check_first_fit(graph: Any, options: Options, colors: Any, mode: str, neighbors: Any) -> None:
    found = colors.tolist()
    must(derivative_oracles.is_proper(neighbors, found) and not _WRONG[mode](neighbors, found), f"no {mode} coloring")
    equal(sorted(set(found)), range(max(found, default=-1) + 1), "colors in use")
    if len(found) <= _SMALL:
        order = naive.coloring_order(graph, options["order"], "id", options["seed"])
        equal(colors, derivative_oracles.first_fit_by_definition(neighbors, order, _WRONG[mode]), "colors")


def _draw_order_and_seed(random: Random, input_graph: InputGraph) -> Options:
    return {"order": draw_order(random, WITH_ORACLE, input_graph.n), "seed": draw_seed(random)}


@TARGETS.of("star_coloring", _draw_order_and_seed, graph="undirected", wrong="order: order, seed: seed")
def _check_star(graph: Any, options: Options, colors: Any) -> None:
    _check_first_fit(graph, options, colors, "star", naive.simple_adjacency(graph))


@TARGETS.of("acyclic_coloring", _draw_order_and_seed, graph="undirected", wrong="order: order, seed: seed")
def _check_acyclic(graph: Any, options: Options, colors: Any) -> None:
    _check_first_fit(graph, options, colors, "acyclic", naive.simple_adjacency(graph))


def _draw_colors(random: Random, input_graph: InputGraph) -> Options:
    order = random.sample(range(input_graph.n), input_graph.n)
    colors = naive.first_fit(input_graph.plain(), order, random.choice([1, 2, 2]))
    return {"answer": changed_values(random, colors, 4)}


@verifier(TARGETS, "is_star_coloring", _draw_colors, wrong="answer: verified")
def _star(graph: Any, options: Options) -> bool:
    return _is_right(graph, options, "star")


@verifier(TARGETS, "is_acyclic_coloring", _draw_colors, wrong="answer: verified")
def _acyclic(graph: Any, options: Options) -> bool:
    return _is_right(graph, options, "acyclic")


def _is_right(graph: Any, options: Options, mode: str) -> bool:
    neighbors, colors = naive.simple_adjacency(graph), list(options["answer"])
    return (
        min(colors, default=0) >= 0
        and derivative_oracles.is_proper(neighbors, colors)
        and not _WRONG[mode](neighbors, colors)
    )


@TARGETS.of(
    "sparse_jacobian",
    lambda random, input_graph: {"left_out": random.randrange(1 << 20), "gap": random.choice([0, 1e-9, 0.25, 9])},
    code="J = sp.csr_array(sg.as_graph(graph, directed=True).to_scipy().astype(float))\n"
    "J.sum_duplicates()\nJ.data = 1.0 + np.arange(J.nnz) % 7\n"
    "x = np.arange(J.shape[0]) * 0.5\n"
    "pattern, e = sp.coo_array(J), {left_out} % max(J.nnz, 1)\n"
    "rest = sp.coo_array((np.delete(pattern.data, e), (np.delete(pattern.row, e), np.delete(pattern.col, e))), J.shape)"
    " if J.nnz else pattern\n"
    "try:\n"
    "    sg.sparse_jacobian(lambda x: J @ x, rest, check=True)(x)\n"
    "    sentence = None\n"
    "except ValueError as error:\n"
    "    sentence = str(error)\n"
    "bounds, places = (x - {gap}, x + 1e-3), []\n"
    "inside = sg.sparse_jacobian(lambda x: places.append(x) or J @ x, J, bounds=bounds)(x).toarray()\n"
    "inside = inside, all(((bounds[0] <= place) & (place <= bounds[1])).all() for place in places)\n"
    "answer = J.toarray(), sg.sparse_jacobian(lambda x: J @ x, J, check=True)(x).toarray(), sentence, "
    "int(pattern.row[e]) if J.nnz else None, inside",
    directed=True,
)
def _check_jacobian(graph: Any, options: Options, answer: Any) -> None:
    matrix, differences, sentence, row, (inside, are_inside) = answer
    must(are_inside and np.allclose(inside, matrix, atol=1e-4 * max(1.0, matrix.max(initial=0))), "outside of bounds")
    must(
        np.allclose(differences, matrix, atol=1e-4 * max(1.0, matrix.max(initial=0))),
        "differences are not the Jacobian",
    )
    must((row is None) == (sentence is None), f"a missing entry of row {row}: {sentence}")
    must(row is None or f"is wrong in row {row};" in sentence, f"a missing entry of row {row}: {sentence}")
