"""How the order in which vertices are taken changes the size of the set.

    python examples/orders.py [GRAPH FILE]

Shows: reading a file (or a graph from the gallery), the four orders, seeds, and that the number of threads changes
nothing.
"""

import sys
import zlib

import numpy as np

import stablegraph as sg
from stablegraph import gallery

graph = sg.read_graph(sys.argv[1], symmetrize=True, weights=False) if len(sys.argv) > 1 else gallery.rmat(14, seed=1)
print(f"{len(graph):,} vertices, {graph.num_edges:,} edges")

for order in ("degree", "ecl", "random", "natural"):
    sizes = [np.count_nonzero(sg.maximal_independent_set(graph, priority=order, seed=seed)) for seed in range(3)]
    print(f"{order:<8}", *(f"{size:>10,}" for size in sizes), "  (seeds 0, 1, 2)")

most = sg.num_threads()
for threads in range(1, most + 1):
    sg.set_num_threads(threads)
    mask = sg.maximal_independent_set(graph)
    print(f"{threads} of {most} threads: crc32 {zlib.crc32(mask.tobytes()):08x}")
