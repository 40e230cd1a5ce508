"""The NetworkX backend: where there is one correct answer, answers, errors and orders are those of NetworkX."""

from __future__ import annotations

import pickle
import random
import re
from importlib.metadata import entry_points

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from tests.support.processes import run_interpreter, run_python

nx = pytest.importorskip("networkx")
if "stablegraph" not in entry_points(group="networkx.backends").names:
    pytest.skip("stablegraph was installed before it had entry points; install it again", allow_module_level=True)

from stablegraph.interop import networkx_backend as backend  # noqa: E402
from stablegraph.interop.networkx_info import FUNCTIONS, get_info  # noqa: E402
from tests.support.cases import each  # noqa: E402
from tests.support.networkx_calls import unrolled  # noqa: E402


@pytest.fixture(autouse=True)
def quiet():
    """NetworkX warns at each use of a cached graph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nx.config, "warnings_to_ignore", {"cache"})
        yield


def _weighted(graph):
    """Add few different weights, some missing; shuffle neighbors, nodes and names."""
    draw = random.Random(2)
    for *_, data in graph.edges(data=True):
        if draw.random() < 0.9:
            data["weight"] = draw.randint(0, 3)
    names = list(range(100, 100 + len(graph)))
    draw.shuffle(names)
    graph = nx.relabel_nodes(graph, {v: f"n{name}" if name % 3 else name for v, name in enumerate(names)})
    result = graph.__class__(kind="drawn")
    result.add_nodes_from((v, {"place": v}) for v in graph)
    edges = list(graph.edges(data=True))
    draw.shuffle(edges)
    result.add_edges_from(edges)
    return result


SPARSE = _weighted(nx.gnm_random_graph(80, 90, seed=1))
DENSE = _weighted(nx.gnm_random_graph(60, 400, seed=1))
LOOPS = _weighted(nx.Graph([*nx.cycle_graph(9).edges, *nx.star_graph(5).edges, (1, 1), (7, 7)]))
NUMBERED = nx.path_graph(30)
PARALLEL = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (4, 3), (3, 3)])
ARCS = _weighted(nx.gnm_random_graph(80, 160, seed=1, directed=True))
PARALLEL_ARCS = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (1, 2), (2, 3), (3, 2)])

ALL = {
    "sparse": SPARSE,
    "dense": DENSE,
    "loops": LOOPS,
    "numbered": NUMBERED,
    "part": DENSE.subgraph(list(DENSE)[5:40]),
}
UNDIRECTED = ALL | {"parallel": PARALLEL, "single": nx.empty_graph(1)}
DIRECTED = {"arcs": ARCS, "parallel": PARALLEL_ARCS, "circle": nx.cycle_graph(5, create_using=nx.DiGraph)}


def compare(function, *args, **kwargs):
    compare_answers(function(*args, backend="stablegraph", **kwargs), function(*args, **kwargs))


def compare_answers(ours, theirs):
    ours, theirs = unrolled(ours), unrolled(theirs)
    assert ours == theirs
    assert repr(type(ours)) == repr(type(theirs))


@each(name=UNDIRECTED, function=["connected_components", "number_connected_components", "is_connected"])
def test_components(function, name):
    compare(getattr(nx, function), UNDIRECTED[name])


@each(
    name=DIRECTED,
    function=[
        *("weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"),
        *("strongly_connected_components", "number_strongly_connected_components", "is_strongly_connected"),
        "condensation",
    ],
)
def test_components_of_directed_graphs(function, name):
    compare(getattr(nx, function), DIRECTED[name])


@pytest.mark.parametrize("name", UNDIRECTED | DIRECTED)
def test_searches(name):
    graph = (UNDIRECTED | DIRECTED)[name]
    first, *others = graph
    for function in (nx.bfs_edges, nx.bfs_tree, nx.single_source_shortest_path_length, nx.bfs_layers):
        compare(function, graph, first)
    compare(nx.bfs_layers, graph, [first, *others[:2]])
    for limit in (-1, 0, 1, 1.5, 2):
        compare(nx.bfs_edges, graph, first, depth_limit=limit)
        compare(nx.single_source_shortest_path_length, graph, first, cutoff=limit)
    if not graph.is_directed():
        compare(nx.node_connected_component, graph, first)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("which", ["minimum", "maximum"])
def test_spanning_forests_are_those_of_kruskal(which, name):
    edges, tree = (getattr(nx, f"{which}_spanning_{what}") for what in ("edges", "tree"))
    for weight in ("weight", "no such attribute", None):
        compare(edges, ALL[name], weight=weight)
        compare(tree, ALL[name], weight=weight)
    compare(edges, ALL[name], data=False)


def test_nan_among_weights():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", float("nan")), ("c", "a", 1.0)])
    compare(nx.minimum_spanning_edges, graph, ignore_nan=True)
    with pytest.raises(ValueError, match="NaN found as an edge weight"):
        list(nx.minimum_spanning_edges(graph, backend="stablegraph"))


@pytest.mark.parametrize("weight", ["heavy", 2**70, [1], 1 + 2j])
def test_weights_that_are_no_numbers_stay_with_networkx(weight):
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", weight)])
    with pytest.raises(NotImplementedError):
        nx.minimum_spanning_edges(graph, backend="stablegraph")


@pytest.mark.parametrize("name", ALL)
def test_verdicts(name):
    graph = ALL[name]
    colors = {node: number for number, node in enumerate(graph)}
    constant = dict.fromkeys(graph, 1)
    is_coloring = nx.algorithms.coloring.equitable_coloring.is_coloring
    for coloring in (colors, constant, colors | dict.fromkeys(list(graph)[:3], 0)):
        compare(is_coloring, graph, coloring)
    for nodes in ([], [*graph, "no node"], list(graph)[::2], nx.dominating_set(graph)):
        compare(nx.is_dominating_set, graph, nodes)
    with pytest.raises(NotImplementedError):
        is_coloring(graph, {}, backend="stablegraph")


def test_colorings():
    for graph in ALL.values():
        theirs = nx.greedy_color(graph)
        assert nx.greedy_color(graph, backend="stablegraph") == theirs
        for strategy in ("smallest_last", "random_sequential", "saturation_largest_first", "DSATUR"):
            colors = nx.greedy_color(graph, strategy, backend="stablegraph")
            assert list(colors) == list(graph)
            assert all(colors[u] != colors[v] for u, v in graph.edges if u != v)
            if strategy != "random_sequential" and graph is not LOOPS:  # NetworkX's smallest_last fails on it
                assert max(colors.values()) <= max(nx.greedy_color(graph, strategy).values())


def test_independent_sets():
    for graph in ALL.values():
        members = [max(graph, key=lambda v: (v not in graph[v], graph.degree(v)))]
        for nodes in (None, members):
            ours = nx.maximal_independent_set(graph, nodes, seed=3, backend="stablegraph")
            assert ours == nx.maximal_independent_set(graph, nodes, seed=3, backend="stablegraph")
            assert type(ours) is type(nx.maximal_independent_set(NUMBERED))  # a list, or a set since NetworkX 3.7
            assert list(ours)[: len(nodes or [])] == (nodes or []) or isinstance(ours, set)
            assert set(nodes or []) <= set(ours)
            mask = np.isin(np.array(list(graph), object), np.array(list(ours), object))
            assert sg.is_maximal_independent_set(graph, mask)
        sets = {tuple(nx.maximal_independent_set(graph, seed=s, backend="stablegraph")) for s in range(8)}
        assert len(sets) > 1
        large = nx.approximation.maximum_independent_set(graph, backend="stablegraph")
        assert all(u == v or not {u, v} <= large for u, v in graph.edges)
        assert len(large) >= len(ours)
        dominating = nx.dominating_set(graph, members[0], backend="stablegraph")
        assert members[0] in dominating
        assert nx.is_dominating_set(graph, dominating)
    larger = nx.maximal_independent_set(DENSE, seed=3, backend="stablegraph", priority="degree")
    assert set(larger) == set(nx.maximal_independent_set(DENSE, seed=3, backend="stablegraph", priority="degree"))


MISTAKES = [
    (nx.is_connected, [nx.Graph()], nx.NetworkXPointlessConcept),
    (nx.is_weakly_connected, [nx.DiGraph()], nx.NetworkXPointlessConcept),
    (nx.is_strongly_connected, [nx.DiGraph()], nx.NetworkXPointlessConcept),
    (nx.connected_components, [ARCS], nx.NetworkXNotImplemented),
    (nx.strongly_connected_components, [SPARSE], nx.NetworkXNotImplemented),
    (nx.maximal_independent_set, [ARCS], nx.NetworkXNotImplemented),
    (nx.maximal_independent_set, [NUMBERED, [99]], nx.NetworkXUnfeasible),
    (nx.maximal_independent_set, [NUMBERED, [3, 4]], nx.NetworkXUnfeasible),
    (nx.maximal_independent_set, [nx.Graph([(1, 1)]), [1]], nx.NetworkXUnfeasible),
    (nx.maximal_independent_set, [nx.Graph()], IndexError),
    (nx.dominating_set, [NUMBERED, 99], nx.NetworkXError),
    (nx.bfs_edges, [NUMBERED, 99], nx.NetworkXError),
    (nx.bfs_edges, [ARCS, 99], nx.NetworkXError),
    (nx.bfs_layers, [NUMBERED, [99]], nx.NetworkXError),
    (nx.single_source_shortest_path_length, [NUMBERED, 99], nx.NodeNotFound),
    (nx.node_connected_component, [NUMBERED, 99], KeyError),
    (nx.minimum_spanning_edges, [NUMBERED, "no such algorithm"], ValueError),
    (nx.to_scipy_sparse_array, [nx.Graph()], nx.NetworkXError),
    (nx.from_scipy_sparse_array, [sp.csr_array((2, 3))], nx.NetworkXError),
]


@pytest.mark.parametrize(("function", "args", "error"), MISTAKES)
def test_mistakes_are_the_same_errors(function, args, error):
    reported = []
    for options in ({}, {"backend": "stablegraph"}):
        with pytest.raises(error) as caught:
            unrolled(function(*args, **options))
        reported.append(str(caught.value))
    assert reported[0] == reported[1]


def test_graphs_without_nodes():
    for function, kind in [
        (nx.connected_components, nx.Graph),
        (nx.greedy_color, nx.Graph),
        (nx.minimum_spanning_tree, nx.Graph),
        (nx.approximation.maximum_independent_set, nx.Graph),
        (nx.strongly_connected_components, nx.DiGraph),
        (nx.condensation, nx.DiGraph),
    ]:
        compare(function, kind())


REFUSED = [
    (nx.greedy_color, (SPARSE, "independent_set"), {}, "strategy must be one of .*DSATUR, got 'independent_set'"),
    (nx.greedy_color, (SPARSE,), {"interchange": True}, "interchange is not supported"),
    (nx.greedy_color, (ARCS,), {}, "G must be undirected"),
    (nx.greedy_color, (PARALLEL,), {}, "parallel"),
    (nx.minimum_spanning_tree, (PARALLEL,), {}, "parallel"),
    (nx.minimum_spanning_tree, (SPARSE,), {"algorithm": "prim"}, "algorithm must be 'kruskal', got 'prim'"),
    (nx.bfs_edges, (ARCS, next(iter(ARCS))), {"reverse": True}, "reverse is not supported for directed graphs"),
    (nx.bfs_tree, (SPARSE, next(iter(SPARSE))), {"sort_neighbors": list}, "sort_neighbors"),
    (nx.condensation, (ARCS, [set(ARCS)]), {}, "scc"),
    (nx.dominating_set, (ARCS,), {}, "G must be undirected"),
    (nx.to_scipy_sparse_array, (SPARSE, list(SPARSE)[:3]), {}, "nodelist"),
    (nx.from_scipy_sparse_array, (sp.coo_array((2, 2)),), {}, "A must be a CSR array .* got coo of float64"),
    (nx.from_scipy_sparse_array, (sp.csr_array((2, 2)),), {"create_using": nx.MultiGraph}, "create_using must be"),
]


@pytest.mark.parametrize(("function", "args", "kwargs", "reason"), REFUSED)
def test_an_unsupported_argument_is_named(function, args, kwargs, reason):
    with pytest.raises(NotImplementedError) as caught:
        function(*args, **kwargs, backend="stablegraph")
    assert re.match(f"{function.name}: .*{reason}", str(caught.value.__cause__))
    if isinstance(args[0], nx.Graph):
        assert re.search(reason, backend.should_run(function.name, args, kwargs))
        with nx.config.backend_priority(algos=["stablegraph"]):
            compare_answers(function(*args, **kwargs), function(*args, **kwargs, backend="networkx"))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"edge_attr": True}, "edge_attr must be None or the name of one column, got True"),
        ({"edge_attr": ["w"]}, r"edge_attr must be None or the name of one column, got \['w'\]"),
        ({"edge_attr": "name"}, "edge_attr must name a column of numbers, but column 'name' has dtype"),
        ({"edge_key": "w"}, "edge_key is not supported, got 'w'"),
        ({"create_using": nx.MultiGraph}, "create_using must be Graph or DiGraph, got <class"),
    ],
)
def test_an_unsupported_argument_of_a_table_is_named(options, reason):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "w": [3, 4], "name": ["x", "y"]})
    with pytest.raises(NotImplementedError) as caught:
        nx.from_pandas_edgelist(table, **options, backend="stablegraph")
    assert re.match(f"from_pandas_edgelist: {reason}", str(caught.value.__cause__))
    with nx.config.backend_priority(generators=["stablegraph"]):
        assert type(nx.from_pandas_edgelist(table, **options)).__module__.startswith("networkx.")


def test_small_graphs_stay_with_networkx_unless_they_are_converted_already():
    graph = nx.path_graph(20)
    assert "as fast" in backend.should_run("connected_components", (graph,), {})
    assert backend.should_run("connected_components", (nx.path_graph(10_000),), {}) is True
    list(nx.connected_components(graph, backend="stablegraph"))
    assert backend.should_run("connected_components", (graph,), {}) is True


def test_a_graph_is_converted_once_for_all_functions():
    graph = _weighted(nx.path_graph(12))
    assert nx.number_connected_components(graph, backend="stablegraph") == 1
    kept = backend.graph.already_converted(graph)
    nx.minimum_spanning_tree(graph, backend="stablegraph")
    assert backend.graph.already_converted(graph) is kept
    graph.add_edge("x", "y")
    assert nx.number_connected_components(graph, backend="stablegraph") == 2


def test_priority_in_the_configuration():
    graph = nx.path_graph(12_000)
    with nx.config.backend_priority(algos=["stablegraph"]):
        nx.is_connected(graph)
    assert backend.graph.already_converted(graph) is not None


# Views


def _views(graph):
    """Yield views of a path, views of views, and views with another direction."""
    nodes = [0, 1, 2, 7]
    yield graph.subgraph(nodes)
    yield graph.edge_subgraph(list(graph.edges)[:3])
    yield nx.subgraph_view(graph, filter_node=lambda v: v != 3)
    yield nx.restricted_view(graph, [3], [])
    yield graph.copy(as_view=True)
    yield graph.to_undirected(as_view=True)
    yield graph.to_directed(as_view=True)
    yield graph.subgraph([*nodes, 3]).subgraph(nodes)
    yield nx.subgraph_view(graph.copy(as_view=True)).to_undirected(as_view=True).subgraph(nodes)
    if graph.is_directed():
        yield graph.reverse(copy=False)


@each(number=range(10), kind=[nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_views_of_a_graph_that_is_changed_by_its_methods(kind, number):
    graph = nx.path_graph(5, create_using=kind)
    views = list(_views(graph))
    if number == len(views):
        return
    view = views[number]
    which = "weakly_connected" if view.is_directed() else "connected"
    functions = getattr(nx, f"number_{which}_components"), getattr(nx, f"{which}_components")
    changes = [
        lambda: None,
        lambda: graph.remove_edge(1, 2),
        lambda: graph.add_edge(7, 8),
        lambda: graph.remove_node(0),
        lambda: graph.add_edge(7, 2),
    ]
    for change in changes:
        change()
        for function in functions:
            compare(function, view)
            compare(function, view)


def test_views_in_the_configuration():
    graph = nx.path_graph(12_000)
    view = graph.subgraph(range(11_000))
    with nx.config.backend_priority(algos=["stablegraph"]):
        assert nx.number_connected_components(view) == 1
        graph.remove_edge(5000, 5001)
        assert nx.number_connected_components(view) == 2


def test_weights_that_change_through_views():
    graph = nx.cycle_graph(4)
    view = graph.subgraph([0, 1, 2, 3])
    for edge in [(0, 1), (1, 2), (2, 3)]:
        graph.edges[edge]["weight"] = 5
        compare(nx.minimum_spanning_tree, view)
        compare(nx.minimum_spanning_tree, graph)


def test_an_undirected_view_of_arcs_with_different_weights():
    graph = nx.DiGraph([(1, 0, {"weight": 7}), (0, 1, {"weight": 2}), (2, 0, {"weight": 3}), (2, 1), (1, 1)])
    graph.add_edge(1, 2, weight=5)
    for view in (graph.to_undirected(as_view=True), graph.subgraph([2, 1, 0]).to_undirected(as_view=True)):
        for function in (nx.to_scipy_sparse_array, nx.minimum_spanning_tree, nx.maximum_spanning_edges):
            compare(function, view)


# Matrices and tables


@pytest.mark.parametrize("name", UNDIRECTED | DIRECTED)
def test_converted_graphs_go_back(name):
    graph = (UNDIRECTED | DIRECTED)[name]
    converted = backend.graph.convert_from_nx(graph)
    assert (len(converted), list(converted)) == (len(graph), list(graph))
    assert unrolled(converted.to_networkx()) == unrolled(graph.copy())


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("symmetric", [True, False])
def test_matrices(kind, symmetric):
    matrix = sp.random_array((40, 40), density=0.1, rng=np.random.default_rng(1), format="csr")
    matrix = (matrix + matrix.T).tocsr() if symmetric else matrix
    theirs = nx.from_scipy_sparse_array(matrix, create_using=kind)
    ours = nx.from_scipy_sparse_array(matrix, create_using=kind, backend="stablegraph")
    assert nx.utils.graphs_equal(ours.to_networkx(), theirs)
    for weight in ("weight", None):
        back, expected = (nx.to_scipy_sparse_array(graph, weight=weight) for graph in (ours, theirs))
        assert back.dtype == expected.dtype
        assert (back != expected).nnz == 0
    if kind is nx.Graph:
        assert {frozenset(e) for e in nx.minimum_spanning_edges(ours, data=False)} == {
            frozenset(e) for e in nx.minimum_spanning_edges(theirs, data=False)
        }


@pytest.mark.parametrize("name", [*ALL, "arcs"])
def test_graphs_as_matrices(name):
    graph = (ALL | DIRECTED)[name]
    for options in ({}, {"weight": None}, {"dtype": np.float32, "format": "coo"}):
        ours = nx.to_scipy_sparse_array(graph, backend="stablegraph", **options)
        theirs = nx.to_scipy_sparse_array(graph, **options)
        assert (ours.dtype, ours.format) == (theirs.dtype, theirs.format)
        assert (ours != theirs).nnz == 0


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("options", [{}, {"dtype": np.int8}, {"weight": None}])
def test_a_matrix_without_edges_has_the_dtype_of_networkx(kind, options):
    graph = nx.empty_graph(3, create_using=kind)
    ours, theirs = (nx.to_scipy_sparse_array(graph, backend=name, **options) for name in ("stablegraph", "networkx"))
    assert (ours.dtype, ours.shape, ours.nnz) == (theirs.dtype, theirs.shape, theirs.nnz)


def test_a_backend_graph_describes_its_edge_attributes():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": [0, 1], "target": [1, 2], "w": [3.0, 4.0]})
    graph = nx.from_pandas_edgelist(table, edge_attr="w", backend="stablegraph")
    assert "3 vertices" in repr(graph)
    assert "edge attribute 'w' (float64)" in repr(graph)
    assert "no edge attributes" in repr(nx.from_pandas_edgelist(table, backend="stablegraph"))
    assert "all edge attributes" in repr(backend.graph.convert_from_nx(SPARSE))
    assert "weighted" not in repr(graph)


def test_a_missing_attribute_of_a_backend_graph_leads_to_networkx():
    graph = backend.graph.convert_from_nx(NUMBERED)
    for name in ("degree", "edges", "number_of_edges", "adjacency"):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; use \.to_networkx\(\)\.{name}$"):
            getattr(graph, name)
    with pytest.raises(AttributeError, match=r"BackendGraph has no attribute 'degrees'$"):
        graph.degrees  # noqa: B018
    assert unrolled(pickle.loads(pickle.dumps(graph)).to_networkx()) == unrolled(NUMBERED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nx.config, "fallback_to_nx", True)
        assert nx.density(graph.to_networkx()) == nx.density(NUMBERED)
        assert nx.pagerank(graph) == nx.pagerank(NUMBERED)


@pytest.mark.parametrize("kind", [None, nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("ids", ["texts", "integers"])
def test_tables(kind, weight, ids):
    pandas = pytest.importorskip("pandas")
    draw = random.Random(4)
    name = (lambda v: f"n{v}") if ids == "texts" else (lambda v: 7 * v)
    columns = {end: [name(draw.randrange(12)) for _ in range(40)] for end in ("source", "target")}
    table = pandas.DataFrame({**columns, "w": range(40)})
    theirs = nx.from_pandas_edgelist(table, edge_attr=weight, create_using=kind)
    ours = nx.from_pandas_edgelist(table, edge_attr=weight, create_using=kind, backend="stablegraph")
    assert list(ours) == list(theirs)
    assert nx.utils.graphs_equal(ours.to_networkx(), theirs)
    first = next(iter(theirs))
    assert list(nx.bfs_edges(ours, first)) == list(nx.bfs_edges(theirs, first))
    assert {type(v) for v in ours} == {type(v) for v in theirs}


# Integration into NetworkX


def test_every_function_is_announced_and_known_to_networkx():
    assert set(FUNCTIONS) <= set(backend.FUNCTIONS)
    assert set(get_info()["functions"]) == set(FUNCTIONS)
    registered = nx.utils.backends._registered_algorithms
    assert [name for name in FUNCTIONS if "stablegraph" not in registered[name].backends] == []


def test_functions_that_are_not_here_stay_with_networkx():
    """Modules of the backend, such as sets.py, are not mistaken for functions of NetworkX, such as `bipartite.sets`."""
    graph = nx.path_graph(4)
    assert nx.number_connected_components(graph, backend="stablegraph") == 1  # so that the backend would be used
    with nx.config.backend_priority(algos=["stablegraph"]):
        assert nx.bipartite.sets(graph) == ({0, 2}, {1, 3})
    implemented = {name for name in nx.utils.backends._registered_algorithms if hasattr(backend.backend, name)}
    assert implemented == set(FUNCTIONS)


def test_importing_networkx_loads_nothing_heavy_of_ours():
    program = """
        import sys
        from stablegraph.interop.networkx_info import get_info
        get_info()
        print(*[name for name in ("numpy", "scipy", "numba") if name in sys.modules])
    """
    assert run_python(program).stdout.split() == []


SUITES = [
    *("algorithms.tests.test_mis", "algorithms.tests.test_dominating", "algorithms.coloring", "algorithms.components"),
    *("algorithms.tree.tests.test_mst", "algorithms.traversal", "algorithms.shortest_paths.tests.test_unweighted"),
    *("algorithms.approximation.tests.test_clique", "tests.test_convert_scipy", "tests.test_convert_pandas"),
    *(f"algorithms.community.tests.test_{name}" for name in ("louvain", "leiden", "quality")),
]


@pytest.mark.slow
@pytest.mark.parametrize("fallback", ["True", ""])
def test_the_tests_of_networkx(fallback, tmp_path):
    """With `fallback`, NetworkX runs unsupported functions; without it, the tests of these are expected to fail."""
    done = run_interpreter(
        *("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)),
        *("--pyargs", *(f"networkx.{name}" for name in SUITES)),
        check=False,
        cwd=tmp_path,
        NETWORKX_TEST_BACKEND="stablegraph",
        NETWORKX_FALLBACK_TO_NX=fallback,
        PYTEST_ADDOPTS="",
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
