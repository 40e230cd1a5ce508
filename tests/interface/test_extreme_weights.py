"""Weights from 5e-324 to 1e308, and integers near the limits of their types: every public function, exactly.

The functions are enumerated from the public interface. Each function that takes a graph is called with weights of all
types and sizes. Its answer must fulfil its oracle in `ORACLES`, in fractions; a function without an oracle must not
depend on the weights. So a new function that uses weights fails here until it has an oracle.
"""

import inspect
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from tests.support import naive, naive_matchings
from tests.support.cases import each

# ------------------------------------------------------------------------------------------------------------- weights

REALS = ["bool", *(f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8))]
REALS += ["float16", "float32", "float64"]
SPREADS = ["ordinary", "equal", "near the largest", "near the smallest", "two sizes", "all sizes"]


def weights_of(dtype, spread, count, rng):
    """Return weights that are not negative."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        low, high = int(np.log2(np.finfo(dtype).smallest_subnormal)), np.finfo(dtype).maxexp - 1
    else:
        low, high = 0, 1 if dtype.kind == "b" else np.iinfo(dtype).bits - 1 - (dtype.kind == "i")
    exponents = {
        "ordinary": [0, 1, 2],
        "equal": [rng.integers(low, high + 1)],
        "near the largest": [high, high - 1],
        "near the smallest": [low, low + 1],
        "two sizes": rng.integers(low, high + 1, 2),
        "all sizes": range(low, high + 1),
    }[spread]
    mantissas = 1 + (0 if spread == "equal" else 1) * rng.random(count)
    whole = [
        int(Fraction(m) * 2**1100) * 2 ** (int(e) + 1100)
        for m, e in zip(mantissas, rng.choice(exponents, count), strict=True)
    ]
    exact = [Fraction(w, 2**2200) for w in whole]
    if dtype.kind != "f":
        return np.array([min(int(w), 1 if dtype.kind == "b" else np.iinfo(dtype).max) for w in exact], dtype)
    return np.minimum(np.array([float(w) for w in exact]), np.finfo(dtype).max).astype(dtype)


def graph_of(dtype, spread, rng, *, repeated=False):
    """Return an undirected graph of eight vertices, with a loop and perhaps repeated entries."""
    n, count = 8, 12
    ends = np.array([(u, v) for u in range(n) for v in range(u)])[rng.permutation(n * (n - 1) // 2)[:count]]
    ends = np.concatenate([ends, ends[:3] if repeated else ends[:0]])
    weights = weights_of(dtype, spread, len(ends) + 1, rng)
    loop = rng.integers(0, n, 1)
    u, v = np.concatenate([ends.T, ends.T[::-1], [loop, loop]], axis=1)
    return sg.from_edges(
        u, v, np.concatenate([weights[:-1], weights]), n=n, directed=True, drop_duplicates=False
    )._replace(directed=False)


def exact_entries(graph):
    """Return (row, column, weight as a fraction) of all entries."""
    return list(zip(graph._rows().tolist(), graph.indices.tolist(), map(Fraction, graph.weights.tolist()), strict=True))


def answer_of(function, *arguments, **options):
    """Return the answer, or the ValueError; fail for other errors and for warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* fewer than min_samples")  # of mutual_reachability
        try:
            return function(*arguments, **options)
        except ValueError as error:
            return error


def eps_of(dtype):
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def check_sum(result, weights, dtype, error=2.0**-50):
    """Check a sum of weights (fractions), or the ValueError for it."""
    exact, size, dtype = sum(weights), sum(map(abs, weights)), np.dtype(dtype)
    if dtype.kind in "biu":
        limits = np.iinfo("uint64" if dtype == "uint64" else "int64")
        assert isinstance(result, ValueError) == (not limits.min <= exact <= limits.max), (result, exact)
        assert isinstance(result, ValueError) or result == exact
    elif isinstance(result, ValueError):
        assert size > Fraction(float(np.finfo(dtype).max)), result
    else:
        least = Fraction(float(np.finfo(dtype).smallest_subnormal))
        assert abs(Fraction(float(result)) - exact) <= size * Fraction(error) + least * len(weights) / 2


# ------------------------------------------------------------------------------------------------------------- oracles


def labels_of(graph, rng):
    return rng.permutation(np.append(rng.integers(0, 3, graph.num_vertices - 3), range(3)))


def check_objective(objective, function, graph, rng):
    labels = labels_of(graph, rng)
    for resolution in (0.0, 1.0, 0.3, 1e-300, 5e-324, 1e300):
        entries, n, gamma = exact_entries(graph), graph.num_vertices, Fraction(resolution)
        inside = sum(w * (1 + (u == v)) for u, v, w in entries if labels[u] == labels[v]) / 2
        if objective == "cpm":
            expected = gamma * sum(Fraction(s * (s - 1), 2) for s in np.bincount(labels).tolist())
            bound, exact = (inside + expected) / 10**12 + Fraction(5e-324), inside - expected
        else:
            degrees, whole = [0] * n, sum(w * (1 + (u == v)) for u, v, w in entries) / 2
            for u, v, w in entries:
                degrees[labels[u]] += w * (1 + (u == v))
            parts = [degree / (2 * whole) for degree in degrees] if whole else [0]
            bound, exact = max(gamma, 1) / 10**12, (inside / whole if whole else 0) - gamma * sum(p * p for p in parts)
        result = answer_of(function, graph, labels, resolution=resolution)
        if isinstance(result, ValueError):
            assert abs(exact) > Fraction(1.79e308), result
        else:
            assert abs(Fraction(result) - exact) <= bound, (result, float(exact))


def check_communities(function, graph, rng):
    for objective in ("modularity", "cpm"):
        for resolution in (0.3, 1e-300, 1e300, float(graph.weights.max()) / 3):
            options = {"objective": objective, "resolution": resolution}
            _, labels = answer_of(function, graph, iterations=None, **options)
            assert answer_of(sg.explain, sg.is_community_labeling, graph, labels, **options) is None
            result = answer_of(function, graph, return_info=True, **options)
            value = answer_of(sg.potts if objective == "cpm" else sg.modularity, graph, labels, resolution=resolution)
            if isinstance(result, ValueError):  # the value of a level, or that of the result
                assert isinstance(value, ValueError) or abs(value) > 1e306, (result, value)
                continue
            objectives = {"cpm": sg.potts, "modularity": sg.modularity}
            assert result[2]["objective"] == objectives[objective](graph, result[1], resolution=resolution)


def forest_edges(forest):
    return list(zip(*(ends.tolist() for ends in forest.tocoo().coords), forest.data.tolist(), strict=True))


def check_forest(function, graph, rng):
    for maximum in (False, True):
        forest = answer_of(function, graph, maximum=maximum)
        forest = forest.to_scipy() if hasattr(forest, "to_scipy") else forest
        expected = naive.minimum_spanning_forest(graph, maximum)
        assert forest_edges(forest) == expected
        check_verdict(sg.is_minimum_spanning_forest, graph, forest, maximum=maximum)


def check_verdict(predicate, graph, right, **options):
    assert answer_of(sg.explain, predicate, graph, right, **options) is None


def check_forest_verdict(function, graph, rng):
    forest = sg.minimum_spanning_forest(graph)
    assert function(graph, forest) in (True, None)
    entries = exact_entries(graph)
    trees = forest_edges(forest)
    for i, (u, v, _) in enumerate(trees):  # replace an edge by a heavier one that joins the same parts
        others = sg.connected_components(
            sg.from_edges(*np.array([(a, b) for a, b, _ in trees[:i] + trees[i + 1 :]]).T, n=8, symmetrize=True)
        )[1]
        weight = min(w for a, b, w in entries if {a, b} == {u, v})
        for a, b, w in entries:
            if a < b and others[a] != others[b] and w > weight and others[a] in (others[u], others[v]):
                wrong = trees[:i] + [(a, b, np.array(w, float).astype(forest.dtype))] + trees[i + 1 :]
                rows, columns, _ = zip(*wrong, strict=True)
                values = graph.to_scipy().tocsr()[rows, columns] if graph.weights.dtype != "f2" else None
                if values is not None and not graph.has_duplicates:
                    matrix = sp.csr_array((values, (rows, columns)), shape=(8, 8))
                    assert function(graph, matrix) not in (True, None)
                    return


def check_tree_of_scipy(function, graph, rng):
    if graph.weights.dtype != "f2":  # SciPy has no sparse matrices of float16
        assert forest_edges(answer_of(function, graph.to_scipy())) == naive.minimum_spanning_forest(graph)


def check_linkage(function, graph, rng):
    rows = naive.single_linkage(graph.num_vertices, naive.minimum_spanning_forest(graph))
    expected = [(a, b, float(distance), size) for a, b, distance, size in rows]
    assert [tuple(row) for row in answer_of(function, sg.minimum_spanning_forest(graph)).tolist()] == expected


def check_reachability(function, graph, rng):
    for rank in (1, 2, 5):
        assert naive.weight_of_entries(answer_of(function, graph, rank)) == naive.mutual_reachability(graph, rank)


def check_total(function, graph, rng):
    if graph.weights.dtype == "f2":
        return
    signs = rng.choice([-1, 1], graph.num_entries).astype(graph.weights.dtype) if graph.weights.dtype.kind == "f" else 1
    for weights in (graph.weights, graph.weights * signs):
        matrix = graph._replace(weights=weights, directed=True).to_scipy()
        total, exact = answer_of(function, matrix), sum(map(Fraction, weights.tolist()))
        if isinstance(total, ValueError):
            assert abs(exact) > Fraction(1.797e308)
        elif weights.dtype.kind == "f":
            check_sum(total, list(map(Fraction, weights.tolist())), "float64")
        else:
            assert isinstance(total, int) and total == exact


def check_matching(function, graph, rng):
    mate = answer_of(function, graph, seed=3)
    assert mate.tolist() == naive_matchings.greedy_matching(graph, seed=3, weighted=True)
    check_verdict(sg.is_maximal_matching, graph, mate, weighted=True)


def check_matching_verdict(function, graph, rng):
    assert function(graph, sg.weighted_matching(graph), weighted=True) in (True, None)


def check_source_verdict(function, graph, rng):
    origins = rng.integers(0, 3, 8)
    edges = [(u, v, weight) for u, v, weight in exact_entries(graph) if u < v]
    clusters = naive.one_per_source(8, edges, origins.tolist())
    labels = [next(k for k, cluster in enumerate(clusters) if v in cluster) for v in range(8)]
    assert function(graph, labels, origins) in (True, None)


def check_community_verdict(function, graph, rng):
    for objective in ("cpm", "modularity"):
        labels = sg.communities(graph, objective=objective, resolution=0.3, iterations=None)[1]
        assert answer_of(function, graph, labels, objective=objective, resolution=0.3) in (True, None)


def check_merge(function, graph, rng):
    """Check `as_graph` and `from_edges`, which merge entries."""
    kept = graph._rows() <= graph.indices
    arcs = graph._rows()[kept], graph.indices[kept], graph.weights[kept]
    for how in ("min", "max", "sum"):
        groups = {}
        for u, v, w in zip(*(part.tolist() for part in arcs), strict=True):
            groups.setdefault((u, v), []).append(Fraction(w))
            groups.setdefault((v, u), []).append(Fraction(w)) if u != v else None
        if function is sg.as_graph:
            thing = sg.from_edges(*arcs, n=8, directed=True, drop_duplicates=False)
            result = answer_of(function, thing, symmetrize=how)
        else:
            result = answer_of(function, *arcs, n=8, symmetrize=how)
        check_groups(result, groups, graph.weights.dtype, how)


def check_groups(result, groups, dtype, how="sum"):
    """Check a graph, or the ValueError for it, whose entries are sums (or extremes) of groups of weights."""
    if hasattr(result, "to_graph"):
        result = result.to_graph()
    if isinstance(result, ValueError):
        assert how == "sum"
        sums = [sum(weights) for weights in groups.values()]
        limit = np.iinfo("uint64" if dtype == "uint64" else "int64") if dtype.kind in "biu" else np.finfo(dtype)
        assert max(sums) > Fraction(limit.max.item() if hasattr(limit.max, "item") else limit.max), result
        return
    found = exact_entries(result)
    assert {(u, v) for u, v, _ in found} == groups.keys()
    for u, v, w in found:
        if how == "sum":
            check_sum(w, groups[u, v], dtype, 16 * eps_of(dtype))
        else:
            assert w == (min if how == "min" else max)(groups[u, v])


def check_coarse(function, graph, rng):
    labels = labels_of(graph, rng)
    for loops in (False, True):
        groups = {}
        for u, v, w in exact_entries(graph):
            a, b = int(labels[u]), int(labels[v])
            if a != b or (loops and u <= v):
                groups.setdefault((a, b), []).append(w)
        check_groups(answer_of(function, graph, labels, loops=loops), groups, graph.weights.dtype)


def check_weights_kept(function, graph, rng):
    """Check functions that return a part of a graph with its weights."""
    things = ([graph, graph],) if function is sg.block_diagonal else (graph, *arguments_of(function, graph))
    result = function(*things)
    result = result[0] if isinstance(result, tuple) else result
    if sp.issparse(result):
        result = sg.as_graph(result, directed=True)
    if result.weights is not None:
        assert result.weights.dtype == graph.weights.dtype
        assert set(map(Fraction, result.weights.tolist())) <= {w for *_, w in exact_entries(graph)}


def check_tree_weights(function, graph, rng):
    """Check the weights of a tree: those of its entries; repeated entries are added up."""
    if graph.weights.dtype == "f2":
        return
    result, groups = answer_of(function, graph.to_scipy(), 0), {}
    for u, v, w in exact_entries(graph):
        groups.setdefault((u, v), []).append(w)
    if isinstance(result, ValueError):
        assert graph.has_duplicates
        return
    for u, v, w in forest_edges(result):
        check_sum(w, groups[u, v], graph.weights.dtype, 4 * eps_of(graph.weights.dtype))


def check_strength(function, graph, rng):
    rows, count = np.arange(graph.num_vertices), graph.num_vertices
    ends = np.concatenate([[graph._rows(), graph.indices], [rows, rows]], axis=1)
    weights = np.concatenate([graph.weights, weights_of(graph.weights.dtype, rng.choice(SPREADS), count, rng)])
    graph = sg.from_edges(*ends, weights, n=count, directed=True, drop_duplicates=False)._replace(directed=False)
    for theta in (0.25, 0.9, 1e-200):
        diagonal, summed = [0] * graph.num_vertices, {}
        for u, v, w in exact_entries(graph):
            summed[u, v] = summed.get((u, v), 0) + w
            diagonal[u] += w * (u == v)
        square = Fraction(theta) ** 2
        ends = [(u, v) for (u, v), w in summed.items() if u != v and w * w >= square * diagonal[u] * diagonal[v]]
        strong = sg.from_edges(*np.array(ends, int).reshape(-1, 2).T, n=graph.num_vertices, symmetrize=True)
        result = answer_of(function, graph, strength=theta)
        if isinstance(result, ValueError):
            assert graph.has_duplicates and graph.weights.dtype.kind == "f", result
        elif not graph.has_duplicates:  # sums are rounded
            assert result[1].tolist() == function(strong)[1].tolist()


def check_set(function, graph, rng):
    """Check the order by weights of vertices."""
    weights = weights_of(graph.weights.dtype, rng.choice(SPREADS), graph.num_vertices, rng)
    if weights.dtype == "u8" and weights.max() >= 2**63:
        assert isinstance(answer_of(function, graph, weights=weights), ValueError)
        return
    for priority in ("ratio", "weight"):
        expected = naive.greedy_independent_set(graph, naive.weight_key(graph, weights, priority))
        assert np.array_equal(function(graph, weights=weights, priority=priority), expected)


def check_capacity(function, graph, rng):
    """Check colors by the verifier, and by sums of Python's integers."""
    sizes = weights_of("int64", rng.choice(SPREADS), graph.num_vertices, rng) >> int(rng.choice([0, 5]))
    sizes = sizes.astype(rng.choice(["int64", "uint64"]))
    total = sum(sizes.tolist())
    for capacity in (total, 2**70, max(sizes.tolist()), [min(total, 2**63)] * 8):
        result = answer_of(function, graph, capacity=capacity, sizes=sizes)
        if isinstance(result, ValueError):
            assert total >= 2**61, result
            continue
        colors = np.empty(graph.num_vertices, np.int32) if isinstance(result, list) else result
        for color, members in enumerate(result if isinstance(result, list) else []):
            colors[members] = color
        assert answer_of(sg.is_proper_coloring, graph, colors, capacity=capacity, sizes=sizes)
        assert not sg.is_proper_coloring(graph, colors * 0, capacity=max(total - 1, 0), sizes=sizes)


def check_paths(function, graph, rng):
    """Check distances and parents, and the verifier on them; weights that are negative or infinite are refused."""
    weights, kind = graph.weights, graph.weights.dtype.kind
    if kind in "if" and not ((weights >= 0) & (weights < np.inf)).all():
        assert isinstance(answer_of(sg.shortest_paths, graph, [0]), ValueError)
        weights = np.maximum(np.where(weights < np.inf, weights, weights.dtype.type(1)), weights.dtype.type(0))
    graph = graph._replace(weights=weights)
    answer = answer_of(sg.shortest_paths, graph, [0])
    try:
        distance, parent = naive.shortest_paths(graph, [0], weights.astype("f8") if kind == "f" else weights)
    except OverflowError:
        assert "every path" in str(answer)
        return
    missing = np.inf if kind == "f" else -1
    assert answer[0].tolist() == [missing if d is None else d for d in distance]
    assert answer[1].tolist() == parent
    assert sg.is_shortest_path_tree(graph, [0], *answer, smallest=True)


def check_dijkstra(function, graph, rng):
    """Check distances as float64; weights that are negative or infinite are refused."""
    weights = graph.weights
    if weights.dtype == "f2":
        return
    answer = answer_of(function, graph.to_scipy(), indices=0)
    if weights.dtype.kind in "if" and not ((weights >= 0) & (weights < np.inf)).all():
        assert isinstance(answer, ValueError)
        return
    try:
        distance, _ = naive.shortest_paths(graph, [0], weights.astype("f8") if weights.dtype.kind == "f" else weights)
    except OverflowError:
        assert "every path" in str(answer)
        return
    assert answer.tolist() == [np.inf if d is None else float(d) for d in distance]


ORACLES = {
    "dijkstra": check_dijkstra,
    "shortest_paths": check_paths,
    "is_shortest_path_tree": check_paths,
    "explain_shortest_path_tree": check_paths,
    "communities": check_communities,
    "modularity": partial(check_objective, "modularity"),
    "potts": partial(check_objective, "cpm"),
    "is_community_labeling": check_community_verdict,
    "explain_community_labeling": check_community_verdict,
    "minimum_spanning_forest": check_forest,
    "is_minimum_spanning_forest": check_forest_verdict,
    "explain_minimum_spanning_forest": check_forest_verdict,
    "minimum_spanning_tree": check_tree_of_scipy,
    "single_linkage": check_linkage,
    "mutual_reachability": check_reachability,
    "total_weight": check_total,
    "weighted_matching": check_matching,
    "is_maximal_matching": check_matching_verdict,
    "explain_maximal_matching": check_matching_verdict,
    "is_one_per_source": check_source_verdict,
    "explain_one_per_source": check_source_verdict,
    "as_graph": check_merge,
    "from_edges": check_merge,
    "coarse_graph": check_coarse,
    "aggregate": check_strength,
    "subgraph": check_weights_kept,
    "largest_component": check_weights_kept,
    "condensation": check_weights_kept,
    "block_diagonal": check_weights_kept,
    "breadth_first_tree": check_tree_weights,
    "maximal_independent_set": check_set,
    "vertex_coloring": check_capacity,
    "schedule": check_capacity,
}


# ------------------------------------------------------------------------------------------------------------ functions

ELSEWHERE = (  # packages whose functions have tests of their own with such weights, or read no weights
    *("solvers", "laplacians", "derivatives", "gallery", "plot", "io", "tables", "_core", "distributed"),
    "independent_set.near_maximum.large_independent_set",
)


def functions():
    """Return {name: function} of the public functions, except those in `ELSEWHERE`."""
    found = {}
    for module in (sg, sg.csgraph, sg.verify):
        for name in module.__all__:
            try:
                function = getattr(module, name)
            except ModuleNotFoundError:  # a module that needs Dask or Matplotlib
                continue
            path = f"{function.__module__}.{name}".removeprefix("stablegraph.") if callable(function) else "_core"
            if inspect.isfunction(function) and not path.startswith(ELSEWHERE):
                label = f"csgraph.{name}" if module is sg.csgraph and name in sg.__all__ else name
                found[label] = function
    return found


FUNCTIONS = functions()
GRAPHS = ("graph", "graphs", "csgraph", "forest", "conflicts", "obj", "u")
PREDICATES = {name: function for name, function in FUNCTIONS.items() if name.startswith(("is_", "explain_"))}


def arguments_of(function, graph):
    """Return the values of the required parameters after the graph."""
    bare = graph._replace(weights=None)
    is_star, is_acyclic = (word in function.__name__ for word in ("star", "acyclic"))
    find = sg.star_coloring if is_star else sg.acyclic_coloring if is_acyclic else sg.vertex_coloring
    values = {
        "labels": lambda: sg.connected_components(bare)[1],
        "colors": lambda: find(bare),
        "rounds": lambda: find(bare),
        "mask": lambda: sg.maximal_independent_set(bare),
        "mate": lambda: sg.maximal_matching(bare),
        "forest": lambda: sg.minimum_spanning_forest(graph if "minimum" in function.__name__ else bare),
        "vertices": lambda: [0, 2, 4, 6],
        "distance": lambda: sg.breadth_first_search(bare, 0)[0],
        "parent": lambda: sg.breadth_first_search(bare, 0)[1],
        "sources": lambda: [0],
        "origins": lambda: np.arange(bare.num_vertices),
        "edges": lambda: sg.bridges(bare),
        "i_start": lambda: 0,
        "min_samples": lambda: 2,
    }
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind < 3]
    return [values[p.name]() for p in required[1:]]


def plain(answer):
    """Return an answer as lists and numbers; a graph without its weights."""
    if isinstance(answer, (tuple, list)):
        return [plain(part) for part in answer]
    if isinstance(answer, sg.Graph):
        return [answer.indptr.tolist(), answer.indices.tolist()]
    if sp.issparse(answer):
        return plain(answer.tocoo().coords)
    return answer.tolist() if hasattr(answer, "tolist") else answer


def check_independent_of_weights(function, graph, rng):
    arguments = arguments_of(function, graph)
    scipy = function.__module__ == "stablegraph.csgraph"
    if scipy and graph.weights.dtype == "f2":
        return
    with_weights, without = (g.to_scipy() if scipy else g for g in (graph, graph._replace(weights=None)))
    assert plain(answer_of(function, with_weights, *arguments)) == plain(function(without, *arguments))


def takes_graph(function):
    first = next(iter(inspect.signature(function).parameters), None)
    return first in GRAPHS and "plan" not in inspect.signature(function).parameters  # a plan is of a pattern


def check(name, function, dtype, spread, repeated, seed):
    rng = np.random.default_rng([seed, REALS.index(dtype), SPREADS.index(spread), repeated])
    graph = graph_of(dtype, spread, rng, repeated=repeated)
    ORACLES.get(name, check_independent_of_weights)(function, graph, rng)


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if takes_graph(function)])
def test_weights_of_any_size(name):
    """Each function gets every type and every size, and all pairs of them if it has an oracle and the type is float64.

    Functions whose names differ in length get other pairs; repeated entries are in every second size.
    """
    for i, dtype in enumerate(REALS):
        for j, spread in enumerate(SPREADS):
            if (i + j + len(name)) % len(SPREADS) == 0 or (dtype == "float64" and name in ORACLES):
                try:
                    check(name, FUNCTIONS[name], dtype, spread, j % 2 == 0, 0)
                except BaseException as error:
                    error.add_note(f"case: {dtype} {spread}, repeated={j % 2 == 0}")
                    raise


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if takes_graph(function)])
@each(dtype=REALS, spread=SPREADS, repeated=[False, True], seed=range(1, 9))
def test_more_weights_of_any_size(name, dtype, spread, repeated, seed):
    check(name, FUNCTIONS[name], dtype, spread, repeated, seed)


def test_every_oracle_has_a_function_that_takes_a_graph():
    assert ORACLES.keys() <= {name for name, function in FUNCTIONS.items() if takes_graph(function)}


@each(case=[(d, s) for i, d in enumerate(REALS) for j, s in enumerate(SPREADS) if (i + j) % len(SPREADS) == 0])
def test_weights_of_any_size_in_partitions(case):
    """Forests and sums of edges in partitions fulfil the same oracles."""
    dtype, spread = case
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    from stablegraph.cluster.workers import InProcess

    def find_forest(graph, **options):
        return sg.minimum_spanning_forest(sg.distributed.from_graph(graph, 3, client=InProcess()), **options)

    def add_edges(*arcs, **options):
        return sg.distributed.from_edges(*arcs, partitions=3, client=InProcess(), **options)

    rng = np.random.default_rng(REALS.index(dtype) * len(SPREADS) + SPREADS.index(spread))
    graph = graph_of(dtype, spread, rng)
    with dask.config.set(scheduler="sync"):
        check_forest(find_forest, graph, rng)
        check_merge(add_edges, graph, rng)
