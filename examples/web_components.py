"""
Components of a web graph
=========================

Web pages link to pages, and most links have no link back. The strong components of such a graph are one large core,
whose pages can all reach each other, and many single pages: some lead to the core, some can be reached from it, and
some do neither. This structure is called a bow tie.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

web = sg.gallery.with_directions(sg.gallery.rmat(15, edges_per_vertex=3, seed=4))  # 32,768 pages
count, labels = sg.strongly_connected_components(web)
assert sg.is_strong_component_labeling(web, labels)

sizes = np.bincount(labels)
core = labels == sizes.argmax()
behind = sg.reachable(web, core) & ~core
before = sg.reachable(web.transpose(), core) & ~core
rest = ~(core | before | behind)
print(
    f"{count:,} strong components, the largest of {sizes.max():,} pages, {np.count_nonzero(sizes == 1):,} of one page"
)

# %%
# The width of each part is its number of pages.

parts = {"lead to the core": before, "the core": core, "are led to": behind, "neither": rest}
figure, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
left = 0
for (name, part), color in zip(parts.items(), ["#7fb0d3", "#1f5f8b", "#7fb0d3", "#dddddd"], strict=True):
    pages = np.count_nonzero(part)
    ax.barh(0, pages, left=left, color=color, edgecolor="white", linewidth=4)
    ax.text(left + pages / 2, 0.43, f"{name}\n{pages:,} pages", ha="center", va="bottom")
    if name in ("the core", "are led to"):
        ax.text(left, 0, "\N{RIGHTWARDS ARROW}", ha="center", va="center", fontsize=24)
    left += pages
ax.set(xticks=[], yticks=[], ylim=(-0.45, 0.75))
ax.spines[:].set_visible(False)
ax.set_title(f"{len(web):,} pages around the largest strong component")
plt.show()
