"""
A web graph, level by level
===========================

Most links of the web stay inside a site, and most of those inside a folder of the site. A random graph with this
structure has sites of very different sizes, each with folders of about 40 pages; 90 % of the links of a page stay
inside its site. The levels of the method of Leiden find this hierarchy. One iteration starts from single pages; the
levels of later ones would start from the communities that have been found, which are sites.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

rng = np.random.default_rng(3)
folders_of_site = np.minimum(4 / (1 - rng.random(60)), 100).astype(int)  # a power law
folders = folders_of_site.sum()
site_of_folder = np.repeat(np.arange(60), folders_of_site)
folder = np.sort(rng.integers(0, folders, 40 * folders))  # of each page
site = site_of_folder[folder]
pages = folder.size


def pages_of_group(group, source):
    """Return a random page in the group of each source."""
    starts = np.searchsorted(group, np.arange(group[-1] + 2))
    first, end = starts[group[source]], starts[group[source] + 1]
    return first + (rng.random(source.size) ** 2 * (end - first)).astype(int)  # the first pages have the most links


source = np.repeat(np.arange(pages), 8)
kind = rng.random(source.size)
target = np.where(kind < 0.75, pages_of_group(folder, source), pages_of_group(site, source))
target = np.where(kind < 0.9, target, rng.integers(0, pages, source.size))
web = sg.from_edges(source, target, n=pages, symmetrize=True, drop_loops=True)

count, labels, info = sg.communities(web, iterations=1, return_info=True)
assert sg.is_community_labeling(web, labels)
print(f"{pages:,} pages, {web.num_entries // 2:,} links, {folders} folders, {len(folders_of_site)} sites")

# %%
# A level is compared with folders and sites by the *purity* of its parts: the share of pages whose folder (or site) is
# the most frequent one of its part. Parts grow from level to level, from parts of folders to sites.


def purity(truth, parts):
    """Return the share of vertices that have the most frequent truth in their part."""
    pairs, counts = np.unique(parts * (truth.max() + 1) + truth, return_counts=True)
    most = np.zeros(parts.max() + 1, int)
    np.maximum.at(most, pairs // (truth.max() + 1), counts)
    return most.sum() / truth.size


for level, parts in enumerate(info["levels"], 1):
    print(
        f"level {level}: {parts.max() + 1:,} parts, modularity {sg.modularity(web, parts):.3f}, "
        f"purity for folders {purity(folder, parts.astype(int)):.3f}, for sites {purity(site, parts.astype(int)):.3f}"
    )

# %%
# The matrix of links, with pages in the order of the communities, and inside each community in the order of the finer
# levels: large squares are communities, and small squares inside them are their parts.

order = np.lexsort(info["levels"])  # the last level is the first key
place = np.empty(pages, int)
place[order] = np.arange(pages)
figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
shuffled = rng.permutation(pages)
for ax, position, title in ((axes[0], shuffled, "in a random order"), (axes[1], place, "in the order of the levels")):
    counts, _, _ = np.histogram2d(position[web.to_scipy().nonzero()[0]], position[web.indices], bins=250)
    ax.imshow(np.log1p(counts), cmap="Blues")
    ax.set(xticks=[], yticks=[], title=f"links between pages, {title}")
plt.show()
