"""``stablegraph matching``: a matching of large weight, or of many edges."""

from __future__ import annotations

from functools import partial

import stablegraph as sg

from .. import options
from ..frame import command
from ..job import Answer, Job, percentage
from .forest import shown_weight


@command(
    "matching",
    options.graph_on_device,
    options.weights,
    options.merge,
    options.seed,
    options.verify,
    options.answer_output("mates", "one number a line: the other end of the vertex's edge, or -1"),
)
def matching(job: Job, seed: int) -> Answer:
    """Find a matching: edges without common ends.

    The heaviest edges are taken first, so that the weight is at least half of the maximum; --no-weights ignores
    weights. Without weights every edge weighs 1, and no further edge can be added. The matching does not depend on the
    number of threads.

    Example: stablegraph matching graph.mtx.gz -o mates.csv
    """
    graph = job.read(weights=True, directed=False)
    mate, info = job.compute(partial(sg.weighted_matching, seed=seed, return_info=True))
    n, size, weight = graph.num_vertices, info["size"], info["weight"]
    return Answer(
        mate,
        "mates",
        facts={"matched_edges": size, "weight": weight, "rounds": info["rounds"], "seed": seed},
        lines={
            "matching": f"{size:,} edges{percentage(2 * size, n, ' of the vertices')}",
            **({} if graph.weights is None else {"weight": shown_weight(weight)}),
            "rounds": f"{info['rounds']:,}, seed {seed}",
        },
        stored=("matched_edges", "weight", "seed"),
        check=partial(sg.explain, sg.is_maximal_matching, graph, mate, weighted=True),
        right="a matching, and no edge is heavier than the matched ones next to it",
    )
