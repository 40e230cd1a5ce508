"""Construction of graphs in partitions: the same graphs, and the same messages, as on one machine."""

import dask
import dask.array as da
import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import gallery as in_place
from stablegraph.cluster import partition
from stablegraph.cluster.workers import room_of, workers_of
from tests.support.cases import each

SHAPES = [(7,), (4, 5), (3, 4, 5), (0, 3), (1, 1)]


def _edges(seed, edges=200, vertices=40):
    rng = np.random.default_rng(seed)
    return rng.integers(0, vertices, edges), rng.integers(0, vertices, edges), rng.random(edges)


def _chunked(*arrays):
    return [da.from_array(array, chunks=chunk) for array, chunk in zip(arrays, (33, 50, 33), strict=False)]


def _refusal(function, *arguments, **options):
    with pytest.raises(ValueError) as caught:
        function(*arguments, **options)
    return str(caught.value)


@each(pairs=True, seed=range(3), drop_loops=[False, True], symmetrize=["sum", "min", "max"])
def test_from_edges(client, partitions, seed, symmetrize, drop_loops):
    edges, options = _edges(seed), {"symmetrize": symmetrize, "drop_loops": drop_loops}
    graph = distributed.from_edges(*_chunked(*edges), partitions=partitions, client=client, **options)
    assert graph.to_graph() == sg.from_edges(*edges, **options)
    u, v, _ = edges
    graph = distributed.from_edges(*_chunked(u, v), partitions=partitions, client=client, n=60, **options)
    assert graph.to_graph() == sg.from_edges(u, v, n=60, **options)


@pytest.mark.parametrize(
    ("u", "v"),
    [([0, 1], [1, 2]), ([0, -1], [1, 2]), ([0, 1, 2, 1, 0], [1, 2, 1, 0, 2]), ([0, 1], [1, 9])],
)
def test_edges_that_are_refused_as_on_one_machine(client, partitions, u, v):
    split = _refusal(distributed.from_edges, u, v, n=9 if 9 in v else None, partitions=partitions, client=client)
    assert split == _refusal(sg.from_edges, u, v, n=9 if 9 in v else None)


def test_an_edge_is_named_by_its_place_among_all(client):
    u, v = np.zeros(90, np.int64), np.zeros(90, np.int64)
    v[77] = -3
    split = _refusal(distributed.from_edges, *_chunked(u, v), partitions=2, client=client)
    assert split == _refusal(sg.from_edges, u, v)


def test_weights_that_differ_are_refused_as_on_one_machine(client, partitions):
    edges = [0, 1, 2, 3, 1], [1, 2, 3, 4, 0], [1, 2, 3, 4, 5]
    split = _refusal(distributed.from_edges, *edges, symmetrize=True, partitions=partitions, client=client)
    assert split == _refusal(sg.from_edges, *edges, symmetrize=True)
    weights = sg.from_edges(*edges, symmetrize="sum").weights.astype(float)
    for entry, value in ((3, 9.0), (2, np.nan)):
        graph = sg.from_edges(*edges, symmetrize="sum")
        wrong = weights.copy()
        wrong[entry] = value
        graph = graph._replace(weights=wrong)
        split = _refusal(sg.minimum_spanning_forest, distributed.from_graph(graph, partitions, client=client))
        one = _refusal(sg.minimum_spanning_forest, graph)
        assert split.replace("pass symmetrize='min', 'max' or 'sum'", "") == one.partition("pass as_graph(")[0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", "uint64", "float16", "float32"])
@pytest.mark.parametrize("symmetrize", ["sum", "max"])
def test_sums_have_the_type_that_they_have_on_one_machine(client, dtype, symmetrize):
    u, v, _ = _edges(3)
    weights = (np.ones(u.size) if dtype == "bool" else np.arange(u.size) % 100).astype(dtype)
    wanted = sg.from_edges(u, v, weights, symmetrize=symmetrize)
    graph = distributed.from_edges(*_chunked(u, v, weights), partitions=3, client=client, symmetrize=symmetrize)
    assert graph.to_graph() == wanted
    assert graph.weight_type == graph.to_graph().weights.dtype == wanted.weights.dtype
    assert f"{wanted.weights.dtype} weights" in repr(graph)


@each(
    weights=[
        np.full(90, 2**62),
        np.full(90, -(2**62) - 1),
        np.full(90, 2**63, np.uint64),
        np.full(90, 6e4, np.float16),
        np.full(90, 3e38, np.float32),
        np.full(90, 1e308),
    ]
)
def test_sums_that_do_not_fit_are_refused_as_on_one_machine(client, partitions, weights):
    edges = np.arange(90) % 45, np.arange(90) % 45 + 1, weights
    split = _refusal(distributed.from_edges, *_chunked(*edges), symmetrize="sum", partitions=partitions, client=client)
    assert split == _refusal(sg.from_edges, *edges, symmetrize="sum")
    assert "weights of entry (0, 1)" in split


def test_lengths_and_kinds(client):
    u, v, _ = _edges(0)
    with pytest.raises(ValueError, match="u, v and weights must have equal lengths"):
        distributed.from_edges(*_chunked(u, v[:-1]), client=client)
    with pytest.raises(ValueError, match="u must be integers, got complex128"):
        distributed.from_edges(u + 0j, v, client=client)
    with pytest.raises(ValueError, match="partitions must be at least 1"):
        distributed.from_edges(u, v, partitions=0, client=client)


def test_read_graph(client, partitions, zoo_graph, tmp_path):
    sg.write_graph(tmp_path / "graph.npz", zoo_graph)
    graph = distributed.read_graph(tmp_path / "graph.npz", partitions, client=client)
    assert graph.to_graph() == distributed.from_graph(zoo_graph, partitions, client=client).to_graph()
    assert np.array_equal(graph.degrees.compute(scheduler="sync"), zoo_graph.degrees)
    assert graph.num_edges == zoo_graph.num_edges


def test_a_file_cut_in_half(client, tmp_path):
    file = tmp_path / "graph.npz"
    sg.write_graph(file, sg.gallery.grid((30, 30)))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(ValueError, match="damaged or cut short"):
        distributed.read_graph(file, 2, client=client)


def test_arcs_are_no_edges_unless_that_is_said(client):
    arcs = sg.from_edges([0, 1], [1, 2], directed=True)
    assert _refusal(distributed.from_graph, arcs, 2, client=client) == _refusal(sg.as_graph, arcs)
    with pytest.raises(ValueError, match="symmetrize makes an undirected graph"):
        distributed.from_edges([0], [1], directed=True, symmetrize=True, client=client)


@pytest.mark.parametrize("drop_duplicates", [False, True])
def test_directed_graphs_from_edges(client, partitions, drop_duplicates):
    u, v, _ = _edges(2)
    options = {"directed": True, "drop_loops": True, "drop_duplicates": drop_duplicates}
    graph = distributed.from_edges(*_chunked(u, v), partitions=partitions, client=client, **options)
    wanted = sg.from_edges(u, v, **options)
    assert graph.to_graph() == wanted
    assert (graph.num_edges, graph.num_entries) == (wanted.num_edges, wanted.num_entries)
    assert np.array_equal(graph.degrees.compute(scheduler="sync"), wanted.degrees)
    weights = u % 3 + v % 5
    graph = distributed.from_edges(*_chunked(u, v, weights), partitions=partitions, client=client, **options)
    assert graph.to_graph() == sg.from_edges(u, v, weights, **options)


def test_weights_of_equal_arcs_that_differ_are_refused_as_on_one_machine(client):
    edges = [0, 1, 0], [1, 2, 1], [1, 2, 5]
    split = _refusal(distributed.from_edges, *edges, directed=True, partitions=2, client=client)
    assert split == _refusal(sg.from_edges, *edges, directed=True)


def test_directed_graphs_from_files(client, partitions, tmp_path):
    arcs = sg.gallery.with_directions(sg.gallery.uniform_random(200, 3))
    sg.write_graph(tmp_path / "arcs.npz", arcs)
    graph = distributed.read_graph(tmp_path / "arcs.npz", partitions, client=client)
    assert graph.to_graph() == arcs
    assert repr(graph).startswith(f"<DistributedGraph: 200 vertices, {arcs.num_edges} arcs, directed, degrees")


def test_who_arcs_lead_to_is_a_neighbor(client):
    parts = client.gather(distributed.from_edges([0, 3], [2, 1], directed=True, partitions=2, client=client).parts)
    for part in parts:
        assert list(part.sources) == [1 - part.number]
        assert part.pattern.num_entries == 4 - part.graph.num_entries + part.incoming.num_entries - 2


@each(shape=SHAPES)
def test_grids_in_place(client, partitions, shape):
    assert distributed.grid(shape, partitions, client=client).to_graph() == sg.gallery.grid(shape)


@pytest.mark.parametrize(("n", "picks"), [(1000, 4), (777, 3), (0, 4), (5, 0), (1024, 2)])
def test_random_graphs_in_place(client, partitions, monkeypatch, n, picks):
    monkeypatch.setattr(in_place, "_DRAWS", 1000)
    graph = distributed.uniform_random(n, picks, 3, partitions, client=client)
    assert graph.to_graph() == sg.gallery.uniform_random(n, picks, 3)


def test_all_workers_get_as_many_partitions(threads_cluster):
    from distributed import wait

    for graph in (
        distributed.uniform_random(3000, partitions=4, client=threads_cluster),
        distributed.grid((60, 60), 4, client=threads_cluster),
    ):
        wait(graph.parts)
        held = [held for (held,) in threads_cluster.who_has(graph.parts).values()]
        assert len(held) == 4
        assert len({held.count(worker) for worker in held}) == 1
        assert len(set(held)) == 2


@pytest.mark.parametrize("scale", [0, 1, 5, 9])
def test_rmat_in_place(client, partitions, monkeypatch, scale):
    monkeypatch.setattr(in_place, "_DRAWS", 1000)
    graph = distributed.rmat(scale, seed=2, partitions=partitions, client=client)
    assert graph.to_graph() == sg.gallery.rmat(scale, seed=2)


@pytest.mark.parametrize("limit", [1_200_000, 180_000])  # a task may use .35 of it
def test_what_does_not_fit_says_what_would(client, monkeypatch, limit):
    graph = sg.gallery.uniform_random(2000, 8)
    monkeypatch.setattr(client, "scheduler_info", lambda: {"workers": {"a": {"memory_limit": limit}}})
    with pytest.raises(
        MemoryError, match=r"partition \d would take .* of a worker .* pass partitions=(\d+), or more"
    ) as no:
        distributed.from_graph(graph, 2, client=client)
    enough = int(str(no.value).split("partitions=")[1].split(",")[0])
    assert 2 < enough < 100
    assert distributed.from_graph(graph, enough + 1, client=client).num_edges == graph.num_edges


def test_an_answer_of_the_scheduler_without_its_workers(client, monkeypatch):
    """A client regularly requests only the number of workers, and `scheduler_info` may return that."""
    workers = {"a": {"memory_limit": 10**9}, "b": {"memory_limit": 2 * 10**9}}
    reported = [{"workers": workers, "n_workers": 2}] + 2 * [{"workers": {}, "n_workers": 2}]
    monkeypatch.setattr(client, "scheduler_info", lambda: reported.pop())
    assert workers_of(client) == workers
    assert not reported


def test_workers_that_spill_late_have_little_room(client, monkeypatch):
    """Even if Dask's settings leave no room."""
    monkeypatch.setattr(client, "scheduler_info", lambda: {"workers": {"a": {"memory_limit": 10**9}}})
    for target, end, room in ((0.6, 0.95, 35e7), (False, False, 1e9), (0.95, 0.95, 5e7), (0.9, 0.8, 5e7)):
        names = ("target", "terminate")
        with dask.config.set(
            {f"distributed.worker.memory.{name}": share for name, share in zip(names, (target, end), strict=True)}
        ):
            assert room_of(client) == pytest.approx(room)
            assert distributed.from_graph(sg.gallery.grid((3, 3)), 2, client=client).num_edges == 12


def test_columns_are_numbered_by_marks_or_by_sorting(client, monkeypatch):
    graph = sg.gallery.rmat(9, seed=1)
    marked = distributed.from_graph(graph, 3, client=client)
    monkeypatch.setattr(partition, "_SORTING", 0)
    by_sorting = distributed.from_graph(graph, 3, client=client)
    for one, other in zip(client.gather(marked.parts), client.gather(by_sorting.parts), strict=True):
        assert np.array_equal(one.ids, other.ids)
        assert one.ids.dtype == other.ids.dtype
        assert one.graph == other.graph
        assert one.graph.indices.dtype == other.graph.indices.dtype


def test_no_cluster():
    from distributed import Client

    if Client._instances and any(one.status == "running" for one in Client._instances):
        pytest.skip("a cluster runs in this process")
    with pytest.raises(ValueError, match="there is no cluster: make a client first"):
        distributed.from_graph(sg.gallery.grid((3, 3)))


def test_repr(client):
    graph = distributed.grid((4, 4), 2, client=client)
    assert repr(graph).startswith("<DistributedGraph: 16 vertices, 24 edges, undirected, degrees 2 to 4, unweighted, 2")
    assert "int64 weights" in repr(distributed.from_edges([0], [1], [5], symmetrize=True, partitions=1, client=client))
    assert "0 vertices" in repr(distributed.from_edges([], [], partitions=2, client=client))
