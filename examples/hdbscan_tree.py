"""
HDBSCAN on a sparse graph
=========================

Find HDBSCAN's clusters from the nearest neighbors of each point, without a dense matrix of distances.

The package hdbscan accepts a sparse matrix of distances only if its graph is connected, and graphs of nearest neighbors
rarely are. `~stablegraph.mutual_reachability` raises each distance to the core distances of both ends, as HDBSCAN
defines them. `~stablegraph.single_linkage` joins the trees of a forest at distance infinity, so the linkage matrix is
complete. hdbscan condenses it as usual: a join at an infinite distance has density 0. Therefore components of the graph
count as more stable than they are among all pairs. If clusters within a component disappear, use more neighbors.
"""

import matplotlib.pyplot as plt
import numpy as np
from hdbscan import HDBSCAN
from hdbscan._hdbscan_tree import compute_stability, condense_tree, get_clusters
from hdbscan.plots import CondensedTree
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import stablegraph as sg

MIN_SAMPLES, MIN_CLUSTER_SIZE = 5, 20
moons, _ = make_moons(1200, noise=0.06, random_state=0)
blobs, _ = make_blobs(900, centers=[(4.0, 0.0), (4.0, 2.0), (6.5, 1.0)], cluster_std=0.25, random_state=0)
points = np.concatenate([moons, blobs])

graph = sg.as_graph(kneighbors_graph(points, 15, mode="distance"), symmetrize="max")
forest = sg.minimum_spanning_forest(sg.mutual_reachability(graph, MIN_SAMPLES))
linkage = sg.single_linkage(forest)
print(f"{len(points):,} points, {graph.num_edges:,} edges, {len(points) - forest.nnz} trees in the forest")

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
