"""The algorithm with locks: a maximal independent set on every schedule, and the set by id with one worker."""

import itertools
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.engines.rounds import LINE, History, Worklists
from stablegraph._core.runtime import Rows, atomic_compare_and_swap, atomic_load, atomic_store, edge_splits, use_target
from stablegraph._core.runtime.declaration import rebuilt
from stablegraph.independent_set.greedy.order import IN, OUT
from stablegraph.study import locked
from tests.independent_set.greedy import draw_conditions
from tests.support import naive
from tests.support.zoo import graphs, preferential, reverse_rows, symmetric_csr


def set_and_info(graph, included, excluded):
    history = History()
    return locked.independent_set(graph, included, excluded, history), history.info()


def locked_set(graph, include=(), exclude=()):
    """Return the mask after checking it."""
    id_type = graph.indices.dtype
    included, excluded = (np.array(sorted(chosen), id_type) for chosen in (include, exclude))
    mask, info = set_and_info(graph, included, excluded)
    assert mask.dtype == bool and mask.shape == (graph.num_vertices,)
    assert mask[included].all()
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=excluded) is None
    assert info["undecided"][0] == graph.num_vertices
    assert info["rounds"] == len(info["undecided"]) - 1
    assert sorted(info["undecided"], reverse=True) == info["undecided"]
    rows = np.diff(graph.indptr)
    assert info["edges"] >= 2 * rows[mask].sum() - rows[included].sum()  # to lock, and to mark neighbors as out
    return mask


def first_by_id(graph, **chosen):
    return naive.greedy_independent_set(graph, naive.priority_key(graph, "natural"), **chosen)


CONTESTED = {
    "star": [(0, v) for v in range(1, 400)],
    "star, its center last": [(400, v) for v in range(400)],
    "clique": [(u, v) for u in range(60) for v in range(u)],
    "clique with loops and duplicates": 2 * [(u, v) for u in range(40) for v in range(u + 1)],
    "complete bipartite": [(u, v) for u in range(50) for v in range(50, 120)],
    "path": [(v, v + 1) for v in range(400)],
    "hubs": preferential(3000, 5, seed=3),
}


@pytest.fixture(scope="module", params=CONTESTED, ids=lambda name: name.replace(" ", "-"))
def contested(request):
    """Return graphs in which many vertices compete for the same locks."""
    edges = CONTESTED[request.param]
    matrix = symmetric_csr(int(np.max(edges)) + 1, edges)
    return sg.as_graph(reverse_rows(matrix) if "duplicates" in request.param else matrix)


def test_zoo(zoo_graph, threads):
    locked_set(zoo_graph)
    for workers in (2, 3, 16):
        with use_target("cpu", workers=workers):
            locked_set(zoo_graph)


def test_one_worker_visits_by_id(zoo_graph):
    with use_target("cpu", workers=1):
        assert locked_set(zoo_graph).tolist() == first_by_id(zoo_graph).tolist()
    with use_target("python", workers=1):
        assert locked_set(zoo_graph).tolist() == first_by_id(zoo_graph).tolist()


@given(thing=graphs(), workers=st.integers(1, 20), target=st.sampled_from(["cpu", "python"]), data=st.data())
def test_any_graph(thing, workers, target, data):
    graph = sg.as_graph(thing)
    include, exclude = draw_conditions(data, graph)
    with use_target(target, seed=workers, workers=workers):
        locked_set(graph)
        mask = locked_set(graph, include, exclude)
    if workers == 1:
        assert mask.tolist() == first_by_id(graph, include=include, exclude=exclude).tolist()


def test_many_times_where_locks_are_contested(contested, threads):
    for workers in (threads, 16):
        with use_target("cpu", workers=workers):
            for _ in range(25):
                locked_set(contested, exclude=[5])


def test_workers_one_after_another_need_one_round(contested):
    """Without conflicts the set is greedy: workers in any order, and the vertices of each worker by id."""
    bounds = edge_splits(contested.indptr, 3).tolist()
    possible = set()
    for visited in itertools.permutations(range(3)):
        turn = np.repeat([visited.index(w) for w in range(3)], np.diff(bounds))
        keys = list(zip(turn.tolist(), range(contested.num_vertices), strict=True))
        possible.add(naive.greedy_independent_set(contested, keys).tobytes())
    result = set()
    for seed in range(12):
        with use_target("python", seed=seed, workers=3):
            none = np.empty(0, contested.indices.dtype)
            mask, info = set_and_info(contested, none, none)
        assert info["rounds"] == 1
        result.add(mask.tobytes())
    assert result <= possible
    assert len(result) > 1 or len(possible) == 1


def test_one_thread_finishes_when_nobody_joins(zoo_graph, monkeypatch):
    monkeypatch.setattr(locked, "_try_once", lambda *arguments: None)
    none = np.empty(0, zoo_graph.indices.dtype)
    mask, info = set_and_info(zoo_graph, none, none)
    assert mask.tolist() == first_by_id(zoo_graph).tolist()
    assert info["rounds"] == (8 if zoo_graph.num_vertices else 0)


# -------------------------------------------------------------------------------------- every step of every worker


class Interleaving:
    """Python threads of which one runs at a time; before each atomic operation the next one is drawn."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.own = threading.local()
        self.stopped = threading.Semaphore(0)

    def step(self):
        self.stopped.release()
        self.own.turn.acquire()

    def before(self, operation):
        def stepping(*arguments):
            self.step()
            return operation(*arguments)

        return stepping

    def run(self, tasks):
        live = {}

        def work(task, turn):
            self.own.turn = turn
            turn.acquire()
            try:
                task()
            finally:
                del live[turn]
                self.stopped.release()

        for task in tasks:
            turn = threading.Semaphore(0)
            live[turn] = threading.Thread(target=work, args=(task, turn), daemon=True)
            live[turn].start()
        while live:
            turns = list(live)
            turns[self.random.integers(len(turns))].release()
            self.stopped.acquire()


def interleaved_rounds(graph, workers, seed):
    """Run rounds with randomly interleaved atomic operations, check each, and return flags and number of rounds."""
    schedule = Interleaving(seed)
    atomics = (atomic_compare_and_swap, atomic_load, atomic_store)
    forms = {atomic: schedule.before(atomic.function) for atomic in atomics}

    def form(rule):
        return forms.get(rule) or rebuilt(rule.function, form)

    body = rebuilt(locked._try_once.function, form)

    n = graph.num_vertices
    flag, lock = np.full(n, locked._UNDECIDED, np.int32), np.zeros(n, graph.indices.dtype)
    bounds = np.linspace(0, n, workers + 1).astype(np.int64)
    lists = Worklists(bounds, np.arange(n), np.zeros(2 * workers * LINE, np.int64))
    lengths = lists.counts[: workers * LINE : LINE]
    lengths[:] = np.diff(bounds)
    arguments = (lists, Rows(graph.indptr, graph.indices), locked.Locks(flag, lock))
    for rounds in range(1, 200):
        schedule.run([partial(body, worker, workers, *arguments) for worker in range(workers)])
        assert naive.is_independent(graph, flag == IN)
        for v, neighbors in enumerate(naive.simple_adjacency(graph)):
            if flag[v] == IN:
                assert lock[v] == v + 1 and all(flag[u] == OUT for u in neighbors)
            elif flag[v] == OUT:
                assert lock[v] - 1 in neighbors and flag[lock[v] - 1] == IN  # the winner's lock was never freed
            else:
                assert lock[v] == 0  # locks of failed attempts were released
        if not lengths.any():
            return flag, rounds
    raise AssertionError("vertices were left after 200 rounds")


SMALL = {
    "clique": [(u, v) for u in range(6) for v in range(u)],
    "clique with loops and duplicates": 2 * [(u, v) for u in range(5) for v in range(u + 1)],
    "star with loops": [(0, v) for v in range(6)] + [(v, v) for v in range(1, 6)],
    "path with loops": [(v, u) for v in range(5) for u in (v, v + 1)],
    "cycle": [(v, (v + 1) % 7) for v in range(7)],
    "complete bipartite": [(u, v) for u in range(3) for v in range(3, 7)],
}


@pytest.mark.parametrize("name", SMALL)
def test_random_interleavings(name):
    edges = SMALL[name]
    matrix = symmetric_csr(int(np.max(edges)) + 1, edges)
    more_rounds = 0
    for seed in range(40):
        graph = sg.as_graph(reverse_rows(matrix) if seed % 2 else matrix)
        flag, rounds = interleaved_rounds(graph, 2 + seed % 4, seed)
        assert naive.is_maximal_independent(graph, flag == IN)
        more_rounds += rounds > 1
    assert more_rounds  # there were conflicts


# -------------------------------------------------------------------------------------------------------------- CUDA


@pytest.mark.gpu
def test_on_a_gpu(contested):
    import cupy

    on_gpu = contested.to("cuda")
    chosen = cupy.asarray(np.array([2], contested.indices.dtype))
    for _ in range(5):
        mask, _ = set_and_info(on_gpu, chosen[:0], chosen)
        assert isinstance(mask, cupy.ndarray)
        assert sg.explain(sg.is_maximal_independent_set, contested, mask.get(), exclude=[2]) is None
        mask, _ = set_and_info(on_gpu, chosen, chosen[:0])
        assert mask[2]
        assert sg.explain(sg.is_maximal_independent_set, contested, mask.get()) is None
