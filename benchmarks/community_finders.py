"""Communities by this package and by its peers: one function per program, for a graph that was converted before.

A finder returns what its program returns; `labels` makes an array of it, outside of the measured time. Peers that are
not installed are left out.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import stablegraph as sg

from . import peers
from .harness import threads

OURS = "stablegraph"
THREADED = (OURS, f"{OURS}, Louvain", "NetworKit ParallelLeiden", "NetworKit PLM")  # measured with several threads


class Finder(NamedTuple):
    """A program: its function of a seed, and a function that makes an array of labels of the answer."""

    find: Callable[[int], Any]
    labels: Callable[[Any], Any] = np.asarray


class Edges(NamedTuple):
    """Each edge once, with its weight."""

    n: int
    u: Any
    v: Any
    weights: Any  # None: all are 1

    @classmethod
    def of(cls, graph: sg.Graph) -> Edges:
        """Return the edges of a graph without loops and repeated entries."""
        rows = graph._rows()
        kept = rows < graph.indices
        return cls(len(graph), rows[kept], graph.indices[kept], None if graph.weights is None else graph.weights[kept])

    def shuffled(self, seed: int) -> Edges:
        """Return the edges in another order, and half of them in the other direction."""
        rng = np.random.default_rng(seed)
        order, turned = rng.permutation(self.u.size), rng.random(self.u.size) < 0.5
        u, v = np.where(turned, self.v, self.u)[order], np.where(turned, self.u, self.v)[order]
        return Edges(self.n, u, v, None if self.weights is None else self.weights[order])

    def graph(self) -> sg.Graph:
        """Return the graph, with entries in the order of the edges."""
        u, v = np.concatenate([self.u, self.v]), np.concatenate([self.v, self.u])
        order = np.argsort(u, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=self.n))])
        if self.weights is None:
            return sg.as_graph((indptr, v[order]))
        return sg.as_graph((indptr, v[order], np.concatenate([self.weights, self.weights])[order]))


def finders(edges: Edges, count: int) -> Iterator[tuple[str, Finder]]:
    """Yield the finders by name for a number of threads."""
    graph = edges.graph()

    def ours(**more: Any) -> Finder:
        def find(seed: int) -> Any:
            with threads(count):
                return sg.communities(graph, seed=seed, **more)

        return Finder(find, lambda answer: answer[1])

    yield OURS, ours()
    yield f"{OURS}, until stable", ours(iterations=None)
    yield f"{OURS}, Louvain", ours(algorithm="louvain", iterations=1)
    yield from _of_igraph(edges, objective_function="modularity")
    yield from _of_leidenalg(edges)
    yield from _of_networkit(edges, count)
    yield from _of_graspologic(edges)


def _igraph_graph(igraph: Any, edges: Edges) -> Any:
    graph = igraph.Graph(n=edges.n, edges=np.column_stack([edges.u, edges.v]))
    if edges.weights is not None:
        graph.es["weight"] = edges.weights.tolist()
    return graph


def _of_igraph(edges: Edges, **options: Any) -> Iterator[tuple[str, Finder]]:
    igraph = peers.module("igraph")
    if not igraph:
        return
    graph = _igraph_graph(igraph, edges)
    weights = None if edges.weights is None else "weight"

    def seeded(call: Callable[[], Any]) -> Finder:
        def find(seed: int) -> Any:
            random.seed(seed)
            igraph.set_random_number_generator(random)
            return call()

        return Finder(find, lambda answer: np.asarray(answer.membership))

    yield "igraph", seeded(lambda: graph.community_leiden(weights=weights, n_iterations=2, **options))
    yield "igraph, until stable", seeded(lambda: graph.community_leiden(weights=weights, n_iterations=-1, **options))
    yield "igraph multilevel", seeded(lambda: graph.community_multilevel(weights=weights))


def _of_leidenalg(edges: Edges) -> Iterator[tuple[str, Finder]]:
    leidenalg = peers.module("leidenalg")
    if not leidenalg:
        return
    graph, kind = _igraph_graph(peers.module("igraph"), edges), leidenalg.ModularityVertexPartition
    options = {} if edges.weights is None else {"weights": "weight"}
    yield (
        "leidenalg",
        Finder(
            lambda seed: leidenalg.find_partition(graph, kind, n_iterations=2, seed=seed, **options),
            lambda answer: np.asarray(answer.membership),
        ),
    )


def _of_networkit(edges: Edges, count: int) -> Iterator[tuple[str, Finder]]:
    networkit = peers.networkit_on(count)
    if not networkit:
        return
    ends = edges.u.astype(np.uint64), edges.v.astype(np.uint64)
    entries = ends if edges.weights is None else (edges.weights.astype(float), ends)
    graph = networkit.GraphFromCoo(entries, edges.n, weighted=edges.weights is not None)

    def seeded(algorithm: Any) -> Finder:
        def find(seed: int) -> Any:
            networkit.setNumberOfThreads(count)
            networkit.setSeed(seed, True)
            return algorithm(graph).run().getPartition()

        return Finder(find, lambda answer: np.asarray(answer.getVector()))

    yield "NetworKit ParallelLeiden", seeded(networkit.community.ParallelLeiden)
    yield "NetworKit PLM", seeded(networkit.community.PLM)


def _of_graspologic(edges: Edges) -> Iterator[tuple[str, Finder]]:
    native = peers.module("graspologic_native")
    if not native:
        return
    weights = np.ones(edges.u.size) if edges.weights is None else edges.weights.astype(float)
    rows = list(zip(map(str, edges.u.tolist()), map(str, edges.v.tolist()), weights.tolist(), strict=True))

    def labels(answer: Any) -> Any:
        found = np.arange(edges.n) + edges.n  # vertices without edges are missing in the answer
        for name, community in answer[1].items():
            found[int(name)] = community
        return found

    yield "graspologic-native", Finder(lambda seed: native.leiden(rows, iterations=2, seed=seed), labels)


def by_smallest(labels: Any) -> Any:
    """Return labels numbered by their smallest vertices, so that equal partitions have equal labels."""
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[number]


def print_checksums(file: str, count: str, kind: str, *names: str) -> None:
    """Print the checksum of the labels of each program: a process for one call of each.

    `file` has the arrays of the edges; `kind` is "plain", "shuffled", "int" or "float" (weights).
    """
    arrays = np.load(file)
    weights = arrays["weights"].astype(kind) if kind in ("int", "float") else None
    edges = Edges(int(arrays["n"]), arrays["u"], arrays["v"], weights)
    if kind == "shuffled":
        edges = edges.shuffled(1)
    for name, finder in finders(edges, int(count)):
        if name in names:
            print(name, zlib.crc32(by_smallest(finder.labels(finder.find(1))).tobytes()), sep="\t")


if __name__ == "__main__":
    print_checksums(*sys.argv[1:])
