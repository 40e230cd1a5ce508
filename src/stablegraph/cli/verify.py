"""``stablegraph verify``: whether an answer in a file is right; which, is for ``--as`` to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import numpy as np

from .answer_files import read_numbers, read_set, vertices_from
from .options import given, graph_file, read, size_line
from .terminal import Clock, Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph

_OPTIONS = {"set": ("exclude",), "coloring": ("distance",)}  # what there is, and the options that only it has


@click.command("verify")
@graph_file
@click.argument("answer", metavar="ANSWER")
@click.option("--as", "kind", type=click.Choice(list(_OPTIONS)), default="set", show_default=True, help="What it is.")
@click.option("--exclude", metavar="VERTICES", help="Of a set: vertices that may not be in: 3,7,10-12 or @FILE.")
@click.option(
    "--distance", type=click.IntRange(1, 2), default=1, show_default=True, help="Of a coloring: how near may not match."
)
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    answer: str,
    kind: str,
    exclude: str | None,
    distance: int,
) -> None:
    """Check an independent set or a coloring of a graph.

    ANSWER is what `mis -o` or `color -o` writes; a set may also be a .npy array of vertex numbers. Exit code 0: the
    set is independent and maximal, or the coloring proper; 1: it is not, and the output says which vertices break the
    rule.
    """
    if file == "-" and answer == "-":
        raise click.UsageError("the graph and the answer cannot both come from standard input")
    for other, names in _OPTIONS.items():
        strange = given(ctx, *names)
        if other != kind and strange:
            raise click.UsageError(f"{strange} goes with --as {other}")
    clock = Clock()
    graph = read(file, source_format, symmetrize, clock)
    wrong, found, lines = _CHECKS[kind](graph, answer, clock, **{name: ctx.params[name] for name in _OPTIONS[kind]})
    facts: Facts = {
        "file": file,
        kind: answer,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **found,
        "verified": wrong is None,
        "reason": wrong,
        "seconds": clock.facts(),
    }
    right = {"set": "independent and maximal", "coloring": "a proper coloring"}[kind]
    lines["verified"] = f"yes: {right}" if wrong is None else f"no: {wrong}"
    lines["times"] = str(clock)
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}")
    if wrong is not None:
        ctx.exit(1)


Checked = tuple[str | None, Facts, dict[str, str]]  # what is wrong, and what is told of the answer


def _check_set(graph: Graph, file: str, clock: Clock, exclude: str | None) -> Checked:
    from ..verify import explain, is_maximal_independent_set

    members = read_set(file, graph.num_vertices)
    excluded = vertices_from(exclude, "--exclude", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(is_maximal_independent_set, graph, members, exclude=excluded)
    size = int(np.count_nonzero(members)) if members.dtype == bool else int(members.size)
    return wrong, {"size": size}, {"set size": f"{size:,}"}


def _check_coloring(graph: Graph, file: str, clock: Clock, distance: int) -> Checked:
    from ..verify import explain, is_proper_coloring

    colors = read_numbers(file, "colors", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(is_proper_coloring, graph, colors, distance)
    number = int(np.unique(colors).size)
    return wrong, {"colors": number, "distance": distance}, {"colors": f"{number:,}"}


_CHECKS: dict[str, Callable[..., Checked]] = {"set": _check_set, "coloring": _check_coloring}
