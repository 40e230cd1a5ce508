"""Add up contributions of triangles to their corners, many triangles at a time, without two writing to one corner.

    python examples/schedule.py

Assembling a finite element matrix or a load vector is a sum over elements. Done for all elements at once, additions to
a shared corner get lost; one after another they are slow. In rounds of triangles that share no corner they are neither.

Shows: rounds from a graph of conflicts, and the same from the table of who uses what, without making the graph.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

from stablegraph.coloring.jacobian import bipartite_coloring
from stablegraph.coloring.schedule import color_classes, schedule

points = np.random.default_rng(0).random((5000, 2))
triangles = Delaunay(points).simplices
a, b, c = (points[triangles[:, corner]] for corner in range(3))
areas = np.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])) / 2


def add_up(rounds):
    mass = np.zeros(len(points))
    for tasks in rounds:
        mass[triangles[tasks]] += areas[tasks, None] / 3  # NumPy reads all, adds, and writes all
    return mass


numbers = np.repeat(np.arange(len(triangles)), 3)
uses = csr_array((np.ones(triangles.size), (numbers, triangles.ravel())), shape=(len(triangles), len(points)))
conflicts = uses @ uses.T  # an entry where two triangles have a corner in common

rounds = schedule(conflicts)
sizes = [len(tasks) for tasks in rounds]
print(f"{len(triangles):,} triangles in {len(rounds)} rounds of {min(sizes):,} to {max(sizes):,}")
print(f"all at once: {add_up([np.arange(len(triangles))]).sum():.3f} of the area {areas.sum():.3f}")
print(f"in rounds:   {add_up(rounds).sum():.3f}")

offsets, tasks = color_classes(bipartite_coloring(uses, side="rows"))
print(
    f"without the graph of conflicts: {add_up(np.split(tasks, offsets[1:-1])).sum():.3f} in {offsets.size - 1} rounds"
)
