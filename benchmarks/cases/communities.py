"""Communities: modularity and time of ten seeds, compared with igraph, leidenalg and NetworKit.

The graphs are real ones of STABLEGRAPH_DATA, made undirected, and planted partitions with power laws of degrees and
sizes, as in the benchmark of Lancichinetti, Fortunato and Radicchi, with a mixing of 0.1 to 0.6. A case finds
communities for each of ten seeds; its time is that of all ten. igraph's default is two iterations, ours is three.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from .. import data, peers
from ..graphs import pattern_of
from ..study import Case, Graphs, Judge, Options, Part, Study

SEEDS = 10
GRAPHS = (
    *("polblogs", "hep-th", "usps_3nn", "PGPgiantcompo", "lastfm-asia", "pubmed", "as-caida20071105", "ca-CondMat"),
    *("facebook_combined", "deezer-Europe", "astro-ph", "twitch-DE", "Wordnet3", "luxembourg_osm", "email-Enron"),
    *("JohnsHopkins55", "wiki-squirrel", "ca-AstroPh", "delaunay_n16", "MIT8", "debian-depends", "cit-HepPh"),
    *("soc-Epinions1", "USA-road-d.NY", "web-NotreDame", "uk-2007-05_100000"),
)
MIXINGS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


def planted(mixing: float, n: int = 30_000, seed: int = 0) -> sg.Graph:
    """Return a planted partition; `mixing` is the share of the ends of edges that lead to other groups."""
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(min(400, 20 / (1 - rng.random()))))
    group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:n])
    degree = np.minimum(200, 6.6 * (1 - rng.random(n)) ** (-1 / 1.6)).astype(int) + 1
    inner = rng.binomial(degree, 1 - mixing)
    ends = np.repeat(np.arange(n), inner)
    ends = ends[np.lexsort((rng.random(ends.size), group[ends]))]
    u, v = ends[:-1:2], ends[1::2]
    same = group[u] == group[v]
    outer = rng.permutation(np.repeat(np.arange(n), degree - inner))
    half = outer.size // 2
    u, v = np.concatenate([u[same], outer[:half]]), np.concatenate([v[same], outer[half : 2 * half]])
    return sg.from_edges(u, v, n=n, symmetrize=True, drop_loops=True)


def graphs(options: Options) -> Graphs:
    """Yield the real graphs, smallest first, and the planted partitions; with --quick one small planted partition."""
    if options.quick:
        yield "planted, mixing 0.3 (small)", partial(planted, 0.3, 2000)
        return
    known = data.files()
    for name in GRAPHS:
        if name in known:
            yield name, partial(_without_loops, known[name][0])
    for mixing in MIXINGS:
        yield f"planted, mixing {mixing}", partial(planted, mixing)


def _without_loops(file: Any) -> sg.Graph:
    graph = data.undirected(file)
    return sg.from_edges(graph._rows(), graph.indices, n=graph.num_vertices, drop_loops=True)


def judge_of(graph: sg.Graph) -> Judge:
    """Return a judge that computes the modularity of each labeling, and counts communities that are not connected."""

    def judge(labelings: list[Any]) -> dict[str, Any]:
        values = [sg.modularity(graph, labels) for labels in labelings]
        torn = [_torn(graph, np.asarray(labels)) for labels in labelings]
        counts = [int(np.unique(labels).size) for labels in labelings]
        return {
            "modularity": float(np.mean(values)),
            "deviation": float(np.std(values)),
            "communities": float(np.mean(counts)),
            "not_connected": int(sum(torn)),
        }

    return judge


def _torn(graph: sg.Graph, labels: Any) -> int:
    """Return how many communities are not connected."""
    rows = graph._rows()
    inside = labels[rows] == labels[graph.indices]
    shape = graph.num_vertices, graph.num_vertices
    inner = sp.csr_array((np.ones(int(inside.sum()), np.int8), (rows[inside], graph.indices[inside])), shape=shape)
    pieces = sp.csgraph.connected_components(inner, directed=False)[1]
    pairs = np.unique(labels.astype(np.int64) * graph.num_vertices + pieces)
    return int((np.unique(pairs // graph.num_vertices, return_counts=True)[1] > 1).sum())


def _ten(find: Callable[[int], Any]) -> Callable[[Any], list[Any]]:
    return lambda _: [find(seed) for seed in range(SEEDS)]


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our cases, then those of the peers."""
    judge = judge_of(graph)
    ways: dict[str, dict[str, Any]] = {"Leiden": {}, "Louvain": {"algorithm": "louvain", "iterations": 1}}
    for algorithm, chosen in ways.items():
        for count in options.threads:
            ours = _ten(lambda seed, chosen=chosen: sg.communities(graph, seed=seed, **chosen)[1])
            yield Case("communities", algorithm, ours, judge, threads=count)
    yield from _peers(graph, judge)


def _peers(graph: sg.Graph, judge: Judge) -> Iterator[Case]:
    """Yield igraph, leidenalg and NetworKit on one thread, as far as they are installed."""
    upper = sp.triu(pattern_of(graph), 1, format="coo")
    if igraph := peers.module("igraph"):
        converted = igraph.Graph(n=graph.num_vertices, edges=np.column_stack([upper.row, upper.col]))

        def leiden(seed: int) -> Any:
            random.seed(seed)
            igraph.set_random_number_generator(random)
            return converted.community_leiden(objective_function="modularity", n_iterations=2).membership

        yield Case("communities", "igraph Leiden", _ten(leiden), judge)
        if leidenalg := peers.module("leidenalg"):
            kind = leidenalg.ModularityVertexPartition

            def alg(seed: int) -> Any:
                return leidenalg.find_partition(converted, kind, n_iterations=2, seed=seed).membership

            yield Case("communities", "leidenalg", _ten(alg), judge)
    if networkit := peers.networkit_on(1):
        matrix = peers.networkit_graph(networkit, pattern_of(graph))

        def parallel_leiden(seed: int) -> Any:
            networkit.setSeed(seed, True)
            return networkit.community.ParallelLeiden(matrix).run().getPartition().getVector()

        yield Case("communities", "NetworKit ParallelLeiden", _ten(parallel_leiden), judge)


STUDY = Study(
    __name__,
    (Part("modularity", graphs, cases),),
    peers=("igraph", "leidenalg", "networkit"),
    data="the graphs of GRAPHS",
    repeats=2,
    longest=60.0,
)
