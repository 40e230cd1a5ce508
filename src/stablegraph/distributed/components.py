"""Connected components, in partitions.

Result: labels 0, 1, .. by the smallest vertices, as on one machine.

Rule: two vertices have the same label  <=>  a path connects them. In the code: `_group` finds what a partition's own
edges connect, `_pairs` what is connected by a shared vertex.

Idea: a partition unites its vertices and its ghosts along all entries it has. The groups that it finds are named by
their smallest vertex of its own, so no two partitions use a name twice, and a vertex is in one group of its owner and
perhaps one of each partition that has it as a ghost: all these are the same component. So each partition tells the
names of its boundary vertices, most of which have one name, that of the largest group: a bit for each. Where a name
meets another one, there is a pair; nearly all vertices give the same few pairs, and the others are few. One task joins
the names by these, and at last the roots are counted, to number them.

In many partitions each sees few edges at a vertex, so many groups are small and there are many pairs, though nearly all
lead from a small group to the largest one of another partition. Then these are joined first, which is a pair for each
two partitions. All groups of a partition that touch what has been joined become one group, and the names are told
again: few pairs are left.

State: the group of each vertex here, and the name of each group.

Cost: six rounds, or ten. A boundary vertex costs 1 bit, or 8 bytes and a bit if it is not in the largest group of its
partition. One task has all different pairs, 16 bytes each and as much again while it works.

Work memory: 12 bytes a vertex, and 16 for each ghost outside the largest group.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import choice
from ..components import connected_components as at_home
from ..csr.arrays import index_type
from ..csr.build import build_rows
from ..graph import Graph
from .boxes import Changes, changes, write
from .graph import DistributedGraph
from .partition import Partition
from .residual import distinct_pairs
from .supersteps import Supersteps

_BYTES_A_PAIR = 64  # of the task that joins them
MANY = 1 << 18  # pairs: it is worth four rounds to have fewer


class Groups(NamedTuple):
    """The state when groups are to be numbered."""

    labels: Any  # (k,): the group of each vertex here
    names: Any  # the name of each group
    numbers: Any = None  # the number of each group's component, among the roots of this partition
    beside: Any = ()  # the largest group of each neighbor, by name, and the groups here that share a vertex with it
    usual: Any = None  # (pairs, 2): names of the largest groups that meet


class _Names(NamedTuple):
    """The names of the groups of a boundary."""

    most: int  # of most vertices
    others: Changes

    @property
    def nbytes(self) -> int:
        """What travels."""
        return 8 + self.others.nbytes


def connected_components(
    graph: DistributedGraph, *, algorithm: str = "union", return_info: bool = False
) -> tuple[Any, ...]:
    """`stablegraph.connected_components` for a graph in partitions: the count, and the labels as a Dask array."""
    choice(algorithm, "algorithm", ["union"], where=" for a graph in partitions")
    run = Supersteps(graph, "components")
    run.step(_group)
    pairs = sum(run.step(_pairs, left=sum))
    if pairs > MANY:
        run.hush()  # all pairs
        run.step(_usual)
        run.step(_contract, run.at_one(_join))
        pairs = sum(run.step(_pairs, left=sum))
    run.check_one_place(_BYTES_A_PAIR * pairs, "the groups of different partitions")
    count, labels = numbered(run, run.at_one(_join))
    return (count, labels, run.info) if return_info else (count, labels)


def numbered(run: Supersteps, joined: Any) -> tuple[int, Any]:
    """Number what groups of different partitions make together, by the smallest vertices: the count, and labels.

    The states are `Groups`, whose names are their smallest own vertices; `joined` are the names of groups that go on in
    other partitions, ascending, and for each the smallest name of the whole.
    """
    counts = run.step(_roots, joined)
    firsts = np.concatenate([[0], np.cumsum(counts)]).tolist()
    public = run.at_one(_number, joined, firsts)
    run.step(_label, public, firsts)
    return firsts[-1], run.graph.labels_array(run.answers(_labels))


def _group(part: Partition, state: Any, inbox: Any) -> Any:
    count, labels = at_home(part.pattern)
    names, owned = np.empty(count, np.int64), labels[part.owned]
    names[owned[::-1]] = part.ids[part.owned][::-1]  # of several values for one place the last one stays
    return Groups(labels, names), _names_of_boundary(part, labels, names), None


def _names_of_boundary(part: Partition, labels: Any, names: Any) -> _Names:
    told = names[labels[part.boundary]]
    most = int(names[np.bincount(labels[part.boundary], minlength=1).argmax()]) if told.size else -1
    return _Names(most, changes(told != most, told))


def _pairs(part: Partition, state: Groups, inbox: dict[int, _Names]) -> Any:
    found, beside, usual = [np.empty((0, 2), np.int64)], [], [np.empty((0, 2), np.int64)]
    for q, (most, others) in inbox.items():
        first, beyond, places = part.sources[q]
        groups, there = state.labels[first:beyond], np.full(places.size, most, state.names.dtype)
        write(others, places, there)
        touched = np.bincount(groups[there == most], minlength=state.names.size)
        beside.append((most, np.flatnonzero(touched)))
        if q > part.number:  # an edge between two partitions is seen by both
            here = state.names[groups]
            largest = state.names[np.bincount(groups, minlength=state.names.size).argmax()]
            rare = (here != largest) | (there != most)
            usual += [] if rare.all() else [np.array([[largest, most]])]
            found.append(np.stack(distinct_pairs(here[rare], there[rare]), axis=1))
    state = state._replace(beside=beside, usual=np.concatenate(usual))
    pairs = np.concatenate([state.usual, *found])
    return state, pairs, len(pairs)


def _usual(part: Partition, state: Groups, inbox: Any) -> Any:
    return state, state.usual, None


def _contract(part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any]) -> Any:
    """Make one group of all that share a vertex with the same of what has been joined."""
    known, roots = joined
    merged = np.arange(state.names.size)
    for most, groups in state.beside:
        places, there = _found(np.array([most]), known)
        merged[groups] = -1 - (roots[places[0]] if there[0] else most)
    _, merged = np.unique(merged, return_inverse=True)
    names: Any = np.full(merged.max(initial=-1) + 1, part.num_vertices, np.int64)
    np.minimum.at(names, merged, state.names)
    labels = merged[state.labels].astype(state.labels.dtype)
    return Groups(labels, names), _names_of_boundary(part, labels, names), None


def _join(boxes: list[Any]) -> tuple[Any, Any]:
    """The names that stand in pairs, ascending, and the smallest name of the component of each."""
    pairs = np.concatenate(boxes)
    names, places = np.unique(pairs, return_inverse=True)
    u, v = places.reshape(-1, 2).T
    rows = build_rows(u, v, names.size, mirror=True)
    _, labels = at_home(Graph._trusted(rows.indptr, rows.indices))
    firsts = np.unique(labels, return_index=True)[1]
    return names, names[firsts[labels]] if names.size else names


def _found(names: Any, known: Any) -> tuple[Any, Any]:
    """Where names stand among those that are known, and which are there."""
    places = np.searchsorted(known, names)
    there = places < known.size
    there[there] = known[places[there]] == names[there]
    return places, there


def _roots(part: Partition, state: Groups, inbox: Any, joined: tuple[Any, Any]) -> Any:
    known, roots = joined
    places, there = _found(state.names, known)
    is_root = np.ones(state.names.size, bool)
    is_root[there] = roots[places[there]] == state.names[there]
    ascending = np.argsort(state.names)
    numbers = np.empty(state.names.size, np.int64)
    numbers[ascending] = np.cumsum(is_root[ascending]) - 1
    public = ascending[(is_root & there)[ascending]]
    return state._replace(numbers=numbers), (state.names[public], numbers[public]), int(np.count_nonzero(is_root))


def _number(boxes: list[Any], joined: tuple[Any, Any], firsts: list[int]) -> tuple[Any, Any]:
    """The names that stand in pairs, and the number of the component of each."""
    names, roots = joined
    public = np.concatenate([names for names, _ in boxes])
    numbers = np.concatenate([numbers + first for (_, numbers), first in zip(boxes, firsts[:-1], strict=True)])
    return names, numbers[np.searchsorted(public, roots)] if names.size else names


def _label(part: Partition, state: Groups, inbox: Any, public: tuple[Any, Any], firsts: list[int]) -> Any:
    known, numbers = public
    places, there = _found(state.names, known)
    labels = state.numbers + firsts[part.number]
    labels[there] = numbers[places[there]]
    return state._replace(numbers=labels.astype(index_type(part.num_vertices))), None, None


def _labels(part: Partition, state: Groups) -> Any:
    return state.numbers[state.labels[part.owned]]
