"""``stablegraph verify``: whether an answer in a file is right; which, is for ``--as`` to say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import numpy as np

from .answer_files import read_numbers, read_set, vertices_from
from .forest import shown_weight
from .options import given, graph_file, merge_option, read, size_line
from .terminal import Clock, Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph

_OPTIONS: dict[str, tuple[str, ...]] = {  # what there is, and the options that it has
    "set": ("distance", "exclude"),
    "coloring": ("distance",),
    "components": (),
    "scc": (),
    "aggregation": ("connected",),
    "forest": ("maximum",),
    "bfs": ("sources",),
}


@click.command("verify")
@graph_file
@click.argument("answer", metavar="ANSWER")
@click.option("--as", "kind", type=click.Choice(list(_OPTIONS)), default="set", show_default=True, help="What it is.")
@click.option("--exclude", metavar="VERTICES", help="Of a set: vertices that may not be in: 3,7,10-12 or @FILE.")
@click.option(
    "--distance",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Of a set: its members are more than so many edges apart. Of a coloring (1 or 2): how near may not match.",
)
@click.option("--connected", is_flag=True, help="Of an aggregation: each aggregate should be connected.")
@click.option("--maximum", is_flag=True, help="Of a forest: it should have the heaviest edges.")
@click.option("--sources", metavar="VERTICES", help="Of bfs: where it began.  [default: where distances are 0]")
@merge_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    answer: str,
    kind: str,
    merge: str | None,
    **_of_one_kind: str | int | None,
) -> None:
    """Check an independent set, or another answer, of a graph.

    ANSWER is what `-o` of mis, color, components, scc, aggregate, forest or bfs writes; a set may also be a .npy array
    of vertex numbers. Exit code 0: the answer is right, such as a set that is independent and maximal; 1: it is not,
    and the output says which vertices break the rule.
    """
    if file == "-" and answer == "-":
        raise click.UsageError("the graph and the answer cannot both come from standard input")
    for name in {name: None for names in _OPTIONS.values() for name in names if name not in _OPTIONS[kind]}:
        if strange := given(ctx, name):
            owners = " or ".join(owner for owner, names in _OPTIONS.items() if name in names)
            raise click.UsageError(f"{strange} goes with --as {owners}")
    clock = Clock()
    graph = read(file, source_format, merge or symmetrize, clock, weights=kind == "forest")
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
    lines["verified"] = f"yes: {_RIGHT[kind]}" if wrong is None else f"no: {wrong}"
    lines["times"] = str(clock)
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}")
    if wrong is not None:
        ctx.exit(1)


Checked = tuple[str | None, Facts, dict[str, str]]  # what is wrong, and what is told of the answer


def _check_set(graph: Graph, file: str, clock: Clock, distance: int, exclude: str | None) -> Checked:
    from ..verify import explain, is_maximal_independent_set

    members = read_set(file, graph.num_vertices)
    excluded = vertices_from(exclude, "--exclude", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(is_maximal_independent_set, graph, members, distance, exclude=excluded)
    size = int(np.count_nonzero(members)) if members.dtype == bool else int(members.size)
    return wrong, {"size": size, "distance": distance}, {"set size": f"{size:,}"}


def _check_coloring(graph: Graph, file: str, clock: Clock, distance: int) -> Checked:
    from ..verify import explain, is_proper_coloring

    colors = read_numbers(file, "colors", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(is_proper_coloring, graph, colors, distance)
    number = int(np.unique(colors).size)
    return wrong, {"colors": number, "distance": distance}, {"colors": f"{number:,}"}


def _check_components(graph: Graph, file: str, clock: Clock) -> Checked:
    from ..verify import is_component_labeling

    return _check_labels(is_component_labeling, graph, file, clock)


def _check_strong_components(graph: Graph, file: str, clock: Clock) -> Checked:
    from ..verify import is_strong_component_labeling

    return _check_labels(is_strong_component_labeling, graph, file, clock)


def _check_aggregation(graph: Graph, file: str, clock: Clock, connected: bool) -> Checked:
    from ..verify import is_aggregation

    return _check_labels(is_aggregation, graph, file, clock, connected=connected)


def _check_labels(predicate: Callable[..., bool], graph: Graph, file: str, clock: Clock, **options: bool) -> Checked:
    from ..verify import explain

    labels = read_numbers(file, "labels", graph.num_vertices)
    with clock("verify"), working("verifying"):
        wrong = explain(predicate, graph, labels, **options)
    number = int(np.unique(labels).size)
    return wrong, {"labels": number}, {"labels": f"{number:,}"}


def _check_forest(graph: Graph, file: str, clock: Clock, maximum: bool) -> Checked:
    import scipy.sparse as sp

    from ..forest import total_weight
    from ..verify import explain, is_minimum_spanning_forest

    forest = sp.triu(read(file, None, True, clock, weights=True).to_scipy(), format="csr")
    with clock("verify"), working("verifying"):
        wrong = explain(is_minimum_spanning_forest, graph, forest, maximum)
    weight = total_weight(forest)
    return wrong, {"forest_edges": forest.nnz, "weight": weight}, {"weight": shown_weight(weight)}


def _check_bfs(graph: Graph, file: str, clock: Clock, sources: str | None) -> Checked:
    from ..verify import explain, is_bfs_tree

    n = graph.num_vertices
    distance, parents = read_numbers(file, "distances parents", n).T
    begin = np.flatnonzero(distance == 0) if sources is None else vertices_from(sources, "--sources", n)
    with clock("verify"), working("verifying"):
        wrong = explain(is_bfs_tree, graph, begin, distance, parents, smallest=True)
    reached = int(np.count_nonzero(distance >= 0))
    return wrong, {"reached": reached}, {"reached": f"{reached:,} vertices"}


_CHECKS: dict[str, Callable[..., Checked]] = {
    "set": _check_set,
    "coloring": _check_coloring,
    "components": _check_components,
    "scc": _check_strong_components,
    "aggregation": _check_aggregation,
    "forest": _check_forest,
    "bfs": _check_bfs,
}
_RIGHT = {
    "set": "independent and maximal",
    "coloring": "a proper coloring",
    "components": "the connected components",
    "scc": "the strong components",
    "aggregation": "aggregates of vertices near each other, without gaps",
    "forest": "no spanning forest is better",
    "bfs": "shortest paths",
}
