"""``stablegraph aggregate``: small groups of adjacent vertices, their sizes, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from .._core.option_names import Aggregation
from .answer import Answer, Job, answering
from .choices import name_option
from .cluster import on_a_cluster
from .components import labels_output
from .options import given, graph_on_a_device, plot_option, verify_option, weight_options


@answering(
    "aggregate",
    graph_on_a_device,
    name_option(
        "--algorithm",
        Aggregation,
        "mis2",
        "With two distance-2 sets of roots, with one, or as in Kokkos Kernels.",
    ),
    weight_options,
    click.option(
        "--strength", type=float, metavar="THETA", help="Use only entries with |a_ij| >= THETA sqrt(|a_ii a_jj|)."
    ),
    on_a_cluster,
    verify_option,
    labels_output,
    plot_option("the aggregates, or the middle ones of a large graph"),
)
def command(job: Job, algorithm: Aggregation, strength: float | None) -> Answer:
    """Partition the vertices into small aggregates.

    Each aggregate has a root, and its other vertices are at most two steps from it. Aggregates are numbered from 0 by
    their roots, and do not depend on the number of threads.

    Example: stablegraph aggregate matrix.mtx.gz -o labels.npz --plot patches.png
    """
    import numpy as np

    from ..coarsening.api import aggregate
    from ..verify import explain, is_aggregation

    if strength is None and (strange := given("weight_column", "no_weights")):
        raise click.UsageError(f"{strange} goes with --strength; without it, weights are not read")
    graph = job.read(weights=strength is not None, directed=False if strength is None else None)
    count, labels = job.compute(partial(aggregate, algorithm=algorithm, strength=strength))
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
        about=("aggregates", "algorithm", "strength"),
        check=partial(explain, is_aggregation, graph, labels, connected=algorithm != "kokkos"),
        right="near each other, without gaps",
        draw=partial(_figure, graph, labels),
    )


def _figure(graph: Any, labels: Any, title: str) -> Any:
    from ..plot import aggregates_figure

    return aggregates_figure(graph, labels, title=title)


def _shown_sizes(sizes: Any) -> str:
    import numpy as np

    if not sizes.size:
        return "none"
    tenth, half, nine_tenths = np.percentile(sizes, [10, 50, 90], method="lower")
    return (
        f"{sizes.min():,} to {sizes.max():,} vertices, {sizes.mean():.2f} on average; "
        f"10% have at most {tenth:,}, half {half:,}, 90% {nine_tenths:,}"
    )
