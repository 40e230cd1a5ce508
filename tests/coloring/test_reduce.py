"""Fewer colors: exchanges equal to a slow implementation of their definition, searches, and even class sizes."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import Rows, use_target
from stablegraph.coloring.reduction import balance, ecl_gc_r, kempe, reduce, tabu
from tests.support import naive
from tests.support.cases import each
from tests.support.remember import remember
from tests.support.zoo import ZOO, graphs, preferential, symmetric_csr

DTYPES = [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)]


# ------------------------------------------------------------------------------------------------- colors to start from


def greedy(neighbors, order):
    colors = {}
    for v in order:
        taken = {colors[u] for u in neighbors[v] if u in colors}
        colors[v] = next(c for c in range(len(neighbors)) if c not in taken)
    return np.array([colors[v] for v in range(len(neighbors))], np.int32)


def starts(graph, seed=0):
    """Yield first fit by falling degree and in a random order, and a coloring with more colors than any first fit."""
    return (colors.copy() for colors in _starts(graph, seed))


@remember
def _starts(graph, seed):
    neighbors = naive.simple_adjacency(graph)
    n = len(neighbors)
    shuffled = np.random.default_rng(seed).permutation(n).tolist()
    by_degree = greedy(neighbors, sorted(range(n), key=lambda v: -len(neighbors[v])))
    at_random = greedy(neighbors, shuffled)
    many = np.array(shuffled, np.int32) if n < 70 else without_gaps(5 * at_random + np.arange(n) % 5)
    return by_degree, at_random, many


def without_gaps(colors):
    return np.unique(colors, return_inverse=True)[1].astype(np.int32)


def assert_reduced(graph, before, after):
    """Check that a coloring is proper, has no unused color, and has no more colors than before."""
    assert after.dtype == np.int32
    assert after.shape == before.shape
    for v, around in enumerate(naive.simple_adjacency(graph)):
        assert all(after[u] != after[v] for u in around)
    assert set(after.tolist()) == set(range(len(set(after.tolist()))))
    assert len(set(after.tolist())) <= len(set(before.tolist()))


def number_of(colors):
    return int(colors.max()) + 1


# ----------------------------------------------------------------------------------------- ECL-GC-R, slow and simple


def two_color_components(neighbors, colors):
    for component in nx.connected_components(nx.Graph({v: list(around) for v, around in enumerate(neighbors)})):
        outside = [v for v in sorted(component) if colors[v] >= 2]
        if outside:
            sides, queue = {outside[0]: 0}, [outside[0]]
            for v in queue:
                for u in neighbors[v] - set(sides):
                    sides[u] = 1 - sides[v]
                    queue.append(u)
            if all(sides[u] != sides[v] for v in component for u in neighbors[v]):
                for v in component:
                    colors[v] = sides[v]
    colors[:] = without_gaps(colors).tolist()


def top_and_near(neighbors, colors):
    highest = max(colors)
    top = [v for v, color in enumerate(colors) if color == highest]
    return top, sorted(set().union(*(neighbors[v] for v in top)))


def one_for_all(neighbors, colors):
    highest = max(colors)
    top, near = top_and_near(neighbors, colors)
    for x in range(highest if highest > 1 else 0):
        around = {colors[u] for v in near if colors[v] == x for u in neighbors[v]}
        for y in range(highest):
            if y != x and y not in around:
                for v in near:
                    colors[v] = y if colors[v] == x else colors[v]
                for v in top:
                    colors[v] = x
                return True
    return False


def one_per_group(neighbors, colors):
    highest = max(colors)
    if highest < 2:
        return False
    top, near = top_and_near(neighbors, colors)
    links = nx.Graph([(v, u) for v in top for u in neighbors[v]])
    links.add_nodes_from(top)
    number = {v: min(set(group) & set(top)) for group in nx.connected_components(links) for v in group}
    spare = {(number[v], i): set(range(min(highest, 32))) - {i} for v in top for i in range(min(highest, 32))}
    for v in near:
        if colors[v] < 32:
            spare[number[v], colors[v]] -= {colors[u] for u in neighbors[v]}
    before = {key: set(some) for key, some in spare.items()}
    for v in near:
        for u in neighbors[v] & set(near):
            own_value, theirs = (number[v], colors[v]), (number[u], colors[u])
            if own_value[0] != theirs[0] and max(own_value[1], theirs[1]) < 32:
                ahead = (len(before[theirs]), -theirs[0]) > (len(before[own_value]), -own_value[0])
                spare[own_value] -= before[theirs] if ahead else set()
    choice = {s: next((i for i in range(min(highest, 32)) if spare[s, i]), highest) for s in set(number.values())}
    for v in near:
        if choice[number[v]] == colors[v]:
            colors[v] = min(spare[number[v], colors[v]])
    for v in top:
        colors[v] = choice[number[v]]
    return 8 * sum(colors[v] < highest for v in top) >= len(top)


def short_chains(neighbors, colors):
    highest, work = max(colors), 0
    for v in [v for v, color in enumerate(colors) if color == highest]:
        if work >= 2**14 + len(colors) // 8:
            break
        for a, b in itertools.combinations(range(highest), 2):
            chain = [u for u in neighbors[v] if colors[u] == a]
            seen, useful = set(chain), True
            for w in chain:
                more = [u for u in neighbors[w] - seen if colors[u] == a + b - colors[w]]
                if any(colors[u] == b and u in neighbors[v] for u in more) or (more and len(chain) + len(more) > 100):
                    useful = False
                    break
                chain += more
                seen |= set(more)
            work += len(chain) + 1 if useful else 100
            if useful:
                for u in chain:
                    colors[u] = a + b - colors[u]
                colors[v] = a
                break


@remember
def quick_by_definition(graph, colors):
    neighbors, colors = naive.simple_adjacency(graph), colors.tolist()
    if not colors or max(colors) < 2:
        return colors
    if max(colors) ** 2 > 2 * sum(map(len, neighbors)):
        colors = greedy(neighbors, sorted(range(len(colors)), key=lambda v: (colors[v], v))).tolist()
    two_color_components(neighbors, colors)
    before = None
    while max(colors) != before:
        while one_for_all(neighbors, colors) or one_per_group(neighbors, colors):
            pass
        before = max(colors)
        if before > 2:
            short_chains(neighbors, colors)
    return colors


def assert_quick_as_defined(graph, seed=0):
    for colors in starts(graph, seed):
        reduced = reduce.quick(graph, colors)
        assert reduced.tolist() == quick_by_definition(graph, colors)
        assert_reduced(graph, colors, reduced)


# ---------------------------------------------------------------------------------------------------------------- quick


@pytest.fixture(scope="module")
def wide():
    """Return a sparse graph, with many vertices of the highest color; and a dense one, with more than 32 colors."""
    sparse = symmetric_csr(3000, np.random.default_rng(0).integers(0, 3000, (4500, 2)))
    dense = symmetric_csr(200, np.random.default_rng(6).integers(0, 200, (22000, 2)))
    return sg.as_graph(sparse), sg.as_graph(dense)


def test_zoo(zoo_graph, threads):
    assert_quick_as_defined(zoo_graph)


@each(pairs=True, workers=[1, 4, 7], seed=[0, 1, 2])
def test_the_zoo_in_any_order(hard_graph, seed, workers):
    with use_target("python", seed=seed, workers=workers):
        assert_quick_as_defined(hard_graph, seed)


@given(thing=graphs(), seed=st.integers(0, 1000))
def test_any_graph(thing, seed):
    assert_quick_as_defined(sg.as_graph(thing), seed)


def test_larger_graphs(wide, threads):
    for graph in wide:
        colors = list(starts(graph))[1]
        expected = quick_by_definition(graph, colors)
        assert expected != colors.tolist()
        for dtypes in DTYPES:
            assert reduce.quick(graph._with_dtypes(*dtypes), colors).tolist() == expected


def test_groups_exchange_where_no_exchange_serves_all(wide):
    """The sparse graph has no exchange for all, but exchanges per group remove one color."""
    colors = list(starts(wide[0]))[1]
    some = ecl_gc_r.Exchange(wide[0], colors.copy())
    assert not one_for_all(naive.simple_adjacency(wide[0]), colors.tolist())
    while some.step():
        assert_reduced(wide[0], colors, some.colors)
    assert some.highest < colors.max()


def test_bipartite_components_get_two_colors():
    grid = symmetric_csr(600, [(v, v + 1) for v in range(599) if v % 20 != 19] + [(v, v + 20) for v in range(580)])
    for graph in (grid, symmetric_csr(500, preferential(500, 1))):
        for colors in starts(sg.as_graph(graph)):
            assert number_of(reduce.quick(sg.as_graph(graph), colors)) == 2


def test_two_colors_are_enough_for_bipartite_components(zoo_graph):
    for colors in starts(zoo_graph) if zoo_graph.num_vertices else ():
        expected = colors.copy()
        two_color_components(naive.simple_adjacency(zoo_graph), expected)
        assert reduce.without_gaps(reduce.two_color_components(zoo_graph, colors)).tolist() == expected.tolist()


# ------------------------------------------------------------------------------------------------------------- thorough


def queens(n):
    squares = range(n * n)
    lines = [[(s // n, s % n, s // n + s % n, s // n - s % n)[i] for s in squares] for i in range(4)]
    return sg.as_graph(
        symmetric_csr(n * n, [(s, t) for s in squares for t in range(s) if any(x[s] == x[t] for x in lines)])
    )


CHROMATIC = {
    "queens 5": (queens(5), 5),
    "queens 6": (queens(6), 7),
    "queens 7": (queens(7), 7),
    "queens 8": (queens(8), 9),
    "myciel 5": (sg.as_graph(nx.mycielski_graph(6)), 6),
    "Sudoku": (sg.as_graph(nx.sudoku_graph(3)), 9),
    "icosahedron": (sg.as_graph(nx.icosahedral_graph()), 4),
}


@pytest.mark.parametrize("name", CHROMATIC)
def test_chromatic_numbers(name):
    graph, known = CHROMATIC[name]
    for colors in starts(graph):
        reduced = reduce.thorough(graph, colors, lower=known)
        assert_reduced(graph, colors, reduced)
        assert number_of(reduced) == known


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("le450_5c", 5),
        ("school1_nsh", 14),
        pytest.param("qg.order40", 40, marks=pytest.mark.slow),  # takes longer than all others
        ("miles1000", 42),
        ("will199GPIA", 7),
    ],
)
def test_dimacs_instances(data_file, name, known):
    graph = sg.read_graph(data_file(f"{name}.col.gz"))
    assert number_of(reduce.thorough(graph, next(starts(graph)), lower=known)) == known


def test_thorough_is_a_function_of_the_simple_graph(wide, threads):
    for graph in (wide[1], sg.as_graph(ZOO["duplicates"]), sg.as_graph(ZOO["unsorted rows"])):
        edges = [(v, u) for v, around in enumerate(naive.simple_adjacency(graph)) for u in around if u > v]
        simple = sg.as_graph(symmetric_csr(graph.num_vertices, edges))
        colors = next(starts(graph))
        lower = number_of(reduce.quick(simple, colors)) - 2
        expected = reduce.thorough(simple, colors, seed=3, lower=lower)
        assert_reduced(graph, colors, expected)
        for dtypes in DTYPES:
            assert (
                reduce.thorough(graph._with_dtypes(*dtypes), colors, seed=3, lower=lower).tolist() == expected.tolist()
            )


def test_thorough_keeps_any_coloring_proper(zoo_graph):
    colors = list(starts(zoo_graph))[1]
    assert_reduced(zoo_graph, colors, reduce.thorough(zoo_graph, colors, seed=7))


class Counting:
    """An array that counts its reads by a kernel in plain Python."""

    def __init__(self, array):
        self.array, self.reads = array, 0

    def __getitem__(self, index):
        self.reads += 1
        return self.array[index]

    def __setitem__(self, index, value):
        self.array[index] = value


def test_chains_in_a_clique_take_no_more_than_an_access_to_each_edge():
    n = 30
    clique = sg.as_graph(symmetric_csr(n, [(u, v) for u in range(n) for v in range(u)]))
    rows = Rows(clique.indptr, clique.indices)
    chains = kempe.Chains(*np.zeros((2, n), np.int64), *np.zeros((3, 256), np.int64))
    colors, top = Counting(np.arange(n)), np.array([n - 1])
    with use_target("python"):
        kempe.swap_chains(10**6, 100, n - 1, top, rows, chains, np.zeros(3, np.int64), colors)
    assert sorted(colors.array.tolist()) == list(range(n))
    assert n * n // 2 < colors.reads < 3 * n * n  # and not n pairs of colors for each entry


def test_searches_find_what_exchanges_do_not(wide):
    for colors in starts(wide[1]):
        assert number_of(reduce.thorough(wide[1], colors)) < number_of(reduce.quick(wide[1], colors))


def test_nothing_is_done_below_the_bound(wide):
    colors = next(starts(wide[1]))
    quick = reduce.quick(wide[1], colors)
    assert (reduce.thorough(wide[1], colors, lower=number_of(quick)) == quick).all()


@given(thing=graphs(12), seed=st.integers(0, 1000))
def test_each_search_keeps_a_coloring_proper(thing, seed):
    graph = sg.as_graph(thing).simple()
    for colors in starts(graph, seed):
        if colors.size and colors.max() > 1:
            searches = [
                lambda colors=colors: reduce.iterate(graph, colors, 1, 5, seed)[0],
                lambda colors=colors: reduce.without_gaps(kempe.free_highest(graph, colors.copy(), 6, 50)),
                lambda colors=colors: tabu.close_holes(graph, colors, 300, seed)[0],
            ]
            for search in searches:
                result = search()
                if result is not None:
                    assert_reduced(graph, colors, result)
                    with use_target("python", seed=seed):
                        assert search().tolist() == result.tolist()


def test_a_chain_makes_room():
    """Around vertex 0 (color 3), chains join color 0 to colors 1 and 2; one of these has three vertices: 2, 6, 7."""
    graph = sg.as_graph(symmetric_csr(8, [(0, 1), (0, 2), (0, 3), (1, 4), (4, 5), (5, 2), (1, 3), (2, 6), (6, 7)]))
    colors = np.array([3, 0, 1, 2, 1, 0, 2, 1], np.int32)
    assert kempe.free_highest(graph, colors.copy(), 3, 100).tolist() == [1, 0, 2, 2, 1, 0, 1, 2]
    assert kempe.free_highest(graph, colors.copy(), 2, 100).tolist() == colors.tolist()


# -------------------------------------------------------------------------------------------------------------- balance


def assert_even(graph, colors):
    after = balance.even_out(graph, colors)
    assert_reduced(graph, colors, after)
    if not colors.size:
        return after
    count = number_of(colors)
    assert number_of(after) == count
    sizes = np.bincount(after)
    for level in (-(-after.size // count), after.size // count):
        for v, around in enumerate(naive.simple_adjacency(graph)):
            if sizes[after[v]] > level:
                classes = {int(after[u]) for u in around}
                assert all(sizes[c] >= level or c in classes for c in range(count))
    return after


def test_classes_are_even_unless_no_vertex_can_move(zoo_graph, threads):
    for colors in starts(zoo_graph):
        after = assert_even(zoo_graph, colors).tolist()
        dtypes = DTYPES[threads - 1]
        assert balance.even_out(zoo_graph._with_dtypes(*dtypes), colors).tolist() == after
        if threads == 1:
            with use_target("python", seed=2, workers=5):
                assert balance.even_out(zoo_graph, colors).tolist() == after


@given(thing=graphs(), seed=st.integers(0, 1000))
def test_classes_of_any_graph_are_even(thing, seed):
    graph = sg.as_graph(thing)
    for colors in starts(graph, seed):
        assert_even(graph, colors)


def test_classes_differ_by_one_where_there_is_room(wide):
    sizes = np.bincount(assert_even(wide[0], next(starts(wide[0]))))
    assert sizes.max() - sizes.min() <= 1


def test_more_classes_than_fit_in_a_register():
    graph = sg.as_graph(symmetric_csr(2000, [(u, v) for u in range(150) for v in range(u)]))
    sizes = np.bincount(assert_even(graph, next(starts(graph))))
    assert sizes.size == 150
    assert sizes.max() - sizes.min() <= 1
