"""Exact reductions of a graph with weights: rules that remove vertices, and keep a set of largest weight within reach.

Result: a smaller graph, from whose sets of largest weight those of the whole graph follow (kernelization.py).

Rule: to each vertex v whose surroundings have changed, apply the first rule that fits, until none fits. w(S) is the sum
of the weights of S, and N(v) are the neighbors of v:

- *weightless*: v leaves if w(v) = 0.
- *neighborhood*: if w(v) >= w(N(v)), v joins the set, and its neighbors leave.
- *clique*: if N(v) is a clique, neighbors that are not heavier than v leave, heavier ones lose the weight w(v), and v
  is removed. In the end, v is in the set if none of its neighbors is. One neighbor is a clique, too.
- *heavy sets*: if v has few neighbors, list the independent sets in N(v) that are heavier than v. Neighbors that are in
  none of them leave. If there is exactly one such set S, either v or all of S are in the set: S becomes one vertex of
  weight w(S) - w(v), with the neighbors of all members of S. In the end, if the merged vertex is in the set, all of S
  are; otherwise v is. (This includes folds of two or more neighbors.)
- *twins*: a vertex with the same neighbors as v is merged with v.
- *unconfined*: v leaves if any set with v can be replaced by a set without v that is not lighter (work_graph.py).

In the code: `reduce_by_weight`.

State: see work_graph.py.

Cost: a rule reads the rows of v and of its neighbors, the last one also rows around them. Heavy sets take 2**k steps
for k neighbors.

Source: S. Lamm, C. Schulz, D. Strash, R. Williger, H. Zhang, "Exactly Solving the Maximum Weight Independent Set
Problem on Large Real-World Graphs", ALENEX 2019; M. Xiao, S. Huang, Y. Zhou, B. Ding, "Efficient Reductions and a Fast
Algorithm of Maximum Weighted Independent Set", WWW 2021.
"""

from __future__ import annotations

from ..._core.runtime import rule
from .work_graph import (
    BUSY,
    CLIQUE,
    DEGREE,
    STAMP,
    TWIN,
    enqueue,
    fold,
    has_room,
    is_unconfined,
    leave,
    log_removal,
    put_in_set,
    row_of,
    stamp_row,
    tidy,
)

MAX_LISTED = 7  # neighbors, for which all independent sets are listed
_MAX_TWINS = 16  # the maximum number of neighbors of twins


@rule(inline=False)
def _become_lighter(v, weight, work):
    """Subtract from the weight of v; v and its neighbors wait to be tried again."""
    work.weights[v] -= weight
    enqueue(v, work)
    if work.table[v, DEGREE] <= BUSY:
        start, end = tidy(v, work.table, work.rows)
        for e in range(start, end):
            enqueue(work.rows[e], work)


@rule(inline=False)
def _are_clique(v, work):
    """Return whether the neighbors of v are a clique."""
    table, rows = work.table, work.rows
    start, end = row_of(v, table)
    for e in range(start, end):
        if table[rows[e], DEGREE] < end - start:
            return False
    search = stamp_row(v, table, rows, work.counters)
    for e in range(start, end):
        of_u, end_of_u = tidy(rows[e], table, rows)
        met = 0
        for f in range(of_u, end_of_u):
            met += int(table[rows[f], STAMP] == search)
        if met != end - start:  # v and the other neighbors of v
            return False
    return True


@rule(inline=False)
def _remove_clique(v, work):
    """Remove v, whose neighbors are a clique, and transfer its weight."""
    table, rows, weight = work.table, work.rows, work.weights[v]
    start, end = row_of(v, table)
    log_removal(v, CLIQUE, v, work)
    leave(v, work)
    for e in range(start, end):
        u = rows[e]
        if work.weights[u] <= weight:
            leave(u, work)
        else:
            _become_lighter(u, weight, work)


@rule(inline=False)
def _list_sets(v, work, scratch):
    """Compute the weights of the independent subsets of N(v); return (the union of the heavy sets, one of them, count).

    Sets are masks of bits; a heavy set is heavier than v.
    """
    table, rows, listed, masks = work.table, work.rows, scratch.listed, scratch.masks
    start, end = row_of(v, table)
    for i in range(end - start):
        search = stamp_row(rows[start + i], table, rows, work.counters)
        mask = 0
        for j in range(end - start):
            mask |= int(table[rows[start + j], STAMP] == search) << j
        masks[i] = mask
    union = heavy = count = 0
    listed[0] = 0
    low = 0  # the position of the highest bit
    for subset in range(1, 1 << (end - start)):
        low += int(subset >> (low + 1) > 0)
        remainder = subset & ~(1 << low)
        total = -1
        if listed[remainder] >= 0 and masks[low] & remainder == 0:
            total = listed[remainder] + work.weights[rows[start + low]]
            if total > work.weights[v]:
                union |= subset
                heavy = subset
                count += 1
        listed[subset] = total
    return union, heavy, count


@rule(inline=False)
def _use_heavy_sets(v, work, scratch):
    """Try the rule of heavy sets; return whether it applied (or found no room)."""
    table, rows = work.table, work.rows
    union, heavy, count = _list_sets(v, work, scratch)
    start, end = row_of(v, table)
    degree = end - start
    if count == 0:
        put_in_set(v, work)
        return True
    if count == 1 and not has_room(v, work):
        return True
    removed = 0
    for i in range(degree):
        if (union >> i) & 1 == 0:
            leave(rows[start + i], work)
            removed += 1
    if count == 1:
        a = fold(v, work)
        work.weights[a] = scratch.listed[heavy] - work.weights[v]
    elif removed:
        enqueue(v, work)
    return removed > 0 or count == 1


@rule(inline=False)
def _merge_twins(v, work):
    """Try the rule of twins; return whether it applied."""
    table, rows = work.table, work.rows
    start, end = row_of(v, table)
    a = rows[start]
    for e in range(start + 1, end):
        if table[rows[e], DEGREE] < table[a, DEGREE]:
            a = rows[e]
    search = stamp_row(v, table, rows, work.counters)
    of_a, end_of_a = tidy(a, table, rows)
    for e in range(of_a, end_of_a):
        u = rows[e]
        if u == v or table[u, STAMP] == search or table[u, DEGREE] != end - start:
            continue
        of_u, end_of_u = tidy(u, table, rows)
        while of_u < end_of_u and table[rows[of_u], STAMP] == search:
            of_u += 1
        if of_u == end_of_u:
            log_removal(u, TWIN, v, work)
            work.weights[v] += work.weights[u]
            leave(u, work)
            enqueue(v, work)
            return True
    return False


@rule
def reduce_by_weight(v, work, scratch):
    """Apply the first rule that fits v."""
    table, rows, weights = work.table, work.rows, work.weights
    start, end = tidy(v, table, rows)
    degree = end - start
    around, e = 0, start
    while e < end and around <= weights[v]:
        around += weights[rows[e]]
        e += 1
    if weights[v] == 0:
        leave(v, work)
    elif around <= weights[v]:
        put_in_set(v, work)
    elif _are_clique(v, work):
        _remove_clique(v, work)
    elif degree <= MAX_LISTED and _use_heavy_sets(v, work, scratch):
        pass  # neighbors have left, or v has
    elif degree <= _MAX_TWINS and _merge_twins(v, work):
        pass
    elif is_unconfined(v, work, scratch):
        leave(v, work)
