"""Colorings: equal to serial first fit in the same order, on every target and number of threads."""

import zlib
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import memory
from stablegraph._core.engines import order as order_engine
from stablegraph._core.runtime import use_target
from stablegraph.coloring import api, first_fit, nets, order
from stablegraph.coloring.api import coloring_steps, vertex_coloring
from stablegraph.coloring.degeneracy import removal_order, smallest_last
from stablegraph.coloring.nets import square
from stablegraph.study.jones_plassmann import color_in_steps
from stablegraph.verify import is_proper_coloring
from tests.support import naive
from tests.support.cases import each
from tests.support.remember import remember
from tests.support.zoo import ZOO, graphs, preferential, symmetric_csr

ORDERS = ["natural", "random", "largest_first", "largest_log_first", "incidence", "saturation"]
TIES = ["id", "hash"]


first_fit_by_one = remember(naive.first_fit)


@remember
def oracle(graph, name="largest_first", ties="id", seed=0, distance=1, fixed=None):
    return naive.first_fit(graph, naive.coloring_order(graph, name, ties, seed), distance, fixed)


def colored(graph, name="largest_first", ties="id", **options):
    colors = vertex_coloring(graph, order=name, ties=ties, reduce="none", **options)
    assert colors.dtype == np.int32
    return colors.tolist()


def in_steps(graph, name="largest_first", ties="id", shortcuts=True):
    """Color by the steps of Jones-Plassmann with shortcuts, which `coloring_steps` counts."""
    colors, _ = color_in_steps(graph, order.visiting_order(graph, name, ties, 0), shortcuts)
    return colors.tolist()


@pytest.fixture(scope="module")
def larger():
    """Return a graph with thousands of vertices and more than 64 colors: hubs, rows of all lengths, a clique."""
    clique = [(50 * u, 50 * v) for u in range(80) for v in range(u)]
    return sg.as_graph(symmetric_csr(6000, [*preferential(6000, 5, seed=3), *clique]))


# ---------------------------------------------------------------------------------------------- equal to the oracle


@each(pairs=True, ties=TIES, name=ORDERS)
def test_zoo(zoo_graph, name, ties):
    expected = oracle(zoo_graph, name, ties)
    assert order.visiting_order(zoo_graph, name, ties, 0).tolist() == naive.coloring_order(zoo_graph, name, ties)
    assert colored(zoo_graph, name, ties) == expected
    assert colored(zoo_graph, name, ties, distance=2) == oracle(zoo_graph, name, ties, distance=2)
    for shortcuts in (True, False):
        assert in_steps(zoo_graph, name, ties, shortcuts) == expected
    assert sg.explain(is_proper_coloring, zoo_graph, expected) is None


@given(graphs(), st.sampled_from(ORDERS), st.sampled_from(TIES), st.integers(-5, 2**33), st.integers(1, 2), st.data())
def test_any_graph(thing, name, ties, seed, distance, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    assert colored(thing, name, ties, seed=seed, distance=distance) == oracle(graph, name, ties, seed, distance)
    values = data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    expected = oracle(graph, values, ties, seed, distance)
    assert colored(graph, np.array(values, np.float32), ties, seed=seed, distance=distance) == expected
    assert colored(graph, np.array(values, np.int8), ties, seed=seed, distance=distance) == expected
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    fixed = np.where(kept, np.array(expected, np.int64) * 40, -1)
    assert colored(graph, name, ties, seed=seed, distance=distance, fixed=fixed) == oracle(
        graph, name, ties, seed, distance, fixed.tolist()
    )
    if distance == 1 and seed == 0:
        assert in_steps(graph, name, ties) == oracle(graph, name, ties)


@each(pairs=True, shortcuts=[True, False], ties=TIES, name=["natural", "largest_first", "smallest_last"])
def test_a_larger_graph(larger, name, ties, shortcuts, threads):
    expected = first_fit_by_one(larger, order.visiting_order(larger, name, ties, 0).tolist())
    assert max(expected) >= 79
    for _ in range(3):
        assert in_steps(larger, name, ties, shortcuts) == expected
    assert colored(larger, name, ties) == expected


@pytest.mark.parametrize(("name", "ties"), [("random", "id"), ("largest_first", "hash"), ("largest_log_first", "hash")])
def test_near_seeds_have_nothing_in_common_on_a_lattice(name, ties):
    grid = gallery.grid((60, 90))
    one, other = (vertex_coloring(grid, order=name, ties=ties, reduce="none", seed=seed) for seed in (0, 1))
    for first, second in ((one, other), (other, one)):
        assert (first[451:-450] == second[450:-451]).mean() < 0.7


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shortcuts", [True, False])
def test_any_schedule(shortcuts, seed):
    graph = sg.as_graph(symmetric_csr(150, [*preferential(150, 3), *((u, v) for u in range(40) for v in range(u))]))
    with use_target("python", seed=seed, workers=7):
        assert in_steps(graph, "random", "hash", shortcuts) == oracle(graph, "random", "hash")
        assert colored(graph, "natural") == oracle(graph, "natural")
        assert colored(graph, "saturation") == oracle(graph, "saturation")
        assert colored(graph, "largest_first", distance=2) == oracle(graph, distance=2)


@pytest.mark.gpu
@pytest.mark.parametrize("ties", TIES)
def test_on_a_gpu(larger, ties):
    on_gpu = larger.to("cuda")
    for name in ("natural", "largest_first", "largest_log_first", "smallest_last", "saturation"):
        for distance in (1, 2):
            colors = vertex_coloring(on_gpu, order=name, ties=ties, distance=distance, reduce="none")
            assert colors.get().tolist() == colored(larger, name, ties, distance=distance)
    assert coloring_steps(on_gpu, ties=ties) == coloring_steps(larger, ties=ties)


def test_the_same_whatever_the_dtypes(larger):
    checksums = set()
    for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
        graph = larger._with_dtypes(*types)
        for name in ("natural", "largest_first", ["random", "smallest_last"]):
            checksums.add((str(name), zlib.crc32(vertex_coloring(graph, order=name, ties="hash").tobytes())))
    assert len(checksums) == 3


def test_orders_by_other_means(larger):
    removed, degeneracy = removal_order(larger)
    assert order.visiting_order(larger, "smallest_last", "id", 0).tolist() == removed[::-1].tolist()
    assert max(colored(larger, "smallest_last")) <= degeneracy
    numbers, _ = smallest_last(larger)
    for ties in TIES:
        expected = naive.coloring_order(larger, numbers, ties)
        assert order.visiting_order(larger, "smallest_last_in_rounds", ties, 0).tolist() == expected
    huge = numbers.astype(np.uint64) + np.uint64(2**63)
    assert order.visiting_order(larger, huge, "id", 0).tolist() == naive.coloring_order(larger, numbers)
    assert order.visiting_order(larger, numbers * 2**30, "hash", naive.hash_seed(7)).tolist() == (
        naive.coloring_order(larger, numbers, "hash", 7)  # too many bits for one number
    )


def test_degrees_too_different_for_counters_of_each(monkeypatch, larger):
    expected = order.visiting_order(larger, "largest_first", "id", 0).tolist()
    monkeypatch.setattr(order, "_MAX_DEGREES", 1)
    assert order.visiting_order(larger, "largest_first", "id", 0).tolist() == expected


def test_in_short_steps(monkeypatch, larger):
    expected = [colored(larger, name) for name in ("natural", "largest_first")], colored(larger, distance=2)
    monkeypatch.setattr(order_engine, "ENTRIES_PER_CALL", 2000)
    monkeypatch.setattr(nets, "ITEMS_PER_CALL", 2000)
    monkeypatch.setattr(first_fit, "_LONG", 2)
    assert ([colored(larger, name) for name in ("natural", "largest_first")], colored(larger, distance=2)) == expected


HUBS = {
    "star": [(0, v) for v in range(1, 200)],
    "wheel": [(150, v) for v in range(150)] + [(v, (v + 1) % 150) for v in range(150)],
    "friendship": [(0, v) for v in range(1, 151)] + [(v, v + 1) for v in range(1, 150, 2)],
    "two hubs": [(h, v) for h in (70, 140) for v in range(140) if v != h],
    "clique with a tail": [(u, v) for u in range(90) for v in range(u)] + [(v, v + 1) for v in range(89, 120)],
    "hubs among others": preferential(400, 3, seed=5) + [(h, v) for h in (3, 4) for v in range(h + 1, 400, h)],
}


@each(name=HUBS, bytes_an_entry=[0, 1, 4, 1000])
def test_distance_2_with_hubs(name, bytes_an_entry, monkeypatch):
    """Test many colors, in lists, in words, or in both; and memory that is exhausted."""
    monkeypatch.setattr(nets, "_BYTES_AN_ENTRY", bytes_an_entry)
    monkeypatch.setattr(nets, "_MIN_WORDS", 2)
    monkeypatch.setattr(nets, "ITEMS_PER_CALL", 2000)
    graph = sg.as_graph(symmetric_csr(1 + max(max(edge) for edge in HUBS[name]), HUBS[name]))
    expected = oracle(graph, distance=2)
    assert max(expected) > 64
    assert colored(graph, distance=2) == expected
    fixed = np.where(np.arange(len(expected)) % 3 == 0, np.array(expected) * 7, -1)
    assert colored(graph, distance=2, fixed=fixed) == oracle(graph, distance=2, fixed=fixed.tolist())


def test_distance_2_with_hubs_on_any_schedule(monkeypatch):
    monkeypatch.setattr(nets, "_MIN_WORDS", 2)
    graph = sg.as_graph(symmetric_csr(200, HUBS["star"]))
    with use_target("python"):
        assert colored(graph, distance=2) == oracle(graph, distance=2)


@pytest.mark.parametrize("name", ["star", "wheel", "friendship", "clique with a tail"])
def test_no_color_is_sought_that_a_full_neighborhood_forbids(name, monkeypatch):
    graph = sg.as_graph(symmetric_csr(1 + max(max(edge) for edge in HUBS[name]), HUBS[name]))
    monkeypatch.setattr(api, "square", None)  # not called
    for reduce in ("quick", "thorough"):
        colors = vertex_coloring(graph, distance=2, reduce=reduce)
        assert colors.max() == graph.degrees.max()
        assert colors.tolist() == colored(graph, distance=2)
    if name != "clique with a tail":  # where no color is used twice, all classes have the same size
        assert colored(graph, distance=2, balance=True) == colored(graph, distance=2)


def test_more_pairs_than_the_memory_holds_are_refused_in_words(monkeypatch):
    star = sg.as_graph(symmetric_csr(200, HUBS["star"][:150]))
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000)
    with pytest.raises(MemoryError, match=r"the memory is short: 22,801 entries, .* all pairs within distance 2; pass"):
        vertex_coloring(star, distance=2, balance=True)


def test_with_hubs_the_default_at_distance_2_is_first_fit(monkeypatch):
    between_two = sg.as_graph(symmetric_csr(202, [(h, v) for h in (0, 1) for v in range(2, 202)]))
    with monkeypatch.context() as patched:
        patched.setattr(api, "square", None)
        assert vertex_coloring(between_two, distance=2).tolist() == colored(between_two, distance=2)
    assert sg.is_proper_coloring(between_two, vertex_coloring(between_two, distance=2, reduce="quick"), distance=2)


def test_the_square_has_the_pairs_within_distance_2(zoo_graph):
    neighbors = naive.simple_adjacency(zoo_graph)
    within = [naive.distances_within(neighbors, v, 2) for v in range(len(neighbors))]
    assert naive.simple_adjacency(square(zoo_graph)) == within


# --------------------------------------------------------------------------------------------------------- few colors


def test_grids_numbered_row_by_row_have_two_colors():
    for shape in ((200,), (40, 50), (13, 14, 15)):
        for name in ("largest_first", "natural", "smallest_last", "saturation"):
            assert max(colored(gallery.grid(shape), name)) == 1


def test_a_list_of_orders_gives_the_best(larger):
    names = ["natural", "random", "largest_first"]
    best = min((colored(larger, name) for name in names), key=max)
    assert colored(larger, names) == best
    assert colored(larger, ["random", np.arange(6000)[::-1]]) in (colored(larger, "random"), colored(larger, "natural"))


def test_reduce_and_balance(larger):
    none, quick, thorough = (vertex_coloring(larger, reduce=how) for how in ("none", "quick", "thorough"))
    even = vertex_coloring(larger, reduce="none", balance=True)
    assert (vertex_coloring(larger) == quick).all()
    assert thorough.max() <= quick.max() <= none.max() == even.max()
    assert np.ptp(np.bincount(even)) < np.ptp(np.bincount(none))
    for colors in (none, quick, thorough, even):
        assert is_proper_coloring(larger, colors)
        assert np.bincount(colors).all()
    ring = sg.from_edges(np.arange(9), (np.arange(9) + 1) % 9, symmetrize=True)
    for options in ({}, {"balance": True}, {"reduce": "thorough"}):
        assert is_proper_coloring(ring, vertex_coloring(ring, distance=2, **options), distance=2)


def test_independent_sets(zoo_graph):
    for seed in (0, 5):
        colors = vertex_coloring(zoo_graph, algorithm="mis", reduce="none", seed=seed)
        assert colors.tolist() == naive.luby_coloring(zoo_graph, seed)


# -------------------------------------------------------------------------------------------------------------- steps


@pytest.mark.parametrize("shortcuts", [True, False])
@given(thing=graphs(), name=st.sampled_from(ORDERS[:4]), ties=st.sampled_from(TIES))
def test_steps_of_any_graph(shortcuts, thing, name, ties):
    graph = sg.as_graph(thing)
    expected = naive.coloring_steps(graph, naive.coloring_order(graph, name, ties), shortcuts)
    assert coloring_steps(graph, name, ties, shortcuts) == expected


def test_parallel_edges_cost_no_step():
    rows = np.array([0, 2, 6, 9, 12]), np.array([1, 3, 0, 2, 2, 3, 1, 1, 3, 0, 1, 2])  # 1 and 2 are joined twice
    once = np.array([0, 2, 5, 7, 10]), np.array([1, 3, 0, 2, 3, 1, 3, 0, 1, 2])
    assert sg.coloring_steps(rows, order="natural") == sg.coloring_steps(once, order="natural") == 2


def test_the_grid_has_the_steps_that_are_known():
    steps = partial(coloring_steps, gallery.grid((1024, 1024)), ties="hash")
    assert (steps(shortcuts=False), steps()) == (16, 11)


@pytest.mark.parametrize(("file", "steps"), [("USA-road-d.NY.gr.gz", (12, 10)), ("internet.mtx.gz", (27, 13))])
def test_real_graphs_have_the_steps_that_are_known(data_file, file, steps):
    graph = sg.read_graph(data_file(file), weights=False, symmetrize=True)
    assert tuple(coloring_steps(graph, ties="hash", shortcuts=shortcuts) for shortcuts in (False, True)) == steps


# ----------------------------------------------------------------------------------------------- verifier, bad options


@given(graphs(), st.integers(1, 2), st.data())
def test_the_verifier(thing, distance, data):
    graph = sg.as_graph(thing)
    colors = data.draw(st.lists(st.integers(0, 5), min_size=graph.num_vertices, max_size=graph.num_vertices))
    neighbors = naive.simple_adjacency(graph)
    around = [naive.distances_within(neighbors, v, distance) for v in range(len(neighbors))]
    right = not any(colors[u] == colors[v] for v in range(len(colors)) for u in around[v])
    assert is_proper_coloring(graph, colors, distance) == right


def test_the_verifier_names_the_culprits():
    path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    assert sg.explain(is_proper_coloring, path, [0, 1, 1, 0]) == (
        "vertices 1 and 2 are adjacent, but both have color 1"
    )
    assert sg.explain(is_proper_coloring, path, [0, 1, 2, 1], distance=2) == (
        "vertices 1 and 3 are within distance 2 of each other, but both have color 1"
    )
    assert sg.explain(is_proper_coloring, path, [0, 1, -1, 0]).startswith("vertex 2 has no color")
    with pytest.raises(ValueError, match=r"expected shape \(4,\)"):
        is_proper_coloring(path, [0, 1])
    with pytest.raises(TypeError, match="float64"):
        is_proper_coloring(path, [0.0, 1, 0, 1])
    with pytest.raises(ValueError, match="distance must be 1 or 2"):
        is_proper_coloring(path, [0, 1, 0, 1], 3)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"distance": 3}, ValueError, "distance must be 1 or 2"),
        ({"distance": True}, TypeError, "distance must be an integer"),
        ({"algorithm": "luby"}, ValueError, "algorithm must be one of priority, mis"),
        ({"algorithm": "mis", "distance": 2}, ValueError, "'mis' has no option"),
        ({"algorithm": "mis", "order": "natural"}, ValueError, "'mis' has no option"),
        ({"algorithm": "mis", "order": "largest_first"}, ValueError, "no option order; it has reduce, balance, seed"),
        ({"algorithm": "mis", "ties": "id"}, ValueError, "'mis' has no option ties"),
        ({"order": "alphabetical"}, ValueError, "order must be one of natural"),
        ({"order": ["natural", "alphabetical"]}, ValueError, "order must be one of natural"),
        ({"order": [1, 2]}, ValueError, "one number for each of the 12 vertices"),
        ({"order": [np.nan] * 12}, ValueError, "NaN at vertex 0"),
        ({"order": [1j] * 12}, TypeError, "array of real numbers"),
        ({"ties": "degree"}, ValueError, "ties must be one of id, hash"),
        ({"reduce": "much"}, ValueError, "reduce must be one of none, quick, thorough"),
        ({"balance": 1}, TypeError, "balance must be True or False"),
        ({"seed": "one"}, TypeError, "seed must be an integer"),
        ({"fixed": np.full(12, -1.0)}, TypeError, "fixed must be integers"),
        ({"fixed": [0, 1]}, ValueError, "for each of the 12 vertices"),
        ({"fixed": [-2] * 12}, ValueError, "got -2 at vertex 0"),
        ({"fixed": [3, *[-1] * 10, 3]}, ValueError, "vertices 0 and 11 are both fixed to color 3"),
    ],
    ids=str,
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=words):
        vertex_coloring(ZOO["clique"], **options)


def test_steps_of_one_order_only():
    with pytest.raises(ValueError, match="one order, got 2"):
        coloring_steps(ZOO["clique"], ["natural", "random"])
