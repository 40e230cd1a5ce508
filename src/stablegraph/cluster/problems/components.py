"""Connected components, in partitions.

Result: labels 0, 1, .. by the smallest vertices, as on one machine.

Rule: two vertices have the same label <=> a path connects them. In the code: `_unite_owned` joins vertices along the
edges of a partition, `_pairs` finds groups with a shared vertex.

Idea: a partition unites its own vertices along their entries. A ghost is claimed by one of its own neighbors, and its
other own neighbors are united with that one. So trees consist of own vertices only, and the root of each is its
smallest vertex. Groups are numbered by their roots, after the groups of earlier partitions, so all numbers are
distinct. A vertex is in one group of its owner, and may be in one group of each partition that has it as a ghost; all
of these groups are the same component. Each partition therefore sends the groups of its boundary vertices. Most of them
are in one group, the largest, for which one bit per vertex suffices. If a group shares a vertex with a group of another
partition, they form a pair. Nearly all vertices yield the same few pairs. One task joins groups by the distinct pairs,
and lists the groups with an earlier group in their component. All groups that are not in this list count as components.
So each partition computes its labels from this list.

With many partitions, each sees few edges per vertex, so there are many small groups and many pairs. Nearly all of the
pairs join a small group to the largest group of another partition. Groups that share vertices with the same largest
group are in one component, and a partition can determine this by itself. So if many boundary vertices are outside the
largest groups, though most are inside, each partition first joins such groups, and sends its boundary again. Then few
pairs remain.

State: the group of each vertex of the partition.

Labels by smallest vertices take three more rounds: a partition knows the smallest vertices of the components that begin
in it, and sends those of components with groups of later partitions.

Cost: four rounds, or five. A boundary vertex takes 1 bit in a message, and 4 bytes more if it is not in the largest
group of its partition. Entries are read once, at about 10 ns each on random graphs and 2 ns on grids; ghosts once or
twice, at 3 ns each. One task holds all distinct pairs at 8 bytes each (16 from 2**31 groups on), and needs 40 bytes
more per pair while it works, in addition to the memory for numbering the groups (partition.py).

Work memory: 8 bytes per vertex, 2 for each ghost of one neighbor, and 40 for each of these ghosts outside the largest
group.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.csr.groups import smallest_members
from ..._core.engines.union import number_trees, unite
from ..._core.option_names import ComponentLabel
from ..._core.runtime import Bools, Int32s, Rows, array_module, atomic_compare_and_swap, device_of, kernel, prefetch
from ..._core.runtime.array_types import Array
from ..._core.runtime.arrays import largest
from ..._core.runtime.primitives import compact
from ..gpu_execution import device_agnostic
from ..graph import DistributedGraph
from ..messages import Changes, has_update, pack_changes, write_changes
from ..partition import Partition, number_vertices, numbering_bytes, take
from ..supersteps import Supersteps

_BYTES_A_PAIR = 64  # of the task that joins them, in addition to the memory for numbering the groups
MANY = 1 << 19  # boundary vertices outside the largest groups; joining their pairs, about five each, costs a round
_NO_GROUP = -1
_PREFETCH_DISTANCE = 24  # entries: prefetch distance


class Groups(NamedTuple):
    """The state; groups are numbered by their smallest vertices among the partition's own ones."""

    labels: Array  # (k,): the group of each local vertex
    groups: int
    largest: int = _NO_GROUP  # the group of most boundary vertices
    answers: Any = None  # the label of each group


class _BoundaryGroups(NamedTuple):
    """The groups of a boundary."""

    largest: int
    others: Changes

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return 8 + self.others.nbytes


class _Counts(NamedTuple):
    """The counts that a partition reports to the client."""

    groups: int
    boundary: int  # the number of boundary vertices
    others: int  # the number of boundary vertices outside the largest group


@kernel(by="edges", V="int32", O="int32")
def _unite_owned(i, rows: Rows, first: int, parent: Int32s, claims: Int32s):
    """Unite the i-th own vertex with its own neighbors, and with the vertices that have claimed its ghosts."""
    last = rows.indices.size - 1
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        prefetch(claims, rows.indices[min(e + _PREFETCH_DISTANCE, last)])
        v = rows.indices[e]
        u = v - first
        is_selected = u < i  # entries between own vertices are in both rows; use one of them
        if u < 0 or u >= parent.size:
            u = claims[v]
            if u == _NO_GROUP:
                u = atomic_compare_and_swap(claims, v, _NO_GROUP, i)
            is_selected = u != _NO_GROUP
        if is_selected:
            unite(i, u, parent)


@kernel
def _label_claimed(v, first: int, numbers: Int32s, labels: Int32s):
    """Write the number of a local vertex's group; a ghost is in the group of the vertex that has claimed it."""
    u = v - first
    if u < 0 or u >= numbers.size:
        u = labels[v]
    labels[v] = numbers[u]


@kernel
def _unite_adjacent(i, groups: Int32s, is_other: Bools, largest: int, parent: Int32s):
    """Unite the group of the i-th ghost with the largest group of its owner, if the ghost is in that group."""
    if not is_other[i]:
        unite(groups[i], largest, parent)


@kernel
def _unite_pair(i, groups: Int32s, parent: Int32s):
    """Unite the groups of the i-th pair."""
    unite(groups[2 * i], groups[2 * i + 1], parent)


def connected_components(graph: DistributedGraph, label: ComponentLabel) -> tuple[tuple[int, Any], dict[str, Any]]:
    """Compute `stablegraph.connected_components` for a graph in partitions: count and labels; statistics."""
    count, labels, info = label_components(graph, MANY, label)
    return (count, labels), info


def label_components(
    graph: DistributedGraph, many: int, label: ComponentLabel = "number"
) -> tuple[int, Any, dict[str, Any]]:
    """Return the count, the labels and the statistics of the run.

    If more than `many` boundary vertices are outside the largest groups, an additional round joins groups first.
    """
    run = Supersteps(graph, "components")
    counts = run.step(_group)
    boundary, others = sum(count.boundary for count in counts), sum(count.others for count in counts)
    if many < others <= boundary // 2:
        counts = run.step(_join_largest_neighbors)
    starts = starts_of([count.groups for count in counts])
    pairs = sum(run.step(_pairs, starts, left=sum))
    needed = _BYTES_A_PAIR * pairs + numbering_bytes(starts[-1], 2 * pairs)
    run.check_memory_of_one_worker(needed, "the groups of different partitions")
    joined = run.run_on_one_worker(_join_pairs, starts)
    count, labels = labeled(run, joined, starts)
    if label == "smallest":
        run.step(_send_roots, joined, starts)
        run.step(_label_by_roots, joined, starts, run.run_on_one_worker(np.concatenate))
        labels = run.graph.labels_array(run.answers(_labels))
    return count, labels, run.info


def starts_of(counts: list[int], first: int = 0) -> list[int]:
    """Return the first number of each partition, and the end of the last partition's numbers."""
    return list(accumulate(counts, initial=first))


def labeled(run: Supersteps, joined: Any, starts: list[int]) -> tuple[int, Any]:
    """Number the components of the groups of all partitions by their smallest vertices.

    Return the count, and the labels. The states are `Groups`; `joined` is the future of a result of `later_groups`.
    """
    counts = run.step(_label, joined, starts)
    return sum(counts), run.graph.labels_array(run.answers(_labels))


@device_agnostic
def _group(part: Partition, state: Any, inbox: Any) -> Any:
    size, kind = part.stop - part.start, index_type(part.size)
    parent = part.xp.arange(size, dtype=kind)
    labels = part.xp.full(part.size, _NO_GROUP, kind)
    for rows in part.owned_sides:
        _unite_owned(size, rows, part.first, parent, labels)
    count, numbers = number_trees(parent)
    _label_claimed(part.size, part.first, numbers, labels)
    return _with_message(part, labels, count)


def _with_message(part: Partition, labels: Any, count: int) -> Any:
    """Return the state, the message to the neighbors, and the counts."""
    groups = take(part.boundary, labels)
    most_frequent = int(np.bincount(groups).argmax()) if groups.size else _NO_GROUP
    message = _BoundaryGroups(most_frequent, pack_changes(groups != most_frequent, groups))
    return Groups(labels, count, most_frequent), message, _Counts(count, groups.size, message.others.values.size)


@device_agnostic
def _join_largest_neighbors(part: Partition, state: Groups, inbox: dict[int, _BoundaryGroups]) -> Any:
    """Join the groups that share a vertex with the same largest group of a neighbor."""
    parent = part.xp.arange(state.groups + len(inbox), dtype=index_type(part.size + len(inbox)))
    for place, (q, message) in enumerate(inbox.items(), state.groups):
        first, stop, places = part.sources[q]
        is_other = has_update(message.others, places)
        _unite_adjacent(is_other.size, state.labels[first:stop], is_other, place, parent)
    _, numbers = number_trees(parent)  # keeps the order of groups; the neighbors' groups are last
    numbers = numbers[: state.groups].astype(state.labels.dtype, copy=False)
    return _with_message(part, take(state.labels, numbers), largest(numbers, -1) + 1)


@device_agnostic
def _pairs(part: Partition, state: Groups, inbox: dict[int, _BoundaryGroups], starts: list[int]) -> Any:
    """Find the pairs of groups that share a vertex, each once.

    Both partitions see an edge between them, so only the one with the smaller number looks for pairs.
    """
    result = [part.xp.empty((0, 2), index_type(starts[-1]))]
    for q, (largest_group, others) in inbox.items():
        if q > part.number:
            first, stop, places = part.sources[q]
            groups = state.labels[first:stop]
            rare = compact(has_update(others, places) | (groups != state.largest))
            remote = part.xp.full(rare.size, largest_group, np.int64)
            write_changes(others, take(rare, places), remote)
            local, remote = _distinct_pairs(take(rare, groups), remote, starts[q + 1] - starts[q])
            if rare.size < groups.size:
                local, remote = np.append(local, state.largest), np.append(remote, largest_group)
            pairs = np.stack([local + starts[part.number], remote + starts[q]], axis=1)
            result.append(pairs.astype(result[0].dtype))
    pairs = np.concatenate(result)
    return state, pairs, len(pairs)


def _distinct_pairs(local: Any, remote: Any, remote_groups: int) -> Any:
    """Return the distinct pairs; the second numbers are below `remote_groups`."""
    pairs = np.sort(local * np.int64(remote_groups) + remote)
    is_first = array_module(device_of(pairs)).ones(pairs.size, bool)
    is_first[1:] = pairs[1:] != pairs[:-1]
    return np.divmod(take(compact(is_first), pairs), remote_groups)


def _join_pairs(messages: list[Any], starts: list[int]) -> tuple[Any, Any]:
    """Join groups by the pairs."""
    names, groups = number_vertices(np.concatenate(messages).ravel(), 0, 0, starts[-1])
    parent = np.arange(names.size, dtype=groups.dtype)
    _unite_pair(groups.size // 2, groups, parent)
    number_trees(parent)  # links each group to its root
    return later_groups(names, names[parent])


def later_groups(names: Any, firsts: Any) -> tuple[Any, Any]:
    """Return the groups, ascending, with an earlier group in their component, and the labels of their components.

    `firsts` is the first group of each group's component.
    """
    later = names != firsts
    names, firsts = names[later], firsts[later]
    return names, firsts - np.searchsorted(names, firsts)


def _label(part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any], starts: list[int]) -> Any:
    groups, labels, earlier = _later_groups_of(part, joined, starts)
    is_first = np.ones(state.groups, bool)
    is_first[groups] = False
    answers = np.cumsum(is_first) + (starts[part.number] - earlier - 1)
    answers[groups] = labels
    kind = index_type(part.num_vertices)
    return state._replace(answers=answers.astype(kind)), None, state.groups - groups.size


def _later_groups_of(part: Partition, joined: tuple[Any, Any], starts: list[int]) -> tuple[Any, Any, int]:
    """Return the later groups of a partition, by local number, their labels, and how many other partitions precede."""
    later, labels = joined
    first, end = np.searchsorted(later, starts[part.number : part.number + 2]).tolist()
    return later[first:end] - starts[part.number], labels[first:end], first


def _send_roots(part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any], starts: list[int]) -> Any:
    """Label the groups that begin a component by their smallest vertices, and send those that other partitions need."""
    owned = state.labels[part.owned]
    roots = part.start + np.flatnonzero(smallest_members(owned) == np.arange(owned.size))  # of each group, ascending
    is_first = np.ones(state.groups, bool)
    is_first[_later_groups_of(part, joined, starts)[0]] = False
    needed = np.isin(state.answers, joined[1]) & is_first
    answers = roots.astype(state.answers.dtype)
    return state._replace(answers=answers), answers[needed], None


def _label_by_roots(
    part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any], starts: list[int], roots: Any
) -> Any:
    """Label the later groups by the smallest vertices of their components, which ascend as their labels do."""
    groups, labels, _ = _later_groups_of(part, joined, starts)
    answers = state.answers.copy()
    answers[groups] = roots[np.searchsorted(np.unique(joined[1]), labels)]
    return state._replace(answers=answers), None, None


def _labels(part: Partition, state: Groups) -> Any:
    return take(state.labels[part.owned], state.answers)
