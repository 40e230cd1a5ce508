"""Graphs of parts that are joined by weak edges, with oracles for their Laplacians in exact arithmetic.

A graph is a list of edges (u, v, weight). `drawn` combines parts, sizes, scales of the weights, and joins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp
from random import Random
from typing import Any

import numpy as np

import stablegraph as sg

Edges = list[tuple[int, int, float]]

_DIGITS = 900  # of large graphs; small ones have exact fractions
_EXACT = 16  # maximum number of vertices for fractions


def _path(random: Random, m: int) -> Edges:
    return [(i, i + 1, 1.0) for i in range(m - 1)]


def _star(random: Random, m: int) -> Edges:
    return [(0, i, 1.0) for i in range(1, m)]


def _clique(random: Random, m: int) -> Edges:
    return [(i, j, 1.0) for i in range(m) for j in range(i)]


def _tree(random: Random, m: int) -> Edges:
    return [(random.randrange(i), i, random.choice([1.0, 2.0, 0.3])) for i in range(1, m)]


def _points(random: Random, m: int) -> Edges:
    """Gaussian similarities, which fall continuously."""
    x = [random.gauss(0, 1.5) for _ in range(m)]
    return [(i, j, exp(-((x[i] - x[j]) ** 2))) for i in range(m) for j in range(i)]


PARTS: dict[str, Callable[[Random, int], Edges]] = {
    "path": _path, "star": _star, "tree": _tree, "clique": _clique, "points": _points,
}  # fmt: skip
JOINS = [1e-5, 1e-9, 1e-12, 1e-16, 1e-20, 1e-40, 1e-100, 1e-200, 1e-300]
SCALES = [1.0, 1e-150, 1e-300, 1e150, 1e290]  # of all weights


def chain(random: Random, parts: list[str], sizes: list[int], joins: list[float], scales: list[float]) -> Edges:
    """Return parts in a row; a part has its own scale, and a join is relative to the weaker one of its two parts."""
    edges: Edges = []
    start, previous = 0, 0
    for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        edges += [(start + u, start + v, weight * scales[i]) for u, v, weight in PARTS[part](random, size)]
        if i > 0:
            ends = random.randrange(previous, start), random.randrange(start, start + size)
            edges.append((*ends, max(joins[i - 1] * min(scales[i - 1], scales[i]), 1e-300)))
        previous, start = start, start + size
    return [(u, v, max(weight, 1e-300)) for u, v, weight in edges]


def drawn(random: Random, sizes: list[int], largest: int | None = None) -> Edges:
    """Draw a chain."""
    count = random.choice([2, 2, 3, 4])
    while largest and count * min(sizes) > largest:
        count -= 1
    chosen = [random.choice(sizes) for _ in range(count)]
    while largest and sum(chosen) > largest:
        chosen = [random.choice(sizes) for _ in range(count)]
    parts = [random.choice([*PARTS][: 5 if size < 25 else 3]) for size in chosen]
    scales = [random.choice([1.0, 1.0, 1e-9, 1e-20, 1e-60, 1e6]) for _ in range(count)]
    edges = chain(random, parts, chosen, [random.choice(JOINS) for _ in range(count - 1)], scales)
    scale = random.choice(SCALES if random.random() < 0.3 else SCALES[:1])
    scaled = [(u, v, weight * scale) for u, v, weight in edges]
    return scaled if all(1e-305 < weight < 1e300 for _, _, weight in scaled) else edges


def graph_of(edges: Edges, n: int | None = None) -> sg.Graph:
    u, v, weights = zip(*edges, strict=True)
    return sg.from_edges(u, v, np.array(weights), n=n, symmetrize=True)


def size_of(edges: Edges) -> int:
    return 1 + max(max(u, v) for u, v, _ in edges)


class Oracle:
    """The exact Laplacian of a graph."""

    def __init__(self, edges: Edges) -> None:
        self.n = size_of(edges)
        self.number: Any = Fraction if self.n <= _EXACT else Decimal
        self.neighbors: list[dict[int, Any]] = [{} for _ in range(self.n)]
        with localcontext(prec=_DIGITS):
            for u, v, weight in edges:
                self.neighbors[u][v] = self.neighbors[v][u] = self.number(weight)
            self.degrees = [sum(row.values(), self.number(0)) for row in self.neighbors]

    def B(self, normalized: bool) -> list[Any]:
        """Return the diagonal of B, with exact sums."""
        return [d if d and normalized else self.number(1) for d in self.degrees]

    def resistance(self, u: int, v: int) -> Any:
        """Return the resistance of a pair, exactly; infinite in different components."""
        with localcontext(prec=_DIGITS):
            rows = [dict(row) for row in self.neighbors]
            for vertex in self._order(rows, {u, v}):
                row = rows[vertex]
                total = sum(row.values(), self.number(0))
                for i, a in row.items():
                    del rows[i][vertex]
                    for j, b in row.items():
                        if i != j:
                            rows[i][j] = rows[i].get(j, 0) + a * b / total
                rows[vertex] = {}
            return 1 / rows[u][v] if v in rows[u] else np.inf

    def count_below(self, value: Any, normalized: bool) -> int:
        """Return the number of eigenvalues of L x = lambda B x below a value: the negative pivots of L - value B."""
        with localcontext(prec=_DIGITS):
            rows = [{v: -weight for v, weight in row.items()} for row in self.neighbors]
            diagonal = [d - value * b for d, b in zip(self.degrees, self.B(normalized), strict=True)]
            negative = 0
            for vertex in self._order(rows, set()):
                row, pivot = rows[vertex], diagonal[vertex]
                assert pivot != 0, "an eigenvalue of a submatrix"
                negative += pivot < 0
                for i, a in row.items():
                    del rows[i][vertex]
                    diagonal[i] -= a * a / pivot
                    for j, b in row.items():
                        if i != j:
                            rows[i][j] = rows[i].get(j, 0) - a * b / pivot
                rows[vertex] = {}
            return negative

    def quotient(self, x: Any, normalized: bool) -> Any:
        """Return the Rayleigh quotient of a vector of floats, exactly."""
        with localcontext(prec=_DIGITS):
            values = [self.number(float(entry)) for entry in x]
            squares = self.number(0)
            for u, row in enumerate(self.neighbors):
                squares += sum((weight * (values[u] - values[v]) ** 2 for v, weight in row.items() if u < v), 0)
            return squares / sum(b * entry**2 for b, entry in zip(self.B(normalized), values, strict=True))

    def product(self, x: Any, y: Any, normalized: bool) -> Any:
        """Return x . B y of two lists of exact numbers."""
        return sum(b * a * c for b, a, c in zip(self.B(normalized), x, y, strict=True))

    def _order(self, rows: list[dict[int, Any]], kept: set[int]) -> Iterator[int]:
        """Yield the vertices in the order of their current degrees."""
        remaining = set(range(self.n)) - kept
        while remaining:
            vertex = min(remaining, key=lambda v: len(rows[v]))
            remaining.remove(vertex)
            yield vertex

    def wrong_pairs(self, values: Any, vectors: Any, normalized: bool, error: float = 1e-6) -> str:
        """Return what is wrong with the smallest eigenpairs after the constant; an empty string if nothing is."""
        low, high = self.number(1 - error), self.number(1 + error)
        with localcontext(prec=_DIGITS):
            for j, value in enumerate(values):
                exact = self.number(float(value))
                if not value > 0:
                    return f"eigenvalue {j} is {value}"
                if not (
                    self.count_below(exact * low, normalized) <= j + 1 < self.count_below(exact * high, normalized)
                ):
                    return f"{value} is not eigenvalue {j}"
                if not exact * low <= self.quotient(vectors[:, j], normalized) <= exact * high:
                    return f"vector {j} has another Rayleigh quotient than {value}"
            columns = [[self.number(1)] * self.n, *([self.number(float(entry)) for entry in x] for x in vectors.T)]
            squares = [self.product(x, x, normalized) for x in columns]
            for i, x in enumerate(columns):
                if i and not abs(squares[i] - 1) < self.number(1e-8):
                    return f"vector {i - 1} has the length {float(squares[i]) ** 0.5}"
                for j in range(i):
                    if not self.product(x, columns[j], normalized) ** 2 < self.number(1e-16) * squares[i] * squares[j]:
                        return f"vectors {j - 1} and {i - 1} are not orthogonal"
        return ""
