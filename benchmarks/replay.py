"""Communication between partitions, simulated on one machine: rounds, messages, bytes and imbalance.

The rounds of a set (in the order "degree") and of a search are replayed for any number of partitions without a cluster.
A vertex sees the current states of its own partition, and the states of other partitions after the last round. The
numbers are those of `stablegraph.distributed` up to the round after which one task would finish the remaining vertices;
a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph._core.runtime import edge_splits, hash32
from stablegraph.cluster.problems.search import max_targets

from .graphs import rows_of

_UNDECIDED, _OUT, _IN = 1, 0, 2
_ID = 4  # bytes


class Split:
    """A graph in partitions: the owner of each vertex, and the neighboring partitions."""

    def __init__(self, graph: sg.Graph, partitions: int) -> None:
        self.u, self.v, n = rows_of(graph), graph.indices.astype(np.int64), graph.num_vertices
        self.bounds = edge_splits(graph.indptr, partitions)
        self.owner = np.repeat(np.arange(partitions), np.diff(self.bounds))
        self.inside = self.owner[self.u] == self.owner[self.v]
        pairs = np.unique(self.owner[self.u[~self.inside]] * partitions + self.owner[self.v[~self.inside]])
        self.readers = np.bincount(pairs // partitions, minlength=partitions)
        self.on_boundary = np.zeros(n, bool)
        self.on_boundary[self.u[~self.inside]] = True
        self.boundary = self._per_partition(self.on_boundary)
        work = np.diff(graph.indptr[self.bounds]) + np.diff(self.bounds)
        copies = np.unique(self.owner[self.u[~self.inside]] * n + self.v[~self.inside])
        ghosts = np.bincount(copies // n, minlength=partitions)
        self.sees_most_elsewhere = ghosts > np.diff(self.bounds)
        self.facts = {
            "partitions": partitions,
            "messages": int(pairs.size),
            "boundary": int(self.boundary.sum()),
            "ghosts": int(ghosts.sum()),
            "imbalance": float(work.max() / max(work.mean(), 1)),
        }

    def _per_partition(self, mask: np.ndarray) -> np.ndarray:
        return np.bincount(self.owner[mask], minlength=self.readers.size)

    def bytes_told(self, changed: np.ndarray) -> int:
        """Return the bytes that are read when these vertices have changed by one bit."""
        sent, marks = self._per_partition(changed & self.on_boundary), -(-self.boundary // 8)
        places = np.where(4 * sent < self.boundary // 8, 4 * sent, marks)
        return int(((places + -(-sent // 8)) * self.readers).sum())

    def bytes_of_targets(self, level: np.ndarray) -> np.ndarray:
        """Return the bytes read after each level: ids that are adjacent to its boundary vertices, if these are few."""
        partitions, n = self.readers.size, level.size
        levels = int(level.max()) + 2
        of_level = level.astype(np.int64) * partitions + self.owner  # counts are by level and partition
        on_boundary = (self.on_boundary & (level >= 0))[self.u]
        entries = np.bincount(of_level[self.u[on_boundary]], minlength=levels * partitions)
        later = ~self.inside & (level[self.u] >= 0) & (level[self.v] >= level[self.u])
        targets = np.unique(of_level[self.u[later]] * n + self.v[later]) // max(n, 1)
        sent = np.bincount(targets, minlength=levels * partitions)
        few = entries.reshape(levels, partitions) <= [max_targets(size) for size in self.boundary.tolist()]
        result: np.ndarray = (sent.reshape(levels, partitions) * few) @ self.readers * _ID
        return result


def ranks(graph: sg.Graph) -> np.ndarray:
    """Return the rank of each vertex in the order "degree"."""
    n = graph.num_vertices
    hashes = np.fromiter(map(hash32, range(n)), np.int64, n)
    order = np.lexsort((-np.arange(n), -hashes, graph.degrees))
    result = np.empty(n, np.int64)
    result[order] = np.arange(n)
    return result


def set_rounds(graph: sg.Graph, split: Split, rank: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield for each round of a set the number of undecided vertices after it, and the bytes that are read."""
    u, v, n = split.u, split.v, graph.num_vertices
    apart = u != v
    u, v, inside = u[apart], v[apart], split.inside[apart]
    ahead = rank[v] < rank[u]
    status = np.full(n, _UNDECIDED, np.uint8)
    reads_on = ~split.sees_most_elsewhere[split.owner[u]]  # past the first neighbor that decides or is waited for
    while (status == _UNDECIDED).any():
        before, decided = status.copy(), -1
        while decided:
            seen = np.where(inside, status[v], before[v])
            counts = (seen == _IN) | ((seen == _UNDECIDED) & ahead)
            if not reads_on.all():
                counts &= reads_on | _firsts(u, counts)
            beaten, waits = np.zeros(n, bool), np.zeros(n, bool)
            beaten[u[counts & (seen == _IN)]] = True
            waits[u[counts & (seen == _UNDECIDED)]] = True
            now = np.where(beaten, _OUT, np.where(waits, _UNDECIDED, _IN)).astype(np.uint8)
            now[status != _UNDECIDED] = status[status != _UNDECIDED]
            decided, status = int(np.count_nonzero(now != status)), now
        reads_on[:] = True
        yield int(np.count_nonzero(status == _UNDECIDED)), split.bytes_told(status != before)


def _firsts(u: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Mark the first entry of each row that a mask contains; entries are sorted by row, in `u`."""
    places = np.flatnonzero(mask)
    result = np.zeros_like(mask)
    result[places[np.diff(u[places], prepend=-1) != 0]] = True
    return result


def search_rounds(graph: sg.Graph, split: Split) -> Iterator[tuple[int, int]]:
    """Yield for each level of a search from vertex 0 its number of vertices, and the bytes that are read."""
    distance, _ = sg.breadth_first_search(graph, 0)
    of_targets = split.bytes_of_targets(distance)
    for level in range(1, int(distance.max()) + 2):
        new = distance == level
        yield int(np.count_nonzero(new)), split.bytes_told(new) + int(of_targets[level])


def replayed(graph: sg.Graph, partitions: int, rank: np.ndarray) -> dict[str, Any]:
    """Return all counts for one number of partitions."""
    split = Split(graph, partitions)
    remaining, sent = zip(*set_rounds(graph, split, rank), strict=True)
    _, searched = zip(*search_rounds(graph, split), strict=True)
    little = graph.num_entries // (4 * partitions)
    few = next(
        k for k, undecided in enumerate(remaining, 1) if undecided * graph.num_entries <= little * graph.num_vertices
    )
    return {
        **split.facts,
        "set_rounds": len(remaining),
        "set_rounds_until_little": few,
        "set_bytes": sum(sent[:-1]),  # the last ones are never read
        "search_rounds": len(searched),
        "search_bytes": sum(searched),
    }
