"""Construction and output of graphs: `as_graph`, `from_edges`, files, Graph objects, and the SciPy interface."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph as scipy_names

from .cases import Code, Numbers, Options, Targets, equal, must
from .input_graphs import InputGraph

TARGETS = Targets()

_LARGE = (2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 1, 0)
_TINY = (5e-324, -5e-324, 1e308, -1e308, 2.0**-1022, 0.1, 0.0)
COMBINE = {"min": min, "max": max, "sum": sum}


def _entries(graph: Any) -> list[tuple[int, int, Any]]:
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)).tolist()
    weights = [None] * len(rows) if graph.weights is None else graph.weights.tolist()
    return list(zip(rows, graph.indices.tolist(), weights, strict=True))


# ------------------------------------------------------------------------------------------------------ as_graph, Graph


@TARGETS.of(
    "as_graph",
    lambda random, input_graph: {"directed": input_graph.directed},
    code="made = sg.as_graph(graph, {options})\n"
    "answer = made, made.to_scipy(), made.simple(), made.transpose(), __import__('pickle').loads("
    "__import__('pickle').dumps(made))",
    weights=True,
    graph="any",
)
def _check_graph(graph: Any, options: Options, answer: Any) -> None:
    result, back, simple, transposed, copy = answer
    entries = _entries(graph)
    expected = sorted((u, v) for u, v, _ in entries)
    must(sorted((u, v) for u, v, _ in _entries(result)) == expected, "the graph has other entries")
    if graph.weights is not None:
        weights = sorted((u, v, w) for u, v, w in entries)
        must(sorted(_entries(result)) == weights, "the graph has other weights")
    must(result.num_vertices == graph.num_vertices and result.num_entries == len(entries), "other numbers")
    edges = {(u, v) for u, v, _ in entries}
    apart = {(u, v) for u, v in edges if u != v}
    must(result.has_loops == (len(apart) < len(edges)), f"has_loops is {result.has_loops}")
    must(result.has_duplicates == (len(edges) < len(entries)), f"has_duplicates is {result.has_duplicates}")
    must(result.is_symmetric == all((v, u) in edges for u, v in edges), f"is_symmetric is {result.is_symmetric}")
    must(sorted((u, v) for u, v, _ in _entries(simple)) == sorted(apart), "simple() has other entries")
    must(sorted((v, u) for u, v, _ in _entries(transposed)) == expected, "transpose() has other entries")
    must(set(zip(*map(np.ndarray.tolist, back.nonzero()), strict=True)) <= edges, "to_scipy() has other entries")
    must(copy == result and copy.directed == result.directed, "pickled and loaded it is another graph")


def _draw_edges(random: Random, input_graph: InputGraph) -> Options:
    rows, columns, _ = input_graph.entries()
    order = random.sample(range(len(rows)), len(rows))
    options: Options = {
        "u": Numbers(rows[e] for e in order),
        "v": Numbers(columns[e] for e in order),
        "n": input_graph.n,
    }
    weights = random.choice([range(-5, 6), _LARGE, _TINY])
    options["w"] = Numbers(random.choice(weights) for _ in rows) if random.random() < 0.7 else None
    if random.random() < 0.3:
        options["directed"] = True
        if options["w"] is not None:
            options["drop_duplicates"] = False
    else:
        ways = ["min", "max", "sum"] if options["w"] is not None else [True, "min", "max", "sum"]
        if weights in (_LARGE, _TINY):
            ways.remove("sum")  # the sum may not fit
        options["symmetrize"] = random.choice(ways)
    options["drop_loops"] = random.random() < 0.5
    return options


@TARGETS.of(
    "from_edges",
    _draw_edges,
    code="answer = sg.from_edges({u}, {v}, {w}, n={n}, {options})",
    directed=True,
    wrong="u: ends, n: size, symmetrize: combine",
)
def _check_edges(graph: Any, options: Options, result: Any) -> None:
    weights = [None] * len(options["u"]) if options["w"] is None else options["w"]
    edges = list(zip(options["u"], options["v"], weights, strict=True))
    edges = [edge for edge in edges if edge[0] != edge[1] or not options["drop_loops"]]
    if options.get("directed"):
        expected = sorted(edges, key=str) if options.get("drop_duplicates") is False else sorted(set(edges), key=str)
        must(sorted(_entries(result), key=str) == expected, "other arcs")
        must(result.directed, "the graph is undirected")
        return
    of_edge: dict[tuple[int, int], list[Any]] = {}
    for u, v, w in edges:
        of_edge.setdefault((min(u, v), max(u, v)), []).append(w)
    combine = COMBINE.get(options["symmetrize"], min)
    expected = []
    for (u, v), several in of_edge.items():
        weight = None if options["w"] is None else combine(several)
        expected += [(u, v, weight)] if u == v else [(u, v, weight), (v, u, weight)]
    must(_entries(result) == sorted(expected, key=lambda entry: entry[:2]), f"{_entries(result)}, expected {expected}")


# ---------------------------------------------------------------------------------------------------------------- files


def _draw_format(random: Random, input_graph: InputGraph) -> Options:
    formats = ["mtx", "snap", "dimacs", "npz"]
    edges = {(min(u, v), max(u, v)) for u, v in input_graph.edges if u != v}
    if not input_graph.directed and input_graph.weights is None and len(edges) == len(input_graph.edges):
        formats.append("metis")  # supports neither loops nor parallel edges
    if input_graph.weights is None:
        formats.append("egr")
    if any(isinstance(w, int) and not -(2**63) < w < 2**63 for w in input_graph.weights or ()):
        formats = ["npz"]  # text formats reject -2**63 and integers that do not fit into int64
    return {
        "format": random.choice(formats),
        "directed": input_graph.directed,
        "weights": input_graph.weights is not None,
    }


@TARGETS.of(
    "write_graph",
    _draw_format,
    code="made, file = sg.as_graph(graph, directed={directed}, weights={weights}), io.BytesIO()\n"
    "sg.write_graph(file, made, format={format})\n"
    "answer = made, sg.read_graph(io.BytesIO(file.getvalue()), format={format}, directed={directed})",
    directed=True,
    weights=True,
    wrong="format: choice",
)
def _check_file(graph: Any, options: Options, answer: Any) -> None:
    written, result = answer
    once = sorted({(u, v) for u, v, _ in _entries(written)})
    must(sorted({(u, v) for u, v, _ in _entries(result)}) == once, "the file has other entries")
    if written.weights is not None and result.weights is not None:
        must(sorted(set(_entries(result))) == sorted(set(_entries(written))), "the file has other weights")
    must(written.weights is None or result.weights is not None or not once, "the weights are lost")


def _draw_damage(random: Random, input_graph: InputGraph) -> Options:
    """Draw a text file with a few bytes changed, inserted, or deleted."""
    format = random.choice(["mtx", "snap", "dimacs", "metis"])
    rows, columns, _ = input_graph.entries()
    n, pairs = input_graph.n, list(zip(rows, columns, strict=True))
    match format:
        case "mtx":
            lines = ["%%MatrixMarket matrix coordinate pattern general", f"{n} {n} {len(pairs)}"]
            lines += [f"{u + 1} {v + 1}" for u, v in pairs]
        case "snap":
            lines = ["# Nodes", *(f"{u}\t{v}" for u, v in pairs)]
        case "dimacs":
            lines = [f"p sp {n} {len(pairs)}", *(f"a {u + 1} {v + 1} 1" for u, v in pairs)]
        case _:
            lines = [f"{n} {len(pairs) // 2}"]
            lines += [" ".join(str(v + 1) for w, v in pairs if w == u) for u in range(n)]
    text = bytearray("\n".join(lines).encode() + b"\n")
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(text))
        piece = random.choice(
            [b"-1", b"0", b"9999999999999999999", b"x", b"\n", b" ", b"\0", b"1e5", b"%", b"\xff", b"."]
        )
        if random.random() < 0.5:
            text[place : place + random.randint(1, 4)] = piece
        elif random.random() < 0.5:
            text[place:place] = piece
        else:
            del text[place:]
        text = text or bytearray(b"\n")
    return {"data": Code(repr(bytes(text))), "format": random.choice([None, format])}


@TARGETS.of(
    "read_graph",
    _draw_damage,
    code="try:\n    answer = sg.read_graph(io.BytesIO({data}), format={format})\n"
    "except ValueError as error:\n    answer = str(error)",
    directed=True,
)
def _check_damage(graph: Any, options: Options, answer: Any) -> None:
    if isinstance(answer, str):
        must(answer and "\n" not in answer.strip(), f"no sentence: {answer!r}")


# ---------------------------------------------------------------------------------------------- the SciPy interface


def _draw_scipy(random: Random, input_graph: InputGraph) -> Options:
    return {
        "directed": random.random() < 0.5,
        "connection": random.choice(["weak", "strong"]),
        "start": random.randrange(input_graph.n) if input_graph.n else 0,
    }


@TARGETS.of(
    "csgraph",
    _draw_scipy,
    code="matrix = sp.csr_array(sg.as_graph(graph, directed=True).to_scipy())\n"
    "answer = (\n    sg.csgraph.connected_components(matrix, {directed}, {connection}),\n"
    "    sg.csgraph.minimum_spanning_tree(matrix),\n"
    "    sg.csgraph.breadth_first_order(matrix, {start}, {directed}) if matrix.shape[0] else None,\n"
    "    sg.csgraph.maximum_bipartite_matching(matrix),\n    sg.csgraph.reverse_cuthill_mckee(matrix),\n    matrix,\n)",
    directed=True,
    weights=True,
    wrong="connection: choice",
)
def _check_scipy(graph: Any, options: Options, answer: Any) -> None:
    (count, labels), forest, order, matching, permutation, matrix = answer
    n, directed = graph.num_vertices, options["directed"]
    if not n:
        return
    ones = np.zeros((n, n))  # SciPy's strong components do not terminate if entries are stored twice
    ones[np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices] = 1
    ones = sp.csr_array(ones)
    expected = scipy_names.connected_components(ones, directed, options["connection"])
    must(
        count == expected[0] == len(set(zip(labels.tolist(), expected[1].tolist(), strict=True))), f"{count} components"
    )
    as_stored = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=(n, n))  # ints would be sorted
    nodes, parents = scipy_names.breadth_first_order(as_stored, options["start"], directed)
    equal(order[0], nodes, "the order of the queue")
    equal(order[1], parents, "predecessors")
    equal(np.count_nonzero(matching >= 0), scipy_names.structural_rank(ones), "pairs of the matching")
    equal(np.sort(permutation), np.arange(n), "permutation")
    equal(forest.nnz, n - scipy_names.connected_components(ones, False)[0], "edges of the tree")
