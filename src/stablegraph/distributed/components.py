"""Connected components, in partitions.

Result: labels 0, 1, .. by the smallest vertices, as on one machine.

Rule: two vertices have the same label  <=>  a path connects them. In the code: `_unite_own` finds what the edges of a
partition connect, `_pairs` what is connected by a shared vertex.

Idea: a partition unites its own vertices along their entries. A ghost is claimed by one of its neighbors here, with
which the others are united: so trees are made of own vertices alone, and the smallest one of each is its root. Groups
are numbered by these, and after those of earlier partitions: so no two have the same number. A vertex is in one group
of its owner and perhaps one of each partition that has it as a ghost: all these are the same component. So each
partition tells the groups of its boundary vertices, most of which are in one, the largest group: a bit for each. Where
a group meets another one, there is a pair; nearly all vertices give the same few pairs, and the others are few. One
task joins groups by these, and lists those that come after another one of their component. Without these, groups are
counted as components are: so each partition finds its labels by itself, from this list.

In many partitions each sees few edges at a vertex, so many groups are small and there are many pairs, though nearly all
lead from a small group to the largest one of another partition. But groups that share a vertex with the same largest
group are one component, and a partition sees that by itself. So if many boundary vertices are outside the largest
groups, though most are inside, each partition joins such groups first, and tells its boundary again: few pairs stay.

State: the group of each vertex here.

Cost: four rounds, or five. A boundary vertex costs 1 bit, or 4 bytes and a bit if it is not in the largest group of its
partition. Entries are read once, some 10 ns each on random graphs and 2 on grids, ghosts once or twice, 3 ns each. One
task has all different pairs, 8 bytes each (16 from 2**31 groups on), and 40 more while it works, beside what numbering
the groups takes (numbering.py).

Work memory: 8 bytes a vertex, 2 for each ghost of one neighbor, and 40 for each of these outside the largest group.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from .._arguments import choice
from ..components.numbering import number_components
from ..csr.arrays import index_type
from ..parallel import atomic_compare_and_swap, kernel, prefetch
from ..parallel.arrays import largest
from ..parallel.device import array_module, device_of
from ..parallel.groups import Rows
from ..parallel.primitives import compact
from ..parallel.union_find import unite
from .boxes import Changes, changes, is_told, write
from .copies import at
from .graph import DistributedGraph
from .numbering import numbered as among_all
from .numbering import numbering_bytes
from .on_gpu import anywhere
from .partition import Partition
from .supersteps import Supersteps

_BYTES_A_PAIR = 64  # of the task that joins them, beside what numbers the groups
MANY = 1 << 19  # boundary vertices outside the largest groups: joining their pairs, some five each, takes a round
_NOBODY = -1
_AHEAD_BY = 24  # entries: prefetch distance


class Groups(NamedTuple):
    """The state; groups are numbered by their smallest vertices among the partition's own."""

    labels: Any  # (k,): the group of each vertex here
    groups: int
    largest: int = _NOBODY  # the group of most boundary vertices
    answers: Any = None  # the label of each group


class _Told(NamedTuple):
    """The groups of a boundary."""

    largest: int
    others: Changes

    @property
    def nbytes(self) -> int:
        """What travels."""
        return 8 + self.others.nbytes


class _Found(NamedTuple):
    """What a partition tells the client."""

    groups: int
    boundary: int  # vertices,
    others: int  # and those of them outside the largest group


@kernel(by="edges", types="int32[] int32[] int int32[] int32[]")
def _unite_own(i, rows: Rows, first, parent, claims):
    """Unite the i-th own vertex with its own neighbors, and with those who have claimed its ghosts."""
    last = rows.indices.size - 1
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        prefetch(claims, rows.indices[min(e + _AHEAD_BY, last)])
        v = rows.indices[e]
        u = v - first
        beside = u < i  # an entry between own vertices is seen from both
        if u < 0 or u >= parent.size:
            u = claims[v]
            if u == _NOBODY:
                u = atomic_compare_and_swap(claims, v, _NOBODY, i)
            beside = u != _NOBODY
        if beside:
            unite(i, u, parent)


@kernel(types="int int32[] int32[]")
def _label_claimed(v, first, numbers, labels):
    """The number of the group of a vertex here: of its own number, or of who has claimed it."""
    u = v - first
    if u < 0 or u >= numbers.size:
        u = labels[v]
    labels[v] = numbers[u]


@kernel(types="int32[] bool[] int int32[]")
def _unite_beside(i, groups, told, largest, parent):
    """Unite the group of the i-th ghost with the largest group of its owner, if it is in that."""
    if not told[i]:
        unite(groups[i], largest, parent)


@kernel(types="int32[] int32[]")
def _unite_pair(i, groups, parent):
    """Unite the groups of the i-th pair."""
    unite(groups[2 * i], groups[2 * i + 1], parent)


def connected_components(
    graph: DistributedGraph, *, algorithm: str = "union", return_info: bool = False
) -> tuple[Any, ...]:
    """`stablegraph.connected_components` for a graph in partitions: the count, and the labels as a Dask array."""
    choice(algorithm, "algorithm", ["union"], where=" for a graph in partitions")
    count, labels, info = components(graph, MANY)
    return (count, labels, info) if return_info else (count, labels)


def components(graph: DistributedGraph, many: int) -> tuple[int, Any, dict[str, Any]]:
    """The count, the labels and what was done; so `many` boundary vertices outside largest groups are worth a round."""
    run = Supersteps(graph, "components")
    found = run.step(_group)
    boundary, others = sum(one.boundary for one in found), sum(one.others for one in found)
    if many < others <= boundary // 2:
        found = run.step(_join_beside_largest)
    starts = starts_of([one.groups for one in found])
    pairs = sum(run.step(_pairs, starts, left=sum))
    needed = _BYTES_A_PAIR * pairs + numbering_bytes(starts[-1], 2 * pairs)
    run.check_one_place(needed, "the groups of different partitions")
    return *labeled(run, run.at_one(_join, starts), starts), run.info


def starts_of(groups: list[int]) -> list[int]:
    """The number of each partition's first group, and of all groups, from how many each has."""
    return [0, *accumulate(groups)]


def labeled(run: Supersteps, joined: Any, starts: list[int]) -> tuple[int, Any]:
    """Label what groups of different partitions make together, by the smallest vertices: the count, and labels.

    The states are `Groups`; what has been joined is that of `later_groups`.
    """
    counts = run.step(_label, joined, starts)
    return sum(counts), run.graph.labels_array(run.answers(_labels))


@anywhere
def _group(part: Partition, state: Any, inbox: Any) -> Any:
    own, kind = part.stop - part.start, index_type(part.size)
    parent = part.xp.arange(own, dtype=kind)
    labels = part.xp.full(part.size, _NOBODY, kind)
    for rows in part.own_sides:
        _unite_own(own, rows, part.first, parent, labels)
    count, numbers = number_components(parent)
    _label_claimed(part.size, part.first, numbers, labels)
    return _told(part, labels, count)


def _told(part: Partition, labels: Any, count: int) -> Any:
    """The state, and what others must know of it."""
    there = at(part.boundary, labels)
    most = int(np.bincount(there).argmax()) if there.size else _NOBODY
    box = _Told(most, changes(there != most, there))
    return Groups(labels, count, most), box, _Found(count, there.size, box.others.values.size)


@anywhere
def _join_beside_largest(part: Partition, state: Groups, inbox: dict[int, _Told]) -> Any:
    """Make one group of those that share a vertex with the same largest group of a neighbor."""
    parent = part.xp.arange(state.groups + len(inbox), dtype=index_type(part.size + len(inbox)))
    for place, (q, box) in enumerate(inbox.items(), state.groups):
        first, beyond, places = part.sources[q]
        told = is_told(box.others, places)
        _unite_beside(told.size, state.labels[first:beyond], told, place, parent)
    _, numbers = number_components(parent)  # ascends as groups do, and largest groups of others come behind
    numbers = numbers[: state.groups].astype(state.labels.dtype, copy=False)
    return _told(part, at(state.labels, numbers), largest(numbers, -1) + 1)


@anywhere
def _pairs(part: Partition, state: Groups, inbox: dict[int, _Told], starts: list[int]) -> Any:
    """The pairs of groups that share a vertex, each once; an edge between two partitions is seen by both."""
    found = [part.xp.empty((0, 2), index_type(starts[-1]))]
    for q, (its_largest, others) in inbox.items():
        if q > part.number:
            first, beyond, places = part.sources[q]
            groups = state.labels[first:beyond]
            rare = compact(is_told(others, places) | (groups != state.largest))
            there = part.xp.full(rare.size, its_largest, np.int64)
            write(others, at(rare, places), there)
            here, there = _distinct(at(rare, groups), there, starts[q + 1] - starts[q])
            if rare.size < groups.size:
                here, there = np.append(here, state.largest), np.append(there, its_largest)
            found.append(np.stack([here + starts[part.number], there + starts[q]], axis=1).astype(found[0].dtype))
    pairs = np.concatenate(found)
    return state, pairs, len(pairs)


def _distinct(here: Any, there: Any, beyond: int) -> Any:
    """Pairs, each once; the second numbers are below `beyond`."""
    pairs = np.sort(here * np.int64(beyond) + there)
    fresh = array_module(device_of(pairs)).ones(pairs.size, bool)
    fresh[1:] = pairs[1:] != pairs[:-1]
    return np.divmod(at(compact(fresh), pairs), beyond)


def _join(boxes: list[Any], starts: list[int]) -> tuple[Any, Any]:
    """What the pairs join."""
    names, groups = among_all(np.concatenate(boxes).ravel(), 0, 0, starts[-1])
    parent = np.arange(names.size, dtype=groups.dtype)
    _unite_pair(groups.size // 2, groups, parent)
    number_components(parent)  # links each one to its root
    return later_groups(names, names[parent])


def later_groups(names: Any, firsts: Any) -> tuple[Any, Any]:
    """The groups, ascending, whose component has an earlier one, `firsts`; and the labels of their components."""
    later = names != firsts
    names, firsts = names[later], firsts[later]
    return names, firsts - np.searchsorted(names, firsts)


def _label(part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any], starts: list[int]) -> Any:
    later, labels = joined
    start, stop = starts[part.number : part.number + 2]
    first, beyond = np.searchsorted(later, [start, stop]).tolist()
    own, is_first = later[first:beyond] - start, np.ones(state.groups, bool)
    is_first[own] = False
    answers = np.cumsum(is_first) + (start - first - 1)
    answers[own] = labels[first:beyond]
    kind = index_type(part.num_vertices)
    return state._replace(answers=answers.astype(kind)), None, state.groups - (beyond - first)


def _labels(part: Partition, state: Groups) -> Any:
    return at(state.labels[part.owned], state.answers)
