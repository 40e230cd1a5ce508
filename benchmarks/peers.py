"""Peers that pip installs, each with its own graph format, converted before it is timed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg

from .graphs import pattern_of, unseen_matrix
from .judges import judge_of_sets
from .machine import installed_version
from .study import Case

NETWORKX_LIMIT = 20_000  # vertices: it takes thousands of sweeps


def module(name: str) -> Any:
    """Import a module of a peer; return None if the peer is not installed."""
    return importlib.import_module(name) if installed_version(name.partition(".")[0]) else None


def networkit_on(threads: int) -> Any:
    """Set NetworKit's number of threads and return the module; None if it is not installed."""
    networkit = module("networkit")
    if networkit:
        networkit.setNumberOfThreads(threads)
    return networkit


def networkit_graph(networkit: Any, matrix: Any) -> Any:
    """Return a NetworKit graph with that pattern."""
    upper = sp.triu(matrix, 1, format="coo")
    return networkit.GraphFromCoo((upper.row.astype(np.uint64), upper.col.astype(np.uint64)), matrix.shape[0])


def set_cases(graph: sg.Graph, threads: int) -> Iterator[Case]:
    """Yield the peers' maximal independent sets."""
    judge = judge_of_sets(graph)
    if pyamg := module("pyamg.graph"):
        matrix = unseen_matrix(graph)
        for kind in ("serial", "parallel"):
            yield Case(
                "mis",
                f"PyAMG {kind}",
                lambda _, kind=kind: pyamg.maximal_independent_set(matrix, algo=kind),
                judge,
                options={"algo": kind},
            )
    if networkit := networkit_on(threads):
        converted = networkit_graph(networkit, unseen_matrix(graph))
        luby = networkit.independentset.Luby()
        yield Case("mis", "NetworKit Luby", lambda _: luby.run(converted), judge, threads=threads)
    if (networkx := module("networkx")) and graph.num_vertices <= NETWORKX_LIMIT:
        nodes = graph.to_networkx()

        def judge_nodes(chosen: Iterable[int]) -> dict[str, Any]:
            mask = np.zeros(graph.num_vertices, bool)
            mask[list(chosen)] = True  # a list, or a set in later versions
            return judge(mask)

        yield Case("mis", "NetworkX", lambda _: networkx.maximal_independent_set(nodes, seed=1), judge_nodes, seed=1)


def colorings(graph: sg.Graph, networkx_limit: int = NETWORKX_LIMIT) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the peers' colorings by name."""
    if pyamg := module("pyamg.graph"):
        matrix = pattern_of(graph)

        def seeded(method: str) -> Any:
            np.random.seed(0)  # noqa: NPY002 - PyAMG draws from it
            return pyamg.vertex_coloring(matrix, method)

        for method in ("MIS", "JP", "LDF"):
            yield f"PyAMG {method}", lambda method=method: seeded(method)
    if (networkx := module("networkx")) and graph.num_vertices <= networkx_limit:
        nodes = graph.to_networkx()

        def greedy(strategy: str) -> Any:
            result = networkx.greedy_color(nodes, strategy)
            return np.array([result[node] for node in nodes], np.int32)  # nodes may have names

        for strategy in ("largest_first", "smallest_last"):
            yield f"NetworkX {strategy}", lambda strategy=strategy: greedy(strategy)
