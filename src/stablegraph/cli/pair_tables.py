"""The pairs and records of ``components``: a condition on a column of the pairs, and ids without pairs.

A condition is the name of a column, a comparison and a number. Nothing in it is evaluated as code.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import click
import numpy as np

import stablegraph as sg

from ..io.titled_table import integers_of_texts
from ..tables import id_column
from ..tables.clusters import COMPARISONS, called_id, chosen_records, selects, sources_of
from ..tables.columns import pyarrow_module
from .answer_files import read_bytes
from .job import Job
from .vertex_tables import ARROW, arrow_table, table_in

_CONDITION = re.compile(rf"\s*(.+?)\s*({'|'.join(map(re.escape, COMPARISONS))})\s*(\S+)\s*")


class Condition(NamedTuple):
    """The rows of a table that have a value that compares with a number as stated."""

    column: str
    comparison: str
    number: float


def parsed_condition(text: str) -> Condition:
    """Return the condition of ``--where``, such as "score >= 0.6"."""
    match = _CONDITION.fullmatch(text)
    try:
        if match is None:
            raise ValueError("no comparison")
        number: float = int(match[3]) if re.fullmatch(r"[-+]?\d{1,18}", match[3]) else float(match[3])
        if not math.isfinite(number):
            raise ValueError("no finite number")
    except ValueError:
        known = " ".join(COMPARISONS)
        raise ValueError(
            f"--where: expected a column, one of {known}, and a number, such as 'score >= 0.6', got {text[:60]!r}"
        ) from None
    return Condition(match[1], match[2], number)


def read_pairs(
    job: Job, where: str | None, records: str | None, directed: bool | None = None, sources: str | None = None
) -> sg.Graph:
    """Read the graph of the pairs that fulfil a condition, and of the ids of the records.

    `directed` is False for a coloring, which needs edges. As in its other tables, of two columns the first is the id.
    With `sources`, weights are the scores, and the fact "sources" of the graph is the source of each vertex.
    """
    if sources is not None and (where is None or records is None):
        raise click.UsageError("--sources needs --records, a table with the sources, and --where 'SCORE >= NUMBER'")
    if where is None:
        arcs = job.read(directed=directed)
        if records is None:
            return arcs
        kept, ids = np.ones(arcs.num_entries, bool), [id_column(len(arcs), arcs.nodes)]
    else:
        condition = parsed_condition(where)
        if sources is not None and ">" not in condition.comparison:
            raise click.UsageError(f"--sources joins the pairs with the largest {condition.column} first: pass >= or >")
        how: dict[str, Any] = {**job.columns, "weight": condition.column, "weights": True}
        try:
            arcs = job.read_file(job.file, format=job.source_format, directed=True, **how)
        except ValueError as error:
            if "but the format is" not in str(error):
                raise
            raise ValueError(f"{job.name}: --where needs a table with the column {condition.column!r}") from None
        assert arcs.weights is not None
        kept, ids = selects(condition.comparison, arcs.weights, condition.number), []
    pa, known = pyarrow_module(), id_column(len(arcs), arcs.nodes)
    if records is not None:
        added, *origins = _columns_in(records, directed is False, sources)
        added, known = alike(added, known)
        ids = [*(one.cast(known.type) for one in ids), added]
    pairs = {"source": known.take(pa.array(arcs._rows()[kept])), "target": known.take(pa.array(arcs.indices[kept]))}
    nodes = pa.chunked_array([chunk.cast(known.type) for chunk in ids], known.type)
    how = {"directed": False, "nodes": nodes}
    if sources is not None:
        pairs["score"] = pa.array(arcs.weights[kept])
        how |= {"weight": "score", "merge": "max"}
    graph: sg.Graph = sg.from_table(pa.table(pairs), **how)
    if sources is not None:
        of_record = chosen_records(pa.table([added, *origins], ["id", sources]), "id", sources)[1]
        names = id_column(len(graph), graph.nodes)
        vertices = pa.compute.index_in(added.cast(names.type), value_set=names).to_numpy()
        graph._remember(sources=sources_of(len(graph), graph.nodes, vertices, of_record))
    job.graph = graph
    return graph


def alike(ids: Any, known: Any) -> tuple[Any, Any]:
    """Return both arrays of ids with one type: integers if all ids are integers, otherwise texts."""
    pa = pyarrow_module()
    if pa.types.is_string(ids.type) and pa.types.is_integer(known.type):
        numbers = integers_of_texts(ids.to_pylist())
        ids = ids if numbers is None else pa.array(numbers)
    if pa.types.is_integer(ids.type) != pa.types.is_integer(known.type):
        ids, known = ids.cast(pa.string()), known.cast(pa.string())
    return ids, known


def _places(name: str, titles: list[str], of_two: bool, sources: str | None) -> list[int]:
    """Return the positions of the column of ids, and of the column `sources` if there is one.

    The column of ids is the one that is called id, or the only other one, or the first `of_two`.
    """
    shown = ", ".join(map(repr, titles)) or "none"
    of_sources = [i for i, title in enumerate(titles) if title == sources]
    if sources is not None and (len(of_sources) != 1 or of_sources == called_id(titles)):
        raise ValueError(f"{name}: --sources must name one column next to the ids; the columns are {shown}")
    others = [i for i in range(len(titles)) if i not in of_sources]
    called = called_id(titles) or [0] * (of_two and len(titles) == 2) or others
    if len(called) != 1:
        raise ValueError(f"{name}: rename the column of the ids to 'id'; the columns are {shown}")
    return called + of_sources


def _columns_in(file: str, of_two: bool, sources: str | None) -> list[Any]:
    """Return the column of ids of a table, and the column `sources` if there is one, as Arrow arrays."""
    pa, (name, data) = pyarrow_module(), read_bytes(file)
    if data.startswith(ARROW):
        table = arrow_table(name, data)
        places = _places(name, table.column_names, of_two, sources)
        for place in places:
            if table.column(place).null_count:
                raise ValueError(f"{name}: the column {table.column_names[place]!r} must not have missing values")
        return [table.column(place).combine_chunks() for place in places]
    lines = table_in(name, data)
    if lines is None:
        lines = [[line] for line in data.decode("utf-8", "replace").splitlines()]
        if not lines or not called_id(lines[0]):
            raise ValueError(f"{name}, line 1: put the title 'id' before the ids of the records")
    places = _places(name, lines[0], of_two, sources)
    for line, row in enumerate(lines[1:], 2):
        for what, place in zip(("id", "source"), places, strict=False):
            if row and not "".join(row[place : place + 1]):
                raise ValueError(f"{name}, line {line}: the {what} is missing")
    return [pa.array([row[place] for row in lines[1:] if row], pa.string()) for place in places]
