"""The first vertex of each label, in partitions: where verifiers begin to search.

A label whose vertices are joined by steps of one or two edges, and which stands in two partitions, stands in each of
them at a boundary vertex or at a ghost. So only these labels are agreed on by all, unless an answer is known to be
wrong, and the sentence about it needs the first vertex of `every` label.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .partition import Partition


class Firsts(NamedTuple):
    """Labels of a partition's own vertices, ascending, and the first vertex of each; as far as is known."""

    labels: Any
    vertices: Any

    def here(self, part: Partition) -> Any:
        """Of which labels the first vertex is in this partition."""
        return (self.vertices >= part.start) & (self.vertices < part.stop)

    def of(self, label: Any) -> int:
        """The first vertex of a label."""
        return int(self.vertices[np.searchsorted(self.labels, label)])


def offered(part: Partition, labels: Any, every: bool) -> tuple[Firsts, Firsts]:
    """What is found here of labels for all vertices here, and the part of it that others must know."""
    distinct, places = np.unique(labels[part.owned], return_index=True)
    found = Firsts(distinct, part.ids[part.owned][places].astype(np.int64))
    if every:
        return found, found
    shared = np.isin(distinct, labels[part.ghosts()]) | np.isin(distinct, labels[part.boundary])
    return found, Firsts(found.labels[shared], found.vertices[shared])


def first_of_each(boxes: list[Firsts]) -> Firsts:
    """What all agree on."""
    labels, vertices = (np.concatenate(column) for column in zip(*boxes, strict=True))
    distinct, places = np.unique(labels, return_index=True)  # partitions ascend
    return Firsts(distinct, vertices[places])


def with_agreed(part: Partition, found: Firsts, agreed: Firsts) -> tuple[Firsts, Any]:
    """The first vertices as agreed on, and a mask of those that are here."""
    vertices, shared = found.vertices.copy(), np.isin(found.labels, agreed.labels)
    vertices[shared] = agreed.vertices[np.searchsorted(agreed.labels, found.labels[shared])]
    result, begun = Firsts(found.labels, vertices), np.zeros(part.size, bool)
    begun[part.local(vertices[result.here(part)])] = True
    return result, begun
