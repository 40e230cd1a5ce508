"""``stablegraph color``: a coloring, bounds on the number of colors, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import stablegraph as sg

from .._core.option_names import ColoringAlgorithm, Order, Reduction, Ties
from . import options
from .choices import Name
from .frame import command
from .job import Answer, Job, explicit_option


@command(
    "color",
    options.graph_on_device,
    click.option(
        "--order",
        type=Name(Order),
        multiple=True,
        help="Order in which vertices are colored; of several orders, the one with the fewest colors is taken.  "
        "[default: largest_first]",
    ),
    options.choice("--ties", Ties, "id", "Tie-breaking rule of the order."),
    options.integer(
        "--distance", 1, 1, "With 2, vertices with a common neighbor get different colors, too.", maximum=2
    ),
    options.choice("--reduce", Reduction, "quick", "How much is done to remove colors afterwards."),
    options.flag("--balance", "Make the color classes similar in size."),
    options.choice(
        "--algorithm", ColoringAlgorithm, "priority", "First fit in an order, or one independent set per color."
    ),
    options.seed,
    options.cluster,
    options.verify,
    options.answer_output("colors", "one color a line"),
    options.plot("the matrix sorted by color, and the sizes of the color classes"),
)
def color(job: Job, order: tuple[str, ...], distance: int, algorithm: str, seed: int, **how: Any) -> Answer:
    """Color the vertices so that adjacent ones differ.

    Each vertex in turn gets the lowest color that none of its neighbors has; then the number of colors is reduced. The
    coloring does not depend on the number of threads.

    Example: stablegraph color graph.mtx.gz --order smallest_last -o colors.txt
    """
    import numpy as np

    from ..coloring.bounds import option_for_fewer

    unused = explicit_option("order", "ties", "distance")
    if algorithm == "mis" and unused:
        raise click.UsageError(f"--algorithm mis has no option {unused}; it has --reduce, --balance and --seed")
    graph = job.read(directed=False)
    orders = list(order) or ["largest_first"]
    how |= {"order": orders[0] if len(orders) == 1 else orders, "distance": distance, "algorithm": algorithm}
    how_to_color = how if algorithm == "priority" else {name: how[name] for name in ("algorithm", "reduce", "balance")}
    colors = job.compute(partial(sg.vertex_coloring, seed=seed, **how_to_color), "coloring")
    with job.clock("bounds", "searching for a clique"):
        lower, upper = _bounds(graph, distance)
    sizes = np.bincount(colors)
    fewer = None if upper is None else option_for_fewer(sizes.size, lower, upper, how["reduce"])
    without = " without --algorithm mis" if algorithm == "mis" and fewer and fewer[0] == "order" else ""
    optimal = sizes.size == lower
    return Answer(
        colors,
        "colors",
        facts={
            "colors": sizes.size,
            "lower_bound": lower,
            "upper_bound": upper,
            "optimal": optimal,
            "to_try": fewer and f"--{fewer[0]} {fewer[1]}",
            "class_sizes": sizes.tolist(),
            **how,
            "seed": seed,
        },
        lines={
            "colors": f"{sizes.size:,}" + ("  (the fewest possible)" if optimal else ""),
            "bounds": _shown_bounds(lower, upper, distance),
            **({"to try": f"--{fewer[0]} {fewer[1]}{without}: {fewer[2]}"} if fewer else {}),
            "color sizes": f"{sizes.min():,} to {sizes.max():,} vertices" if sizes.size else "none",
            "order": f"{'mis' if algorithm == 'mis' else ', '.join(orders)}, seed {seed}",
        },
        stored=("colors", *how, "seed"),
        check=partial(sg.explain, sg.is_proper_coloring, graph, colors, distance),
        right="a proper coloring",
        draw=lambda title: sg.plot.coloring_figure(graph, colors, distance=distance, title=title),
    )


def _bounds(graph: sg.Graph, distance: int) -> tuple[int, int | None]:
    """Return a lower bound on the colors, and an upper bound for first fit in the best order, if it is known."""
    if distance == 1:
        return sg.color_bounds(graph)
    degrees = graph.degrees
    return (1 + int(degrees.max()) if degrees.size else 0), None


def _shown_bounds(lower: int, upper: int | None, distance: int) -> str:
    if distance == 2:
        return f"at least {lower:,}: a vertex and its neighbors"
    return f"at least {lower:,}: a clique; at most {upper:,} are needed: degeneracy + 1"
