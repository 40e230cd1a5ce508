"""``stablegraph aggregate``: small groups of adjacent vertices, their sizes, and a picture."""

from __future__ import annotations

from functools import partial

import click
import numpy as np

import stablegraph as sg

from ..._core.option_names import Aggregation
from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job, explicit_option

_SPREAD = {"smallest": 0, "tenth": 10, "half": 50, "nine_tenths": 90, "largest": 100}  # percentiles of the sizes


@command(
    "aggregate",
    options.graph_on_device,
    options.choice(
        "--algorithm", Aggregation, "mis2", "With two distance-2 sets of roots, with one, or as in Kokkos Kernels."
    ),
    options.weights,
    options.strength("Use only entries with |a_ij| >= THETA sqrt(|a_ii a_jj|)."),
    options.cluster,
    options.verify,
    options.labels_output,
    options.plot("the aggregates, or the middle ones of a large graph"),
)
def aggregate(job: Job, algorithm: Aggregation, strength: float | None) -> Answer:
    """Partition the vertices into small aggregates.

    Each aggregate has a root, and its other vertices are at most two steps from it. Aggregates are numbered from 0 by
    their roots, and do not depend on the number of threads.

    Example: stablegraph aggregate matrix.mtx.gz -o labels.npz --plot patches.png
    """
    if strength is None and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --strength; without it, weights are not read")
    graph = job.read(weights=strength is not None, directed=False if strength is None else None)
    count, labels = job.compute(partial(sg.aggregate, algorithm=algorithm, strength=strength))
    sizes = np.bincount(labels)
    facts = {
        "aggregates": count,
        "mean_size": graph.num_vertices / count if count else None,
        "aggregates_of_size": np.bincount(sizes).tolist(),
        "algorithm": algorithm,
        "strength": strength,
    }
    spread = np.percentile(sizes, list(_SPREAD.values()), method="lower") if count else ()
    return Answer(
        KINDS["aggregation"],
        labels,
        facts,
        notes=dict(zip(_SPREAD, spread, strict=False)),
        options={"connected": algorithm != "kokkos"},
        stored=("aggregates", "algorithm", "strength"),
        right="near each other, without gaps",
        draw=lambda title: sg.plot.aggregates_figure(graph, labels, title=title),
    )
