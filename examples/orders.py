"""
The order of vertices and the size of a set
===========================================

A greedy set takes vertices in some order. Taking vertices of low degree first gives larger sets than a random order,
and much larger ones on graphs with hubs. The number of threads does not change the set.

``python examples/orders.py GRAPH_FILE`` does the same for a graph in a file.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg
from stablegraph import gallery

graph = sg.read_graph(sys.argv[1], symmetrize=True, weights=False) if len(sys.argv) > 1 else gallery.rmat(14, seed=1)
print(f"{len(graph):,} vertices, {graph.num_edges:,} edges")

sizes = {}
for order in ("degree", "ecl", "random", "natural"):
    sizes[order] = [np.count_nonzero(sg.maximal_independent_set(graph, priority=order, seed=seed)) for seed in range(3)]
    print(f"{order:<8}", *(f"{size:>10,}" for size in sizes[order]), "  (seeds 0, 1, 2)")

most = sg.num_threads()
for threads in range(1, most + 1):
    sg.set_num_threads(threads)
    mask = sg.maximal_independent_set(graph)
    print(f"{threads} of {most} threads: crc32 {sg.fingerprint(mask)}")

# %%
# Three seeds for each order. The seed matters much less than the order; the natural order does not depend on it.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for row, found in enumerate(sizes.values()):
    ax.plot(found, [row] * 3, "o", color="#1f5f8b", markersize=9)
    ax.annotate(f"{max(found):,}", (max(found), row), (10, -4), textcoords="offset points")
ax.set_yticks(range(len(sizes)), sizes)
ax.set_ylim(len(sizes) - 0.5, -0.5)
ax.margins(x=0.15)
ax.set_xlabel("vertices in the set")
ax.set_title(f"Sizes of maximal sets of a graph with {len(graph):,} vertices, by order")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
