"""``stablegraph verify``: check an answer in a file; ``--as`` states the kind of the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .choices import FileName, Name
from .clock import Clock
from .options import direction, given, graph_file, merge_option, read, size_line, trusted, weight_options
from .terminal import Facts, show, shown_name

if TYPE_CHECKING:
    from ..graph import Graph


class Read(NamedTuple):
    """An answer from a file: the arguments of its verifier, and its description."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]
    facts: Facts
    label: str
    shown: str


def _set(graph: Graph, file: str, clock: Clock, distance: int, exclude: str | None) -> Read:
    from .answer_files import read_set, vertices_from

    members = read_set(file, graph)
    excluded = vertices_from(exclude, "--exclude", graph)
    size = int(members.sum()) if members.dtype == bool else int(members.size)
    facts = {"size": size, "distance": distance}
    return Read((members, distance), {"exclude": excluded}, facts, "set size", f"{size:,}")


def _numbers(graph: Graph, file: str, clock: Clock, name: str, **options: Any) -> Read:
    import numpy as np

    from .answer_files import read_numbers

    numbers = read_numbers(file, name, graph)
    count = int(np.unique(numbers).size)
    distance = {"distance": options["distance"]} if "distance" in options else {}
    return Read((numbers,), options, {name: count, **distance}, name, f"{count:,}")


def _forest(graph: Graph, file: str, clock: Clock, maximum: bool) -> Read:
    import scipy.sparse as sp

    from ..forest.api import total_weight
    from .forest import shown_weight

    content, is_table = _graph_content(file)
    found = read(content, None, True, clock, weights=True, is_answer=True)
    matrix, n = found.to_scipy(), graph.num_vertices
    if is_table or found.nodes is not None or found.num_vertices != n:  # edges between ids
        entries = matrix.tocoo()
        u, v = _numbers_of_ends(graph, found, entries.row, entries.col)
        matrix = sp.coo_array((entries.data, (u, v)), shape=(n, n))
    forest = sp.triu(matrix, format="csr")
    weight = total_weight(forest)
    facts = {"forest_edges": forest.nnz, "weight": weight}
    return Read((forest, maximum), {}, facts, "weight", shown_weight(weight))


def _graph_content(file: str) -> tuple[Any, bool]:
    """Return an answer in the form that `read_graph` accepts, a folder or a stream, and whether it is a table."""
    import io
    import os

    from ..io.detect import is_table
    from ..io.proportion import Allowance
    from ..io.source import load, opened

    if os.path.isdir(file):
        return file, True
    with opened(file, None) as (name, raw):
        source = load(name, raw, Allowance(name, trusted()))
    content: Any = io.BytesIO(source.data)
    content.name = name
    return content, is_table(source)


def _numbers_of_ends(graph: Graph, found: Graph, *ends: Any) -> list[Any]:
    """Return the vertices of `graph` whose ids equal, as texts, those of the given vertices of `found`."""
    import numpy as np

    from .._core.validation import distinct_vertices
    from .._core.vertex_names import names_of, number_of, numbers_by_name

    used = np.unique(np.concatenate(ends))
    ids = used.tolist() if found.nodes is None else names_of(used, found.nodes)
    if graph.nodes is None and all(isinstance(name, (int, np.integer)) for name in ids):
        vertices = distinct_vertices(ids, "the forest", graph.num_vertices)
    else:
        names = range(graph.num_vertices) if graph.nodes is None else graph.nodes
        place = numbers_by_name(map(str, names))
        vertices = np.array([number_of(str(name), place) for name in ids], np.int64)
    return [vertices[np.searchsorted(used, end)] for end in ends]


def _bfs(graph: Graph, file: str, clock: Clock, sources: str | None) -> Read:
    import numpy as np

    from .answer_files import read_numbers, vertices_from

    distance, parents = read_numbers(file, "distances parents", graph).T
    start = np.flatnonzero(distance == 0) if sources is None else vertices_from(sources, "--sources", graph)
    reached = int(np.count_nonzero(distance >= 0))
    facts = {"reached": reached}
    return Read((start, distance, parents), {"smallest": True}, facts, "reached", f"{reached:,} vertices")


class Kind(NamedTuple):
    """A kind of answer."""

    read: Callable[..., Read]
    predicate: str  # name of a function in stablegraph.verify
    right: str
    options: tuple[str, ...] = ()
    directed: bool | None = False  # whether its verifier needs arcs; None if it accepts arcs and edges


_labels = partial(_numbers, name="labels")
_KINDS = {
    "set": Kind(_set, "is_maximal_independent_set", "independent and maximal", ("distance", "exclude")),
    "coloring": Kind(partial(_numbers, name="colors"), "is_proper_coloring", "a proper coloring", ("distance",)),
    "communities": Kind(_labels, "is_community_labeling", "connected communities"),
    "components": Kind(_labels, "is_component_labeling", "the connected components", directed=None),
    "scc": Kind(_labels, "is_strong_component_labeling", "the strongly connected components", directed=True),
    "aggregation": Kind(
        _labels, "is_aggregation", "aggregates of vertices near each other, without gaps", ("connected",)
    ),
    "forest": Kind(_forest, "is_minimum_spanning_forest", "no spanning forest is better", ("maximum",)),
    "bfs": Kind(_bfs, "is_bfs_tree", "shortest paths", ("sources",), directed=None),
}


@click.command("verify")
@graph_file
@click.argument("answer", metavar="ANSWER", type=FileName())
@click.option(
    "--as", "kind", type=Name(_KINDS), default="set", show_default=True, help="What kind of answer ANSWER is."
)
@click.option(
    "--exclude", metavar="VERTICES", help="For a set: vertices that must not be in it: 3,7,10-12, names, or @FILE."
)
@click.option(
    "--distance",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="For a set: members are more than this number of edges apart. For a coloring (1 or 2): vertices at most this "
    "number of edges apart have different colors.",
)
@click.option("--connected", is_flag=True, help="For an aggregation: each aggregate must be connected.")
@click.option("--maximum", is_flag=True, help="For a forest: it must be a maximum spanning forest.")
@click.option("--sources", metavar="VERTICES", help="Of bfs: its sources.  [default: vertices at distance 0]")
@weight_options
@merge_option
def command(
    file: str,
    source_format: str | None,
    symmetrize: bool,
    directed: bool,
    as_json: bool,
    answer: str,
    kind: str,
    merge: str | None,
    **of_one_kind: Any,
) -> None:
    """Check an independent set, or another answer, of a graph.

    ANSWER is a file that `-o` of mis, color, components, scc, aggregate, forest or bfs wrote; a set may also be a .npy
    array of vertex numbers. Exit code 0: the answer is correct, such as a set that is independent and maximal; 1: it is
    not correct, and the output names the vertices that break the rule.

    Example: stablegraph verify graph.mtx.gz set.txt
    """
    from .. import verify

    if file == "-" and answer == "-":
        raise click.UsageError("the graph and the answer cannot both come from standard input")
    chosen = _KINDS[kind]
    if strange := given(*(set(of_one_kind) - set(chosen.options))):
        owners = " or ".join(name for name, owner in _KINDS.items() if strange.lstrip("-") in owner.options)
        raise click.UsageError(f"{strange} goes with --as {owners}")
    if kind != "forest" and (strange := given("weight_column", "no_weights")):
        raise click.UsageError(f"{strange} goes with --as forest; other answers have nothing to do with weights")
    clock = Clock()
    graph = read(
        file,
        source_format,
        merge or symmetrize,
        clock,
        weights=kind == "forest",
        directed=direction(directed, merge or symmetrize, chosen.directed),
    )
    found = chosen.read(graph, answer, clock, **{name: of_one_kind[name] for name in chosen.options})
    with clock("verify", "verifying"):
        predicate = getattr(verify, chosen.predicate)
        wrong = verify.explain(predicate, graph, *found.arguments, **found.options)
    facts: Facts = {
        "file": file,
        kind: answer,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **found.facts,
        "verified": wrong is None,
        "reason": wrong,
        "seconds": clock.seconds,
    }
    lines = {
        found.label: found.shown,
        "verified": f"yes: {chosen.right}" if wrong is None else f"no: {wrong}",
        "times": str(clock),
    }
    show(as_json, facts, lines, title=f"{shown_name(file)}: {size_line(graph)}")
    if wrong is not None:
        click.get_current_context().exit(1)
