"""The studies, one file per problem; each declares its `STUDY`. The order is that of `list` and of `--all`."""

from __future__ import annotations

import importlib

from ..study import Study

NAMES = (
    "headline",
    "first_page",
    "first_call",
    "mis",
    "distance_two",
    "weighted_sets",
    "large",
    "heavy_sets",
    "ablations",
    "curves",
    "orders",
    "coloring",
    "color_counts",
    "timetables",
    "communities",
    "components",
    "added_edges",
    "strong",
    "forest",
    "matching",
    "derivatives",
    "aggregation",
    "multigrid",
    "smoothers",
    "solve",
    "laplacians",
    "gauss_seidel",
    "adversarial",
    "cores",
    "billion",
    "edge_tables",
    "networkx_backend",
    "cluster",
    "cluster_scaling",
    "cluster_billion",
    "cluster_gpus",
    "gpu",
    "gpu_ablations",
    "gpu_multigrid",
)


def load(name: str) -> Study:
    """Return the study of that name."""
    study: Study = importlib.import_module(f"{__name__}.{name}").STUDY
    return study
