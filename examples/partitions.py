"""
A graph in partitions
=====================

On a cluster each worker has a range of the vertices, and only updates of boundary vertices are sent. The result is
identical to that on one machine. In this example one process runs the workers; for a cluster, only the arguments of
`distributed.Client` change.
"""

import matplotlib.pyplot as plt
import numpy as np
from distributed import Client
from matplotlib.collections import LineCollection

import stablegraph as sg

# Vertices are numbered from west to east, so that ranges of numbers are strips of the map.
mainland, kept = sg.largest_component(sg.gallery.load("us-counties"))
where = sg.gallery.positions("us-counties")[kept]
eastward = np.argsort(where[:, 0], kind="stable")
where, graph = where[eastward], sg.as_graph(mainland.to_scipy()[eastward][:, eastward], weights=False)


here = sg.maximal_independent_set(graph)
print("one machine: ", sg.fingerprint(here))
with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    for count in 2, 5:
        parts = sg.distributed.from_graph(graph, partitions=count, client=client)
        there = np.asarray(sg.maximal_independent_set(parts))
        print(f"{count} partitions:", sg.fingerprint(there))
        assert (here == there).all()

# %%
# Five partitions. Only vertices at the red lines, which cross a border, appear in the messages of the workers.

borders = np.linspace(0, len(graph), 6).astype(int)
part = np.searchsorted(borders, np.arange(len(graph)), side="right")
ends = graph.to_scipy().tocoo()
crossing = part[ends.row] != part[ends.col]
lines = where[np.stack([ends.row, ends.col], axis=1)]
figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
ax.scatter(*where.T, c=part, cmap="Pastel1", s=16)
ax.add_collection(LineCollection(lines[~crossing], colors="#bbbbbb", linewidths=0.2))
ax.add_collection(LineCollection(lines[crossing], colors="#b5322a", linewidths=0.8))
ax.plot(*where[here].T, ".", color="#1f3f5b", markersize=2.5)
ax.set(aspect="equal", xticks=[], yticks=[])
ax.spines[:].set_visible(False)
ax.set_title(f"Five partitions, one set: {np.count_nonzero(crossing) // 2} of {graph.num_edges:,} lines cross a border")
plt.show()
