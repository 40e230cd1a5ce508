"""``stablegraph verify``: check an answer in a file; ``--as`` states the kind of the answer."""

from __future__ import annotations

import io
import os
from typing import Any

import click
import numpy as np

import stablegraph as sg

from .. import options
from ..answers import KINDS, lines_of, verdict_line
from ..frame import command
from ..job import Job, Report, explicit_option, size_line
from ..terminal import Facts

Checked = tuple[tuple[Any, ...], Facts, Facts]  # an answer and options as arguments of its verifier, and facts


@command(
    "verify",
    options.graph,
    click.argument("answer", metavar="ANSWER", type=options.FileName()),
    click.option(
        "--as",
        "kind",
        type=options.Name(KINDS),
        default="set",
        show_default=True,
        help="What kind of answer ANSWER is.",
    ),
    options.vertices("--exclude", "For a set: vertices that must not be in it"),
    options.number_option(
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
    options.color_limits,
    options.merged_weights,
)
def verify(job: Job, answer: str, kind: str, **values: Any) -> Report:
    """Check an independent set, or another answer, of a graph.

    ANSWER is a file that `-o` of mis, color, components, scc, aggregate, forest, matching or bfs wrote; a set may also
    be a .npy array of vertex numbers. Exit code 0: the answer is correct, such as a set that is independent and
    maximal; 1: it is not correct, and the output names the vertices that break the rule.

    Example: stablegraph verify graph.mtx.gz set.txt
    """
    from ..answer_files import OtherColumnsError

    chosen = KINDS[kind]
    if unused := explicit_option(*(set(values) - set(chosen.options))):
        name = unused.lstrip("-").replace("-", "_")
        owners = " or ".join(kind for kind, owner in KINDS.items() if name in owner.options)
        raise click.UsageError(f"{unused} goes with --as {owners}")
    weighted = kind in ("forest", "matching")
    if not weighted and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --as forest or matching; other answers do not depend on weights")
    graph = job.read(weights=weighted, directed=chosen.directed)
    try:
        answers, limits, found = _read_answer(job, kind, answer, **{name: values[name] for name in chosen.options})
    except OtherColumnsError as error:
        kinds = " or ".join(name for name, other in KINDS.items() if other.columns == error.columns)
        raise click.UsageError(f"{error}; pass --as {kinds}" if kinds else str(error)) from None
    assert chosen.predicate is not None
    with job.clock("verify", "verifying"):
        wrong = sg.explain(chosen.predicate, graph, *answers, **limits)
    facts: Facts = {
        "file": job.file,
        kind: answer,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        **found,
        "verified": wrong is None,
        "reason": wrong,
        "seconds": job.clock.seconds,
    }
    verdict = {"verified": verdict_line(wrong is None, chosen.right, wrong), "times": str(job.clock)}
    title = f"{job.name}: {size_line(graph)}"
    return Report(facts, {**lines_of("verify", facts), **verdict}, title, exit_code=int(wrong is not None))


def _read_answer(job: Job, kind: str, file: str, **limits: Any) -> Checked:
    """Read an answer of a kind from a file; `limits` are the options of the kind."""
    from ..answer_files import read_numbers, read_set
    from ..vertex_values import read_labels, read_limits, vertices_from

    graph, columns = job.graph, KINDS[kind].columns
    if kind == "set":
        members = read_set(file, graph)
        limits["exclude"] = vertices_from(limits["exclude"], "--exclude", graph)
        size = int(members.sum()) if members.dtype == bool else int(members.size)
        return (members,), limits, {"size": size, "distance": limits["distance"]}
    if kind == "forest":
        forest = _read_forest(job, file)
        return (forest,), limits, {"forest_edges": forest.nnz, "weight": sg.total_weight(forest)}
    if columns == "labels":
        labels = read_labels(file, graph)
        return (labels,), limits, {"labels": int(np.unique(labels).size)}
    if kind == "coloring":
        distance = limits.pop("distance")
        limits = {"distance": distance, **read_limits(limits, graph)}
        colors = read_numbers(file, columns, graph)
        return (colors,), limits, {"colors": int(np.unique(colors).size), "distance": distance}
    if kind == "matching":
        mates = read_numbers(file, columns, graph)
        return (mates,), {"weighted": True}, {"matched_edges": int(np.count_nonzero(mates >= 0)) // 2}
    distance, parents = read_numbers(file, columns, graph).T
    sources = limits.pop("sources")
    start = np.flatnonzero(distance == 0) if sources is None else vertices_from(sources, "--sources", graph)
    return (start, distance, parents), {"smallest": True, **limits}, {"reached": int(np.count_nonzero(distance >= 0))}


def _read_forest(job: Job, file: str) -> Any:
    """Read a forest: a graph of the same vertices, or edges between ids."""
    import scipy.sparse as sp

    graph, n = job.graph, job.graph.num_vertices
    content, has_ids = _graph_content(file, job.trusted)
    answer = job.read_file(content, symmetrize=True, weights=True)
    matrix = answer.to_scipy()
    if has_ids or answer.nodes is not None or answer.num_vertices != n:
        entries = matrix.tocoo()
        u, v = _numbers_of_ends(graph, answer, entries.row, entries.col)
        matrix = sp.coo_array((entries.data, (u, v)), shape=(n, n))
    return sp.triu(matrix, format="csr")


def _graph_content(file: str, trusted: bool) -> tuple[Any, bool]:
    """Return an answer in the form that `read_graph` accepts, a folder or a stream, and whether it is a table."""
    from ...io.detect import is_table
    from ...io.source import load_path

    if os.path.isdir(file):
        return file, True
    source = load_path(file, trusted)
    content: Any = io.BytesIO(source.data)
    content.name = source.name
    return content, is_table(source)


def _numbers_of_ends(graph: sg.Graph, answer: sg.Graph, *ends: Any) -> list[Any]:
    """Return the vertices of `graph` whose ids equal, as texts, those of the given vertices of `answer`."""
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
