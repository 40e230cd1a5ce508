"""``stablegraph verify``: check an answer in a file; ``--as`` states the kind of the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import click

import stablegraph as sg

from .. import color_limits, options
from ..choices import FileName, Name
from ..frame import command
from ..job import Job, Report, explicit_option, size_line, verdict_line
from ..terminal import Facts


class Check(NamedTuple):
    """A verifier with an answer from a file, and the description of the answer."""

    defect: Callable[[], str | None]
    facts: Facts
    label: str
    text: str


def _check_set(job: Job, file: str, distance: int, exclude: str | None) -> Check:
    from ..answer_files import read_set
    from ..vertex_lists import vertices_from

    members = read_set(file, job.graph)
    excluded = vertices_from(exclude, "--exclude", job.graph)
    size = int(members.sum()) if members.dtype == bool else int(members.size)
    defect = partial(sg.explain, sg.is_maximal_independent_set, job.graph, members, distance, exclude=excluded)
    return Check(defect, {"size": size, "distance": distance}, "set size", f"{size:,}")


def _check_coloring(job: Job, file: str, distance: int, **limits: Any) -> Check:
    limits = color_limits.read_limits(limits, job.graph)
    check = _check_numbers(job, file, "colors", sg.is_proper_coloring, distance=distance, **limits)
    return check._replace(facts={**check.facts, "distance": distance})


def _check_numbers(job: Job, file: str, name: str, predicate: Callable[..., bool], **options: Any) -> Check:
    import numpy as np

    from ..answer_files import read_numbers
    from ..clusters import read_labels

    numbers = read_labels(file, job.graph) if name == "labels" else read_numbers(file, name, job.graph)
    count = int(np.unique(numbers).size)
    return Check(partial(sg.explain, predicate, job.graph, numbers, **options), {name: count}, name, f"{count:,}")


def _check_forest(job: Job, file: str, maximum: bool) -> Check:
    import scipy.sparse as sp

    from .forest import shown_weight

    graph, n = job.graph, job.graph.num_vertices
    content, is_table = _graph_content(file, job.trusted)
    answer = job.read_file(content, symmetrize=True, weights=True)
    matrix = answer.to_scipy()
    if is_table or answer.nodes is not None or answer.num_vertices != n:  # edges between ids
        entries = matrix.tocoo()
        u, v = _numbers_of_ends(graph, answer, entries.row, entries.col)
        matrix = sp.coo_array((entries.data, (u, v)), shape=(n, n))
    forest = sp.triu(matrix, format="csr")
    weight = sg.total_weight(forest)
    defect = partial(sg.explain, sg.is_minimum_spanning_forest, graph, forest, maximum)
    return Check(defect, {"forest_edges": forest.nnz, "weight": weight}, "weight", shown_weight(weight))


def _graph_content(file: str, trusted: bool) -> tuple[Any, bool]:
    """Return an answer in the form that `read_graph` accepts, a folder or a stream, and whether it is a table."""
    import io
    import os

    from ...io.detect import is_table
    from ...io.source import Allowance, load, opened

    if os.path.isdir(file):
        return file, True
    with opened(file, None) as (name, raw):
        source = load(name, raw, Allowance(name, trusted))
    content: Any = io.BytesIO(source.data)
    content.name = name
    return content, is_table(source)


def _numbers_of_ends(graph: sg.Graph, answer: sg.Graph, *ends: Any) -> list[Any]:
    """Return the vertices of `graph` whose ids equal, as texts, those of the given vertices of `answer`."""
    import numpy as np

    from ..._core.validation import distinct_vertices
    from ..._core.vertex_names import names_of, number_of, numbers_by_name

    used = np.unique(np.concatenate(ends))
    ids = used.tolist() if answer.nodes is None else names_of(used, answer.nodes)
    if graph.nodes is None and all(isinstance(name, (int, np.integer)) for name in ids):
        vertices = distinct_vertices(ids, "the forest", graph.num_vertices)
    else:
        names = range(graph.num_vertices) if graph.nodes is None else graph.nodes
        numbers = numbers_by_name(map(str, names))
        vertices = np.array([number_of(str(name), numbers) for name in ids], np.int64)
    return [vertices[np.searchsorted(used, end)] for end in ends]


def _check_matching(job: Job, file: str) -> Check:
    import numpy as np

    from ..answer_files import read_numbers

    mates = read_numbers(file, "mates", job.graph)
    size = int(np.count_nonzero(mates >= 0)) // 2
    defect = partial(sg.explain, sg.is_maximal_matching, job.graph, mates, weighted=True)
    return Check(defect, {"matched_edges": size}, "matching", f"{size:,} edges")


def _check_search(job: Job, file: str, sources: str | None, max_distance: int | None) -> Check:
    import numpy as np

    from ..answer_files import read_numbers
    from ..vertex_lists import vertices_from

    distance, parents = read_numbers(file, "distances parents", job.graph).T
    start = np.flatnonzero(distance == 0) if sources is None else vertices_from(sources, "--sources", job.graph)
    reached = int(np.count_nonzero(distance >= 0))
    limits: dict[str, Any] = {"smallest": True, "max_distance": max_distance}
    defect = partial(sg.explain, sg.is_bfs_tree, job.graph, start, distance, parents, **limits)
    return Check(defect, {"reached": reached}, "reached", f"{reached:,} vertices")


class Kind(NamedTuple):
    """A kind of answer."""

    check: Callable[..., Check]
    right: str
    options: tuple[str, ...] = ()
    directed: bool | None = False  # whether its verifier needs arcs; None if it accepts arcs and edges
    columns: str = "labels"  # the names of its columns in a file, separated by spaces


def _labels(predicate: Callable[..., bool]) -> Callable[..., Check]:
    return partial(_check_numbers, name="labels", predicate=predicate)


_KINDS = {
    "set": Kind(_check_set, "independent and maximal", ("distance", "exclude"), columns="mask"),
    "coloring": Kind(_check_coloring, "a proper coloring", ("distance", *color_limits.NAMES), columns="colors"),
    "communities": Kind(_labels(sg.is_community_labeling), "connected communities"),
    "components": Kind(_labels(sg.is_component_labeling), "the connected components", directed=None),
    "scc": Kind(_labels(sg.is_strong_component_labeling), "the strongly connected components", directed=True),
    "aggregation": Kind(
        _labels(sg.is_aggregation), "aggregates of vertices near each other, without gaps", ("connected",)
    ),
    "forest": Kind(_check_forest, "no spanning forest is better", ("maximum",), columns=""),
    "matching": Kind(
        _check_matching, "a matching, and no edge is heavier than the matched ones next to it", columns="mates"
    ),
    "bfs": Kind(
        _check_search, "shortest paths", ("sources", "max_distance"), directed=None, columns="distances parents"
    ),
}


@command(
    "verify",
    options.graph,
    click.argument("answer", metavar="ANSWER", type=FileName()),
    click.option(
        "--as", "kind", type=Name(_KINDS), default="set", show_default=True, help="What kind of answer ANSWER is."
    ),
    options.vertices("--exclude", "For a set: vertices that must not be in it"),
    options.integer(
        "--distance",
        1,
        1,
        "For a set: members are more than this number of edges apart. For a coloring (1 or 2): vertices at most this "
        "number of edges apart have different colors.",
    ),
    options.flag("--connected", "For an aggregation: each aggregate must be connected."),
    options.flag("--maximum", "For a forest: it must be a maximum spanning forest."),
    options.vertices("--sources", "Of bfs: its sources, by default the vertices at distance 0"),
    options.max_distance("Of bfs: its --max-distance."),
    color_limits.limits,
    options.weights,
    options.merge,
)
def verify(job: Job, answer: str, kind: str, **values: Any) -> Report:
    """Check an independent set, or another answer, of a graph.

    ANSWER is a file that `-o` of mis, color, components, scc, aggregate, forest, matching or bfs wrote; a set may also
    be a .npy array of vertex numbers. Exit code 0: the answer is correct, such as a set that is independent and
    maximal; 1: it is not correct, and the output names the vertices that break the rule.

    Example: stablegraph verify graph.mtx.gz set.txt
    """
    from ..answer_files import OtherColumnsError

    chosen = _KINDS[kind]
    if unused := explicit_option(*(set(values) - set(chosen.options))):
        name = unused.lstrip("-").replace("-", "_")
        owners = " or ".join(kind for kind, owner in _KINDS.items() if name in owner.options)
        raise click.UsageError(f"{unused} goes with --as {owners}")
    weighted = kind in ("forest", "matching")
    if not weighted and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --as forest or matching; other answers do not depend on weights")
    graph = job.read(weights=weighted, directed=chosen.directed)
    try:
        check = chosen.check(job, answer, **{name: values[name] for name in chosen.options})
    except OtherColumnsError as error:
        kinds = " or ".join(name for name, other in _KINDS.items() if other.columns == error.columns)
        raise click.UsageError(f"{error}; pass --as {kinds}" if kinds else str(error)) from None
    with job.clock("verify", "verifying"):
        wrong = check.defect()
    facts: Facts = {
        "file": job.file,
        kind: answer,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **check.facts,
        "verified": wrong is None,
        "reason": wrong,
        "seconds": job.clock.seconds,
    }
    lines = {
        check.label: check.text,
        "verified": verdict_line(wrong is None, chosen.right, wrong),
        "times": str(job.clock),
    }
    return Report(facts, lines, f"{job.name}: {size_line(graph)}", is_wrong=wrong is not None)
