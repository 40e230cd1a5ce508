"""The six graphs of nearly all benchmarks, small graphs of the same kinds, and derived matrices and variants."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from .study import SMALL_MARK, Graphs, Options

GRAPHS = ("G2", "G3", "R4", "DE", "RM", "KR")
SMALL: dict[str, Callable[[], sg.Graph]] = {
    "G2": lambda: gallery.grid((64, 64)),
    "G3": lambda: gallery.grid((16, 16, 16)),
    "R4": lambda: gallery.uniform_random(2**12, 4, seed=0),
    "DE": lambda: gallery.delaunay(2**12, seed=0),
    "RM": lambda: gallery.rmat(12, 8, 0.45, 0.22, 0.22, seed=1),
    "KR": lambda: gallery.kronecker(10, 48, seed=1),
}
WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "float64": lambda rng, size: rng.random(size),
    "float32": lambda rng, size: rng.random(size, dtype=np.float32),
    "int32, 100 values": lambda rng, size: rng.integers(0, 100, size, dtype=np.int32),
    "all equal": lambda rng, size: np.ones(size, np.int32),
}


def six_graphs(options: Options, small_mark: str = SMALL_MARK) -> Graphs:
    """Yield the six graphs; with --quick small ones, whose names have a mark."""
    for name in GRAPHS:
        yield (f"{name}{small_mark}", SMALL[name]) if options.quick else (name, partial(gallery.benchmark_graph, name))


def one_graph(name: str) -> Callable[[Options], Graphs]:
    """Return a function that yields one of the six graphs."""
    return lambda options: [pair for pair in six_graphs(options) if pair[0].removesuffix(SMALL_MARK) == name]


def directed_variant(name: str) -> sg.Graph:
    """Return the directed variant; for R4 it is another graph."""
    if name.endswith(SMALL_MARK):
        return gallery.with_directions(SMALL[name.removesuffix(SMALL_MARK)]())
    return gallery.benchmark_graph(name, directed=True)


def pattern_of(graph: sg.Graph, kind: Any = sp.csr_array, dtype: Any = np.int8) -> Any:
    """Return the pattern as a SciPy matrix of ones that shares the graph's arrays."""
    n = graph.num_vertices
    return kind((np.ones(graph.num_entries, dtype), graph.indices, graph.indptr), shape=(n, n))


def unseen_matrix(graph: sg.Graph) -> sp.csr_array:
    """Return a SciPy matrix that shares no array with any earlier object."""
    n = graph.num_vertices
    parts = np.ones(graph.num_entries, np.int8), graph.indices.copy(), graph.indptr.copy()
    return sp.csr_array(parts, shape=(n, n))


def rows_of(graph: sg.Graph) -> np.ndarray:
    """Return the row of each entry."""
    return np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))


def weighted(graph: sg.Graph, kind: str = "float64") -> sg.Graph:
    """Return the graph with random weights, drawn for the edges (u, v), u < v, in the order of their rows."""
    rows = rows_of(graph)
    u, v = np.minimum(rows, graph.indices), np.maximum(rows, graph.indices)
    upper = rows < graph.indices
    edges = u[upper] * graph.num_vertices + v[upper]
    weights = WEIGHTS[kind](np.random.default_rng(0), edges.size)
    return sg.as_graph((graph.indptr, graph.indices, weights[np.searchsorted(edges, u * graph.num_vertices + v)]))


def hashed_weights(graph: sg.Graph) -> np.ndarray:
    """Return a weight of 0 to 127 per entry, equal for (u, v) and (v, u); takes about 1 s for 10^8 entries."""
    tails = np.repeat(np.arange(graph.num_vertices, dtype=np.uint32), np.diff(graph.indptr))
    tails *= graph.indices.astype(np.uint32)  # products and hashes wrap around
    tails *= np.uint32(2654435761)
    tails >>= np.uint32(25)
    return tails.view(np.int32)


def laplacian_of(graph: sg.Graph, shift: float) -> sp.csr_array:
    """Return the Laplacian matrix with a number added to its diagonal, which makes it positive definite."""
    n = graph.num_vertices
    diagonal = np.diff(graph.indptr).astype(np.float64) + shift
    return sp.csr_array(-pattern_of(graph, dtype=np.float64) + sp.diags_array(diagonal, shape=(n, n)))
