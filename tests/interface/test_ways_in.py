"""The same graph through every way in: equal entries, weights and multiplicities, and equal answers.

A table of docs/limits.md lists the ways, and what their forms cannot express. The test reads that table; it must name
every class that `as_graph` converts and every format of files. The functions are those of the public interface.
"""

from __future__ import annotations

import inspect
import io
import re
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as scipy_names

import stablegraph as sg
from stablegraph import csgraph
from stablegraph._core.converters import KNOWN
from stablegraph.io import FORMATS
from tests.house.test_options import FUNCTIONS, documented
from tests.pins.checksums import checksum
from tests.support.cases import each
from tests.support.processes import ROOT

# ------------------------------------------------------------------------------------------------------------ the forms


def columns(arcs, dtype):
    """Return the ends and the weights of arcs as arrays."""
    u, v, w = zip(*arcs, strict=True) if arcs else ((), (), ())
    return np.array(u, np.int64), np.array(v, np.int64), np.array(w, dtype)


def rows(n, arcs, dtype, directed):
    """Return CSR arrays, with repeated entries, in the order of the arcs."""
    u, v, w = columns(sorted(arcs, key=lambda arc: arc[:2]), dtype)
    return np.cumsum(np.bincount(u + 1, minlength=n + 1)).astype(np.int64), v, w


def reference(n, arcs, dtype, directed):
    return sg.as_graph(rows(n, arcs, dtype, directed), directed=directed)


def of_scipy(make, n, arcs, dtype, directed):
    indptr, indices, weights = rows(n, arcs, dtype, directed)
    if make in (sp.csr_array, sp.csr_matrix):
        return make((weights, indices, indptr), shape=(n, n))
    u, v, w = columns(arcs, dtype)
    if make in (sp.csc_array, sp.csc_matrix):  # the transposed rows, with repeated entries
        back = rows(n, [(v, u, w) for u, v, w in arcs], dtype, directed)
        return make((back[2], back[1], back[0]), shape=(n, n))
    coordinates = sp.coo_array((w, (u, v)), shape=(n, n))
    coordinates = coordinates if make is not sp.bsr_array else coordinates.tobsr((1, 1))
    return make(coordinates)


def of_duck(n, arcs, dtype, directed):
    class Matrix:
        indptr, indices, data = rows(n, arcs, dtype, directed)
        shape = (n, n)

    return Matrix()


def dense(n, arcs, dtype, directed):
    matrix = np.zeros((n, n), dtype)
    for u, v, w in arcs:
        matrix[u, v] = w
    return matrix


def lists(n, arcs, dtype, directed):
    matrix = [[0] * n for _ in range(n)]
    for u, v, w in arcs:
        matrix[u][v] = w
    return matrix


def of_edges(n, arcs, dtype, directed):
    return sg.from_edges(*columns(arcs, dtype), n, directed=directed)


def once(arcs, directed):
    """Return the edges of arcs; of an undirected graph, one of the two arcs of each edge."""
    return [arc for arc in arcs if directed or arc[0] <= arc[1]]


def of_networkx(kind, n, arcs, dtype, directed):
    import networkx as nx

    graph = getattr(nx, kind)()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(once(arcs, directed))
    return graph


def of_igraph(n, arcs, dtype, directed):
    import igraph

    edges = once(arcs, directed)
    weights = {"weight": [w for *_, w in edges]}
    return igraph.Graph(n=n, edges=[edge[:2] for edge in edges], directed=directed, edge_attrs=weights)


def of_rustworkx(kind, n, arcs, dtype, directed):
    import rustworkx

    graph = getattr(rustworkx, kind)()
    graph.add_nodes_from([None] * n)
    graph.add_edges_from(once(arcs, directed))
    return graph


def of_networkit(n, arcs, dtype, directed):
    import networkit

    graph = networkit.Graph(n, weighted=True, directed=directed)
    for u, v, w in once(arcs, directed):
        graph.addEdge(u, v, w)
    return graph


def of_sparse(kind, n, arcs, dtype, directed):
    import sparse

    u, v, w = columns(arcs, dtype)
    matrix = sparse.COO(np.stack([u, v]), w, shape=(n, n))
    return matrix if kind == "COO" else getattr(sparse, kind).from_coo(matrix)


def of_graphblas(n, arcs, dtype, directed):
    import graphblas

    return graphblas.Matrix.from_coo(*columns(arcs, dtype), nrows=n, ncols=n)


def of_torch(n, arcs, dtype, directed):
    import torch

    u, v, w = columns(arcs, dtype)
    return torch.sparse_coo_tensor(torch.tensor(np.stack([u, v])), torch.tensor(w), (n, n))


def of_jax(kind, n, arcs, dtype, directed):
    from jax.experimental import sparse

    u, v, w = columns(arcs, dtype)
    matrix = sparse.BCOO((w, np.stack([u, v], axis=1)), shape=(n, n))
    return matrix if kind == "BCOO" else sparse.BCSR.from_bcoo(matrix.sort_indices())


def of_geometric(n, arcs, dtype, directed):
    import torch
    from torch_geometric.data import Data

    u, v, w = columns(arcs, dtype)
    return Data(edge_index=torch.tensor(np.stack([u, v])), edge_weight=torch.tensor(w), num_nodes=n)


def of_table(n, arcs, dtype, directed, library="pyarrow"):
    import pyarrow as pa

    table = pa.table(dict(zip(("source", "target", "weight"), columns(arcs, dtype), strict=True)))
    if library == "polars":
        import polars

        table = polars.from_arrow(table)
    return sg.from_table(table.to_pandas() if library == "pandas" else table, directed=directed)


def of_file(format, n, arcs, dtype, directed):
    file = io.BytesIO()
    sg.write_graph(file, reference(n, arcs, dtype, directed), format=format)
    return sg.read_graph(io.BytesIO(file.getvalue()), format=format, directed=directed)


def in_partitions(n, arcs, dtype, directed):
    from tests.support.serial_client import SerialClient

    graph = reference(n, arcs, dtype, directed)
    return sg.distributed.from_graph(graph, partitions=2, client=SerialClient(), directed=directed).to_graph()


FORMS = {
    "Graph": [reference],
    "(indptr, indices, weights)": [rows, of_duck],
    **{
        f"{name}_array": [partial(of_scipy, getattr(sp, f"{name}_{kind}")) for kind in ("array", "matrix")]
        for name in ("csr", "csc", "coo", "dok", "lil", "bsr", "dia")
    },
    "distributed.from_graph": [in_partitions],
    "numpy.ndarray": [dense],
    "a square list of lists": [lists],
    "from_edges": [of_edges],
    **{f"networkx.{kind}": [partial(of_networkx, kind)] for kind in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")},
    "igraph.Graph": [of_igraph],
    **{f"rustworkx.{kind}": [partial(of_rustworkx, kind)] for kind in ("PyGraph", "PyDiGraph")},
    "networkit.Graph": [of_networkit],
    "torch_geometric.Data": [of_geometric],
    "torch.Tensor": [of_torch],
    **{f"jax.{kind}": [partial(of_jax, kind)] for kind in ("BCOO", "BCSR")},
    **{f"sparse.{kind}": [partial(of_sparse, kind)] for kind in ("COO", "GCXS", "DOK")},
    "graphblas.Matrix": [of_graphblas],
    "from_table": [of_table, *(partial(of_table, library=name) for name in ("pandas", "polars") if find_spec(name))],
    **{format: [partial(of_file, format)] for format in FORMATS},
}
NEEDS = {"from_table": "pyarrow", "parquet": "pyarrow", "feather": "pyarrow", "distributed.from_graph": "dask"}
WITH_EDGES = ("from_table", "igraph.Graph", "networkit.Graph")  # if undirected, their rows are edges, not entries
WITHOUT_WEIGHTS = {"trimesh.Trimesh", "meshio.Mesh", "torch_geometric.EdgeIndex"}


def table_of_limits():
    """Return the row of the documented table for each form."""
    text = Path(ROOT, "docs/limits.md").read_text()
    section = text[text.index("## What each form") :]
    rules = {}
    for line in re.findall(r"^\| (.*) \|$", section[: section.index("\nAn undirected edge")], re.MULTILINE)[1:]:
        forms, *cells = line.split(" | ")
        names = re.findall(r"`([^`]*)`", forms) or [forms]
        rules |= dict.fromkeys(names, cells)
    return rules


RULES = table_of_limits()


def installed(form):
    return find_spec(NEEDS.get(form, form.partition(".")[0] if "." in form else "numpy")) is not None


WAYS = [(form, make) for form in RULES if installed(form) for make in FORMS.get(form, ())]


def test_the_table_names_all_forms():
    assert set(RULES) - WITHOUT_WEIGHTS == set(FORMS)
    assert set(KNOWN.split(", ")) <= set(RULES) | WITHOUT_WEIGHTS
    assert set(FORMATS) <= set(RULES)
    kinds = {name for name, kind in vars(sp).items() if isinstance(kind, type) and issubclass(kind, sp.sparray)}
    assert kinds - {"sparray"} <= set(RULES)


# ---------------------------------------------------------------------------------------------------------- the entries


def both_ways(*edges):
    return [arc for u, v, w in edges for arc in dict.fromkeys([(u, v, w), (v, u, w)])]


CASES = {
    "tiny and huge": (
        4,
        "f8",
        both_ways((0, 1, 5e-324), (1, 2, 1e308), (0, 3, -1.5), (2, 2, 0.1), (1, 3, 2.0**53 + 2)),
    ),
    "infinite": (3, "f8", both_ways((0, 1, np.inf), (1, 2, -np.inf))),
    "near 2**63": (4, "i8", both_ways((0, 1, 2**53 + 1), (1, 2, 2**63 - 1), (0, 3, 1 - 2**63), (0, 0, 7))),
    "smallest": (2, "i8", both_ways((0, 1, -(2**63)))),
    "near 2**64": (3, "u8", both_ways((0, 1, 2**64 - 1), (1, 2, 2**63), (2, 2, 1))),
    "float32": (3, "f4", both_ways((0, 1, 0.5), (1, 2, 2.0**-149))),
    "bool": (3, "?", both_ways((0, 1, True), (1, 2, True))),
    "int8": (3, "i1", both_ways((0, 1, -128), (1, 2, 127))),
    "zeros": (4, "f8", [*both_ways((0, 1, 0.0), (1, 2, 2.0), (3, 3, -0.0)), (2, 3, 1.0), (3, 2, 1.0)]),
    "repeated": (3, "i8", [*both_ways((0, 1, 2), (2, 2, 4), (1, 2, 1)) * 2]),
    "repeated, other weights": (
        3,
        "i8",
        [*both_ways((0, 1, 2), (1, 2, 1)), *both_ways((0, 1, 3), (2, 2, 4), (2, 2, 5))],
    ),
    "complex": (2, "c16", both_ways((0, 1, 0.5 + 1j))),
    "isolated": (5, "f8", both_ways((0, 2, 0.5), (0, 1, 1.0), (1, 2, 3.0))),
    "no edges": (3, "i8", []),
    "no vertices": (0, "f8", []),
    "arcs": (3, "i8", [(0, 1, 1), (1, 2, 5), (0, 2, 2**62 + 1)]),
    "arcs, other weights": (3, "f8", [(0, 1, 1.0), (1, 0, 2.0), (1, 2, 5.0)]),
}


def expected_entries(form, arcs, dtype):
    """Return the entries that a form must have according to the table, as a multiset."""
    repeats, zeros, types, _ = RULES[form]
    weights = {}
    for u, v, w in arcs:
        weights.setdefault((u, v), []).append(w)
    differ = any(len(set(several)) > 1 for several in weights.values())
    keep = {
        "both": list,
        "the sum": lambda several: [sum(several[1:], several[0])],
        "the last": lambda several: several[-1:],
        "once": lambda several: several[:1],
        "once, or all if weights differ": lambda several: several if differ else several[:1],
        "refused": lambda several: several,
    }[repeats]
    entries = [(u, v, w) for (u, v), several in weights.items() for w in keep(several)]
    entries = [entry for entry in entries if entry[2] != 0 or zeros == "an edge"]
    if "bool has no weights" in types and dtype == "?":
        entries = [(u, v, None) for u, v, _ in entries]
    return Counter(entries), differ


def may_refuse(form, n, arcs, dtype, directed, differ):
    """Return whether a form cannot hold a graph, so that an error is right."""
    kind, weights, pairs = np.dtype(dtype).kind, [w for *_, w in arcs], {arc[:2] for arc in arcs}
    are_repeated = len(pairs) < len(arcs)
    edges = {(min(u, v), max(u, v), w) for u, v, w in arcs}
    is_list = form in ("from_edges", "from_table", "mtx", "snap", "dimacs", "parquet", "feather")
    if not directed and (pairs != {(v, u) for u, v in pairs} or (is_list and len({e[:2] for e in edges}) < len(edges))):
        return True  # an arc without its partner, or an edge with two weights
    is_beyond = any(abs(w) == np.inf or (kind in "iu" and abs(w) >= 2**63) for w in weights)
    match form:
        case "from_edges":
            return differ
        case "from_table" | "parquet" | "feather":
            return kind == "c"
        case "mtx" | "snap" | "dimacs":
            return kind == "c" or is_beyond
        case "egr":
            return kind in "fc" or any(not -(2**31) <= w < 2**31 for w in weights)
        case "metis":
            has_loops = any(u == v for u, v in pairs)
            return directed or kind in "fc" or is_beyond or are_repeated or has_loops
        case "graphblas.Matrix":
            return are_repeated
    return form == "a square list of lists" and n == 0


@each(directed=[True, False])
@pytest.mark.parametrize(("form", "make"), WAYS, ids=[f"{form}-{k}" for k, (form, _) in enumerate(WAYS)])
def test_every_way_in_has_the_same_entries(form, make, directed):
    kinds = {"networkx.Graph": False, "networkx.MultiGraph": False, "rustworkx.PyGraph": False}
    kinds |= {"networkx.DiGraph": True, "networkx.MultiDiGraph": True, "rustworkx.PyDiGraph": True}
    if kinds.get(form, directed) != directed:
        return
    for name, (n, dtype, arcs) in CASES.items():
        if name.startswith("arcs") and not directed and (form in kinds or form in WITH_EDGES):
            continue  # these forms have edges instead of arcs
        if form == "networkit.Graph" and (dtype == "c16" or name.startswith("near") or name == "arcs"):
            continue  # it stores float64
        expected, differ = expected_entries(form, arcs, dtype)
        refusable = may_refuse(form, n, arcs, dtype, directed, differ)
        try:
            graph = sg.as_graph(make(n, arcs, dtype, directed), directed=directed)
        except ValueError as error:
            assert refusable, (name, str(error))
            continue
        except ModuleNotFoundError:  # of a module that the library needs
            pytest.skip(f"{form} cannot be imported")
        except (TypeError, NotImplementedError):
            assert refusable and dtype == "c16", name
            continue
        weights = [None] * graph.num_entries if graph.weights is None else graph.weights.tolist()
        ends = zip(graph._rows().tolist(), graph.indices.tolist(), strict=True)
        got = Counter((u, v, w) for (u, v), w in zip(ends, weights, strict=True))
        assert got == expected, name
        types, vertices = RULES[form][2:]
        if arcs and graph.weights is not None:
            widened = {"f"} if types == "float64" else {np.dtype(dtype).kind, "i"}
            assert graph.weights.dtype == dtype if types.startswith("kept") else graph.weights.dtype.kind in widened
        last = max((max(arc[:2]) for arc in arcs), default=-1)
        assert graph.num_vertices == (last + 1 if vertices.startswith("lost") else n)
        assert graph.directed == directed


# ---------------------------------------------------------------------------------------------------------- the answers

N = 8
EDGES = both_ways(*((u, (u + step) % N, 0.5 + u + 8 * step) for u in range(N) for step in (1, 3) if u != 5))
GRAPH = reference(N, EDGES, "f8", False)
COLORS = sg.vertex_coloring(GRAPH)
LABELS = sg.communities(GRAPH)[1]
DISTANCE, PARENT = sg.breadth_first_search(GRAPH, 0)
FOREST = sg.minimum_spanning_forest(GRAPH)
SYSTEM = both_ways(*((v, v, 9.0) for v in range(N)), *((u, v, -1.0) for u, v, _ in EDGES if u < v))
ARGUMENTS = {
    **{"sources": 0, "mask": [0, 2], "vertices": [4, 1, 2], "pairs": [(0, 3)], "colors": COLORS, "labels": LABELS},
    **{"distance": DISTANCE, "parent": PARENT, "forest": FOREST, "mate": sg.maximal_matching(GRAPH), "b": np.ones(N)},
    **{"plan": sg.hessian_coloring(GRAPH), "min_samples": 2, "edges": sg.bridges(GRAPH), "origins": np.arange(N)},
}
TAKES_A_GRAPH = re.compile(r"anything (that )?`as_graph` takes")
TAKES_A_MATRIX = re.compile(r"sparse array or matrix.*dense array|^(pattern|forest) :")


def required(function):
    """Return the other arguments that a function requires."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {p.name: ARGUMENTS[p.name] for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD}


def takers(pattern):
    """Yield the public functions whose first argument is described by a pattern, directly or as that of another one."""
    for function in FUNCTIONS.values():
        text = next(iter(documented(function).values()), "")
        other = re.search(r"As (?:in|for) `(\w+)`", text)
        if other and hasattr(sg, other[1]):
            text = next(iter(documented(getattr(sg, other[1])).values()))
        if pattern.search(text.partition("\n")[0]) and "." not in function.__qualname__:
            yield function


def answer(function, graph):
    """Return the checksum of an answer, or the error."""
    argument = [graph, GRAPH] if function is sg.block_diagonal else graph
    try:
        result = function(argument, **required(function))
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    if function is sg.smoothed_aggregation:
        result = result.solve(ARGUMENTS["b"])
    elif function is sg.gauss_seidel:
        result = result.sweep(np.zeros(N), ARGUMENTS["b"])
    elif isinstance(result, sg.CompressionPlan):
        result = result.seeds()
    return checksum(result)


GRAPH_TAKERS = list(takers(TAKES_A_GRAPH))
MATRIX_TAKERS = [*takers(TAKES_A_MATRIX)]


@pytest.mark.parametrize("function", GRAPH_TAKERS, ids=lambda function: function.__name__)
def test_answers_of_graphs_in_every_form(function):
    expected = answer(function, GRAPH)
    assert not expected.startswith(("ValueError", "TypeError")), expected
    for form, make in dict(WAYS).items():
        if form.endswith("DiGraph") or form in ("metis", "egr"):
            continue  # they hold neither undirected graphs nor weights such as 0.5
        try:
            graph = make(N, EDGES, "f8", False)
        except ModuleNotFoundError:  # of a module that the library needs
            continue
        assert answer(function, graph) == expected, form


@pytest.mark.parametrize("function", MATRIX_TAKERS, ids=lambda function: function.__name__)
def test_answers_of_matrices_in_every_form(function):
    entries = SYSTEM if "A" in inspect.signature(function).parameters else EDGES
    if "forest" in inspect.signature(function).parameters:
        entries = list(zip(*(part.tolist() for part in (*FOREST.nonzero(), FOREST.data)), strict=True))
        entries = [*entries, *((v, u, w) for u, v, w in entries)]
    expected = answer(function, reference(N, entries, "f8", False).to_scipy())
    assert not expected.startswith(("ValueError", "TypeError")), expected
    for form, make in dict(WAYS).items():
        if form.endswith("_array") or form in ("Graph", "numpy.ndarray", "a square list of lists"):
            found = answer(function, make(N, entries, "f8", False))
            if not re.match("TypeError: .* must be a .*(array|matrix).*, got (list|ndarray|Graph)$", found):
                assert found == expected, form


def test_functions_are_found():
    assert len(GRAPH_TAKERS) >= 40, [function.__name__ for function in GRAPH_TAKERS]
    assert len(MATRIX_TAKERS) >= 5, [function.__name__ for function in MATRIX_TAKERS]


@pytest.mark.skipif(not find_spec("networkx"), reason="needs NetworkX")
def test_parallel_edges_without_weights_are_kept():
    import networkx as nx

    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    assert sg.as_graph(graph).indices.tolist() == [1, 1, 0, 0, 2, 1, 2]
    assert sg.as_graph(graph, symmetrize=True).num_entries == 5
    nx.set_edge_attributes(graph, 2.5, "weight")
    assert sg.as_graph(graph).indices.tolist() == sg.as_graph(graph, weights=False).indices.tolist()


# ----------------------------------------------------------------------------------------------- the interface of SciPy

MATRICES = ("Graph", "numpy.ndarray", "a square list of lists", *(form for form in RULES if form.endswith("_array")))
OF_SCIPY = {name: {"i_start": 0} if name.startswith("breadth") else {} for name in csgraph.__all__}
OF_SCIPY["dijkstra"] = {"indices": 0, "limit": 2**60}


def of_scipy_interface(name, matrix):
    try:
        result = getattr(csgraph, name)(matrix, **OF_SCIPY[name])
    except TypeError as error:
        assert "must be a sparse array" in str(error)
        return None
    parts = result if isinstance(result, tuple) else (result,)
    return [(part.dtype, part.toarray().tolist()) if sp.issparse(part) else np.asarray(part).tolist() for part in parts]


@each(dtype=["i8", "u8", "i2", "?", "f4", "f8"], name=OF_SCIPY)
def test_csgraph_reads_every_form_alike(name, dtype):
    """Dense matrices are not rounded, either."""
    weights = {"i8": [2**53 + 1, 2**62 + 1, -(2**62) - 1], "u8": [2**64 - 1, 2**53 + 1, 2**63 + 1], "?": [True] * 3}
    first, second, third = weights.get(dtype, [0.5, 3, 7] if dtype[0] == "f" else [2, 3, 7])
    third = abs(third) if name == "dijkstra" else third
    arcs = [(0, 1, first), (1, 2, second), (2, 0, third), (2, 3, second), (3, 2, second)]
    expected = of_scipy_interface(name, of_scipy(sp.csr_array, 5, arcs, dtype, True))
    for form in MATRICES:
        for make in FORMS[form]:
            found = of_scipy_interface(name, make(5, arcs, dtype, True))
            if form == "a square list of lists" and found is not None:  # Python's numbers have wider types
                found = [part[1] if isinstance(part, tuple) else part for part in found]
                assert found == [part[1] if isinstance(part, tuple) else part for part in expected]
            else:
                assert found == expected or (found is None and not form.endswith("_array")), form


@each(dtype=["i8", "f4", "f8"], masked=[True, False])
def test_dense_matrices_of_csgraph_have_scipys_entries(dtype, masked):
    matrix = np.array([[0, 3, 4, 0], [3, 0, 0, 9], [0, 0, 5, 0], [0, 1, 0, 0]], dtype)
    if dtype[0] == "f":
        matrix[0, 3], matrix[3, 0], matrix[1, 2] = np.nan, np.inf, -0.0
        matrix[0, 3] = matrix[0, 3] if not masked else np.inf
    if masked:
        matrix = np.ma.array(matrix, mask=np.eye(4, k=-2, dtype=bool) | (matrix == 9))
    for name in ("connected_components", "minimum_spanning_tree", "breadth_first_tree"):
        ours, theirs = (getattr(module, name)(matrix, **OF_SCIPY[name]) for module in (csgraph, scipy_names))
        if sp.issparse(ours):
            assert ours.sum() == theirs.sum() and ours.dtype == dtype
            assert ours.nnz == theirs.nnz or masked  # SciPy follows edges of weight zero, but does not store them
        else:
            assert ours[0] == theirs[0] and ours[1].tolist() == theirs[1].tolist()


def test_the_start_of_a_search_is_a_number():
    for start in ("1", b"1", 0.5):
        with pytest.raises(TypeError, match=r"^i_start must be the number of a vertex, got "):
            csgraph.breadth_first_order(dense(N, EDGES, "f8", False), start)
