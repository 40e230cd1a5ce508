"""
Pairs of neighboring counties
=============================

The counties of the United States are the vertices, and common borders are the edges. A matching pairs counties: each
has at most one partner. A maximal matching leaves no two neighbors without partners; a weighted matching prefers pairs
that are near each other. Both are the same on every machine, for any number of threads.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import stablegraph as sg

counties, vertices = sg.largest_component(sg.gallery.load("us-counties"))
where = sg.gallery.positions("us-counties")[vertices].astype(float)

# %%
# The weight of an edge decreases with the distance of its ends: a heavy edge joins near counties.

edges = counties.to_scipy().tocoo()
distance = np.hypot(*(where[edges.row] - where[edges.col]).T)
near = sg.as_graph((counties.indptr, counties.indices, distance.max() - distance))
anyone, closest = sg.maximal_matching(near), sg.weighted_matching(near)
assert sg.is_maximal_matching(near, closest, weighted=True)

# %%
# Both matchings have at least half of the maximum number of pairs; the second one also at least half of the maximum
# weight.

figure, axes = plt.subplots(1, 2, figsize=(12, 3.6), layout="constrained")
for ax, mate, title in zip(axes, (anyone, closest), ("by hashes", "near counties first"), strict=True):
    pairs = sg.matched_pairs(mate)
    length = np.hypot(*(where[pairs[:, 0]] - where[pairs[:, 1]]).T)
    print(f"{title}: {len(pairs):,} pairs, mean distance {length.mean():.1f} miles")
    ax.add_collection(LineCollection(where[pairs], linewidths=1.5))
    ax.scatter(*where[mate < 0].T, s=4, color="tab:red")
    ax.set(title=f"{title}: {len(pairs):,} pairs; red: not paired", aspect="equal")
    ax.set_axis_off()
plt.show()
