"""Labels of strong components, if most vertices are in a known component or are trimmed.

Result: components are numbered 0, 1, .. by their smallest vertices.

Rule: v is the smallest vertex of its component  <=>  it is trimmed, or the first member of the known component, or the
smallest of the remaining vertices with the same number. In the code: `roots` of `label_components`.

Idea: only the numbers of the remaining vertices must be compared. Then a set has the smallest vertices, and the label
of such a vertex is the number of vertices before it in the set. Members of the known component all get the same label,
and the remaining vertices copy theirs.

State: the sets of dangling.py, and the numbers of tarjan.py.

Cost: one pass over the sets, in which the labels are written, and two over the remaining vertices. Work memory: a
quarter of a number per vertex, and a number per component of remaining vertices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Int32s, Int64s, UInt32s, Vertices, atomic_min, atomic_or, kernel
from .._core.runtime.primitives import exclusive_scan
from .dangling import Known
from .tarjan import Remaining
from .vertex_bits import bit_of


class Labeling(NamedTuple):
    """What determines the labels of members and of the smallest vertices of other components."""

    roots: UInt32s  # the set of the smallest vertices of all components
    starts: Int64s  # for each word, the number of roots before it
    members: UInt32s  # the set of members of the known component
    label: int  # of the known component


@kernel
def _find_smallest(i, vertices: Vertices, rank: Vertices, smallest: Int32s):
    """Lower the smallest vertex with the number of the i-th remaining vertex."""
    v = vertices[i]
    place = rank.size - 1 - rank[v]
    if 0 <= place < smallest.size and v < smallest[place]:
        atomic_min(smallest, place, v)


@kernel
def _add_roots(i, smallest: Int32s, roots: UInt32s):
    """Add the smallest vertex of a component to the set."""
    atomic_or(roots, smallest[i] >> 5, bit_of(smallest[i]))


@kernel(each=32)
def _write_labels(word, labeling: Labeling, labels: Int32s):
    """Write the labels of the roots and members of a word; other vertices get any number."""
    roots, members, number = labeling.roots[word], labeling.members[word], labeling.starts[word]
    for v in range(32 * word, min(32 * word + 32, labels.size)):
        labels[v] = labeling.label if (members >> (v & 31)) & 1 != 0 else number
        number += (roots >> (v & 31)) & 1


@kernel
def _copy_labels(i, vertices: Vertices, rank: Vertices, smallest: Int32s, labels: Int32s):
    """Copy the label of the i-th remaining vertex from the smallest vertex with its number."""
    v = vertices[i]
    place = rank.size - 1 - rank[v]
    if 0 <= place < smallest.size and smallest[place] != v:
        labels[v] = labels[smallest[place]]


def label_components(known: Known, remaining: Remaining) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    vertices, rank, count = remaining
    n = rank.size
    smallest: Any = np.full(count, n, index_type(n))
    _find_smallest(vertices.size, vertices, rank, smallest)

    word = int((known.members != 0).argmax())  # that of the first member
    first = int(known.members[word]) & -int(known.members[word])
    roots = known.trimmed.copy()
    if n % 32:
        roots[-1] &= (1 << n % 32) - 1
    roots[word] |= first
    _add_roots(count, smallest, roots)
    starts = exclusive_scan(np.bitwise_count(roots))

    labels = np.empty(n, smallest.dtype)
    label = int(starts[word]) + (int(roots[word]) & (first - 1)).bit_count()
    _write_labels(roots.size, Labeling(roots, starts[:-1], known.members, label), labels)
    _copy_labels(vertices.size, vertices, rank, smallest, labels)
    return int(starts[-1]), labels
