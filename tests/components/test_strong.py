"""Strong components: each algorithm compared with the definition, SciPy and the verifier; depth, condensation."""

import signal
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.csr.groups import by_smallest_vertex
from stablegraph._core.runtime import use_target
from stablegraph.components import forward_backward, tarjan
from stablegraph.components.api import STRONG_ALGORITHMS
from stablegraph.study import cfhp
from tests.support import naive
from tests.support.cases import each
from tests.support.processes import run_python
from tests.support.zoo import ZOO, graphs

ALGORITHMS = tuple(STRONG_ALGORITHMS)
DEEP = 200_000  # vertices


def some_directions(graph, seed=0):
    """Return a directed graph that keeps about two of three entries."""
    graph = sg.as_graph(graph)
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    kept = np.random.default_rng(seed).random(rows.size) < 2 / 3
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=graph.num_vertices))])
    return sg.as_graph((indptr.astype(graph.indptr.dtype), graph.indices[kept]), directed=True)


def crc(answer):
    count, labels = answer
    assert count == labels.max(initial=-1) + 1
    return zlib.crc32(labels.astype(np.int64).tobytes())


def with_scipy(graph):
    n = graph.num_vertices
    matrix = sp.csr_array((np.ones(graph.num_entries), graph.indices, graph.indptr), shape=(n, n))
    count, labels = connected_components(matrix, connection="strong")
    _, firsts, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return count, np.argsort(np.argsort(firsts))[inverse]  # numbered by smallest vertex


@pytest.fixture(scope="module")
def larger():
    """Return a large component, paths into it and out of it, and many small components reachable from it."""
    n, rng = 40_000, np.random.default_rng(5)
    tails, heads = rng.integers(0, n // 2, (2, n))
    odd, even = np.arange(n // 2 + 1, n, 2), np.arange(n // 2, n, 2)
    ends = [tails, odd, even, tails[: odd.size]], [heads, even, odd, odd]
    return sg.from_edges(*map(np.concatenate, ends), n=n, directed=True)


# ------------------------------------------------------------------------------------------------------ right answers


@each(pairs=True, algorithm=ALGORITHMS, seed=range(3))
def test_the_zoo_with_directions(zoo_graph, algorithm, seed):
    graph = some_directions(zoo_graph, seed)
    count, labels = sg.strongly_connected_components(graph, algorithm=algorithm)
    assert labels.dtype == np.int32
    assert (count, labels.tolist()) == naive.strong_components(graph)
    assert sg.explain(sg.is_strong_component_labeling, graph, labels) is None


@each(algorithm=ALGORITHMS)
def test_without_directions_they_are_the_components(zoo_graph, algorithm):
    count, labels = sg.strongly_connected_components(zoo_graph, algorithm=algorithm)
    assert (count, labels.tolist()) == naive.strong_components(zoo_graph)


@given(graphs(), st.integers(0, 9))
def test_random_graphs(graph, seed):
    graph = some_directions(graph, seed)
    expected = naive.strong_components(graph)
    for algorithm in ALGORITHMS:
        count, labels = sg.strongly_connected_components(graph, algorithm=algorithm)
        assert (count, labels.tolist()) == expected
    assert sg.is_strong_component_labeling(graph, labels)


@given(graphs(), st.integers(0, 9), st.integers(1, 5))
def test_divide_and_conquer_by_several_workers(graph, seed, workers):
    graph = some_directions(graph, seed)
    with use_target("cpu", workers=workers):
        count, labels = by_smallest_vertex(cfhp.representatives(graph))
    assert (count, labels.tolist()) == naive.strong_components(graph)


@given(graphs(), st.integers(0, 9), st.integers(1, 9))
def test_long_paths(graph, seed, workers):
    """With several workers, searches without rounds find the component of the pivot, and trimming the other ones."""
    graph = some_directions(graph, seed)
    before = forward_backward._MIN_ROUNDS, forward_backward._SMALL_FRONTIER
    forward_backward._MIN_ROUNDS, forward_backward._SMALL_FRONTIER = 1, 2
    try:
        for target in ("cpu", "python"):
            with use_target(target, seed=seed, workers=workers):
                answer = sg.strongly_connected_components(graph, algorithm="forward_backward")
            assert (answer[0], answer[1].tolist()) == naive.strong_components(graph)
    finally:
        forward_backward._MIN_ROUNDS, forward_backward._SMALL_FRONTIER = before


@each(workers=[1, 4, 16, 70], shape=[(300, 80), (40_000,)])
def test_directed_grids(workers, shape):
    graph = some_directions(gallery.grid(shape))
    with use_target("cpu", workers=workers):
        count, labels = sg.strongly_connected_components(graph)
    expected, numbers = with_scipy(graph)
    assert count == expected and np.array_equal(labels, numbers)


@each(few=[True, False])
def test_few_workers_search_long_paths_depth_first(few, monkeypatch):
    cycle, alone = sg.from_edges(np.arange(40_000), np.r_[np.arange(1, 40_000), 0], directed=True), []
    search = tarjan.component_numbers
    monkeypatch.setattr(tarjan, "component_numbers", lambda graph: (alone.append(True), search(graph))[1])
    monkeypatch.setattr(forward_backward, "_pivot", lambda graph: 0)
    with use_target("cpu", workers=forward_backward.MIN_PATH_WORKERS - few):
        assert sg.strongly_connected_components(cycle)[0] == 1
    assert bool(alone) == few


@each(algorithm=ALGORITHMS)
def test_any_number_of_threads(larger, algorithm, threads):
    count, labels = sg.strongly_connected_components(larger, algorithm=algorithm)
    expected, numbers = with_scipy(larger)
    assert count == expected and np.array_equal(labels, numbers)
    sizes = np.bincount(labels)
    assert sizes.max() > 10_000 and (sizes == 2).sum() >= 10_000 and (sizes == 1).sum() > 1000


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("seed", "workers"), [(0, 1), (1, 4), (2, 9)])
def test_shuffled_schedules(algorithm, seed, workers):
    for name in ("skewed", "int64 indices", "grid", "path", "loops", "empty"):
        graph = some_directions(ZOO[name], seed)
        with use_target("python", seed=seed, workers=workers):
            answer = sg.strongly_connected_components(graph, algorithm=algorithm)
        assert crc(answer) == crc(sg.strongly_connected_components(graph))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_more_workers_than_threads(larger, algorithm):
    for workers in (11, 70):
        with use_target("cpu", workers=workers):
            assert crc(sg.strongly_connected_components(larger, algorithm=algorithm)) == crc(with_scipy(larger))


@pytest.mark.parametrize("types", [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)])
def test_any_index_types(larger, types):
    graph = larger._with_dtypes(*types)
    for algorithm in ALGORITHMS:
        count, labels = sg.strongly_connected_components(graph, algorithm=algorithm)
        assert labels.dtype == np.int32
        assert crc((count, labels)) == crc(with_scipy(larger))


def test_what_users_hand_in():
    matrix = sp.coo_array(([0.0, 1.0, -2.0], ([0, 1, 2], [1, 0, 1])), shape=(3, 3))
    count, labels = sg.strongly_connected_components(matrix)  # an explicit zero is an arc
    assert (count, labels.tolist()) == (2, [0, 0, 1])
    with pytest.raises(ValueError, match="auto, tarjan, forward_backward, cfhp; got 'kosaraju'"):
        sg.strongly_connected_components(matrix, algorithm="kosaraju")


# --------------------------------------------------------------------------------------------------------- deep graphs


def deep_graph(name):
    """Return tails and heads of arcs, and the number of components."""
    v = np.arange(DEEP)
    if name == "path":
        return v[:-1], v[1:], DEEP
    if name == "path backwards":
        return v[1:], v[:-1], DEEP
    if name == "cycle":
        return v, np.roll(v, 1), 1
    if name == "path both ways":
        return np.concatenate([v[:-1], v[1:]]), np.concatenate([v[1:], v[:-1]]), 1
    half = DEEP // 2  # a comb: a cycle of 100,000 vertices, each with a pendant vertex
    return np.concatenate([v[:half], v[:half]]), np.concatenate([np.roll(v[:half], 1), v[half:]]), half + 1


@pytest.mark.parametrize("name", ["path", "path backwards", "cycle", "path both ways", "comb"])
@pytest.mark.parametrize("algorithm", ["tarjan", "forward_backward", "cfhp"])
def test_deep_graphs(name, algorithm):
    tails, heads, expected = deep_graph(name)
    graph = sg.from_edges(tails, heads, n=DEEP, directed=True)
    count, labels = sg.strongly_connected_components(graph, algorithm=algorithm)
    assert count == expected
    assert labels[0] == 0 and labels[-1] == expected - 1
    assert sg.is_strong_component_labeling(graph, labels)


# ------------------------------------------------------------------------------------------- the search in short calls


@each(step=[1, 2, 3, 10])
def test_labels_do_not_depend_on_the_length_of_calls(zoo_graph, step, monkeypatch):
    graph = some_directions(zoo_graph)
    expected = naive.strong_components(graph)
    monkeypatch.setattr(tarjan, "_OPERATIONS_PER_CALL", step)
    for algorithm in ("tarjan", "forward_backward"):
        count, labels = sg.strongly_connected_components(graph, algorithm=algorithm)
        assert (count, labels.tolist()) == expected


@pytest.mark.parametrize("degree", [1, 10])
def test_calls_also_end_after_the_last_vertex_is_entered(degree, monkeypatch):
    """The search enters all vertices of a long cycle, and reads the other entries on its way back."""
    n, step = 2000, 100
    heads = np.random.default_rng(1).integers(0, n, (n, degree))
    heads[:, 0] = (np.arange(n) + 1) % n
    graph = sg.as_graph((np.arange(n + 1) * degree, heads.ravel()), directed=True)
    search, entered = tarjan._search_depth_first, []

    def recorded(*arguments):
        entered.append(np.count_nonzero(arguments[3]))
        search(*arguments)

    monkeypatch.setattr(tarjan, "_search_depth_first", recorded)
    monkeypatch.setattr(tarjan, "_OPERATIONS_PER_CALL", step)
    assert sg.strongly_connected_components(graph, algorithm="tarjan")[0] == 1
    assert np.diff(entered).max() <= step
    assert entered.count(n) >= n * (degree + 1) // (step + degree)  # entries except one per row, leaving, numbering


IN_THE_SEARCH = """
import signal
import numpy as np
import stablegraph as sg
from stablegraph.components import tarjan

n, degree = 1 << 24, {degree}
rng = np.random.default_rng(1)
if degree == 1:  # a path in random order
    order = rng.permutation(n)
    heads = np.empty(n, np.int32)
    heads[order] = np.roll(order, 1)
else:
    heads = rng.integers(0, n, n * degree, dtype=np.int32)
graph = sg.as_graph((np.arange(0, n * degree + 1, degree, np.int32), heads), directed=True)
sg.strongly_connected_components(sg.from_edges([0], [1], directed=True), algorithm="tarjan")
search, ranks = tarjan._search_depth_first, []

def started(*arguments):
    if not ranks:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
    ranks.append(arguments[3])
    search(*arguments)

tarjan._search_depth_first = started
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    sg.strongly_connected_components(graph, algorithm="tarjan")
except KeyboardInterrupt:
    print(np.count_nonzero(ranks[0]) / n)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers that send signals are POSIX")
@pytest.mark.parametrize("degree", [1, 4])
def test_a_signal_ends_the_search_of_a_large_graph(degree):
    """A signal in the first call of the kernel is handled when that call ends; by then few vertices are entered."""
    assert float(run_python(IN_THE_SEARCH.format(degree=degree)).stdout) < 0.1


# ----------------------------------------------------------------------------------------------------------- real data


@pytest.mark.parametrize(
    "name",
    [pytest.param("uk-2007-05_100000.mtx.xz", marks=pytest.mark.slow), "web-NotreDame.txt.gz", "debian-depends.mtx.gz"],
)
def test_real_graphs(data_file, name):
    graph = sg.read_graph(data_file(name), directed=True)
    expected = with_scipy(graph)
    for algorithm in ALGORITHMS:
        answer = sg.strongly_connected_components(graph, algorithm=algorithm)
        assert answer[0] == expected[0] and np.array_equal(answer[1], expected[1])
    assert sg.is_strong_component_labeling(graph, answer[1])


# -------------------------------------------------------------------------------------------------------- condensation


@given(graphs(), st.integers(0, 9))
def test_the_condensation(graph, seed):
    graph = some_directions(graph, seed)
    count, labels = naive.strong_components(graph)
    dag, order = sg.condensation(graph, return_order=True)
    expected = [set() for _ in range(count)]
    for v, around in enumerate(naive.simple_adjacency(graph)):
        expected[labels[v]] |= {labels[u] for u in around} - {labels[v]}
    assert dag.directed and naive.simple_adjacency(dag) == expected
    assert dag == sg.condensation(graph)
    place = {c: i for i, c in enumerate(order.tolist())}
    assert sorted(place) == list(range(count))
    assert all(place[c] < place[d] for c in range(count) for d in expected[c])


# ------------------------------------------------------------------------------------------------------- the verifier


def test_the_verifier_names_the_culprits():
    graph = sg.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4], directed=True)
    explain = sg.explain
    right = [7, 7, 7, -1, 3]
    assert explain(sg.is_strong_component_labeling, graph, right) is None
    assert explain(sg.is_strong_component_labeling, graph, [0, 0, 0, 0, 1]) == (
        "vertices 0 and 3 both have label 0, but no path leads from 3 to 0 along vertices with this label"
    )
    assert "no path leads from 3 to 4" not in (explain(sg.is_strong_component_labeling, graph, [0, 0, 0, 1, 1]) or "")
    assert explain(sg.is_strong_component_labeling, graph, [0, 1, 0, 2, 3]) == (
        "vertices 0 and 2 both have label 0, but no path leads from 0 to 2 along vertices with this label"
    )
    assert explain(sg.is_strong_component_labeling, graph, [0, 1, 2, 3, 4]).startswith(
        "vertices 0 and 1 can be reached"
    )
    with pytest.raises(ValueError, match="5 vertices"):
        sg.is_strong_component_labeling(graph, [0, 0])
    with pytest.raises(TypeError, match="integers"):
        sg.is_strong_component_labeling(graph, np.zeros(5))


def test_one_vertex_moved_is_refused(zoo_graph):
    graph = some_directions(zoo_graph)
    count, labels = sg.strongly_connected_components(graph)
    for v in range(0, graph.num_vertices, 1 + graph.num_vertices // 20):
        for other in {0, count // 2, count} - {int(labels[v])}:
            moved = labels.copy()
            moved[v] = other
            alone = other == count and (labels == labels[v]).sum() == 1  # still correct: only the label changed
            assert sg.is_strong_component_labeling(graph, moved) == alone


@pytest.mark.gpu
def test_the_same_answer_on_a_gpu(zoo_graph, larger):
    import cupy

    for graph in (some_directions(zoo_graph), larger):
        for algorithm in ALGORITHMS:
            count, labels = sg.strongly_connected_components(graph.to("cuda"), algorithm=algorithm)
            assert isinstance(labels, cupy.ndarray)
            assert crc((count, labels.get())) == crc(sg.strongly_connected_components(graph))


def test_the_directed_benchmark_graphs():
    """The documented rule is a hash of (u, v), u < v."""
    whole, graph = gallery.grid((30, 40)), gallery.with_directions(gallery.grid((30, 40)))
    arcs = naive.simple_adjacency(graph)
    for u, around in enumerate(naive.simple_adjacency(whole)):
        for v in {v for v in around if u < v}:
            part = (((u * 0x9E3779B97F4A7C15 ^ v * 0xC2B2AE3D27D4EB4F) % 2**64) >> 40) % 8
            assert (v in arcs[u]) == (part < 5) and (u in arcs[v]) == (part >= 3)


def test_undirected_graphs_have_connected_components(threads):
    for graph in (gallery.uniform_random(40_000, 1, seed=3), gallery.rmat(12, seed=1)):
        count, labels = sg.strongly_connected_components(graph)
        expected, of_vertex = sg.connected_components(graph)
        assert count == expected > 1 and (labels == of_vertex).all()
        assert sg.explain(sg.is_strong_component_labeling, graph, labels) is None
