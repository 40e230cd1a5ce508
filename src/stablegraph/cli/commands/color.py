"""``stablegraph color``: a coloring, bounds on the number of colors, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import stablegraph as sg

from ..._core.option_names import ColoringAlgorithm, Order, Reduction, Ties
from .. import color_limits, options
from ..choices import Name
from ..frame import command
from ..job import Answer, Job, explicit_option


@command(
    "color",
    options.graph_on_device,
    click.option(
        "--order",
        type=Name(Order, files=True),
        multiple=True,
        help="Order in which vertices are colored; @FILE: the larger number first, a table with the columns id and "
        "order, or a number per vertex. Of several orders, the one with the fewest colors is taken.  "
        "[default: largest_first]",
    ),
    options.choice("--ties", Ties, "id", "Tie-breaking rule of the order."),
    options.integer(
        "--distance", 1, 1, "With 2, vertices with a common neighbor get different colors, too.", maximum=2
    ),
    options.choice("--reduce", Reduction, "quick", "How much is done to remove colors afterwards."),
    options.flag("--balance", "Make the color classes similar in size."),
    click.option(
        "--colors",
        "number",
        type=click.IntRange(min=1),
        metavar="K",
        help="Use this number of colors, as evenly as possible.",
    ),
    color_limits.limits,
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

    from ...coloring.bounds import option_for_fewer
    from ..answer_files import read_weights

    values = {"colors": how.pop("number"), **{name: how.pop(name) for name in color_limits.NAMES}}
    unused = explicit_option("order", "ties", "distance", "number", *color_limits.NAMES)
    if algorithm == "mis" and unused:
        raise click.UsageError(f"--algorithm mis has no option {unused}; it has --reduce, --balance and --seed")
    graph = job.read(directed=False)
    orders = list(order) or ["largest_first"]
    how |= {"order": orders[0] if len(orders) == 1 else orders, "distance": distance, "algorithm": algorithm}
    if algorithm == "priority":
        how_to_color = how | {"order": [read_weights(x[1:], graph) if x.startswith("@") else x for x in orders]}
    else:
        how_to_color = {name: how[name] for name in ("algorithm", "reduce", "balance")}
    limits = color_limits.read_limits(values, graph)
    requested = {"requested_colors": values.pop("colors"), **values}
    if limits:
        compute = partial(sg.vertex_coloring, seed=seed, return_info=True, **how_to_color, **limits)
        colors, info = job.compute(compute, "coloring")
        number, lower, upper = info["colors"], info["lower_bound"], None
        bounds = info["reason"]
    else:
        colors = job.compute(partial(sg.vertex_coloring, seed=seed, **how_to_color), "coloring")
        with job.clock("bounds", "searching for a clique"):
            lower, upper = _bounds(graph, distance)
        number, bounds = np.unique(colors).size, _shown_bounds(lower, upper, distance)
    counts = np.bincount(colors, minlength=limits.get("colors", 0))
    loads = counts if "colors" in limits else counts[counts > 0]
    fewer = None if upper is None else option_for_fewer(number, lower, upper, how["reduce"])
    without = " without --algorithm mis" if algorithm == "mis" and fewer and fewer[0] == "order" else ""
    optimal = number == lower
    return Answer(
        colors,
        "colors",
        facts={
            "colors": number,
            "lower_bound": lower,
            "upper_bound": upper,
            "optimal": optimal,
            "to_try": fewer and f"--{fewer[0]} {fewer[1]}",
            "class_sizes": counts.tolist(),
            **how,
            **(requested if limits else {}),
            "seed": seed,
        },
        lines={
            "colors": f"{number:,}" + ("  (the fewest possible)" if optimal else ""),
            "bounds": bounds,
            **({"to try": f"--{fewer[0]} {fewer[1]}{without}: {fewer[2]}"} if fewer else {}),
            "color sizes": f"{loads.min():,} to {loads.max():,} vertices" if loads.size else "none",
            "order": f"{'mis' if algorithm == 'mis' else ', '.join(orders)}, seed {seed}",
        },
        stored=("colors", *how, "seed"),
        check=partial(sg.explain, sg.is_proper_coloring, graph, colors, distance, **_checkable(limits)),
        right="a proper coloring",
        draw=lambda title: sg.plot.coloring_figure(graph, colors, distance=distance, title=title),
    )


def _checkable(limits: dict[str, Any]) -> dict[str, Any]:
    """Return the constraints that the verifier checks: sizes matter only together with a capacity."""
    omitted = {"colors"} if "capacity" in limits else {"colors", "sizes"}
    return {name: value for name, value in limits.items() if name not in omitted}


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
