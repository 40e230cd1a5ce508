"""
Graph pooling, layer by layer
=============================

Pool a graph by independent sets, like layers of graph neural networks (k-MIS pooling, with k = 1 and k = 2).

The edges are an edge index as in PyTorch Geometric: a (2, m) array with both directions of each edge. Vertices have
features. The members of a maximal independent set are kept; vertices with high scores are preferred. Every other vertex
joins a nearest member, which is at most k edges away. A pooled vertex gets the mean of the features of its vertices.
Tensors can be used instead of arrays, also scores that require gradients; ``Graph.to_torch`` returns tensors.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import stablegraph as sg


def pool(edge_index, features, scores, k=1):
    """Return the pooled edge index and features, and the pooled vertex of each vertex."""
    graph = sg.from_edges(*edge_index, n=len(features))
    kept = sg.maximal_independent_set(graph, distance=k, priority=scores)
    _, member = sg.breadth_first_search(graph, kept)  # members are their own parents
    for _ in range(k - 1):
        member = member[member]
    cluster = (np.cumsum(kept) - 1)[member]
    sizes = np.bincount(cluster)
    pooled = np.stack([np.bincount(cluster, column) / sizes for column in features.T], axis=1)
    return sg.coarse_graph(graph, cluster).edge_index, pooled, cluster


side = 60
edge_index = sg.gallery.grid((side, side)).edge_index
features = np.stack(np.divmod(np.arange(side**2), side), axis=1).astype(float)  # the positions of vertices in the grid
random = np.random.default_rng(0)

print(f"{len(features)} vertices, {edge_index.shape[1] // 2} edges")
layers = [(edge_index, features)]
for _ in range(4):
    scores = random.random(len(features))  # in a network they are learned
    edge_index, features, cluster = pool(edge_index, features, scores)
    layers.append((edge_index, features))
    print(
        f"{len(features)} vertices, {edge_index.shape[1] // 2} edges, up to {np.bincount(cluster).max()} pooled in one"
    )
count, _ = sg.connected_components(sg.from_edges(*edge_index, n=len(features)))
print(f"connected as before: {count == 1}")

edge_index, features = layers[0]
_, pooled, cluster = pool(edge_index, features, random.random(len(features)), k=2)
print(f"with k = 2: {len(pooled)} vertices, up to {np.bincount(cluster).max()} pooled in one")

# %%
# The features are positions, so each layer can be drawn at the location of its original vertices.

figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for ax, (edges, where) in zip(axes, layers, strict=False):
    ax.add_collection(LineCollection(where[edges.T], colors="#1f5f8b", linewidths=0.5))
    ax.autoscale()
    ax.set(aspect="equal", xticks=[], yticks=[], title=f"{len(where):,} vertices")
    ax.spines[:].set_visible(False)
figure.suptitle("A grid, pooled three times")
plt.show()
