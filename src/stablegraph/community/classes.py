"""Random classes of vertices: those of a class act at the same time, on what the classes before it have done.

Result: the vertices of a list in the order of their classes, which are a function of each vertex and a salt.

Cost: two passes over the list, in which the workers count and then write their shares. Work memory: 8 bytes per vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, chunk_bounds, kernel, worker_count
from .._core.runtime.array_types import Int64Table
from .._core.runtime.partitioning import APART
from .._core.runtime.primitives import places_of
from .rules import draw

MIN_CLASS = 8  # vertices
_WORTH_A_WORKER = 1024  # vertices
_ITEMS_OF_A_DRAW = 4  # that take as long


class Span(NamedTuple):
    """A class of vertices: a range of a list, and the salt of the step."""

    vertices: Int64s  # the list
    first: int
    end: int
    salt: int


@kernel(by="workers")
def count_classes(worker, workers, vertices: Int64s, salt: int, classes: int, counts: Int64Table):
    """Count the vertices of each class in a worker's share; the number of classes is a power of two."""
    for k in range(classes):
        counts[worker, k] = 0
    start, end = chunk_bounds(vertices.size, worker, workers)
    for i in range(start, end):
        counts[worker, draw(vertices[i], salt) & (classes - 1)] += 1


@kernel(by="workers")
def fill_classes(worker, workers, vertices: Int64s, salt: int, classes: int, places: Int64Table, result: Int64s):
    """Write each vertex of a worker's share to the next place of its class."""
    start, end = chunk_bounds(vertices.size, worker, workers)
    for i in range(start, end):
        k = draw(vertices[i], salt) & (classes - 1)
        place = places[worker, k]
        places[worker, k] = place + 1
        result[place] = vertices[i]


def number_of_classes(count: int, most: int) -> int:
    """Return the number of classes of some vertices: a power of two, at most the power of two `most`."""
    while most > 1 and count < most * MIN_CLASS:
        most //= 2
    return most


def workers_for(count: int, workers: int) -> int:
    """Return the number of workers for a pass over some vertices that does not read their rows."""
    return min(workers, 1 + count // _WORTH_A_WORKER)


def in_classes(vertices: Any, classes: int, salt: int) -> tuple[Any, Any]:
    """Return vertices in the order of random classes, and the start of each class."""
    n = int(vertices.size)
    if classes == 1:
        return vertices, np.array([0, n])
    workers = worker_count("cpu", _ITEMS_OF_A_DRAW * n)
    counts, ordered = np.empty((workers, classes + APART), np.int64), np.empty_like(vertices)
    count_classes(workers, vertices, salt, classes, counts)
    counts[:, :classes] = places_of(counts[:, :classes])
    starts = np.append(counts[0, :classes], n)
    fill_classes(workers, vertices, salt, classes, counts, ordered)
    return ordered, starts
