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
    "large",
    "heavy_sets",
    "orders",
    "coloring",
    "color_counts",
    "communities",
    "components",
    "strong",
    "forest",
    "matching",
    "aggregation",
    "multigrid",
    "solve",
    "laplacians",
    "cores",
    "edge_tables",
    "networkx_backend",
    "cluster",
    "gpu",
    "gpu_multigrid",
    "native",
)


def load(name: str) -> Study:
    """Return the study of that name."""
    study: Study = importlib.import_module(f"{__name__}.{name}").STUDY
    return study
