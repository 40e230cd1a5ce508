"""``stablegraph aggregate``: small groups of adjacent vertices, their sizes, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import stablegraph as sg

from ..._core.option_names import Aggregation
from .. import options
from ..frame import command
from ..job import Answer, Job, explicit_option


@command(
    "aggregate",
    options.graph_on_device,
    options.choice(
        "--algorithm", Aggregation, "mis2", "With two distance-2 sets of roots, with one, or as in Kokkos Kernels."
    ),
    options.weights,
    click.option(
        "--strength", type=float, metavar="THETA", help="Use only entries with |a_ij| >= THETA sqrt(|a_ii a_jj|)."
    ),
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
    import numpy as np

    if strength is None and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --strength; without it, weights are not read")
    graph = job.read(weights=strength is not None, directed=False if strength is None else None)
    count, labels = job.compute(partial(sg.aggregate, algorithm=algorithm, strength=strength))
    sizes = np.bincount(labels)
    return Answer(
        labels,
        "labels",
        facts={
            "aggregates": count,
            "mean_size": graph.num_vertices / count if count else None,
            "aggregates_of_size": np.bincount(sizes).tolist(),
            "algorithm": algorithm,
            "strength": strength,
        },
        lines={
            "aggregates": f"{count:,}",
            "sizes": _shown_sizes(sizes),
            "algorithm": algorithm if strength is None else f"{algorithm}, strength {strength:g}",
        },
        stored=("aggregates", "algorithm", "strength"),
        check=partial(sg.explain, sg.is_aggregation, graph, labels, connected=algorithm != "kokkos"),
        right="near each other, without gaps",
        draw=lambda title: sg.plot.aggregates_figure(graph, labels, title=title),
    )


def _shown_sizes(sizes: Any) -> str:
    import numpy as np

    if not sizes.size:
        return "none"
    tenth, half, nine_tenths = np.percentile(sizes, [10, 50, 90], method="lower")
    return (
        f"{sizes.min():,} to {sizes.max():,} vertices, {sizes.mean():.2f} on average; "
        f"10% have at most {tenth:,}, half {half:,}, 90% {nine_tenths:,}"
    )
