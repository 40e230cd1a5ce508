"""``stablegraph color``: a coloring, how few colors there can be, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import __version__
from .answer_files import fingerprint, write_answer
from .options import (
    check_output,
    compile_ahead,
    given,
    graph_file,
    read,
    save_picture,
    seed_option,
    size_line,
    threads_line,
    verify_option,
)
from .terminal import Clock, Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph

ORDERS = (
    "largest_first",
    "largest_log_first",
    "smallest_last",
    "smallest_last_in_rounds",
    "saturation",
    "incidence",
    "natural",
    "random",
)


@click.command("color")
@graph_file
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    multiple=True,
    help="Which vertices are colored first; of several orders, the one with the fewest colors is taken.  "
    "[default: largest_first]",
)
@click.option(
    "--ties",
    type=click.Choice(["id", "hash"]),
    default="id",
    show_default=True,
    help="How equal vertices are ordered.",
)
@click.option(
    "--distance",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="With 2, vertices with a common neighbour differ, too.",
)
@click.option(
    "--reduce",
    type=click.Choice(["none", "quick", "thorough"]),
    default="quick",
    show_default=True,
    help="How to save colors afterwards.",
)
@click.option("--balance", is_flag=True, help="Even out how many vertices have each color.")
@click.option(
    "--algorithm",
    type=click.Choice(["priority", "mis"]),
    default="priority",
    show_default=True,
    help="First fit in an order, or one independent set a color.",
)
@seed_option
@verify_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the colors: .npz (with the vertices' names), .npy, or else one line a vertex.",
)
@click.option("--plot", "picture", metavar="FILE", help="Draw the matrix by color, and how many have each color.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    order: tuple[str, ...],
    ties: str,
    distance: int,
    reduce: str,
    balance: bool,
    algorithm: str,
    seed: int,
    verify: bool,
    output: str | None,
    picture: str | None,
) -> None:
    """Color the vertices so that no two adjacent ones match.

    Each vertex in turn gets the lowest color that no neighbour has; then colors are saved. The coloring does not depend
    on the number of threads.
    """
    from ..coloring import vertex_coloring
    from ..parallel import num_threads
    from ..verify import explain, is_proper_coloring

    check_output(output, file, as_json)
    strange = given(ctx, "order", "ties", "distance")
    if algorithm == "mis" and strange:
        raise click.UsageError(f"--algorithm mis has no option {strange}; it has --reduce, --balance and --seed")
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock)
    orders = list(order) or ["largest_first"]
    how: dict[str, Any] = {
        "order": orders[0] if len(orders) == 1 else orders,
        "ties": ties,
        "distance": distance,
        "reduce": reduce,
        "balance": balance,
        "algorithm": algorithm,
    }
    compile_ahead(vertex_coloring, graph, clock, **how)
    with clock("compute"), working("coloring"):
        colors = vertex_coloring(graph, seed=seed, **how)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_proper_coloring, graph, colors, distance)
    with clock("bounds"), working("looking for a clique"):
        lower, upper = _bounds(graph, distance)
    sizes = np.bincount(colors)
    facts: Facts = {
        "file": file,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "colors": sizes.size,
        "lower_bound": lower,
        "upper_bound": upper,
        "optimal": sizes.size == lower,
        "class_sizes": sizes.tolist(),
        **how,
        "seed": seed,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(colors),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
        "picture": picture,
    }
    if output is not None:
        made = {name: facts[name] for name in ("colors", *how, "seed", "crc32")}
        write_answer(output, "colors", colors, {"stablegraph": __version__, **made}, graph.nodes)
    if picture is not None:
        _draw(graph, colors, distance, picture, title=shown_name(Path(file).name))
    lines = {
        "colors": f"{sizes.size:,}" + ("  (the fewest possible)" if facts["optimal"] else ""),
        "bounds": _told_bounds(lower, upper, distance),
        "color sizes": f"{sizes.min():,} to {sizes.max():,} vertices" if sizes.size else "none",
        "order": f"{'mis' if algorithm == 'mis' else ', '.join(orders)}, seed {seed}",
        "verified": "not asked for" if not verify else "yes: a proper coloring" if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    if picture is not None:
        lines["picture"] = picture
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)


def _bounds(graph: Graph, distance: int) -> tuple[int, int | None]:
    """How few colors there can be, and how many first fit needs at most in the best order, if that is known."""
    from ..coloring.bounds import color_bounds

    if distance == 1:
        return color_bounds(graph)
    degrees = graph.degrees()
    return (1 + int(degrees.max()) if degrees.size else 0), None


def _told_bounds(lower: int, upper: int | None, distance: int) -> str:
    if distance == 2:
        return f"at least {lower:,}: a vertex and its neighbours"
    return f"at least {lower:,}: a clique; at most {upper:,} are needed: degeneracy + 1"


def _draw(graph: Graph, colors: Any, distance: int, picture: str, title: str) -> None:
    from ..plot import coloring_figure

    with working("drawing"):
        save_picture(coloring_figure(graph, colors, distance=distance, title=title), picture)
