"""Confinement: a test whether a vertex can be removed because every set with it can be replaced.

Result: whether some set of largest weight does not contain a vertex v.

Rule: assume that all sets I of largest weight contain v, and collect a set S of vertices that all of them contain.
Start with S = {v}. For a neighbor u of S let d = w(u) - w(N(u) & S), and R the neighbors of u that are neither in S nor
adjacent to S. Replacing the neighbors of u in I by u makes I lighter, so I contains more than d of the weight of R:

    w(R) <= d             =>  the assumption is wrong: v is unconfined
    w(R) - w(x) <= d      =>  x, the heaviest vertex of R, is in I, and joins S

In the code: `is_unconfined`.

Cost: the rows of at most 16 vertices of S, and of all their neighbors.

Source: M. Xiao, S. Huang, Y. Zhou, B. Ding, "Efficient Reductions and a Fast Algorithm of Maximum Weighted Independent
Set", WWW 2021. The second line extends its condition that R has one vertex.
"""

from __future__ import annotations

from ..._core.runtime import rule
from ..near_maximum.reductions import DEGREE, FIRST, LENGTH, STAMP, stamp_row, tidy

_MAX_CONFINING = 16  # the maximum number of vertices that join S
_MAX_READ = 1 << 12  # entries; a test that reads more ends, or hubs would take all the time


@rule(inline=False)
def is_unconfined(v, work, scratch):
    """Return whether v is unconfined. `met`: the vertices adjacent to S; `sums`: the weights of their members of S."""
    table, rows, weights, met, sums = work.table, work.rows, work.weights, scratch.met, scratch.sums
    search = stamp_row(v, table, rows, work.counters)
    count = read = 0
    for e in range(table[v, FIRST], table[v, FIRST] + table[v, LENGTH]):
        u = rows[e]
        met[count] = u
        sums[u] = weights[v]
        count += 1
    for _ in range(_MAX_CONFINING):
        joins = -1
        for i in range(count):
            u = met[i]
            spare = weights[u] - sums[u]
            if spare < 0 or read > _MAX_READ:
                continue
            # Add up R, except for its heaviest vertex.
            others, heaviest, x = 0, 0, -1
            e = table[u, FIRST]
            end = e + table[u, LENGTH]
            while e < end and others <= spare:
                y = rows[e]
                if table[y, STAMP] != search and table[y, DEGREE] >= 0:
                    if weights[y] > heaviest:
                        others += heaviest
                        heaviest, x = weights[y], y
                    else:
                        others += weights[y]
                e += 1
                read += 1
            if others + heaviest <= spare:
                return True
            if others <= spare:
                joins = x
        if joins < 0:
            return False
        # `joins` becomes a member of S.
        table[joins, STAMP] = search
        start, end = tidy(joins, table, rows)
        for e in range(start, end):
            u = rows[e]
            if table[u, STAMP] == search:
                sums[u] += weights[joins]
            else:
                table[u, STAMP] = search
                sums[u] = weights[joins]
                met[count] = u
                count += 1
    return False
