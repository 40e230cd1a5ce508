"""Searches from the first vertex of each label, in partitions, and checks that no label belongs to two components.

Suppose that the vertices of a label are connected by steps of one or two edges, and that two partitions have the label.
Then each of them has it at a boundary vertex or at a ghost. So the partitions agree on the first vertices of only these
labels. Once a labeling is known to be wrong, the explanation needs the first vertex of `every` label.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from ..._core.runtime import Array
from ...verify.searches import adjacency
from ..partition import Partition
from ..supersteps import Supersteps


class Representatives(NamedTuple):
    """Labels of a partition's owned vertices, ascending, and the first known vertex of each."""

    labels: Array
    vertices: Array

    def are_owned(self, part: Partition) -> Any:
        """Return a mask of the labels whose first vertex is in this partition."""
        return (self.vertices >= part.start) & (self.vertices < part.stop)

    def vertex_of(self, label: Any) -> int:
        """Return the first vertex of a label."""
        return int(self.vertices[np.searchsorted(self.labels, label)])


def search_labels(
    run: Supersteps, begin: Callable[..., Any], extend: Callable[..., Any], check: Callable[..., Any], every: bool
) -> list[Any]:
    """Search from the first vertices of labels; return the counts of the step `check`.

    The states have `labels` and `representatives`. The step `begin` receives the first vertices on which all partitions
    agree. It and the steps `extend` report whether they have sent something.
    """
    run.step(_send_representatives, every)
    active = run.step(begin, run.run_on_one_worker(merge_representatives))
    while any(active):
        active = run.step(extend)
    return run.step(check)


def _send_representatives(part: Partition, state: Any, inbox: Any, every: bool) -> Any:
    """Find the first owned vertex of each label, and send those that other partitions need."""
    labels = state.labels
    distinct, places = np.unique(labels[part.owned], return_index=True)
    result = Representatives(distinct, part.ids[part.owned][places].astype(np.int64))
    state = state._replace(representatives=result)
    if every:
        return state, result, None
    shared = np.isin(distinct, labels[part.ghosts()]) | np.isin(distinct, labels[part.boundary])
    return state, Representatives(result.labels[shared], result.vertices[shared]), None


def merge_representatives(messages: list[Representatives]) -> Representatives:
    """Return the first vertex of each label over all partitions."""
    labels, vertices = (np.concatenate(column) for column in zip(*messages, strict=True))
    distinct, places = np.unique(labels, return_index=True)  # partitions ascend
    return Representatives(distinct, vertices[places])


def with_agreed(part: Partition, local: Representatives, agreed: Representatives) -> tuple[Representatives, Any]:
    """Replace first vertices by those that all partitions agree on.

    Return them, and a mask of the ones in this partition.
    """
    vertices, shared = local.vertices.copy(), np.isin(local.labels, agreed.labels)
    vertices[shared] = agreed.vertices[np.searchsorted(agreed.labels, local.labels[shared])]
    result, sources = Representatives(local.labels, vertices), np.zeros(part.size, bool)
    sources[part.local(vertices[result.are_owned(part)])] = True
    return result, sources


def closure(tails: Any, heads: Any, reached: Any) -> Any:
    """Return a mask of all vertices that can be reached along arcs from those in the mask `reached`."""
    sources, size = np.flatnonzero(reached), reached.size
    arcs = np.concatenate([tails, np.full(sources.size, size)]), np.concatenate([heads, sources])
    result = np.zeros(size + 1, bool)
    result[breadth_first_order(adjacency(size + 1, *arcs), size, return_predecessors=False)] = True
    return result[:size]


def extremes_of(labels: Any) -> tuple[int, int, bool] | None:
    """Return the first and the last of some labels, and whether they ascend; None if there are no labels."""
    return (int(labels[0]), int(labels[-1]), bool((np.diff(labels) > 0).all())) if labels.size else None


def label_of_two_components(run: Supersteps, extremes: list[Any]) -> tuple[int, int, int] | None:
    """Find a label of two components, and return it with the smallest vertex of each; None if there is none.

    `extremes` are those of the labels of each partition's components, in the order of their smallest vertices. Labels
    that ascend with these are distinct. Otherwise one task compares the labels and vertices in the messages.
    """
    extremes = [one for one in extremes if one is not None]
    if all(ascend for _, _, ascend in extremes) and all(low[1] < high[0] for low, high in pairwise(extremes)):
        return None
    result: tuple[int, int, int] | None = run.compute_on_one_worker(_find_label_of_two)
    return result


def _find_label_of_two(messages: list[Any]) -> tuple[int, int, int] | None:
    labels, roots = (np.concatenate(column) for column in zip(*messages, strict=True))
    order = np.argsort(labels, kind="stable")
    same = np.flatnonzero(labels[order][1:] == labels[order][:-1])
    if not same.size:
        return None
    second = int(order[same + 1].min())  # the smallest vertex that is not connected to the first one of its label
    first = int(np.flatnonzero(labels == labels[second])[0])
    return int(labels[second]), int(roots[first]), int(roots[second])
