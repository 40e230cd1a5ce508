"""Forests in partitions: ordered buckets of edges, edges decided inside a partition, and the memory of one worker."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster.problems import edge_buckets
from stablegraph.cluster.problems import forest as partitioned
from stablegraph.cluster.problems.forest_candidates import candidates_of
from stablegraph.cluster.verify import forest as verify_forest
from tests.support.cases import each

from ..support.partitioned import checksum, fetched, weighted

GRAPHS = {
    "random": lambda: sg.gallery.uniform_random(900, 4, seed=2),
    "grid": lambda: sg.gallery.grid((8, 9, 10)),
    "skewed": lambda: sg.gallery.rmat(9),
    "in pieces": lambda: sg.gallery.uniform_random(900, 1, seed=3),
}


@pytest.fixture
def handed(monkeypatch):
    """Make buckets small, and record the number of edges that each of them passes on."""
    result = []

    class SmallBuckets(edge_buckets.BucketLimits):
        def __init__(self, run, bytes_a_vertex):
            super().__init__(run, bytes_a_vertex)
            self.edges_per_bucket, self.edges_per_sort = run.graph.num_vertices // 8, 32

        def check(self, edges):
            super().check(edges)
            result.append(edges)

    monkeypatch.setattr(partitioned, "BucketLimits", SmallBuckets)
    monkeypatch.setattr(verify_forest, "BucketLimits", SmallBuckets)
    return result


def _of_kind(graph, kind):
    if kind == "unweighted":
        return graph
    if kind == "equal":
        return graph._replace(weights=np.full(graph.num_entries, 2.5, np.float32))
    u, v = graph._rows().astype(np.uint64), graph.indices.astype(np.uint64)
    mixed = (np.minimum(u, v) * np.uint64(2**64 - 59) ^ np.maximum(u, v)) * np.uint64(0x9E37_79B9_7F4A_7C15)
    return graph._replace(weights=mixed.view(np.uint64) if kind == "uint64" else (mixed >> np.uint64(11)) * 1e-9 - 1)


@each(pairs=True, maximum=[False, True], kind=["unweighted", "equal", "uint64", "float64"], name=GRAPHS)
def test_edges_are_handed_on_in_buckets(handed, monkeypatch, client, quick_client, partitions, name, kind, maximum):
    """Tasks run twice on one of the graphs."""
    monkeypatch.setattr(edge_buckets, "SAMPLED_EDGES", 300)
    handed.clear()
    graph = _of_kind(GRAPHS[name](), kind)
    split = distributed.from_graph(graph, partitions, client=client if name == "in pieces" else quick_client)
    result, info = sg.minimum_spanning_forest(split, maximum=maximum, return_info=True)
    assert checksum(fetched(result)) == checksum(sg.minimum_spanning_forest(graph, maximum=maximum))
    buckets = len(handed[1:])
    assert buckets >= 2 if partitions > 1 else buckets == 0
    assert info["rounds"] == 2 + (2 * buckets + 1 if buckets else 0)


def test_little_is_handed_on_where_partitions_have_few_neighbors(client):
    """A partition of a grid knows nearly all its forest edges; one of a random graph almost none."""
    ranges = {name: distributed.from_graph(weighted(GRAPHS[name]()), 2, client=client) for name in ("grid", "random")}
    sure = {}
    for name, split in ranges.items():
        own_value = split.client.gather(split.map_and_store(candidates_of, False))
        assert all(piece.trees.size == piece.sure.u.size + np.unique(piece.trees).size for piece in own_value)
        sure[name] = sum(piece.sure.u.size for piece in own_value) / split.num_vertices
    assert sure["grid"] > 0.8
    assert sure["random"] < 0.5


def test_edges_inside_the_largest_tree_stay_at_home(handed, client):
    graph = _of_kind(sg.gallery.uniform_random(3000, 16, seed=1), "float64")
    sg.minimum_spanning_forest(distributed.from_graph(graph, 3, client=client))
    assert sum(handed[1:]) < 0.3 * graph.num_edges


@pytest.mark.parametrize(
    ("name", "kind"), [("random", "equal"), ("grid", "uint64"), ("skewed", "float64"), ("in pieces", "equal")]
)
def test_the_verifier_names_the_same_edges_for_all_buckets(handed, client, quick_client, name, kind):
    """Tasks run twice on one of the graphs."""
    graph = _of_kind(GRAPHS[name](), kind)
    split = distributed.from_graph(graph, 3, client=client if name == "in pieces" else quick_client)
    lightest, heaviest = (sg.minimum_spanning_forest(graph, maximum=maximum).tocoo() for maximum in (False, True))
    u, v, w = (
        np.concatenate(pair) for pair in zip(*((f.row, f.col, f.data) for f in (lightest, heaviest)), strict=True)
    )
    _, once = np.unique(u.astype(np.int64) * len(graph) + v, return_index=True)
    for edges in (lightest, heaviest, sp.coo_array((w[once], (u[once], v[once])), lightest.shape)):
        pieces = [da.from_array(column, chunks=len(graph) // 5) for column in (edges.row, edges.col, edges.data)]
        in_partitions = distributed.DistributedForest(*pieces, len(graph))
        for maximum in (False, True):
            said = sg.verify.explain_minimum_spanning_forest(split, in_partitions, maximum)
            assert said == sg.verify.explain_minimum_spanning_forest(graph, edges, maximum)


def test_edges_of_no_vertex_are_refused(client):
    columns = [da.from_array(np.array(column)) for column in ([0, 1], [1, 9], [1, 1])]
    with pytest.raises(ValueError, match=r"the forest has an edge \(1, 9\), but the graph has 4 vertices"):
        sg.is_spanning_forest(distributed.grid((2, 2), 2, client=client), distributed.DistributedForest(*columns, 4))


def test_of_weights_that_are_nan_the_first_one_is_told_whichever_partition_is_the_first(client, monkeypatch):
    graph = weighted(sg.gallery.grid((4, 5)), np.float32)
    weights = graph.weights.copy()
    weights[[7, 40]] = np.nan
    graph = graph._replace(weights=weights)
    split = distributed.from_graph(graph, 3, client=client)

    def backwards(self, pieces, function, *shared):
        """Run the tasks in reverse order; they fail in this order, too."""
        return [client.submit(function, piece, *shared) for piece in pieces[::-1]][::-1]

    monkeypatch.setattr(distributed.DistributedGraph, "map_futures", backwards)
    with pytest.raises(ValueError, match="is NaN") as in_partitions:
        sg.minimum_spanning_forest(split)
    with pytest.raises(ValueError, match="is NaN") as on_one_machine:
        sg.minimum_spanning_forest(graph)
    assert str(in_partitions.value) == str(on_one_machine.value)


def test_what_one_worker_must_hold_is_said_before(client, monkeypatch):
    split = distributed.from_graph(GRAPHS["random"](), 3, client=client)
    monkeypatch.setattr("stablegraph.cluster.problems.edge_buckets.room_of", lambda client: 1000)
    monkeypatch.setattr("stablegraph.cluster.supersteps.room_of", lambda client: 1000)
    with pytest.raises(MemoryError, match="one worker must hold numbers for all vertices, and some edges, at last"):
        sg.minimum_spanning_forest(split)


def test_buckets_end_where_some_wanted_edges_are_behind():
    weights = np.random.default_rng(0).permutation(1000).astype(np.int32)
    lists = [
        edge_buckets.sort_edges(np.arange(500), np.arange(500) + 1, edge_buckets.Weights(weights[:500], 0, 0)),
        edge_buckets.sort_edges(
            np.arange(500, 1000), np.arange(500, 1000) + 1, edge_buckets.Weights(weights[500:], 0, 0)
        ),
    ]
    buckets, ends = edge_buckets.Buckets([500, 500], [edge_buckets.sample_edges(edges, 100) for edges in lists]), []
    while True:
        last = buckets.next(300)
        ends.append(sum(edge_buckets.rank_of(edges, last) for edges in lists))
        if last is None:
            break
    assert ends[-1] == 1000
    assert all(abs(end - 300 * (i + 1)) <= 12 for i, end in enumerate(ends[:-1]))
    order = np.concatenate([edges.weights.bits for _, edges in edge_buckets.merge_in_order(lists, 70)])
    assert np.array_equal(order, np.arange(1000))
