"""Small calls that reach every kernel of the package, each with a name.

Tests use this table to find a call for each kernel. If you add a kernel, add a call that reaches it.

`index_types` lists pairs of dtypes, of `indptr` and of `indices`. `NARROW` has the pair of usual graphs. `WIDE` has
those of graphs with 2**31 or more entries or vertices; the calls force these dtypes on small graphs.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from stablegraph import ConvergenceWarning, gallery
from stablegraph._core import option_names as names
from stablegraph._core.engines import order as order_engine
from stablegraph._core.runtime.device import use_target
from stablegraph._core.runtime.primitives import partition, reduce
from stablegraph.coarsening.api import aggregate, coarse_graph
from stablegraph.coloring import order as coloring_order
from stablegraph.coloring.api import coloring_steps, vertex_coloring
from stablegraph.coloring.bounds import color_bounds
from stablegraph.coloring.reduction.reduce import without_gaps
from stablegraph.community import rules as community_rules
from stablegraph.community.api import communities, modularity
from stablegraph.community.inheritance import inherit_labels
from stablegraph.components.api import connected_components, strongly_connected_components
from stablegraph.components.bridges import bridges
from stablegraph.conversion import as_graph, from_edges
from stablegraph.derivatives.api import hessian_coloring, jacobian_coloring
from stablegraph.forest.api import minimum_spanning_forest, single_linkage
from stablegraph.forest.one_per_source import one_per_source
from stablegraph.forest.reachability import mutual_reachability
from stablegraph.gallery import reference_kernels
from stablegraph.gallery.grids import stencil_rows
from stablegraph.gallery.regular import permutation_rows
from stablegraph.gallery.rows import RowRule
from stablegraph.independent_set.api import maximal_independent_set
from stablegraph.independent_set.greedy import order as greedy_order
from stablegraph.independent_set.near_maximum import large_independent_set
from stablegraph.io import read_graph, write_graph
from stablegraph.laplacians.api import effective_resistance, spectral_embedding
from stablegraph.matching import rounds
from stablegraph.matching.api import maximal_matching, weighted_matching
from stablegraph.plot import layout
from stablegraph.solvers.api import smoothed_aggregation
from stablegraph.solvers.linalg.vectors import accurate_residual
from stablegraph.solvers.solve import solve
from stablegraph.study.depth import dependence_depth
from stablegraph.tables.numbering import Texts, number_integers, number_texts
from stablegraph.tables.short_strings import KEY_BYTES, Spans, copy_to_keys, copy_views_to_keys, read_keys
from stablegraph.traversal.api import breadth_first_search, shortest_paths
from stablegraph.traversal.queue_order import cuthill_mckee, queue_order
from stablegraph.verify.forest import is_minimum_spanning_forest

IndexTypes = tuple[tuple[Any, Any], ...]

NARROW: IndexTypes = ((np.int32, np.int32),)
WIDE: IndexTypes = ((np.int64, np.int32), (np.int64, np.int64))
_VERTICES = 20_000  # enough that no algorithm takes its shortcut for small graphs


def make_every_call(index_types: IndexTypes = NARROW) -> None:
    """Make all calls, one after another; their purpose is to reach kernels, so a solver need not converge."""
    with tempfile.TemporaryDirectory(prefix="stablegraph-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _, call in every_call(Path(folder), index_types):
            call()


def every_call(folder: Path, index_types: IndexTypes = NARROW) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield names and calls that together reach every kernel; files are written to `folder`."""
    graph = gallery.uniform_random(_VERTICES)
    one_way = gallery.with_directions(graph)
    n = graph.num_vertices
    u, v = np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices
    weights = np.ones(u.size)

    for dtype in (np.int32, np.int64):
        ends = u.astype(dtype), v.astype(dtype)
        for symmetrize in (False, True):
            name = f"edges to graph, {dtype.__name__}"
            yield name, partial(from_edges, *ends, symmetrize=symmetrize)
            yield name + ", weighted", partial(from_edges, *ends, weights, symmetrize=symmetrize)

    orders: tuple[names.Order, ...]
    orders = ("natural", "largest_first", "largest_log_first", "smallest_last_in_rounds", "saturation")
    for indptr_type, indices_type in index_types:
        arrays = graph.indptr.astype(indptr_type), graph.indices.astype(indices_type)
        types = f"{indptr_type.__name__} and {indices_type.__name__}"
        yield f"arrays to graph, {types}", partial(as_graph, arrays)
        typed_graph = graph._with_dtypes(indptr_type, indices_type)
        yield f"facts, {types}", typed_graph.check
        yield f"degrees, {types}", partial(getattr, typed_graph, "degrees")
        yield f"edge sweep, {types}", partial(reference_kernels.edge_sweep_seconds, typed_graph, 1)
        for rule in (stencil_rows((9, 9), [(0, -1), (0, 1)]), permutation_rows(99, 4, 0)):
            yield f"rows by a rule, {types}", partial(_write_rows, rule, indptr_type, indices_type)
        for order in get_args(names.Priority):
            name = f"independent set by {order}, {types}"
            yield name, partial(maximal_independent_set, typed_graph, priority=order)
        in_rounds = partial(maximal_independent_set, typed_graph, priority="natural")
        yield f"independent set by natural of many threads, {types}", partial(_shared_by_id, in_rounds)
        for algorithm in get_args(names.SetAlgorithm)[1:]:
            name = f"independent set by {algorithm}, {types}"
            yield name, partial(maximal_independent_set, typed_graph, algorithm=algorithm)
        # Sparse enough that vertices are folded, and dense enough that vertices remain.
        sparse = gallery.uniform_random(_VERTICES, 2)._with_dtypes(indptr_type, indices_type)
        yield f"large independent set, {types}", partial(large_independent_set, sparse, rounds=1, include=[0])
        heavy = partial(large_independent_set, sparse, weights=np.arange(1, _VERTICES + 1) % 7)
        yield f"heavy independent set, {types}", partial(heavy, rounds=1, include=[0])
        # Large and local enough for windows.
        strip = gallery.grid((600, 64), 9)._with_dtypes(indptr_type, indices_type)
        yield f"large independent set in windows, {types}", partial(large_independent_set, strip, rounds=1)
        # On a path there are many candidates at first, and few at the end.
        path = gallery.grid((_VERTICES,))._with_dtypes(indptr_type, indices_type)
        by_residual_degree = partial(maximal_independent_set, path, algorithm="residual")
        yield f"independent set by residual degree, {types}", by_residual_degree
        to_the_end = partial(maximal_independent_set, typed_graph, synchronous=True, return_info=True)
        yield f"independent set by id in rounds, {types}", partial(to_the_end, priority="natural")
        yield f"depth of an order, {types}", partial(dependence_depth, typed_graph)
        name = f"independent set by values, {types}"
        yield name, partial(maximal_independent_set, typed_graph, priority=np.arange(n))
        for heavy in (np.arange(n) % 200, 1 + np.arange(n) % 7 * 2.0**-52):  # many equal ratios, and nearly equal ones
            for k, order in itertools.product((1, 2, 3), get_args(names.WeightedPriority)):
                name = f"independent set at distance {k} by {order} of {heavy.dtype} weights, {types}"
                yield name, partial(maximal_independent_set, typed_graph, k, weights=heavy, priority=order)
        rising = {"weights": np.arange(n), "priority": "weight"}  # finished serially
        yield f"independent set by rising weights, {types}", partial(maximal_independent_set, path, 2, **rising)
        near = partial(
            maximal_independent_set, typed_graph, 2, weights=1 + np.arange(n) % 3 * 2.0**-30, priority="weight"
        )
        yield f"independent set by weights with equal bits, {types}", near
        conditions = {"include": [0], "exclude": graph.indices[:1]}
        name = f"independent set with conditions, {types}"
        yield name, partial(maximal_independent_set, typed_graph, **conditions)
        yield f"{name}, by residual degree", partial(maximal_independent_set, path, algorithm="residual", exclude=[0])
        for k in (2, 3):
            for order in get_args(names.DistancePriority):
                name = f"independent set at distance {k} by {order}, {types}"
                yield name, partial(maximal_independent_set, typed_graph, distance=k, priority=order, include=[0])
        at_random = partial(vertex_coloring, typed_graph, order="random", reduce="none")
        yield f"first fit by many threads, {types}", partial(_on_many_threads, at_random)
        yield f"colors without gaps, {types}", partial(without_gaps, np.array([0, 2], np.int32))
        yield f"coloring by many threads, {types}", partial(_on_many_threads, partial(vertex_coloring, typed_graph))
        for order in orders:
            for ties in ("id", "hash"):
                name = f"coloring by {order} and {ties}, {types}"
                yield name, partial(vertex_coloring, typed_graph, order=order, ties=ties)
        wide = np.arange(n) << 40  # together with a hash they do not fit into one number
        crowd = gallery.uniform_random(200, 8)._with_dtypes(indptr_type, indices_type)
        yield f"coloring by values, {types}", partial(vertex_coloring, typed_graph, order=wide, ties="hash")
        star = as_graph((np.r_[0, 99:199], np.r_[1:100, np.zeros(99, int)]))
        for pairs in (typed_graph, star._with_dtypes(indptr_type, indices_type)):  # with few colors, and with many
            yield f"coloring at distance 2, {types}", partial(vertex_coloring, pairs, distance=2, reduce="none")
        yield f"coloring with fewest colors, {types}", partial(vertex_coloring, crowd, reduce="thorough", balance=True)
        limits = {
            "capacity": 12,
            "sizes": 1 + np.arange(200) % 2,
            "fixed": {0: 2},
            "reduce": "thorough",
            "balance": True,
        }
        yield f"coloring within capacities, {types}", partial(vertex_coloring, crowd, **limits)
        limits |= {"rooms": {v: 1 + v % 3 for v in range(12)}, "gap": 2}
        yield f"coloring with rooms, {types}", partial(vertex_coloring, crowd, **limits)
        yield f"coloring steps, {types}", partial(coloring_steps, typed_graph)
        yield f"color bounds, {types}", partial(color_bounds, crowd)
        for mode in get_args(names.JacobianMode):
            yield f"coloring by {mode}, {types}", partial(jacobian_coloring, typed_graph.to_scipy(), mode)
        for mode in get_args(names.HessianMode):
            yield f"{mode} coloring, {types}", partial(hessian_coloring, typed_graph, mode)
        for algorithm in get_args(names.Aggregation)[1:]:
            yield f"aggregates by {algorithm}, {types}", partial(aggregate, typed_graph, algorithm=algorithm)
        by_two = np.arange(n) // 2
        yield f"graph of aggregates, {types}", partial(coarse_graph, typed_graph, by_two)
        matrix = as_graph((graph.indptr, graph.indices, weights))._with_dtypes(indptr_type, indices_type)
        yield f"aggregates of strong connections, {types}", partial(aggregate, matrix, strength=0.25)
        arcs = one_way._with_dtypes(indptr_type, indices_type)
        trees = gallery.uniform_random(_VERTICES, 1)._with_dtypes(indptr_type, indices_type)
        for algorithm in get_args(names.ComponentAlgorithm):
            yield f"components by {algorithm}, {types}", partial(connected_components, crowd, algorithm=algorithm)
        start = {"start": np.arange(200) // 2, "label": "smallest"}
        yield f"components with added edges, {types}", partial(connected_components, crowd, **start)
        yield f"components by many threads, {types}", partial(_on_many_threads, partial(connected_components, trees))
        yield f"bridges, {types}", partial(bridges, crowd)
        linked = as_graph((crowd.indptr, crowd.indices, np.ones(crowd.num_entries)))._with_dtypes(
            indptr_type, indices_type
        )
        edges = linked._rows(), linked.indices, linked.weights
        for sources in (np.arange(200) % 100, np.arange(200) * 11):
            yield f"one vertex per source of {sources.max()}, {types}", partial(one_per_source, *edges, sources)
        for kind, searched in (("both ways", crowd), ("one way", arcs)):
            yield f"breadth-first search, {kind}, {types}", partial(breadth_first_search, searched, 0)
        yield f"breadth-first search in the order of a queue, {types}", partial(queue_order, arcs, 0)
        for lengths in (np.arange(arcs.num_entries) % 9, np.sqrt(np.arange(arcs.num_entries) % 9)):
            paths = partial(shortest_paths, arcs, 0, weights=lengths)
            yield f"shortest paths, {lengths.dtype}, {types}", paths
            yield f"shortest paths by one thread, {lengths.dtype}, {types}", partial(_on_one_thread, paths)
        for algorithm in get_args(names.StrongAlgorithm)[1:]:
            name = f"strong components by {algorithm}, {types}"
            yield name, partial(strongly_connected_components, arcs, algorithm=algorithm)
        cycle = from_edges(np.arange(n), np.roll(np.arange(n), 1), directed=True)
        in_cycle = partial(strongly_connected_components, cycle._with_dtypes(indptr_type, indices_type))
        yield f"strong components by many threads, {types}", partial(_on_many_threads, in_cycle)
        # No vertex of the two pairs can be trimmed; one pair is reached from the large component, the other one is not.
        tails, heads = np.nonzero(~np.eye(20, dtype=bool))
        ends = np.r_[tails, 20, 21, 22, 23, 0, 22], np.r_[heads, 21, 20, 23, 22, 20, 0]
        pairs_outside = from_edges(*ends, directed=True)._with_dtypes(indptr_type, indices_type)
        with_pairs = partial(strongly_connected_components, pairs_outside, algorithm="forward_backward")
        yield f"strong components next to a large one, {types}", with_pairs
        yield f"spanning forest without weights, {types}", partial(minimum_spanning_forest, typed_graph)
        for lengths in ((u ^ v).astype(np.int32), 1 / (1 + (u ^ v))):
            roads = as_graph((graph.indptr, graph.indices, lengths))._with_dtypes(indptr_type, indices_type)
            for algorithm in get_args(names.ForestAlgorithm)[1:]:
                name = f"spanning forest by {algorithm}, {lengths.dtype}, {types}"
                yield name, partial(minimum_spanning_forest, roads, algorithm=algorithm)
            tree = as_graph(minimum_spanning_forest(roads))._with_dtypes(indptr_type, indices_type)
            yield f"mutual reachability, {lengths.dtype}, {types}", partial(mutual_reachability, roads, 2)
            yield f"single linkage, {lengths.dtype}, {types}", partial(single_linkage, tree)
            yield f"matching by weights, {lengths.dtype}, {types}", partial(weighted_matching, roads)
            yield f"matching of sorted edges, {lengths.dtype}, {types}", partial(_stalled, weighted_matching, roads)
        yield f"matching, {types}", partial(maximal_matching, typed_graph)
        # Three vertices with a loop, a double edge, and (in the second matrix) an entry without its reverse.
        messy = np.array([0, 3, 6, 7], indptr_type), np.array([0, 1, 1, 0, 0, 2, 1], indices_type)
        for values in (None, 1 / (1 + (u ^ v))):
            joined = graph._replace(weights=values)._with_dtypes(indptr_type, indices_type)
            kind = "without weights" if values is None else "with weights"
            for algorithm in get_args(names.CommunityAlgorithm):
                result = partial(communities, joined, algorithm=algorithm, iterations=1)
                yield f"communities by {algorithm} {kind}, {types}", result
                yield f"communities by {algorithm} {kind} in parts, {types}", partial(_in_parts, result)
            few = joined.subgraph(np.arange(40))  # they are found in a few iterations
            yield f"communities until stable {kind}, {types}", partial(communities, few, iterations=None)
            yield f"communities of a maximum size {kind}, {types}", partial(communities, few, max_size=3)
            yield f"modularity {kind}, {types}", partial(modularity, joined, np.arange(n) % 7)
        yield f"communities with loops, {types}", partial(communities, as_graph(messy))
        start = {"start": np.zeros(200, int), "fixed": [0, 1], "objective": "cpm"}
        yield f"communities of a minimum size, {types}", partial(communities, graph, min_size=n, resolution=9.0)
        yield f"communities with fixed vertices, {types}", partial(communities, crowd, **start)
        oneway = np.array([0, 2, 3, 3], indptr_type), np.array([1, 0, 2], indices_type)
        yield f"degrees with loops and duplicates, {types}", partial(getattr, as_graph(messy), "degrees")
        yield f"the order of Cuthill and McKee, {types}", partial(cuthill_mckee, as_graph(messy))
        yield f"subgraph, {types}", partial(as_graph(messy).subgraph, [0, 1])
        yield f"transpose, {types}", as_graph(oneway, directed=True).transpose
        yield f"symmetrize, {types}", partial(as_graph, oneway, symmetrize=True)
        yield f"symmetrize with weights, {types}", partial(as_graph, (*oneway, np.ones(3)), symmetrize="max")
        yield f"reject an unsymmetric graph, {types}", partial(_refused, as_graph, oneway)
    for dtype in (np.int32, np.int64):
        yield f"equal degrees, {dtype.__name__}", partial(coloring_order._renumber_keys, np.arange(n).astype(dtype))
    yield "inherited labels", partial(inherit_labels, np.arange(n) % 7, np.arange(n) % 5)
    if find_spec("distributed") is not None:
        yield from _calls_in_partitions()
    order, vertices = greedy_order.make_order(graph, "degree", 0), np.arange(n, dtype=graph.indices.dtype)
    yield "numbers at a distance", partial(maximal_independent_set, graph, 2, priority=np.arange(n))
    yield "merged runs", partial(greedy_order._merge_runs, n, 1, vertices, order, np.empty_like(vertices))
    yield "round trip between cores", partial(reference_kernels.ping_pong_ns, 10)

    poisson = gallery.laplacian((12, 12, 12))
    block, modes = gallery.elasticity_3d((5, 4, 4), clamped=False)
    for smoother in get_args(names.Smoother):
        yield f"multigrid with {smoother}", partial(_solve, poisson, smoother=smoother)
    cubic = ("chebyshev", {"degree": 3})
    yield "multigrid with chebyshev of degree 3", partial(_solve, poisson, smoother=cubic)
    turned = poisson.astype(complex)  # only the last step, as few users need complex numbers
    yield "multigrid, residuals of complex numbers", partial(_complex_residual, turned)
    yield "multigrid along strong connections", partial(_solve, poisson, strength=0.1)
    yield "multigrid for blocks", partial(_solve, block, modes, nullspace=modes)
    yield (
        "multigrid for blocks with gauss_seidel",
        partial(_solve, block, modes, nullspace=modes, smoother="gauss_seidel"),
    )
    twice = np.hstack([modes[:, :5], modes[:, :1]])
    yield "multigrid along strong blocks", partial(_solve, block, twice, strength=0.1, nullspace=modes)
    apart = sp.kron(poisson, sp.eye_array(3))
    yield "multigrid for nodes without blocks", partial(_solve, apart, block_size=3, strength=0.1)

    yield "solve by the best method", partial(solve, poisson, np.ones(poisson.shape[0]))
    yield "resistances", partial(effective_resistance, gallery.grid((20, 20)), [(0, 399)], error=0.9)
    yield "embeddings", partial(spectral_embedding, gallery.grid((20, 20)))
    weak = from_edges([0, 2, 1], [1, 3, 2], [1.0, 1.0, 1e-20], symmetrize=True)
    yield "resistances across a weak edge", partial(effective_resistance, weak, [(0, 3)])
    yield "embeddings of weakly joined parts", partial(spectral_embedding, weak)

    yield "layouts of drawings", partial(layout, gallery.grid((20, 20)))

    small = gallery.grid((3, 3))
    for file in _FILES:
        yield f"files, write {file}", partial(write_graph, folder / file, small)
        yield f"files, read {file}", partial(read_graph, folder / file)
    thirds = from_edges([0, 1], [1, 2], [1 / 3, 2 / 3], symmetrize=True)
    for file in ("thirds.mtx", "thirds.txt"):
        yield f"files, write {file}", partial(write_graph, folder / file, thirds)
        yield f"files, read {file}", partial(read_graph, folder / file)
    gaps = np.array([0, 1 << 40])
    yield "a sum in blocks", partial(reduce, np.arange(10_000.0), "sum")
    yield "values in two parts", partial(partition, np.arange(10), np.arange(10) % 3 == 0)
    yield "ids with gaps", partial(number_integers, gaps, gaps)
    yield "ids that are texts", _numbered_texts
    yield "files, find the line of an error", partial(_refused, read_graph, BytesIO(b"0 1\n0\n"))


def _calls_in_partitions() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield calls that reach the kernels of graphs in partitions, whose vertices have narrow numbers."""
    from stablegraph.cluster.problems.components import label_components
    from stablegraph.cluster.problems.strong_components import propagate
    from stablegraph.cluster.workers import InProcess
    from stablegraph.distributed import from_edges, from_graph

    graph = gallery.uniform_random(_VERTICES)

    def ask(function: Callable[..., object], *arguments: Any, of: Any = graph, **options: Any) -> Callable[[], object]:
        return lambda: function(from_graph(of, 2, client=InProcess()), *arguments, **options)

    edges = partial(from_edges, graph._rows(), graph.indices, partitions=2, client=InProcess())
    yield "partitions of edges", edges
    for order in get_args(names.Priority):
        yield f"partitions, set by {order}", ask(maximal_independent_set, priority=order)
    for order in get_args(names.DistancePriority):
        yield f"partitions, set at distance 2 by {order}", ask(maximal_independent_set, 2, priority=order)
    for order, ties in (("largest_first", "id"), ("largest_log_first", "hash")):
        yield f"partitions, coloring by {order}", ask(vertex_coloring, order=order, ties=ties, reduce="none")
    yield "partitions, components", ask(label_components, -1)
    yield "partitions, search", ask(breadth_first_search, 0)
    for kind in (np.int32, np.int64):  # ids may be wide although local numbers in a partition are narrow
        values = np.arange(_VERTICES, dtype=kind)
        yield (
            f"partitions, strong components with ids of {kind.__name__}",
            partial(propagate, values, graph, np.arange(_VERTICES)),
        )
    for algorithm in ("mis2", "kokkos"):
        yield f"partitions, aggregates by {algorithm}", ask(aggregate, algorithm=algorithm)
    for dtype in (np.int32, np.float64):
        roads = as_graph((graph.indptr, graph.indices, np.ones(graph.num_entries, dtype)))
        yield f"partitions, forest of {dtype.__name__}", ask(_verified_forest, of=roads)


def _verified_forest(graph: Any) -> None:
    assert is_minimum_spanning_forest(graph, minimum_spanning_forest(graph))


_FILES = ("grid.mtx", "grid.txt", "grid.gr", "grid.col", "grid.graph", "grid.egr", "grid.npz")


def _numbered_texts() -> None:
    """Number strings of any length, and short strings."""
    data, offsets = np.frombuffer(b"ba", np.uint8), np.arange(3)
    number_texts(Texts(data, offsets), lambda where: np.argsort(data[where]))
    keys, views = np.empty((2, KEY_BYTES), np.uint8), np.zeros((2, KEY_BYTES), np.uint8)
    copy_views_to_keys(2, views, keys)
    copy_to_keys(2, Spans(data, offsets), keys)
    read_keys(keys)


def _solve(A: Any, B: Any = None, **options: Any) -> None:
    solver = smoothed_aggregation(A, B, coarse_size=40, **options)
    solver.solve(np.sin(np.arange(solver.shape[0])))
    solver.update(A)


def _complex_residual(A: Any) -> None:
    x = np.ones(A.shape[0], complex)
    accurate_residual(A, x, x, np.empty_like(x))


def _in_parts(call: Callable[[], object]) -> None:
    """Make a call for which every pass of local moving and of refinement is a kernel of its own."""
    before = community_rules.ALONE, community_rules.ALONE_ON_ONE
    community_rules.ALONE = community_rules.ALONE_ON_ONE = 0
    try:
        call()
    finally:
        community_rules.ALONE, community_rules.ALONE_ON_ONE = before


def _stalled(find: Callable[..., object], graph: Any) -> None:
    """Find a matching in one round and the serial finish."""
    before, rounds._STALLED = rounds._STALLED, 1
    try:
        find(graph)
    finally:
        rounds._STALLED = before


def _shared_by_id(call: Callable[[], object]) -> None:
    """Make a call with 16 workers, which share all vertices also if many of them wait."""
    before, order_engine._MAX_WAITING = order_engine._MAX_WAITING, 1
    try:
        _on_many_threads(call)
    finally:
        order_engine._MAX_WAITING = before


def _on_one_thread(call: Callable[[], object]) -> None:
    """Make a call where one worker has a form of its own."""
    with use_target("cpu", workers=1):
        call()


def _on_many_threads(call: Callable[[], object]) -> None:
    """Make a call with 16 workers."""
    with use_target("cpu", workers=16):
        call()


def _refused(function: Callable[..., object], *arguments: object) -> None:
    with contextlib.suppress(ValueError):
        function(*arguments)


def _write_rows(rule: RowRule, indptr_type: Any, indices_type: Any) -> None:
    write, lengths = rule.on(np), np.empty(rule.n, indptr_type)
    write(0, rule.n, lengths, np.empty(0, indices_type))
    pointers = np.concatenate([[0], np.cumsum(lengths)]).astype(indptr_type)
    write(0, rule.n, pointers, np.empty(pointers[-1], indices_type))
