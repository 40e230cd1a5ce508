"""Exact reductions of a graph without weights: rules that keep a maximum independent set within reach.

Result: a smaller graph, from whose maximum independent sets those of the whole graph follow (kernelization.py).

Rule: to each vertex v whose surroundings have changed, apply the first rule that fits, until none fits:

- *few neighbors*: if v has no neighbor, one neighbor, or two adjacent neighbors, v joins the set and they leave.
- *fold*: two nonadjacent neighbors a, b become one vertex a with the neighbors of both. In the end, if the merged
  vertex a is in the set, both a and b are in; otherwise v is in.
- *domination*: a neighbor of v leaves if it is adjacent to all other neighbors of v (v may replace it in a set). If all
  neighbors are, the neighborhood is a clique, and v joins the set.
- *twins*: v and another vertex w have the same three neighbors. If two of these are adjacent, v and w join the set;
  otherwise the three neighbors become one vertex, as in a fold.
- *unconfined*: v leaves if any set with v can be replaced by a set without v that is not smaller. Start with S = {v},
  and look for a neighbor u of exactly one vertex of S. If all other neighbors of u are in S or adjacent to S, v is
  unconfined. If exactly one neighbor w of u is not, w joins S, and the search continues (work_graph.py).

In the code: `reduce_by_size`.

State: see work_graph.py.

Cost: a rule reads the rows of v and of its neighbors, the last one also rows around them.

Source: the rules as in T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of
Vertex Cover", Theoretical Computer Science 609, 2016; M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck
Cases: A Simple Maximum Independent Set Algorithm in Degree-3 Graphs", Theoretical Computer Science 469, 2013.
"""

from __future__ import annotations

from ..._core.runtime import prefetch, rule
from .work_graph import (
    DEGREE,
    FIRST,
    GONE,
    LENGTH,
    STAMP,
    TWIN,
    fold,
    has_room,
    is_unconfined,
    leave,
    log_removal,
    may_touch,
    put_in_set,
    row_of,
    stamp_row,
    tidy,
)

_DOMINATING = 4  # the maximum number of neighbors for trying domination; with more it hardly ever applies


@rule
def _share_edge(u, v, table, rows):
    """Return whether u and v are adjacent, by searching the shorter of their rows."""
    if table[u, LENGTH] > table[v, LENGTH]:
        u, v = v, u
    e, end = tidy(u, table, rows)
    while e < end and rows[e] != v:
        e += 1
    return e < end


@rule(inline=False)
def _remove_dominated(v, work, met):
    """Remove a neighbor of v that is adjacent to all other neighbors of v; return whether there was one."""
    table, rows = work.table, work.rows
    start, end = row_of(v, table)
    smallest = rows[start]
    for e in range(start + 1, end):
        if table[rows[e], DEGREE] < table[smallest, DEGREE]:
            smallest = rows[e]
    # Candidates: only the neighbor of smallest degree or vertices adjacent to it, with enough neighbors, can qualify.
    search = stamp_row(smallest, table, rows, work.counters)
    candidates = 0
    for e in range(start, end):
        a = rows[e]
        if table[a, STAMP] == search and table[a, DEGREE] >= end - start:
            met[candidates] = a
            candidates += 1
    # Remove the first candidate that is adjacent to all other vertices in v's row.
    for i in range(candidates):
        a = met[i]
        search = stamp_row(a, table, rows, work.counters)
        e = start
        while e < end and table[rows[e], STAMP] == search:
            e += 1
        if e == end:
            leave(a, work)
            return True
    return False


@rule(inline=False)
def _use_twin(v, work, scratch):
    """Try the rule of twins on v, which has three neighbors; return whether it applied (or found no room)."""
    table, rows = work.table, work.rows
    start = table[v, FIRST]
    a, b, c = rows[start], rows[start + 1], rows[start + 2]
    of_a, end_of_a = tidy(a, table, rows)
    for e in range(of_a, end_of_a):
        w = rows[e]
        if w == v or table[w, DEGREE] != 3 or not may_touch(w, work, scratch):
            continue
        of_w, _ = tidy(w, table, rows)
        same = 0
        for k in range(of_w, of_w + 3):
            u = rows[k]
            same += int((u == a) | (u == b) | (u == c))
        if same == 3:
            adjacent = _share_edge(a, b, table, rows) or _share_edge(a, c, table, rows)
            if adjacent or _share_edge(b, c, table, rows):
                put_in_set(v, work)  # w joins when it is tried
            elif has_room(v, work):
                log_removal(w, TWIN, v, work)
                table[w, DEGREE] = GONE
                fold(v, work)
            return True
    return False


@rule
def reduce_by_size(v, work, scratch):
    """Apply the first rule that fits v."""
    table, rows = work.table, work.rows
    start, end = tidy(v, table, rows)
    for e in range(start, end):
        prefetch(rows, table[rows[e], FIRST])
    degree = end - start
    if degree <= 1:  # few neighbors
        put_in_set(v, work)
    elif degree == 2:  # few neighbors, or a fold
        if _share_edge(rows[start], rows[start + 1], table, rows):
            put_in_set(v, work)
        elif has_room(v, work):
            fold(v, work)
    elif degree <= _DOMINATING and _remove_dominated(v, work, scratch.met):
        pass  # domination: v has lost a neighbor, so it waits to be tried again
    elif degree == 3 and _use_twin(v, work, scratch):
        pass  # twins
    elif is_unconfined(v, work, scratch):
        leave(v, work)
