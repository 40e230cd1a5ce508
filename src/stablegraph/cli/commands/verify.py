"""``stablegraph verify``: check an answer in a file; ``--as`` states the kind of the answer."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import click
import numpy as np

import stablegraph as sg

from .. import options
from ..answers import KINDS, ONE_PER_SOURCE, lines_of, verdict_line
from ..frame import command
from ..job import Job, Report, explicit_option, size_line
from ..terminal import Facts
from ..vertex_tables import LABELS

Checked = tuple[tuple[Any, ...], Facts, Facts]  # an answer and options as arguments of its verifier, and facts


@command(
    "verify",
    options.graph,
    click.argument("answer", metavar="ANSWER", type=options.FileName()),
    click.option(
        "--as",
        "kind",
        type=options.Name(KINDS),
        help="What kind of answer ANSWER is.  [default: recognized by its columns; set, if it has no names of columns]",
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
    options.vertices(
        "--sources",
        "Of components: the column with the source of each record. Of bfs: its sources, by default the vertices at "
        "distance 0",
    ),
    options.max_distance("Of bfs: its --max-distance."),
    options.color_limits,
    options.pairs,
    options.merged_weights,
)
def verify(job: Job, answer: str, kind: str | None, **values: Any) -> Report:
    """Check an independent set, or another answer, of a graph.

    ANSWER is a file that `-o` of mis, color, components, scc, aggregate, forest, matching or bfs wrote; a set may also
    be a .npy array of vertex numbers. A table, an .npz file or a text with a comment names its columns, so that --as is
    not needed. Exit code 0: the answer is correct, such as a set that is independent and maximal; 1: it is not correct,
    and the output names the vertices that break the rule.

    Example: stablegraph verify graph.mtx.gz set.txt
    """
    from ...io.source import load_path
    from ..pair_tables import read_pairs
    from ..vertex_tables import OtherColumnsError

    # A forest may be a folder; only its file is checked for a suspicious size.
    read = cache(lambda: load_path(answer, kind != "forest" or job.trusted))
    assumed = ""
    if kind is None:
        kind = "forest" if os.path.isdir(answer) else _recognized(read())
        assumed = "" if kind else "; without names of columns, the file was read as a set: pass --as for another kind"
    kind = kind or "set"
    chosen = KINDS[kind]
    if unused := explicit_option(*(set(values) - set(chosen.options))):
        name = unused.lstrip("-").replace("-", "_")
        owners = " or ".join(kind for kind, owner in KINDS.items() if name in owner.options)
        raise click.UsageError(f"{unused} goes with --as {owners}")
    weighted = kind in ("forest", "matching")
    if not weighted and (unused := explicit_option("weight_column", "no_weights")):
        raise click.UsageError(f"{unused} goes with --as forest or matching; other answers do not depend on weights")
    limits = {name: values[name] for name in chosen.options}
    if weighted:
        graph = job.read(weights=True, directed=chosen.directed)
    else:
        sources = limits.pop("sources", None) if kind == "components" else None
        graph = read_pairs(job, limits.pop("where", None), limits.pop("records", None), chosen.directed, sources)
        if sources is not None:
            chosen, limits = ONE_PER_SOURCE, {"origins": graph.facts["sources"]}
    assert chosen.predicate is not None
    try:
        answers, limits, found = _read_answer(job, kind, answer, read, **limits)
        in_table = found.pop("wrong", None)
        with job.clock("verify", "verifying"):
            several = [(column,) for column in np.atleast_2d(answers[0].T)] if kind == "communities" else [answers]
            defects = [sg.explain(chosen.predicate, graph, *one, **limits) for one in several]
            wrong = next(filter(None, defects), in_table)
    except OtherColumnsError as error:
        kinds = " or ".join(_kinds_with(error.columns))
        raise click.UsageError(f"{error}; pass --as {kinds}" if kinds else str(error)) from None
    except ValueError as error:
        error.args = (f"{error}{assumed}",)
        raise
    wrong = wrong and wrong + assumed
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


def _kinds_with(columns: list[str]) -> list[str]:
    """Return the kinds of answers whose files have these columns after the id."""
    from ..vertex_tables import SLOT_COLUMNS, earlier_names

    if columns in (SLOT_COLUMNS, SLOT_COLUMNS[:1]):
        return ["coloring"]
    if columns[:1] == ["cluster"]:
        return ["components"]
    if columns and all(column.startswith("community_") for column in columns):
        return ["communities"]
    names = {kind: one.columns.split() for kind, one in KINDS.items() if one.columns}
    return [kind for kind, one in names.items() if columns in (one, earlier_names(one))]


def _recognized(source: Any) -> str | None:
    """Return the kind of an answer by the names of its columns, or None for a file without names."""
    from ...tables.columns import ends_by_name
    from ..answer_files import named_columns

    columns = named_columns(source)
    if columns is None:
        return None
    if "indptr" in columns or columns == ["%%MatrixMarket"] or (columns[0] != "id" and ends_by_name(columns)):
        return "forest"
    kinds = _kinds_with(columns[1:] if columns[0] == "id" else columns)
    if len(kinds) != 1:
        listed = f"it may be {' or '.join(kinds)}" if kinds else f"they are those of no answer: {', '.join(KINDS)}"
        shown = ",".join(columns)[:60]
        raise click.UsageError(f"{source.name}: name the kind of answer by --as; by its columns {shown}, {listed}")
    return kinds[0]


def _read_answer(job: Job, kind: str, file: str, read: Callable[[], Any], **limits: Any) -> Checked:
    """Read an answer of a kind from a file; `limits` are the options of the kind."""
    from ..answer_files import contents, named_columns, numbers_in, set_in
    from ..vertex_values import labels_in, read_limits, slots_in, vertices_from

    graph, columns = job.graph, KINDS[kind].columns
    if kind == "communities":  # of one resolution or of several
        several = [name for name in named_columns(read()) or () if name.startswith("community_")]
        labels, _ = labels_in(*contents(read()), " ".join(several) or columns, graph)
        counts = [np.unique(column).size for column in np.atleast_2d(labels.T)]
        return (labels,), limits, {"labels": counts if several else counts[0]}
    if kind == "set":
        members = set_in(*contents(read()), graph)
        limits["exclude"] = vertices_from(limits["exclude"], "--exclude", graph)
        size = int(members.sum()) if members.dtype == bool else int(members.size)
        return (members,), limits, {"size": size, "distance": limits["distance"]}
    if kind == "forest":
        forest = _read_forest(job, file, read)
        return (forest,), limits, {"forest_edges": forest.nnz, "weight": sg.total_weight(forest)}
    if columns in LABELS:
        labels, wrong = labels_in(*contents(read()), columns, graph)
        return (labels,), limits, {"labels": int(np.unique(labels).size), "wrong": wrong}
    if kind == "coloring":
        distance = limits.pop("distance")
        limits = {"distance": distance, **read_limits(limits, graph)}
        colors, assigned = slots_in(*contents(read()), graph)
        in_use = int(np.unique(colors).size)
        number = (
            {"colors": int(colors.max(initial=-1)) + 1, "in_use": in_use}
            if limits.get("gap", 1) > 1
            else {"colors": in_use}
        )
        return (colors,), limits | assigned, {**number, "distance": distance}
    if kind == "matching":
        mates = numbers_in(*contents(read()), columns, graph)
        return (mates,), {"weighted": True}, {"matched_edges": int(np.count_nonzero(mates >= 0)) // 2}
    distance, parents = numbers_in(*contents(read()), columns, graph).T
    sources = limits.pop("sources")
    start = np.flatnonzero(distance == 0) if sources is None else vertices_from(sources, "--sources", graph)
    return (start, distance, parents), {"smallest": True, **limits}, {"reached": int(np.count_nonzero(distance >= 0))}


def _read_forest(job: Job, file: str, read: Callable[[], Any]) -> Any:
    """Read a forest: a graph of the same vertices, or edges between ids."""
    import scipy.sparse as sp

    graph, n = job.graph, job.graph.num_vertices
    content, has_ids = _graph_content(file, read)
    answer = job.read_file(content, symmetrize=True, weights=True)
    matrix = answer.to_scipy()
    if has_ids or answer.nodes is not None or answer.num_vertices != n:
        entries = matrix.tocoo()
        u, v = _numbers_of_ends(graph, answer, entries.row, entries.col)
        matrix = sp.coo_array((entries.data, (u, v)), shape=(n, n))
    return sp.triu(matrix, format="csr")


def _graph_content(file: str, read: Callable[[], Any]) -> tuple[Any, bool]:
    """Return an answer in the form that `read_graph` accepts, a folder or a stream, and whether it is a table."""
    from ...io.detect import is_table

    if os.path.isdir(file):
        return file, True
    source = read()
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
