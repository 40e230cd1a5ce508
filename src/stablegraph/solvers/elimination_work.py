"""The cost of a sparse direct solver for a matrix, by symbolic elimination in minimum-degree order.

Result: the multiplications of a factorization and the entries of its factor, or infinity as soon as a limit is
exceeded. Both depend only on the pattern.

Rule: eliminate the unknown with the smallest degree, the last one that received it; its d neighbors become a clique;
add (d + 1)**2 multiplications. In the code: `eliminate_smallest`.

Idea: the graph is never filled. An eliminated unknown becomes an *element*, the list of its remaining neighbors, which
are all adjacent to each other. A variable is adjacent to the variables in its own list, and to the members of its
elements. A new element absorbs the elements of its variable. Degrees are upper bounds, as in the approximate minimum
degree method: the members of elements outside the new one are counted without removing repetitions. When the new
element contains all remaining variables, the rest is dense, and the formula for dense matrices ends the count.

State: `elements[i]` is the number of elements at the beginning of the list of variable i; -1 for an element in use, -2
for an absorbed one.

Cost: one step for each member and each of its list entries, for each element; less than the factorization itself, and
at most the limit. One thread. Work memory: 4 bytes per entry of the matrix and of the factor, and 44 bytes per row.

Source: P. Amestoy, T. Davis, I. Duff, "An Approximate Minimum Degree Ordering Algorithm", SIAM Journal on Matrix
Analysis and Applications 17(4), 1996.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.csr.facts import scan_facts
from .._core.csr.groups import DegreeLists, link, linked_by_degree, unlink
from .._core.runtime import Float64s, Int32s, Int64s, kernel

_STEPS_PER_CALL = 500
IN_USE, ABSORBED = -1, -2
TOP, DONE, SMALLEST, STAMP = range(4)


class Lists(NamedTuple):
    """The lists of variables and elements in one array."""

    starts: Int64s  # (n,): in `items`
    sizes: Int32s  # (n,)
    elements: Int32s  # (n,): see State
    items: Int32s  # elements, then variables
    marks: Int64s  # (n,): the stamp of the last element that contains a variable
    outside: Int64s  # (n,): the stamp plus the number of an element's members outside the new element


@kernel(by="single")
def eliminate_smallest(steps: int, lists: Lists, buckets: DegreeLists, counters: Int64s, work: Float64s):
    """Eliminate the next variables; add to work[0] multiplications, and to work[1] entries; stop above work[2]."""
    n = lists.sizes.size
    items, marks, elements = lists.items, lists.marks, lists.elements
    for _ in range(steps):
        if counters[DONE] == n or work[0] > work[2]:
            return
        top = begin = counters[TOP]
        if top + n - counters[DONE] > items.size:  # more entries than allowed
            work[0] = np.inf
            return
        while buckets.first[counters[SMALLEST]] < 0:
            counters[SMALLEST] += 1
        pivot = buckets.first[counters[SMALLEST]]
        unlink(buckets, pivot)
        counters[STAMP] += n + 1
        stamp = counters[STAMP]
        marks[pivot] = stamp

        # The new element: the pivot's variables and the members of its elements.
        start = lists.starts[pivot]
        for place in range(start, start + elements[pivot]):
            element = items[place]
            if elements[element] == IN_USE:
                for member in range(lists.starts[element], lists.starts[element] + lists.sizes[element]):
                    i = items[member]
                    if marks[i] != stamp:
                        marks[i] = stamp
                        items[top] = i
                        top += 1
                elements[element] = ABSORBED
        for place in range(start + elements[pivot], start + lists.sizes[pivot]):
            i = items[place]
            if marks[i] != stamp:
                marks[i] = stamp
                items[top] = i
                top += 1
        length = top - begin
        lists.starts[pivot] = begin
        lists.sizes[pivot] = length
        elements[pivot] = IN_USE
        counters[TOP] = top
        counters[DONE] += 1
        remaining = n - counters[DONE]
        work[0] += (length + 1.0) * (length + 1.0)
        work[1] += length + 1.0
        if length == remaining:  # the rest is dense
            work[0] += length * (length + 1.0) * (2.0 * length + 1.0) / 6.0
            work[1] += length * (length + 1.0) / 2.0
            counters[DONE] = n
            return

        # Count the members of other elements outside the new one.
        for member in range(begin, top):
            i = items[member]
            for place in range(lists.starts[i], lists.starts[i] + elements[i]):
                element = items[place]
                if elements[element] == IN_USE:
                    if lists.outside[element] < stamp:
                        lists.outside[element] = stamp + lists.sizes[element]
                    lists.outside[element] -= 1

        # Remove the new element's members from their lists, insert the element, and bound the degrees.
        for member in range(begin, top):
            i = items[member]
            unlink(buckets, i)
            start = end = lists.starts[i]
            degree = length - 1
            for place in range(start, start + elements[i]):
                element = items[place]
                if elements[element] == IN_USE:
                    others = lists.outside[element] - stamp
                    if others == 0:
                        elements[element] = ABSORBED
                    else:
                        items[end] = element
                        end += 1
                        degree += others
            first_variable = end
            for place in range(start + elements[i], start + lists.sizes[i]):
                if marks[items[place]] != stamp:
                    items[end] = items[place]
                    end += 1
                    degree += 1
            items[end] = items[first_variable]
            items[first_variable] = pivot
            elements[i] = first_variable - start + 1
            lists.sizes[i] = end - start + 1
            degree = min(degree, buckets.degree[i] + length - 1, remaining - 1)
            link(buckets, i, degree)
            if degree < counters[SMALLEST]:
                counters[SMALLEST] = degree


def elimination_work(A: Any, limit: float, max_entries: int) -> tuple[float, float]:
    """Return the multiplications of a factorization of A, and the entries of its factor; infinity above a limit.

    Parameters
    ----------
    A : csr_array or bsr_array (n, n)
        With sorted indices; an unsymmetric pattern is made symmetric.
    limit : float
        The maximum number of multiplications.
    max_entries : int
        The maximum number of entries of the factor.
    """
    n = A.shape[0]
    if n == 0:
        return 0.0, 0.0
    pattern = sp.csr_array(A, copy=False) if A.format == "csr" else A.tocsr()
    pattern = sp.csr_array((np.ones(pattern.indices.size, np.int8), pattern.indices, pattern.indptr), pattern.shape)
    facts = scan_facts(pattern.indptr, pattern.indices, "cpu")
    if facts.forward != facts.backward:
        pattern = sp.csr_array(pattern + pattern.T.tocsr())
    off_diagonal = pattern.indices != np.repeat(np.arange(n), np.diff(pattern.indptr))
    degrees = np.add.reduceat(np.append(off_diagonal, False).astype(np.int32), pattern.indptr[:-1])
    degrees[np.diff(pattern.indptr) == 0] = 0
    degrees = degrees.astype(np.int32)
    starts = np.zeros(n, np.int64)
    np.cumsum(degrees[:-1], out=starts[1:])
    items = np.empty(int(degrees.sum(dtype=np.int64)) + max_entries + n, np.int32)
    neighbors = pattern.indices[off_diagonal]
    items[: neighbors.size] = neighbors
    lists = Lists(starts, degrees.copy(), np.zeros(n, np.int32), items, np.zeros(n, np.int64), np.zeros(n, np.int64))
    buckets = linked_by_degree(degrees, np.arange(n))
    counters = np.array([neighbors.size, 0, 0, 0])
    work = np.array([0.0, 0.0, limit])
    while counters[DONE] < n and work[0] <= limit:
        eliminate_smallest(_STEPS_PER_CALL, lists, buckets, counters, work)
    return (math.inf, math.inf) if work[0] > limit else (float(work[0]), float(work[1]))
