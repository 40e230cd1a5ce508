"""Tables of vertices in files, Parquet, Feather or text: a title, then rows with the id of a vertex and its values.

Rule: the first column is the id, whatever its name. Of two columns the other one is the value; of several, the one with
the name of the value. A line that begins with the id of a vertex, or whose second field is a number, is not a title.

A kind of answer has columns of its own, such as ``mask`` or ``color``, by which `verify` recognizes it. Earlier
versions wrote other names, which are still read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

import click

import stablegraph as sg

from ..io.source import utf8
from ..tables.columns import pyarrow_module

ARROW = (b"PAR1", b"ARROW1")  # the beginning of a table in Parquet or Feather
_OTHERS = (b"\x93NUMPY", b"PK\x03\x04", b"#", b"%")  # the beginning of arrays, and of text that is no table
_NUMBER = re.compile(r"[-+]?\.?\d[\d.]*(?:[eE][-+]?\d+)?")
LABELS = ("component", "strong_component", "community", "aggregate", "cluster", "labels")
SLOT_COLUMNS = ["slot", "room"]  # of a coloring with rooms
_EARLIER = {"color": "colors", "mate": "mates", "distance": "distances", "parent": "parents"}
_NAMES = {"mask", "size", *LABELS, *_EARLIER, *_EARLIER.values()}  # of columns of answers


class OtherColumnsError(ValueError):
    """The error about a file with other columns than those of the expected answer."""

    def __init__(self, message: str, columns: Iterable[str]) -> None:
        super().__init__(message)
        self.columns = list(columns)


def earlier_names(names: list[str]) -> list[str]:
    """Return the names that earlier versions gave to the columns of an answer."""
    return [_EARLIER.get(name, "labels" if name in LABELS else name) for name in names]


def may_be(columns: list[str], names: list[str]) -> bool:
    """Return whether columns in a file can be those of an answer: by these, by earlier, or by unknown names."""

    def fits(column: str, name: str) -> bool:
        return column in (name, _EARLIER.get(name)) or (column in LABELS and name in LABELS) or column not in _NAMES

    return len(columns) == len(names) and all(map(fits, columns, names))


def title_of(name: str, data: bytes) -> list[str] | None:
    """Return the names of the columns of a table; None for a file that is no table."""
    if data.startswith(ARROW):
        return list(arrow_table(name, data).column_names)
    line, separator = _title_line(name, data)
    return next(csv.reader([line], delimiter=separator)) if separator else None


def _title_line(name: str, data: bytes) -> tuple[str, str]:
    """Return the first line of a text and the separator of its columns, which is empty if it is no title."""
    if data.startswith(_OTHERS):
        return "", ""
    line = utf8(name, data.partition(b"\n")[0]).rstrip("\r")
    separator = next((mark for mark in ",\t;" if mark in line), "")
    is_title = separator and not _NUMBER.fullmatch(line.partition(separator)[0].strip(" \"'"))
    return line, separator if is_title else ""


def table_in(name: str, data: bytes) -> list[list[str]] | None:
    """Return the rows of a table as texts (empty if missing), the title first; None for a file that is no table."""
    if data.startswith(ARROW):
        pa, table = pyarrow_module(), arrow_table(name, data)
        flags = [column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column for column in table.columns]
        columns = (["" if field is None else str(field) for field in one.to_pylist()] for one in flags)
        return [table.column_names, *map(list, zip(*columns, strict=True))]
    _, separator = _title_line(name, data)
    if not separator:
        return None
    try:
        return list(csv.reader(io.StringIO(utf8(name, data), newline=""), delimiter=separator))
    except csv.Error as error:
        raise ValueError(f"{name}: the table is damaged: {error}") from None


def arrow_table(name: str, data: bytes) -> Any:
    """Return the table in a Parquet or Feather file as an Arrow table."""
    pa = pyarrow_module()
    if data.startswith(ARROW[0]):
        from pyarrow.parquet import read_table
    else:
        from pyarrow.feather import read_table
    try:
        table = read_table(pa.BufferReader(data))
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{name}: the file is damaged or cut short: {' '.join(str(error).split())}") from None
    return table


def value_column(name: str, title: list[str], graph: sg.Graph, *values: str) -> int:
    """Return the column of a value that has one of these names, or the only one after the id."""
    check_title(name, title, graph, values[0])
    named = [place for place, column in enumerate(title) if place and column in values]
    if len(title) != 2 and len(named) != 1:
        raise ValueError(f"{name}, line 1: the columns must be id and {values[0]}, got {','.join(title)[:60]!r}")
    return named[0] if named else 1


def check_title(name: str, title: list[str], graph: sg.Graph, *values: str) -> None:
    """Raise the error for a first line that is a row."""
    is_row = len(title) > 1 and _NUMBER.fullmatch(title[1].strip())
    if is_row or (title[0] != "id" and title[0] in vertex_numbers(graph)):
        wanted = ",".join(["id", *values])
        raise ValueError(
            f"{name}, line 1: put a title such as {wanted!r} before the first row, {','.join(title)[:60]!r}"
        )


def vertex_numbers(graph: sg.Graph) -> dict[str, int]:
    """Return the vertices by the texts of their ids."""
    names = range(graph.num_vertices) if graph.nodes is None else graph.nodes
    return {str(name): v for v, name in enumerate(names)}


def known_rows(name: str, lines: list[list[str]], graph: sg.Graph) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the line, the vertex and the fields of each row."""
    (title, *rows), numbers = lines, vertex_numbers(graph)
    column = "" if title[0] == "id" else f" (column {title[0][:30]!r})"
    for line, row in enumerate(rows, 2):
        if row and row[0] not in numbers:
            has_records = any(option.name == "records" for option in click.get_current_context().command.params)
            hint = "; --records FILE adds vertices without edges" if has_records else ""
            raise ValueError(f"{name}, line {line}: the graph has no vertex {row[0][:30]}{column}{hint}")
        if row and len(row) != len(title):
            raise ValueError(f"{name}, line {line}: expected {len(title)} values, got {len(row)}")
        if row:
            yield line, numbers[row[0]], row


def row_of_each(name: str, lines: list[list[str]], graph: sg.Graph) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the line, the vertex and the fields of each row; every vertex must have one row."""
    missing = dict.fromkeys(range(graph.num_vertices))
    for line, v, row in known_rows(name, lines, graph):
        if v not in missing:
            raise ValueError(f"{name}, line {line}: a second line for vertex {row[0][:30]}")
        del missing[v]
        yield line, v, row
    if missing:
        first = next(iter(missing))
        raise ValueError(f"{name}: no line for vertex {first if graph.nodes is None else graph.nodes[first]}")
