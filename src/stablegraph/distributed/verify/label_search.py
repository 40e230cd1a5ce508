"""The first vertex of each label, in partitions: the starting points of the verifiers' searches.

Suppose that the vertices of a label are connected by steps of one or two edges, and that two partitions have the label.
Then each of them has it at a boundary vertex or at a ghost. So the partitions agree on the first vertices of only these
labels. Once a labeling is known to be wrong, the explanation needs the first vertex of `every` label.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..partition import Partition


class Representatives(NamedTuple):
    """Labels of a partition's own vertices, ascending, and the first known vertex of each."""

    labels: Any
    vertices: Any

    def here(self, part: Partition) -> Any:
        """Return a mask of the labels whose first vertex is in this partition."""
        return (self.vertices >= part.start) & (self.vertices < part.stop)

    def of(self, label: Any) -> int:
        """Return the first vertex of a label."""
        return int(self.vertices[np.searchsorted(self.labels, label)])


def shared_representatives(part: Partition, labels: Any, every: bool) -> tuple[Representatives, Representatives]:
    """Find the first own vertex of each label; return all of them, and those that other partitions need.

    `labels` has the label of each local vertex.
    """
    distinct, places = np.unique(labels[part.owned], return_index=True)
    found = Representatives(distinct, part.ids[part.owned][places].astype(np.int64))
    if every:
        return found, found
    shared = np.isin(distinct, labels[part.ghosts()]) | np.isin(distinct, labels[part.boundary])
    return found, Representatives(found.labels[shared], found.vertices[shared])


def first_of_each(messages: list[Representatives]) -> Representatives:
    """Return the first vertex of each label over all partitions."""
    labels, vertices = (np.concatenate(column) for column in zip(*messages, strict=True))
    distinct, places = np.unique(labels, return_index=True)  # partitions ascend
    return Representatives(distinct, vertices[places])


def with_agreed(part: Partition, found: Representatives, agreed: Representatives) -> tuple[Representatives, Any]:
    """Replace first vertices by those that all partitions agree on.

    Return them, and a mask of the ones in this partition.
    """
    vertices, shared = found.vertices.copy(), np.isin(found.labels, agreed.labels)
    vertices[shared] = agreed.vertices[np.searchsorted(agreed.labels, found.labels[shared])]
    result, begun = Representatives(found.labels, vertices), np.zeros(part.size, bool)
    begun[part.local(vertices[result.here(part)])] = True
    return result, begun
