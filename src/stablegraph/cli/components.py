"""``stablegraph components``: the connected components, and the code that ``stablegraph scc`` shares with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

from .._core.option_names import ComponentAlgorithm
from .answer import Answer, Job, answering, share
from .choices import name_option
from .cluster import on_a_cluster
from .options import graph_on_a_device, output_option, verify_option

labels_output = output_option("labels", "one label a line")


def algorithm_option(known: Any) -> Callable[..., Any]:
    """Return ``--algorithm`` for commands whose algorithms all return the same answer."""
    told = "Algorithm to use; it changes the time, not the answer."
    return name_option("--algorithm", known, get_args(known)[0], told)


@answering(
    "components", graph_on_a_device, algorithm_option(ComponentAlgorithm), on_a_cluster, verify_option, labels_output
)
def command(job: Job, algorithm: str) -> Answer:
    """Find the connected components.

    In a directed graph these are the weakly connected components, which ignore directions. Components are numbered from
    0 by their smallest vertices, and do not depend on the number of threads.

    Example: stablegraph components graph.mtx.gz -o labels.txt
    """
    from ..components.api import connected_components
    from ..verify import is_component_labeling

    return labels(job, algorithm, connected_components, is_component_labeling, "the connected components")


def labels(
    job: Job,
    algorithm: str,
    find: Callable[..., tuple[int, Any]],
    predicate: Callable[..., bool],
    right: str,
    directed: bool | None = None,
) -> Answer:
    """Compute the components of either kind, and describe them."""
    import numpy as np

    from ..verify import explain

    graph = job.read(directed=directed)
    count, found = job.compute(partial(find, algorithm=algorithm))
    n, sizes = graph.num_vertices, np.bincount(found)
    largest, single = int(sizes.max(initial=0)), int(np.count_nonzero(sizes == 1))
    return Answer(
        found,
        "labels",
        facts={
            "components": count,
            "largest": largest,
            "largest_share": largest / n if n else None,
            "single_vertices": single,
            "algorithm": algorithm,
        },
        lines={
            "components": f"{count:,}  ({single:,} of a single vertex)",
            "largest": f"{largest:,} vertices{share(largest, n)}",
            "algorithm": algorithm,
        },
        about=("components", "algorithm"),
        check=partial(explain, predicate, graph, found),
        right=right,
    )
