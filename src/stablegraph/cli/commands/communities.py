"""``stablegraph communities``: groups of vertices with many edges inside, their sizes, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from ..._core.option_names import CommunityAlgorithm, Objective
from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job


@command(
    "communities",
    options.graph_on_device,
    options.choice("--algorithm", CommunityAlgorithm, "leiden", "With refinement of communities, or without."),
    options.choice("--objective", Objective, "modularity", "The objective: modularity, or the constant Potts model."),
    options.number("--resolution", 0, 1.0, "Larger values give more and smaller communities."),
    options.number(
        "--iterations", 0, 3, "Number of iterations; 0 repeats until no vertex can improve the objective by moving."
    ),
    options.number("--max-size", 1, None, "Maximum number of vertices of a community."),
    options.weights,
    options.merge,
    options.seed,
    options.verify,
    options.labels_output,
    options.plot("the communities, or the matrix sorted by community"),
)
def communities(job: Job, **how: Any) -> Answer:
    """Find communities.

    A community is a group of vertices with many edges inside and few to other communities.

    Weights count; --no-weights ignores them. Every community is connected. Communities are numbered from 0 by their
    smallest vertices, and do not depend on the number of threads.

    Example: stablegraph communities graph.mtx.gz -o labels.txt
    """
    graph = job.read(weights=True, directed=False)
    how["iterations"] = how["iterations"] or None
    count, labels, info = job.compute(partial(sg.communities, **how, return_info=True))
    n, sizes = graph.num_vertices, np.bincount(labels)
    largest = int(sizes.max(initial=0))
    name = "modularity" if how["objective"] == "modularity" else "objective"
    facts = {
        "communities": count,
        name: info["objective"],
        "largest": largest,
        "single_vertices": int(np.count_nonzero(sizes == 1)),
        "levels": len(info["levels"]),
        "moves": info["moves"],
        **how,
    }
    is_stable = how["iterations"] is None
    return Answer(
        KINDS["communities"],
        labels,
        facts,
        notes={
            "objective_name": name,
            "objective_value": info["objective"],
            "largest_share": largest / n if n else None,
        },
        options={option: how[option] for option in ("max_size", *(("objective", "resolution") if is_stable else ()))},
        stored=("communities", *how),
        right="connected" + (", and no vertex can improve them by moving" if is_stable else ""),
        draw=partial(_figure, graph, labels),
    )


def _figure(graph: Any, labels: Any, title: str) -> Any:
    from ...plot import communities_figure
    from ...plot.checks import drawn_at

    return communities_figure(graph, labels, drawn_at(graph)[0], title=title)
