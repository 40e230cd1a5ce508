"""
HDBSCAN on a sparse graph
=========================

Find HDBSCAN's clusters from the nearest neighbors of each point, without a dense matrix of distances.

The package hdbscan accepts a sparse matrix of distances only if its graph is connected, and graphs of nearest neighbors
rarely are. `~stablegraph.single_linkage` would join their components at distance infinity, so that hdbscan counts them
as more stable than they are among all pairs. The function ``connect`` adds the shortest edge from each component to the
other points. `~stablegraph.mutual_reachability` raises each distance to the core distances of both ends, as HDBSCAN
defines them, and the tree of the minimum forest is then that of all pairs.
"""

import matplotlib.pyplot as plt
import numpy as np
from hdbscan import HDBSCAN
from hdbscan._hdbscan_tree import compute_stability, condense_tree, get_clusters
from hdbscan.plots import CondensedTree
from scipy.spatial import KDTree
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import stablegraph as sg

MIN_SAMPLES, MIN_CLUSTER_SIZE = 5, 20


def connect(points, graph):
    """Add the shortest edge from each component to the other points, until there is only one component."""
    while True:
        count, labels = sg.connected_components(graph)
        if count == 1:
            return graph
        edges = list(zip(*graph.edge_index, graph.weights, strict=True))
        for c in range(count):
            inside, outside = np.flatnonzero(labels == c), np.flatnonzero(labels != c)
            distances, nearest = KDTree(points[outside]).query(points[inside])
            i = distances.argmin()
            edges.append((inside[i], outside[nearest[i]], distances[i]))
        graph = sg.from_edges(*map(np.array, zip(*edges, strict=True)), n=len(points), symmetrize="min")


moons, _ = make_moons(1200, noise=0.06, random_state=0)
blobs, _ = make_blobs(900, centers=[(4.0, 0.0), (4.0, 2.0), (6.5, 1.0)], cluster_std=0.25, random_state=0)
points = np.concatenate([moons, blobs])

graph = sg.as_graph(kneighbors_graph(points, 15, mode="distance"), symmetrize="max")
count, _ = sg.connected_components(graph)
print(f"{len(points):,} points, {graph.num_edges:,} edges, {count} components")
forest = sg.minimum_spanning_forest(sg.mutual_reachability(connect(points, graph), MIN_SAMPLES))
linkage = sg.single_linkage(forest)

condensed = condense_tree(linkage, MIN_CLUSTER_SIZE)
with np.errstate(divide="ignore"):  # some clusters begin at density 0
    labels, *_ = get_clusters(condensed, compute_stability(condensed))
print(f"{labels.max() + 1} clusters, {np.count_nonzero(labels < 0)} points of noise")

dense = HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=MIN_SAMPLES, approx_min_span_tree=False).fit(points)
print(f"agreement with all pairs: {adjusted_rand_score(dense.labels_, labels):.3f}")

# %%
# The clusters, and the picture of their tree by hdbscan.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
left.scatter(*points.T, c=labels, cmap="tab10", vmin=0, vmax=9, s=5)
left.set(aspect="equal", xticks=[], yticks=[], title="the clusters")
CondensedTree(condensed, labels).plot(axis=right, select_clusters=True)
right.set_title("the condensed tree")
plt.show()
