"""``stablegraph color``: a coloring, bounds on the number of colors, and a picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import click
import numpy as np

import stablegraph as sg

from ..._core.option_names import ColoringAlgorithm, Order, Reduction, Ties
from .. import options
from ..answers import KINDS, Answer
from ..frame import command
from ..job import Job, explicit_option


@command(
    "color",
    options.graph_on_device,
    click.option(
        "--order",
        type=options.Name(Order, files=True),
        multiple=True,
        help="Order in which vertices are colored; @FILE: the larger number first, a table with the columns id and "
        "order, or a number per vertex. Of several orders, the one with the fewest colors is taken.  "
        "[default: largest_first]",
    ),
    options.choice("--ties", Ties, "id", "Tie-breaking rule of the order."),
    options.number_option(
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
    options.color_limits,
    options.records,
    options.choice(
        "--algorithm", ColoringAlgorithm, "priority", "First fit in an order, or one independent set per color."
    ),
    options.seed,
    options.cluster,
    options.answer_output("colors", "one color a line"),
    options.plot("the matrix sorted by color, and the sizes of the color classes; with constraints a row per color"),
)
def color(job: Job, order: tuple[str, ...], distance: int, algorithm: str, seed: int, **how: Any) -> Answer:
    """Color the vertices so that adjacent ones differ.

    Each vertex in turn gets the lowest color that none of its neighbors has; then the number of colors is reduced. The
    coloring does not depend on the number of threads.

    Example: stablegraph color graph.mtx.gz --order smallest_last -o colors.txt
    """
    from ...coloring.bounds import THOROUGH, option_for_fewer
    from ..answer_files import is_table, read_weights
    from ..pair_tables import read_pairs
    from ..vertex_values import read_limits, write_slots

    values = {"colors": how.pop("number"), **{name: how.pop(name) for name in options.COLOR_LIMITS}}
    unused = explicit_option("order", "ties", "distance", "number", *options.COLOR_LIMITS)
    if algorithm == "mis" and unused:
        raise click.UsageError(f"--algorithm mis has no option {unused}; it has --reduce, --balance and --seed")
    records = how.pop("records")
    graph = read_pairs(job, None, records, directed=False)
    orders = list(order) or ["largest_first"]
    how |= {"order": orders[0] if len(orders) == 1 else orders, "distance": distance, "algorithm": algorithm}
    if algorithm == "priority":
        numbers = {one: read_weights(one[1:], graph, "order") for one in orders if one.startswith("@")}
        how_to_color = how | {"order": [numbers.get(one, one) for one in orders]}
    else:
        how_to_color = {name: how[name] for name in ("algorithm", "reduce", "balance")}
    limits = read_limits(values, graph)
    requested = {"requested_colors": values.pop("colors"), **values} if limits else {}
    find = partial(sg.vertex_coloring, seed=seed, **how_to_color)
    if limits:
        colors, info = job.compute(partial(find, return_info=True, **limits), "coloring")
        number, lower, upper, reason = info["colors"], info["lower_bound"], None, info["reason"]
    else:
        colors = job.compute(find, "coloring")
        with job.clock("bounds", "searching for a clique"):
            lower, upper = _bounds(graph, distance)
        number, reason = np.unique(colors).size, None
    counts = np.bincount(colors, minlength=limits.get("colors", 0))
    loads = counts if "colors" in limits else counts[counts > 0]
    hint = THOROUGH if limits and info["suggestion"] else None
    fewer = hint if upper is None else option_for_fewer(number, lower, upper, how["reduce"])
    without = " without --algorithm mis" if algorithm == "mis" and fewer and fewer[0] == "order" else ""
    return Answer(
        KINDS["coloring"],
        colors,
        facts={
            "colors": number,
            "lower_bound": lower,
            "upper_bound": upper,
            "optimal": number == lower,
            "to_try": fewer and f"--{fewer[0]} {fewer[1]}",
            "class_sizes": counts.tolist(),
            **how,
            **requested,
            "records": records,
            "seed": seed,
        },
        notes={
            "reason": reason,
            "in_use": int(np.count_nonzero(counts)) if limits.get("gap", 1) > 1 else None,
            "effect": fewer and f"{without}: {fewer[2]}",
            **({"smallest": loads.min(), "largest": loads.max()} if loads.size else {}),
            "shown_order": "mis" if algorithm == "mis" else ", ".join(orders),
        },
        checked=(colors, distance),
        options=_checkable(limits),
        stored=("colors", *how, "seed"),
        write=partial(write_slots, job.output, job.answer_suffix, graph, colors, limits)
        if "rooms" in limits and job.output is not None and is_table(job.answer_suffix)
        else None,
        draw=partial(_drawn, graph, colors, distance, limits),
    )


def _drawn(graph: sg.Graph, colors: Any, distance: int, limits: dict[str, Any], title: str) -> Any:
    """Return the figure of a schedule, for a coloring with constraints that is not too large, or of the coloring."""
    from ...plot.timetables import MAX_BOXES

    boxes = max(graph.num_vertices, (int(colors.max(initial=0)) + 1) * len(limits.get("rooms", [0])))
    if limits and boxes <= MAX_BOXES:
        named = {name: limits.get(name) for name in ("sizes", "rooms", "fixed")}
        return sg.plot.schedule_figure(graph, colors, **named, title=title)
    return sg.plot.coloring_figure(graph, colors, distance=distance, title=title)


def _checkable(limits: dict[str, Any]) -> dict[str, Any]:
    """Return the constraints that the verifier checks: sizes matter only together with a capacity or rooms."""
    omitted = {"colors"} if limits.keys() & {"capacity", "rooms"} else {"colors", "sizes"}
    return {name: value for name, value in limits.items() if name not in omitted}


def _bounds(graph: sg.Graph, distance: int) -> tuple[int, int | None]:
    """Return a lower bound on the colors, and an upper bound for first fit in the best order, if it is known."""
    if distance == 1:
        return sg.color_bounds(graph)
    degrees = graph.degrees
    return (1 + int(degrees.max()) if degrees.size else 0), None
