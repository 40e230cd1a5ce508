"""Numbers of groups of vertices in the order of their smallest vertices, and connected pieces of communities.

Both are trees whose root is the smallest vertex of a group, as in _core/engines/union.py.
"""

from __future__ import annotations

from typing import Any

from .._core.engines.union import number_trees as number_trees_on_cpu
from .._core.engines.union import unite
from .._core.runtime import Int32s, Int64s, atomic_min, kernel
from .._core.runtime.cuda.source import by_device
from .._core.runtime.device import array_module, device_of
from .cuda import rows as rows_cuda
from .level import Level, by_level

number_trees = by_device(number_trees_on_cpu, rows_cuda.number_trees)


@kernel
def find_smallest(v, group: Int32s, smallest: Int32s):
    """Lower the smallest vertex of the group of v."""
    if v < smallest[group[v]]:
        atomic_min(smallest, group[v], v)


@kernel
def copy_smallest(v, group: Int32s, smallest: Int32s, result: Int32s):
    """Store the smallest vertex of the group of v."""
    result[v] = smallest[group[v]]


@kernel(by="edges")
def unite_inside(v, level: Level, label: Int32s, parent: Int32s):
    """Unite v with its neighbors in the same community."""
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u = level.indices[e]
        if u < v and label[u] == label[v]:
            unite(v, u, parent)


@kernel
def unite_fixed(i, fixed: Int64s, label: Int32s, smallest: Int32s, parent: Int32s):
    """Unite a fixed vertex with the smallest fixed vertex of its community."""
    unite(fixed[i], smallest[label[fixed[i]]], parent)


@kernel
def find_smallest_fixed(i, fixed: Int64s, label: Int32s, smallest: Int32s):
    """Lower the smallest fixed vertex of a community."""
    atomic_min(smallest, label[fixed[i]], fixed[i])


def named_by_smallest(group: Any) -> Any:
    """Return for each vertex the smallest vertex of its group; groups are named by numbers below n."""
    xp, n = array_module(device_of(group)), int(group.size)
    smallest, result = xp.full(n, n, group.dtype), xp.empty_like(group)
    find_smallest(n, group, smallest)
    copy_smallest(n, group, smallest, result)
    return result


def numbered(group: Any) -> tuple[int, Any]:
    """Return the number of groups, and the number of each vertex's group."""
    return number_trees(named_by_smallest(group))


@by_level(rows_cuda.united_inside)
def united_inside(level: Level, label: Any) -> Any:
    """Return trees that unite each vertex with its neighbors in the same community."""
    n = int(label.size)
    parent = array_module(level.device).arange(n, dtype=label.dtype)
    unite_inside(n, level, label, parent)
    return parent


def connected_pieces(level: Level, label: Any, fixed: Any) -> Any:
    """Return for each vertex the smallest vertex of its connected piece of its community.

    `fixed` lists vertices; those of a community count as connected.
    """
    xp, n = array_module(device_of(label)), int(label.size)
    parent = united_inside(level, label)
    if fixed.size:
        smallest = xp.full(n, n, label.dtype)
        find_smallest_fixed(int(fixed.size), fixed, label, smallest)
        unite_fixed(int(fixed.size), fixed, label, smallest, parent)
    number_trees(parent)  # flattens the trees
    return parent


def intersected(finer: Any, labels: Any) -> Any:
    """Return the number of each vertex's group in the intersection of two partitions, by smallest vertices."""
    xp = array_module(device_of(labels))
    pairs = finer.astype("int64") * (int(labels.max()) + 1 if labels.size else 1) + labels
    return numbered(xp.unique(pairs, return_inverse=True)[1].astype(labels.dtype))[1]
