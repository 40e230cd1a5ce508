"""
Aggregates, level by level
==========================

Multigrid solves a problem on a coarser version of it. `~stablegraph.aggregate` groups neighbors around the members of a
distance-2 independent set, and `~stablegraph.coarse_graph` joins adjacent groups. Repeating these two steps gives one
level after another.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

where = np.random.default_rng(1).random((1500, 2))
graph = sg.gallery.delaunay(where)

figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for ax in axes:
    count, labels = sg.aggregate(graph)
    assert sg.is_aggregation(graph, labels, connected=True)
    print(
        f"{len(graph):>5,} vertices in {count:,} aggregates of {np.bincount(labels).min()} to "
        f"{np.bincount(labels).max()}"
    )
    sg.plot.plot_aggregates(graph, labels, where, ax=ax)
    ax.set_title(f"{len(graph):,} vertices, {count:,} aggregates")
    graph = sg.coarse_graph(graph, labels)
    where = np.stack([np.bincount(labels, axis) for axis in where.T], axis=1) / np.bincount(labels)[:, None]
figure.suptitle("Three levels of one mesh: an aggregate is a vertex of the next level")
plt.show()
