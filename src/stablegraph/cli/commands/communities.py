"""``stablegraph communities``: groups of vertices with many edges inside, their sizes, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import stablegraph as sg

from ..._core.option_names import CommunityAlgorithm, Objective
from .. import options
from ..frame import command
from ..job import Answer, Job, percentage


@command(
    "communities",
    options.graph_on_device,
    options.choice("--algorithm", CommunityAlgorithm, "leiden", "With refinement of communities, or without."),
    options.choice("--objective", Objective, "modularity", "The objective: modularity, or the constant Potts model."),
    click.option(
        "--resolution",
        type=click.FloatRange(0),
        default=1.0,
        show_default=True,
        help="Larger values give more and smaller communities.",
    ),
    click.option(
        "--iterations",
        type=click.IntRange(0),
        default=3,
        show_default=True,
        help="Number of iterations; 0 repeats until no vertex can improve the objective by moving.",
    ),
    click.option("--max-size", type=click.IntRange(1), help="Maximum number of vertices of a community."),
    options.weights,
    options.merge,
    options.seed,
    options.verify,
    options.labels_output,
    options.plot("the communities, or the matrix sorted by community"),
)
def communities(
    job: Job,
    algorithm: CommunityAlgorithm,
    objective: Objective,
    resolution: float,
    iterations: int,
    max_size: int | None,
    seed: int,
) -> Answer:
    """Find communities.

    A community is a group of vertices with many edges inside and few to other communities.

    Weights count; --no-weights ignores them. Every community is connected. Communities are numbered from 0 by their
    smallest vertices, and do not depend on the number of threads.

    Example: stablegraph communities graph.mtx.gz -o labels.txt
    """
    import numpy as np

    graph = job.read(weights=True, directed=False)
    chosen: dict[str, Any] = {"algorithm": algorithm, "objective": objective, "resolution": resolution}
    chosen |= {"iterations": iterations or None, "max_size": max_size, "seed": seed}
    count, labels, info = job.compute(partial(sg.communities, **chosen, return_info=True))
    n, sizes = graph.num_vertices, np.bincount(labels)
    largest, single = int(sizes.max(initial=0)), int(np.count_nonzero(sizes == 1))
    checks: dict[str, Any] = {"max_size": max_size}
    if iterations == 0:
        checks |= {"objective": objective, "resolution": resolution}
    name = "modularity" if objective == "modularity" else "objective"
    return Answer(
        labels,
        "labels",
        facts={
            "communities": count,
            name: info["objective"],
            "largest": largest,
            "single_vertices": single,
            "levels": len(info["levels"]),
            "moves": info["moves"],
            **chosen,
        },
        lines={
            "communities": f"{count:,}  ({single:,} of a single vertex)",
            name: f"{info['objective']:.6g}",
            "largest": f"{largest:,} vertices{percentage(largest, n)}",
            "algorithm": f"{algorithm}, {f'{iterations} iterations' if iterations else 'until stable'}, seed {seed}",
        },
        stored=("communities", *chosen),
        check=partial(sg.explain, sg.is_community_labeling, graph, labels, **checks),
        right="connected" + (", and no vertex can improve them by moving" if iterations == 0 else ""),
        draw=partial(_figure, graph, labels),
    )


def _figure(graph: Any, labels: Any, title: str) -> Any:
    from ...plot import communities_figure
    from ...plot.checks import drawn_at

    return communities_figure(graph, labels, drawn_at(graph)[0], title=title)
