"""Times of Leiden's flavors in scanpy on public data: igraph, and stablegraph on one thread and on all.

Data: `pbmc68k_reduced` of scanpy, the 15 nearest neighbors of the images of handwritten digits of scikit-learn, and
the patterns of Matrix Market files: ``python times.py [FILE ...]``. It needs scanpy, igraph and scikit-learn. A line
per data set and flavor: CPU and wall seconds (the least of five runs, taken alternately), the number of groups, the
modularity, and the agreement with igraph (adjusted Rand index).
"""

import sys
import time
import warnings
from pathlib import Path

import anndata
import numpy as np
import scanpy as sc
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import stablegraph as sg

sys.path.append(str(Path(__file__).parent))
from flavor import leiden

RUNS = 5
warnings.filterwarnings("ignore")


def data_sets():
    """Yield names and AnnData objects with a symmetric matrix of similarities."""
    yield "pbmc68k_reduced", sc.datasets.pbmc68k_reduced()
    digits = anndata.AnnData(load_digits().data.astype(np.float32))
    sc.pp.neighbors(digits, n_neighbors=15, use_rep="X")
    yield "digits", digits
    for file in sys.argv[1:]:
        matrix = sg.read_graph(file, symmetrize=True, weights=False).simple().to_scipy().astype(np.float32)
        cells = anndata.AnnData(np.zeros((matrix.shape[0], 1), np.float32), obsp={"connectivities": matrix})
        cells.uns["neighbors"] = {"connectivities_key": "connectivities", "distances_key": "", "params": {}}
        yield Path(file).name, cells


def of_igraph(adata):
    """Cluster by scanpy's flavor of igraph, with the values that scanpy recommends."""
    sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)


def of_stablegraph(adata):
    """Cluster by this flavor, with two iterations."""
    leiden(adata, n_iterations=2)


def on_one_thread(adata):
    """Cluster by this flavor on one thread."""
    with sg.threads(1):
        of_stablegraph(adata)


FLAVORS = {"igraph": of_igraph, "stablegraph, 1 thread": on_one_thread, "stablegraph": of_stablegraph}

print(f"scanpy {sc.__version__}, stablegraph {sg.__version__}, {sg.num_threads()} threads")
for name, adata in data_sets():
    matrix, least, labels = adata.obsp["connectivities"], {}, {}
    for _ in range(RUNS):
        for flavor, cluster in FLAVORS.items():
            before = time.process_time(), time.perf_counter()
            cluster(adata)
            spent = time.process_time() - before[0], time.perf_counter() - before[1]
            least[flavor] = tuple(map(min, least.get(flavor, spent), spent))
            labels[flavor] = adata.obs["leiden"].cat.codes.to_numpy().astype(int)
    for flavor, (cpu, wall) in least.items():
        agreement = adjusted_rand_score(labels["igraph"], labels[flavor])
        print(
            f"{name}, {matrix.shape[0]:,} cells, {matrix.nnz:,} entries, {flavor}: {cpu:.3f} s CPU, {wall:.3f} s wall, "
            f"{labels[flavor].max() + 1} groups, modularity {sg.modularity(matrix, labels[flavor]):.4f}, "
            f"agreement {agreement:.2f}"
        )
