"""
Large sets against their bound
==============================

A maximal set is usually not a maximum set. `~stablegraph.large_independent_set` searches for larger sets, and proves an
upper bound on their size. If the size equals the bound, the set is a maximum set.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

graph = sg.gallery.load("us-counties")

rounds = [1, 3, 10, 30, 100, 300]
found = [sg.large_independent_set(graph, rounds=count) for count in rounds]
greedy = np.count_nonzero(sg.maximal_independent_set(graph))

for count, best in zip(rounds, found, strict=True):
    assert sg.is_independent_set(graph, best.mask)
    print(f"{count:>3} rounds: {best.size:,} vertices, at most {best.upper_bound:,}, optimal: {best.optimal}")

# %%
# The sizes of a maximal set and of larger sets, and the proved bound: no set has a size above the upper line.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
places = range(len(rounds))
ax.plot(places, [best.upper_bound for best in found], color="#b5532a", linewidth=2)
ax.annotate("no set is larger: proved", (0, found[0].upper_bound), (0, 6), textcoords="offset points", color="#b5532a")
ax.plot(places, [best.size for best in found], "o-", color="#1f5f8b", linewidth=2)
ax.annotate("sets found", (1, found[1].size), (0, -16), textcoords="offset points", color="#1f5f8b")
ax.axhline(greedy, color="#666666", linewidth=1, linestyle="--")
ax.annotate(f"a maximal set: {greedy:,}", (0, greedy), (0, 5), textcoords="offset points", color="#555555")
ax.set_xticks(places, rounds)
ax.set_xlabel("rounds of local search")
ax.set_ylabel("vertices")
ax.margins(y=0.12)
ax.set_title("Counties of which no two touch: sets, and the bound on them")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
