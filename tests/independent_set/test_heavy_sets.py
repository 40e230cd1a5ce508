"""Heavy independent sets: exact rules with weights, the bound by prices of cliques, and complete searches."""

import math
import zlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import Rows
from stablegraph._core.runtime.device import use_target
from stablegraph.independent_set.large import kernelization, windows
from stablegraph.independent_set.large.clique_bound import clique_bounds, find_cliques
from stablegraph.independent_set.large.flow import decided_vertices
from stablegraph.independent_set.large.kernelization import Kernelization
from stablegraph.independent_set.large.local_search import LocalSearch
from stablegraph.independent_set.large.units import Units
from stablegraph.verify import is_maximal_independent_set
from tests.independent_set.test_weights import KINDS, weights_of
from tests.support import naive
from tests.support.cases import Cases, each
from tests.support.zoo import graphs

SHAPES = [(n, density, seed) for n in (6, 10, 15) for density in (0.8, 1.2, 1.7, 2.5, 4.0) for seed in range(6)]
LARGEST = (1, 3, 200)  # weights


def random_graph(n, density, seed):
    ends = np.random.default_rng(seed).integers(0, n, (int(n * density), 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    return sg.from_edges(ends[:, 0], ends[:, 1], n=n, symmetrize=True)


def whole_weights(n, largest, seed=0):
    return np.random.default_rng([seed, largest]).integers(1, largest, n, endpoint=True)


def largest_weight(graph, weights, included=()):
    """Return the largest weight of a set with the included vertices, as an exact number."""
    rows, weights = naive.simple_adjacency(graph), [Fraction(weight) for weight in np.asarray(weights).tolist()]
    removed = set(included).union(*(rows[v] for v in included))
    remaining = [around - removed if v not in removed else set() for v, around in enumerate(rows)]
    mask = naive.heaviest_independent_set(remaining, [0 if v in removed else w for v, w in enumerate(weights)])
    return sum(w for v, w in enumerate(weights) if v in included or (mask[v] and v not in removed))


def check(graph, weights, included=(), **options):
    """Check a search; return its result and whether its set has the largest weight."""
    best, calls = largest_weight(graph, weights, included), []
    options |= {"include": included} if len(included) else {}
    try:
        result = sg.large_independent_set(graph, weights=weights, progress=lambda *call: calls.append(call), **options)
    except ValueError as error:
        assert best >= 2**1024 - 2**970 and "weights * 2.0**-32" in str(error)
        return check(graph, weights * 2.0**-32, **options)
    assert is_maximal_independent_set(graph, result.mask) and result.mask[list(included)].all()
    assert result.size == result.mask.sum()
    members = [Fraction(weight) for weight in np.asarray(weights)[result.mask].tolist()]
    are_floats = np.asarray(weights).dtype.kind == "f"
    assert {type(result.weight), type(result.upper_bound)} == {float if are_floats else int}
    assert result.weight == (float(sum(members)) if are_floats else sum(members))
    assert result.upper_bound >= best >= sum(members)  # exactly: Fractions
    assert result.optimal <= (sum(members) == best)
    assert are_floats or result.optimal == (result.weight == result.upper_bound)
    assert all(weight <= sum(members) <= best <= bound for _, weight, bound in calls)
    return result, sum(members) == best


@pytest.fixture
def small():
    return Cases({str(case): random_graph(*case) for case in SHAPES})


# Steps


@each(largest=LARGEST)
def test_rules_lose_nothing(small, largest):
    weights = whole_weights(small.num_vertices, largest)
    rows = naive.simple_adjacency(small)
    reduced = Kernelization(Rows(small.indptr, small.indices), weights, np.empty(0, np.int32))
    kernel = sg.as_graph((reduced.indptr, reduced.indices))
    best = naive.heaviest_independent_set(naive.simple_adjacency(kernel), reduced.weights.tolist())
    mask = reduced.lift(best)
    assert not any(mask[v] and mask[u] for v in range(len(rows)) for u in rows[v])
    expected = weights[naive.heaviest_independent_set(rows, weights.tolist())].sum()
    assert reduced.offset + reduced.weights[best].sum() == weights[mask].sum() == expected


def test_a_full_array_of_rows_is_enlarged(monkeypatch):
    graph, weights = gallery.uniform_random(600, 3, seed=1), whole_weights(600, 9)
    included = np.empty(0, np.int32)
    expected = Kernelization(Rows(graph.indptr, graph.indices), weights, included)

    def add_room(reduced):
        rows = reduced._work.rows
        reduced._work = reduced._work._replace(rows=np.r_[rows, np.zeros(40, rows.dtype)])

    monkeypatch.setattr(Kernelization, "_enlarge_rows", add_room)
    monkeypatch.setattr(kernelization, "_MAX_SEARCHES", 100)
    monkeypatch.setattr(kernelization, "_VERTICES_PER_CALL", 7)
    result = Kernelization(Rows(graph.indptr, graph.indices), weights, included)
    assert result.offset == expected.offset and (result.vertices == expected.vertices).all()


@each(largest=LARGEST)
def test_bounds(small, largest):
    simple = small.simple()
    weights = whole_weights(small.num_vertices, largest)
    columns = windows.sort_rows(simple.indptr, simple.indices.copy())
    count, labels = sg.connected_components(simple)
    bounds = clique_bounds(simple.indptr, columns, weights, count, labels)
    assert largest_weight(small, weights) <= bounds.sum() <= weights.sum()
    for part, bound in enumerate(bounds):
        assert largest_weight(small, np.where(labels == part, weights, 0)) <= bound
    cliques = find_cliques(simple.indptr, columns)
    rows, edges = naive.simple_adjacency(simple), set()
    for members in np.split(cliques.members, cliques.starts[1:-1]):
        pairs = {(u, v) for u in members.tolist() for v in members.tolist() if u != v}
        assert all(v in rows[u] for u, v in pairs)
        edges |= pairs
    assert edges == {(u, v) for u, around in enumerate(rows) for v in around}


def test_bounds_of_cliques_and_cycles():
    complete = sg.from_edges(*np.triu_indices(9, 1), symmetrize=True)
    assert clique_bounds(complete.indptr, complete.indices, np.arange(1, 10), 1, np.zeros(9, int)) == [9]
    even = sg.from_edges(np.arange(8), (np.arange(8) + 1) % 8, symmetrize=True)
    assert clique_bounds(even.indptr, even.indices, np.full(8, 5), 1, np.zeros(8, int)) == [20]


@each(largest=LARGEST)
def test_flows_decide_bipartite_graphs(largest):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 18))
        half = n // 2
        u, v = rng.integers(0, half, 2 * n), rng.integers(half, n, 2 * n)
        graph, weights = sg.from_edges(u, v, n=n, symmetrize=True), whole_weights(n, largest, seed)
        decided, _ = decided_vertices(graph.indptr, graph.indices, weights, 100)
        mask = np.zeros(n, bool)
        mask[decided] = True
        assert naive.is_independent(graph, mask) and weights[mask].sum() == largest_weight(graph, weights)


@each(largest=LARGEST)
def test_flows_decide_critical_sets(small, largest):
    """The decided vertices are in a heaviest set; if there are none, half of the weight is a bound."""
    simple, n = small.simple(), small.num_vertices
    weights = whole_weights(n, largest)
    columns = windows.sort_rows(simple.indptr, simple.indices.copy())
    decided, _ = decided_vertices(simple.indptr, columns, weights, 100)
    best = largest_weight(simple, weights)
    assert largest_weight(simple, weights, decided.tolist()) == best
    assert decided.size or best <= weights.sum() / 2


@pytest.mark.parametrize("reads", [0, 3000])
def test_flows_that_take_too_long(monkeypatch, reads):
    graph, weights = gallery.uniform_random(300, 4, seed=1), whole_weights(300, 200)
    expected = sg.large_independent_set(graph, weights=weights, rounds=3)
    monkeypatch.setattr(kernelization, "_MAX_READ", reads)
    result = sg.large_independent_set(graph, weights=weights, rounds=3)
    assert result.weight <= expected.upper_bound and expected.weight <= result.upper_bound


@pytest.mark.parametrize("shape", [(21, 31), (9, 8, 7)])
def test_bipartite_graphs_are_solved(shape):
    graph = gallery.grid(shape)
    n = graph.num_vertices
    for weights in (np.full(n, 1 / 3), np.full(n, 2**40 + 1), whole_weights(n, 200)):
        assert sg.large_independent_set(graph, weights=weights, rounds=0).optimal


def test_searches_improve_and_keep_the_best():
    graph = gallery.delaunay(3000, seed=1)
    weights = whole_weights(3000, 200)
    search = LocalSearch(graph, np.zeros(3000, bool), weights, rounds=20)
    totals = [search.total]
    for _ in range(20):
        search.step()
        totals.append(search.total)
        assert weights[search.best].sum() == search.total and is_maximal_independent_set(graph, search.best)
    assert totals == sorted(totals) and totals[-1] > 1.1 * totals[0]


@pytest.mark.parametrize(
    ("weights", "size", "values"),
    [
        ([3, 0, 5], 1, [3, 0, 5]),
        ([2**63 - 1, 1], 2**4, [2**59, 1]),
        ([3 * (2**61 - 1), 2**61 - 1, 0], 2**61 - 1, [3, 1, 0]),
        ([1.5, 0.25], Fraction(1, 2**58), [3 * 2**57, 2**56]),
        ([1 / 3, *[5 / 3] * 300], None, None),
        ([1 / 3, *[2 / 3] * 300], Fraction(1 / 3), [1, *[2] * 300]),
        ([1e300, 1e-300, 0.0], None, [None, 1, 0]),
        ([np.finfo(float).max] * 300, Fraction(np.finfo(float).max), [1] * 300),
        ([0.0, 0.0], None, [0, 0]),
        ([], None, []),
    ],
)
def test_units(weights, size, values):
    array = np.array(weights, np.int64 if weights and isinstance(weights[0], int) else float)
    units = Units(array)
    assert size is None or units.size == size
    assert all(b in (a, None) for a, b in zip(units.values.tolist(), values or [None] * len(weights), strict=True))
    assert sum(units.values.tolist()) < 2**62
    largest, slack = Fraction(max(weights, default=0)), Fraction(max(len(weights), 1), 2**59)
    down = units.against(np.ones(len(weights), bool)).tolist()
    for value, lower, weight in zip(units.values.tolist(), down, weights, strict=True):
        assert lower * units.size <= weight <= value * units.size <= weight + slack * largest
        assert (lower == value) == (value * units.size == weight)
        assert units.at_least(value) <= weight <= units.bound(value)
        assert units.rounded.any() or units.at_least(value) == weight == units.bound(value)


# Complete searches


def test_small_graphs(small):
    found = 0
    for largest in LARGEST:
        for rounds in (0, 3):
            weights = whole_weights(small.num_vertices, largest)
            found += check(small, weights, rounds=rounds)[1]
    assert found >= 5


@pytest.mark.slow
def test_ten_thousand_small_graphs():
    """Never a bound below the largest weight; nearly all sets have it, and nearly all are proved."""
    proved = best = 0
    for seed in range(10_000):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 19))
        graph = random_graph(n, rng.choice([0.7, 1, 1.5, 2, 3, 5]), seed)
        weights = rng.integers(seed % 3 > 0, int(rng.choice([1, 3, 10, 200])), n, endpoint=True)
        result, is_best = check(graph, weights / 3 if seed % 5 == 0 else weights, rounds=3 * (seed % 2))
        proved += result.optimal
        best += is_best
    assert proved > 9_500 and best > 9_700


@each(kind=KINDS)
def test_kinds_of_weights(zoo_graph, kind):
    n = zoo_graph.num_vertices
    if n <= 40:
        check(zoo_graph, weights_of(kind, n), rounds=2)


def extreme_weights(dtype):
    """Yield functions of a generator and a number: weights of each magnitude of a type, and of all magnitudes."""
    limits = np.finfo(dtype) if dtype.kind == "f" else None
    largest = limits.max if limits else True if dtype.kind == "b" else min(np.iinfo(dtype).max, 2**63 - 1)
    smallest = limits.smallest_subnormal if limits else dtype.type(1)
    shares = np.array([int(largest) // k for k in range(1, 9)]).astype(dtype)
    yield lambda rng, n: rng.choice(shares, n)
    yield lambda rng, n: rng.integers(0, 9, n).astype(dtype) * smallest
    yield lambda rng, n: np.full(n, shares[2])
    yield lambda rng, n: rng.choice(np.append(shares[[0, 3]], smallest), n)
    if limits:
        bits = math.log2(largest), math.log2(float(limits.tiny)) - limits.nmant
        yield lambda rng, n: np.exp2(rng.uniform(bits[1] + 1, bits[0] - 1, n)).astype(dtype)
        yield lambda rng, n: 1 + rng.integers(0, 9, n).astype(dtype) * limits.eps
        yield lambda rng, n: (rng.integers(1, 9, n) / dtype.type(10)).astype(dtype)
        yield lambda rng, n: rng.random(n).astype(dtype)


@each(dtype=["?", *np.typecodes["AllInteger"], *"efd"], rounds=[0, 2], density=[1.0, 2.5])
def test_bounds_and_proofs_are_exact_at_the_limits_of_each_type(dtype, rounds, density):
    """Every number that is reported is true in exact arithmetic, and infinite sums are refused."""
    proved = best = 0
    for k, draw in enumerate(extreme_weights(np.dtype(dtype))):
        for seed in range(2):
            rng = np.random.default_rng([k, seed])
            graph = random_graph(14, density, 10 * k + seed)
            weights = draw(rng, 14).astype(dtype)
            included = np.flatnonzero(sg.maximal_independent_set(graph, priority=rng.random(14)))[: 3 * seed]
            result, is_best = check(graph, weights, included, rounds=rounds)
            proved += result.optimal
            best += is_best
    assert best >= proved > 0


@pytest.mark.parametrize("shape", ["sparse", "grid"])
def test_proofs_with_rounded_weights(shape):
    """Weights of large graphs are rounded; a second search, with other rounding, proves the set."""
    graph = gallery.uniform_random(3000, 1, seed=1) if shape == "sparse" else gallery.grid((50, 60))
    weights = np.random.default_rng(0).lognormal(size=3000)
    assert Units(weights).rounded.any()
    result = sg.large_independent_set(graph, weights=weights, rounds=0)
    exact = sum(map(Fraction, weights[result.mask].tolist()))
    assert result.optimal and np.nextafter(result.upper_bound, 0) < exact <= result.upper_bound


@given(graphs(), st.data())
def test_included_vertices(rows, data):
    graph = sg.as_graph(rows)
    n = graph.num_vertices
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), np.int64)
    keys = np.random.default_rng(n).random(n)
    members = np.flatnonzero(naive.greedy_independent_set(graph, keys)).tolist()
    included = data.draw(st.lists(st.sampled_from(members), unique=True)) if members else []
    check(graph, weights, included, rounds=data.draw(st.sampled_from([0, 2])))


def test_equal_weights_are_sizes():
    graph = gallery.grid((20, 30))
    result = sg.large_independent_set(graph, weights=np.full(600, 7))
    assert result.weight == result.upper_bound == 7 * 300 and result.optimal
    assert sg.large_independent_set(graph, weights=np.zeros(600, int)).weight == 0


def test_the_complement_is_a_vertex_cover():
    graph, weights = gallery.delaunay(2000, seed=4), whole_weights(2000, 200)
    result = sg.large_independent_set(graph, weights=weights, rounds=10)
    cover = ~result.mask
    assert (cover[graph.indices] | cover[np.repeat(np.arange(2000), graph.degrees)]).all()
    assert weights[cover].sum() == weights.sum() - result.weight
    greedy = sg.maximal_independent_set(graph, weights=weights)
    assert result.weight > 1.02 * weights[greedy].sum()


def test_same_set_on_any_number_of_threads(threads):
    graph, weights = gallery.delaunay(40_000, seed=3), whole_weights(40_000, 200)
    workers = 7 if threads == 2 else None
    with use_target("cpu", workers=workers):
        mask = sg.large_independent_set(graph, weights=weights, rounds=3).mask
    assert zlib.crc32(mask) == 1034651070


def test_shuffled_schedules():
    graph = gallery.delaunay(120, seed=3)
    weights = whole_weights(120, 9)
    expected = sg.large_independent_set(graph, weights=weights, rounds=1)
    with use_target("python", seed=1):
        result = sg.large_independent_set(graph, weights=weights, rounds=1)
    assert (result.mask == expected.mask).all() and result.upper_bound == expected.upper_bound


@each(types=[(np.int64, np.int32), (np.int64, np.int64)])
def test_index_types_do_not_matter(types):
    graph, weights = gallery.delaunay(2000, seed=2), whole_weights(2000, 200)
    expected = sg.large_independent_set(graph, weights=weights, rounds=2).mask
    assert (sg.large_independent_set(graph._with_dtypes(*types), weights=weights, rounds=2).mask == expected).all()


def test_progress_and_ctrl_c():
    graph, weights, calls = gallery.delaunay(3000, seed=5), whole_weights(3000, 200), []
    result = sg.large_independent_set(
        graph, weights=weights, rounds=50, progress=lambda *call: calls.append(call) or len(calls) < 3
    )
    assert [done for done, _, _ in calls] == [1, 2, 3] and result.rounds == 3
    assert calls[-1][1] <= result.weight and calls[-1][2] == result.upper_bound

    def press(*numbers):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        sg.large_independent_set(graph, weights=weights, rounds=50, progress=press)
    assert caught.value.best.rounds == 1 and caught.value.best.weight >= calls[0][1]


def test_results_show_weights():
    star = sg.from_edges([0, 0, 0], [1, 2, 3], symmetrize=True)
    result = sg.large_independent_set(star, weights=[1000, 1, 2, 3])
    assert repr(result) == "<IndependentSet of 1 vertices of weight 1000; no set is heavier>"
    assert "the same: a heaviest set" in result._repr_html_() and "1,000" in result._repr_html_()
    assert (
        repr(sg.IndependentSet(np.ones(1, bool), 1, 9, 0, 7))
        == "<IndependentSet of 1 vertices of weight 7; no set weighs more than 9>"
    )


def test_wrong_weights():
    graph = gallery.grid((2, 2))
    with pytest.raises(ValueError, match="one number for each of the 4 vertices"):
        sg.large_independent_set(graph, weights=[1, 2])
    with pytest.raises(ValueError, match="got -1 at vertex 2"):
        sg.large_independent_set(graph, weights=[0, 1, -1, 5])
