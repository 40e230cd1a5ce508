"""``stablegraph forest``: the minimum spanning forest of a graph, written as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .answer_files import fingerprint
from .options import (
    check_output,
    graph_file,
    merge_option,
    read,
    size_line,
    target_format_option,
    threads_line,
    verify_option,
    write,
)
from .terminal import Clock, Facts, show, shown_name, working

if TYPE_CHECKING:
    from ..graph import Graph


@click.command("forest")
@graph_file
@merge_option
@click.option("--maximum", is_flag=True, help="The heaviest edges in place of the lightest.")
@click.option(
    "--algorithm",
    type=click.Choice(["auto", "boruvka", "filter-kruskal", "awerbuch-shiloach"]),
    default="auto",
    show_default=True,
    help="How it is found; it changes the time, not the result.",
)
@verify_option
@click.option("-o", "--output", metavar="FILE", help="Write the forest: an undirected graph, in the suffix's format.")
@target_format_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    source_format: str | None,
    symmetrize: bool,
    as_json: bool,
    merge: str | None,
    maximum: bool,
    algorithm: str,
    verify: bool,
    output: str | None,
    target_format: str | None,
) -> None:
    """Find the minimum spanning forest.

    It has the lightest edges that connect all vertices of each component; without weights all weigh one. Edges of equal
    weight are taken by their ends, so there is one such forest, whatever the number of threads.
    """
    from ..forest import minimum_spanning_forest, total_weight
    from ..parallel import num_threads
    from ..verify import explain, is_minimum_spanning_forest

    check_output(output, file, as_json)
    clock = Clock()
    graph = read(file, source_format, merge or symmetrize, clock, weights=True)
    with clock("compute"), working("computing"):
        forest = minimum_spanning_forest(graph, algorithm=algorithm, maximum=maximum)
    wrong = None
    if verify:
        with clock("verify"), working("verifying"):
            wrong = explain(is_minimum_spanning_forest, graph, forest, maximum)
    edges = forest.tocoo()
    if output is not None:
        write(output, _as_graph(edges, graph), target_format, clock)
    weight, trees = total_weight(forest), graph.num_vertices - forest.nnz
    facts: Facts = {
        "file": file,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "forest_edges": forest.nnz,
        "trees": trees,
        "weight": weight,
        "maximum": maximum,
        "algorithm": algorithm,
        "verified": wrong is None if verify else None,
        "crc32": fingerprint(edges),
        "threads": num_threads(),
        "seconds": clock.facts(),
        "output": output,
    }
    right = f"yes: a {'maximum' if maximum else 'minimum'} spanning forest"
    lines = {
        "forest": f"{forest.nnz:,} edges, {trees:,} tree{'' if trees == 1 else 's'}",
        "weight": shown_weight(weight),
        "algorithm": algorithm,
        "verified": "not asked for" if not verify else right if not wrong else f"no: {wrong}",
        "crc32": facts["crc32"],
        "times": threads_line(clock),
    }
    if output is not None and output != "-":
        lines["written"] = output
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}", stderr=output == "-")
    if wrong:
        ctx.exit(1)


def shown_weight(weight: float) -> str:
    """A total weight: all digits of an integer, and of another number as many as matter."""
    return f"{weight:,}" if isinstance(weight, int) else f"{weight:,.10g}"


def _as_graph(edges: Any, graph: Graph) -> Graph:
    """The forest as an undirected graph, with the names of the vertices, and weights if the graph has any."""
    from ..graph import from_edges

    weights = None if graph.weights is None else edges.data
    return from_edges(edges.row, edges.col, weights, graph.num_vertices, symmetrize=True, nodes=graph.nodes)
