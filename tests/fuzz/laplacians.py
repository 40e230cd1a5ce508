"""Resistances and embeddings, compared with dense Laplacians; and with exact ones for weakly joined parts."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse.csgraph import connected_components

from ..support.weak_joins import Oracle, drawn, size_of
from .cases import Options, Targets, must
from .input_graphs import InputGraph

TARGETS = Targets()

_PATTERN = "graph = sg.as_graph(graph, weights=False).simple()\n"


def _dense(graph: Any) -> np.ndarray:
    """Return the Laplacian of the pattern without loops."""
    n = graph.num_vertices
    W = np.zeros((n, n))
    W[np.repeat(np.arange(n), np.diff(graph.indptr)), graph.indices] = 1
    np.fill_diagonal(W, 0)
    return np.diag(W.sum(axis=1)) - W


def _draw_pairs(random: Random, input_graph: InputGraph) -> Options:
    n = input_graph.n
    count = random.choice([0, 1, 3, 20]) if n else 0
    return {"pairs": [(random.randrange(n), random.randrange(n)) for _ in range(count)]}


@TARGETS.of(
    "effective_resistance", _draw_pairs, code=_PATTERN + "answer = sg.effective_resistance(graph, {pairs})", wrong=""
)
def _check_resistances(graph: Any, options: Options, answer: Any) -> None:
    pairs = np.array(options["pairs"], int).reshape(-1, 2)
    must(answer.shape == (len(pairs),), "one resistance per pair")
    if len(pairs):
        inverse = np.linalg.pinv(_dense(graph), rcond=1e-12, hermitian=True)  # 0 is never exact
        _, labels = connected_components(_dense(graph), directed=False)
        u, v = pairs.T
        expected = np.where(labels[u] == labels[v], inverse[u, u] + inverse[v, v] - 2 * inverse[u, v], np.inf)
        must(np.allclose(answer, expected, rtol=1e-8, atol=1e-10), "they are not those of the pseudo-inverse")


def _draw_embedding(random: Random, input_graph: InputGraph) -> Options:
    return {"k": random.choice([1, 2, 3]), "normalized": random.random() < 0.5, "seed": random.randint(0, 99)}


@TARGETS.of(
    "spectral_embedding",
    _draw_embedding,
    code=_PATTERN
    + "k = min({k}, graph.num_vertices - 1)\n"
    + "answer = sg.spectral_embedding(graph, k, normalized={normalized}, seed={seed}) if k > 0 else None\n"
    + "first = sg.fiedler_vector(graph, normalized={normalized}) if k > 0 else None\n"
    + "answer = answer, first",
    wrong="",
)
def _check_embedding(graph: Any, options: Options, answer: Any) -> None:
    embedding, first = answer
    if embedding is None:
        return
    values, vectors = embedding
    L = _dense(graph)
    degrees = np.diag(L)
    B = np.where(degrees > 0, degrees, 1.0) if options["normalized"] else np.ones_like(degrees)
    expected = scipy.linalg.eigh(L, np.diag(B), eigvals_only=True)
    must(np.allclose(values, expected[1 : values.size + 1], rtol=1e-6, atol=1e-9), "other eigenvalues")
    must(np.allclose(vectors.T @ (B[:, None] * vectors), np.eye(values.size), atol=1e-8), "not orthonormal")
    must(np.isclose(first[0], values[0], rtol=1e-6, atol=1e-9), "another Fiedler value")


_WEAK = """import warnings
edges = {edges}
u, v, weights = zip(*edges)
weak = sg.from_edges(u, v, np.array(weights), symmetrize=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
"""


def _draw_weak_joins(random: Random, input_graph: InputGraph) -> Options:
    edges = drawn(random, random.choice([[2, 3, 4, 5], [3, 8], [10, 20]]), 40)
    n = size_of(edges)
    pairs = [(random.randrange(n), random.randrange(n)) for _ in range(random.choice([1, 3, 20]))]
    return _draw_embedding(random, input_graph) | {"edges": edges, "pairs": pairs}


@TARGETS.of(
    "spectral_embedding",
    _draw_weak_joins,
    code=_WEAK
    + "    k = min({k}, weak.num_vertices - 1)\n"
    + "    answer = sg.spectral_embedding(weak, k, normalized={normalized}, seed={seed})\n"
    + "answer = answer, sg.effective_resistance(weak, {pairs}), len(caught)",
    wrong="",
)
def _check_weak_joins(graph: Any, options: Options, answer: Any) -> None:
    (values, vectors), resistances, warned = answer
    oracle = Oracle(options["edges"])
    wrong = oracle.wrong_pairs(values, vectors, options["normalized"])
    must(not wrong or warned, wrong)
    for (u, v), value in zip(options["pairs"][:5], resistances, strict=False):
        exact = oracle.resistance(u, v) if u != v else oracle.number(0)
        must(abs(oracle.number(float(value)) - exact) <= exact * oracle.number(1e-6), f"resistance of {u} and {v}")
