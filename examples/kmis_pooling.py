"""
Pooling a graph, layer by layer
===============================

Pooling a graph by independent sets, as layers of graph neural networks do it (k-MIS pooling, with k = 1).

The edges are an edge index as PyTorch Geometric has it, a (2, m) array with both directions of each edge, and vertices
have features. The members of a maximal independent set are kept, those of the highest scores first; every other vertex
joins a member next to it. A pooled vertex has the mean of the features that it stands for. Tensors work as arrays do:
`~stablegraph.from_edges` takes them as they are, and ``torch.from_numpy`` takes what comes back.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import stablegraph as sg


def pool(edge_index, features, scores):
    """The pooled edge index and features, and the pooled vertex of each vertex."""
    graph = sg.from_edges(*edge_index, n=len(features))
    kept = sg.maximal_independent_set(graph, priority=scores)
    _, member = sg.breadth_first_search(graph, kept)  # members are their own parents
    cluster = (np.cumsum(kept) - 1)[member]
    sizes = np.bincount(cluster)
    pooled = np.stack([np.bincount(cluster, column) / sizes for column in features.T], axis=1)
    coarse = sg.coarse_graph(graph, cluster).to_scipy().tocoo()
    return np.stack([coarse.row, coarse.col]), pooled, cluster


side = 60
grid = sg.gallery.grid((side, side)).to_scipy().tocoo()
edge_index = np.stack([grid.row, grid.col])
features = np.stack(np.divmod(np.arange(side**2), side), axis=1).astype(float)  # the places of vertices in the grid
random = np.random.default_rng(0)

print(f"{len(features)} vertices, {edge_index.shape[1] // 2} edges")
layers = [(edge_index, features)]
for _ in range(4):
    scores = random.random(len(features))  # a network would learn them
    edge_index, features, cluster = pool(edge_index, features, scores)
    layers.append((edge_index, features))
    print(
        f"{len(features)} vertices, {edge_index.shape[1] // 2} edges, up to {np.bincount(cluster).max()} pooled in one"
    )
count, _ = sg.connected_components(sg.from_edges(*edge_index, n=len(features)))
print(f"connected as before: {count == 1}")

# %%
# The features are places, so each layer can be drawn where it comes from.

figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for ax, (edges, where) in zip(axes, layers, strict=False):
    ax.add_collection(LineCollection(where[edges.T], colors="#1f5f8b", linewidths=0.5))
    ax.autoscale()
    ax.set(aspect="equal", xticks=[], yticks=[], title=f"{len(where):,} vertices")
    ax.spines[:].set_visible(False)
figure.suptitle("A grid, pooled three times")
plt.show()
