"""Laplacians of small graphs whose weights differ by many orders of magnitude: eigenpairs and resistances.

Result: small eigenvalues and all resistances with a small relative error, whatever the weights are.

Rule: eliminate vertex k with the degree d = sum of w_ki, and join its neighbors:

    w_ij += w_ki w_kj / d,    L = sum of g g',    g = sqrt(d) at k,  -w_ki / sqrt(d) at each neighbor i

In the code: `join_neighbors`.

Idea: the diagonal of a Laplacian is the sum of its other entries, so it need not be stored, and rounding cannot hide a
weak edge behind a strong one. Without the diagonal, an elimination only adds, multiplies and divides positive numbers:
each weight keeps its relative accuracy, as in the algorithm of Grassmann, Taksar and Heyman for Markov chains.

**Eigenpairs.** The next vertex has the largest ratio of the degree to B, so the vectors g are well conditioned except
for their lengths. Their singular values, computed by LAPACK's preconditioned Jacobi method, have a small relative error
for all lengths; their squares are the eigenvalues.

**Resistances.** Eliminate all vertices except for the two of a pair: the resistance is the inverse of the remaining
weight. For many pairs, the vertices are divided into quarters; each pair of quarters is a smaller problem.

Cost: O(n**3) for the eigenpairs, and for the resistances of any number of pairs. One thread. Work memory: 24 n**2
bytes.

Source: W. Grassmann, M. Taksar, D. Heyman, "Regenerative Analysis and Steady State Distributions for Markov Chains",
Operations Research 33(5), 1985; J. Demmel, M. Gu, S. Eisenstat, I. Slapnicar, K. Veselic, Z. Drmac, "Computing the
Singular Value Decomposition with High Relative Accuracy", Linear Algebra and its Applications 299, 1999.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from .._core.runtime import Float64s, Float64Table, Int64s, kernel, rule
from .block_vectors import Block
from .laplacian import Laplacian

MAX_VERTICES = 500
_PARTS = 4
_MAX_PAIRED = 24  # vertices: their pairs are computed one by one
_MAX_SWEEPS = 60
_ROUNDS = 4


@rule
def join_neighbors(W, vertex):
    """Eliminate a vertex from a symmetric matrix of weights with a zero diagonal."""
    degree = 0.0
    for j in range(W.shape[0]):
        degree += W[vertex, j]
    for i in range(W.shape[0]):
        a = W[vertex, i]
        if a > 0:
            for j in range(i):
                b = W[vertex, j]
                if b > 0:
                    added = max(a, b) / degree * min(a, b)
                    W[i, j] += added
                    W[j, i] += added
    for j in range(W.shape[0]):
        W[vertex, j] = 0.0
        W[j, vertex] = 0.0


@kernel(by="single")
def eliminate_vertices(W: Float64Table, vertices: Int64s):
    """Eliminate vertices in this order."""
    for place in range(vertices.size):
        join_neighbors(W, vertices[place])


@kernel
def reduce_to_pair(i, W: Float64Table, u: Int64s, v: Int64s, copies: Float64Table, result: Float64s):
    """Compute the weight between u[i] and v[i] after the elimination of all other vertices."""
    n = W.shape[0]
    copy = copies[i * n : (i + 1) * n]
    for a in range(n):
        for b in range(n):
            copy[a, b] = W[a, b]
    for vertex in range(n):
        if vertex != u[i] and vertex != v[i]:
            join_neighbors(copy, vertex)
    result[i] = copy[u[i], v[i]]


@kernel(by="single")
def factor(W: Float64Table, B: Float64s, G: Float64Table, lengths: Float64s):
    """Eliminate the vertex with the largest degree relative to B, until G is full; compute vectors of length 1."""
    n = W.shape[0]
    for k in range(G.shape[0]):
        pivot = 0
        degree = 0.0
        largest = -1.0
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += W[i, j]
            if total / B[i] > largest:
                largest = total / B[i]
                degree = total
                pivot = i
        if degree == 0:  # a weight was smaller than the smallest float
            return
        root = math.sqrt(degree)
        scale = root / math.sqrt(B[pivot])
        square = 0.0
        for j in range(n):
            G[k, j] = -(W[pivot, j] / root / math.sqrt(B[j])) / scale
            square += G[k, j] * G[k, j]
        G[k, pivot] = 1.0
        norm = math.sqrt(square + 1.0)
        for j in range(n):
            G[k, j] /= norm
        lengths[k] = scale * norm
        join_neighbors(W, pivot)


@kernel(by="single")
def rotate_pairs(G: Float64Table, lengths: Float64s, small: float, rotated: Int64s):
    """Make each pair of rows orthogonal by a rotation, the longer one first; count the rotations."""
    n = G.shape[1]
    for p in range(G.shape[0]):
        for q in range(p + 1, G.shape[0]):
            if lengths[p] < lengths[q]:
                lengths[p], lengths[q] = lengths[q], lengths[p]
                for j in range(n):
                    G[p, j], G[q, j] = G[q, j], G[p, j]
            if lengths[q] == 0:
                continue
            cosine = 0.0
            for j in range(n):
                cosine += G[p, j] * G[q, j]
            if abs(cosine) <= small:
                continue
            rotated[0] += 1
            ratio = lengths[q] / lengths[p]
            difference = (1.0 - ratio) * (1.0 + ratio)
            turn = 2.0 * cosine * ratio
            tangent = 2.0 * cosine / (difference + math.sqrt(difference * difference + turn * turn))
            added = tangent * ratio * ratio
            longer = 0.0
            shorter = 0.0
            for j in range(n):
                x = G[p, j] + added * G[q, j]
                y = G[q, j] - tangent * G[p, j]
                longer += x * x
                shorter += y * y
                G[p, j] = x
                G[q, j] = y
            longer = math.sqrt(longer)
            shorter = math.sqrt(shorter)
            slope = tangent * ratio
            scale = 1.0 / math.sqrt(1.0 + slope * slope)
            lengths[p] *= longer * scale
            lengths[q] *= shorter * scale
            for j in range(n):
                G[p, j] /= longer
                G[q, j] /= shorter


def smallest_pairs(laplacian: Laplacian, B: Any, count: int) -> tuple[Any, Block]:
    """Return the square roots of the smallest eigenvalues after the null space, and their vectors."""
    rank = B.size - laplacian.num_components
    G, lengths = np.zeros((rank, B.size)), np.zeros(rank)
    factor(_dense_weights(laplacian), B, G, lengths)
    rotated = np.ones(1, np.int64)
    for _ in range(_MAX_SWEEPS):
        if not rotated[0]:
            break
        rotated[0] = 0
        rotate_pairs(G, lengths, 1e-16 * max(10.0, np.sqrt(B.size)), rotated)
    order = np.argsort(lengths, kind="stable")[:count]
    return lengths[order], np.ascontiguousarray((G[order] / np.sqrt(B)).T)


def smoothed(laplacian: Laplacian, B: Any, value: float, x: Any, rough: Any) -> Any:
    """Return an eigenvector whose entries at `rough` vertices are computed again from the other entries."""
    W = _dense_weights(laplacian)
    steps = []
    for vertex in np.flatnonzero(rough):
        row = W[vertex].copy()
        degree = row.sum()
        if degree > 0:
            steps.append((vertex, row / degree, degree))
            eliminate_vertices(W, np.array([vertex]))
    result = np.where(rough, 0.0, x)
    for _ in range(_ROUNDS):
        sources = value * B * result
        for vertex, shares, _ in steps:
            sources += shares * sources[vertex]
        for vertex, shares, degree in reversed(steps):
            result[vertex] = shares @ result + sources[vertex] / degree
    return result


def resistances(laplacian: Laplacian, u: Any, v: Any) -> Any:
    """Return the resistances of pairs of different vertices, each in one component."""
    weights = np.empty(u.size)
    _reduce(_dense_weights(laplacian), u, v, weights, np.arange(u.size))
    with np.errstate(over="ignore", divide="ignore"):
        return 1 / weights


def _reduce(W: Any, u: Any, v: Any, weights: Any, chosen: Any) -> None:
    """Set the chosen weights, those of the pairs (u, v) after the elimination of all other vertices of W."""
    used, places = np.unique(np.r_[u, v], return_inverse=True)
    u, v = places[: u.size], places[u.size :]
    others = np.setdiff1d(np.arange(len(W)), used)
    if others.size:
        W = W.copy()
        eliminate_vertices(W, others[np.argsort(np.count_nonzero(W[others], axis=1), kind="stable")])
        W = W[np.ix_(used, used)]
    if used.size <= _MAX_PAIRED:
        result = np.empty(u.size)
        reduce_to_pair(u.size, W, u, v, np.empty((u.size * used.size, used.size)), result)
        weights[chosen] = result
        return
    part_of = np.arange(used.size) * _PARTS // used.size
    waiting = np.ones(u.size, bool)
    for parts in combinations(range(_PARTS), 2):
        inside = waiting & np.isin(part_of[u], parts) & np.isin(part_of[v], parts)
        waiting &= ~inside
        if inside.any():
            _reduce(W, u[inside], v[inside], weights, chosen[inside])


def _dense_weights(laplacian: Laplacian) -> Any:
    W = -laplacian.matrix.toarray()
    np.fill_diagonal(W, 0.0)
    return W
