"""Text tables of edges with a title line, .csv and .tsv, read through pyarrow; ids may be texts.

Fields are separated by commas, tabs or semicolons; the title line contains only one of these. Quotes work as in
spreadsheets. Columns are chosen as for Parquet tables. An empty field is a missing value.

Ids are integers if every id of both columns is written in canonical form and fits 64 bits. Otherwise (01, 0x10, +1, -0,
a blank next to an id) all ids are texts, exactly as in the file. Texts that differ only in surrounding blanks are
refused.

Weights follow the rules of lists without a title: integers have 64 bits, and a column with decimals must not contain an
integer that a float would round. Values that pyarrow would change without a message (0x10 to 16, 1e400 to infinity) are
refused.

A first line of words is accepted as a title if it names the ends, if integer ids follow, or if the caller names the
columns. Otherwise it might be an edge between names, and the table is refused instead of guessing.

The writer prints the names of the vertices, or their numbers, in the columns source and target, and the weights in the
column weight. The format cannot store the direction or isolated vertices; isolated vertices are refused.
"""

from __future__ import annotations

import csv
import importlib
import io
import math
import re
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy as np

from .._core.texts import short_repr
from .._core.vertex_names import shown_name
from ..tables.columns import (
    Column,
    Columns,
    choose_columns,
    distinct_columns,
    ends_by_name,
    pyarrow_module,
    schema_columns,
)
from .contents import Contents, check_text_weights, names_at, table_contents, table_edges
from .render import Lines, render
from .source import GraphFileError, Source, utf8

SUFFIXES = {".csv": ",", ".tsv": "\t"}  # suffixes of written tables, and the separators of their columns
_SEPARATORS = "\t,;"
_QUOTED = re.compile('"(?:[^"]|"")*"')
_INTEGER = re.compile("0|-?[1-9][0-9]{0,19}")  # in canonical form
_ROUNDED = 2**53  # from this magnitude on, floats do not represent all integers
_LARGEST = 2**63 - 1
_ROWS = 1 << 16  # rows with names that are written at a time
_NAMES_SHOWN, _NAME_SHOWN = 6, 40  # in a message: names of a title, and characters of a name


def begins(source: Source, start: int) -> bool:
    """Return whether the line at byte `start` begins with a word."""
    first = source.first_on_line(start)
    return first.isalpha() or first in (b'"', b"'") or first >= b"\x80"


class _Table(NamedTuple):
    """A table in a file: the byte of its first row, its title, and the separator of its fields."""

    source: Source
    start: int
    title: list[str]
    separator: str

    def chosen(self, columns: Columns) -> tuple[list[str], str | None]:
        """Return the columns of the ends and of the weights; read all rows only if their types matter."""
        refused = self.source.error
        try:
            return choose_columns(refused, [Column(name, True) for name in self.title], columns)
        except GraphFileError:
            ends, _ = choose_columns(refused, [Column(name, False) for name in self.title], columns)
        schema = self.parsed(list(dict.fromkeys(self.title)), ends).schema
        kinds = {column.name: column for column in schema_columns(schema)}
        return choose_columns(refused, [kinds[name] for name in self.title], columns)

    def parsed(self, columns: list[str], ends: list[str]) -> Any:
        """Return columns of the table, with the ends as texts."""
        pa, source, start = pyarrow_module(), self.source, self.start
        if source.skip_comments(start, b"") == len(source.data):  # only a title line
            return pa.table({name: pa.array([], pa.int64()) for name in columns})
        _check_quotations(source, start, self.separator)
        importlib.import_module("pyarrow.csv")
        try:
            return pa.csv.read_csv(
                # Start at the line break before the rows: pyarrow would drop U+FEFF at the beginning of the buffer.
                pa.BufferReader(memoryview(source.data)[start - 1 :]),
                read_options=pa.csv.ReadOptions(column_names=self.title),
                parse_options=pa.csv.ParseOptions(delimiter=self.separator),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=columns,
                    column_types={end: pa.string() for end in ends},
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowException as error:
            reason = " ".join(str(error).split()).rstrip(".")[:200]
            if "UTF8" in reason:
                utf8(source.name, source.data)
            raise source.error(f"the table is damaged: {reason}") from None


def read(source: Source, start: int, columns: Columns) -> Contents:
    """Read the table whose title line is at byte `start`."""
    line, first_row = source.line(start)
    table = _Table(source, first_row, *_title(source, start, line))
    title = table.title
    if not _is_title(table, columns):
        shown = line[:40].decode("utf-8", "replace").strip()
        named = len(title) > 1 and all(name.isprintable() and len(name) <= _NAME_SHOWN for name in title[:2])
        first, second = title[:2] if named else ("source", "target")
        names = ["source", "target", *(f"column{i}" for i in range(3, len(title) + 1))]
        fitting = repr(table.separator.join(names[:_NAMES_SHOWN]))
        if len(names) > _NAMES_SHOWN:
            fitting += f" and so on, of {len(names)} names"
        raise source.error(
            f"{shown!r} may be an edge between names or a title line; if it is an edge, put the line {fitting} before "
            f"it; if it is a title line, name the columns of the ends, such as source={first!r} and target={second!r}",
            position=start,
        )
    ends, weight = table.chosen(columns)
    edges = _with_integers(source, table.parsed(distinct_columns(ends, weight), ends), ends)
    if weight is not None and weight not in ends:
        _check_weights(source, weight, edges[weight], lambda: table.parsed([weight], [weight]))
    return table_contents(source, edges, ends, weight)


def is_evident(source: Source, start: int, columns: Columns) -> bool:
    """Return whether the line at byte `start` is certainly the title of a table."""
    try:
        line, first_row = source.line(start)
        table = _Table(source, first_row, *_title(source, start, line))
    except GraphFileError:
        return False
    return _is_title(table, columns)


def _is_title(table: _Table, columns: Columns) -> bool:
    """Return whether a title names the ends, the caller names columns, or rows of integers follow."""
    are_named = columns.are_named or bool(ends_by_name(table.title))
    return are_named or table.source.first_on_line(table.start).isdigit()


def _title(source: Source, start: int, line: bytes) -> tuple[list[str], str]:
    """Return the names of the columns, and their separator."""
    text = line.decode("utf-8", "replace")
    unquoted = _QUOTED.sub("", text)
    separators = [mark for mark in _SEPARATORS if mark in unquoted]
    if len(separators) > 1:
        several = " and ".join(map(repr, separators))
        raise source.error(
            f"the title line has several separators, {several}; separate the fields of all lines by one of them, and "
            "put names that contain another one into double quotes",
            position=start,
        )
    if not separators:
        raise source.error(
            f"{text.strip()[:40]!r} is not an edge between integer ids; put '#' before a title line, and let as_graph("
            f"networkx.read_edgelist({source.name!r}, data=False)) number vertices with names",
            position=start,
        )
    try:
        return [name.strip() for name in next(csv.reader([text], delimiter=separators[0]))], separators[0]
    except csv.Error as error:
        raise source.error(f"the title line is damaged: {error}", position=start) from None


def _check_quotations(source: Source, start: int, separator: str) -> None:
    """Refuse a quotation without an end, because pyarrow would take all following lines for its text."""
    if source.data.count(b'"', start) % 2 == 0:
        return
    text = source.data[start:].decode("utf-8", "replace")
    rows, line = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 0
    try:
        for _ in rows:
            line = rows.line_num
    except csv.Error as error:
        if "unexpected end" in str(error):
            line += 1 + source.data.count(b"\n", 0, start)
            raise source.error("a quotation has no end; write '\"' at its end, or remove it", line=line) from None


def _with_integers(source: Source, table: Any, ends: list[str]) -> Any:
    """Return the table, with integers at the ends if all ids are integers in canonical form."""
    if not table.num_rows:
        return table
    texts = [table[end] for end in ends]
    integers = _integers(texts)
    if integers is None:
        _check_blanks(source, texts)
        return table
    for end, column in zip(ends, integers, strict=True):
        table = table.set_column(table.schema.get_field_index(end), end, column)
    return table


def _check_weights(source: Source, name: str, weights: Any, read_texts: Callable[[], Any]) -> None:
    """Refuse weights that differ from the numbers in the file; read their texts only if such weights are possible."""
    pa = pyarrow_module()
    if pa.types.is_integer(weights.type) and (b"0x" in source.data or b"0X" in source.data):
        values, doubtful = np.zeros(len(weights)), np.ones(len(weights), bool)
        pattern = "[xX]"
    elif pa.types.is_floating(weights.type):
        values = np.abs(weights.to_numpy())  # NaN for missing values
        doubtful = values >= _ROUNDED
        pattern = "[0-9]" if np.isinf(values).any() else "^[-+]?[0-9]+$"  # does not match the word "inf"
    else:
        return
    if not doubtful.any():
        return
    texts = pa.compute.utf8_trim_whitespace(read_texts()[name])
    doubtful &= pa.compute.match_substring_regex(texts, pattern).fill_null(False).to_numpy()
    for row in np.flatnonzero(doubtful).tolist():
        reason = _wrong_weight(texts[row].as_py(), float(values[row]))
        if reason is not None:
            raise source.error(f"column {short_repr(name)}, row {row} (the first is 0): {reason}")


def _wrong_weight(text: str, magnitude: float) -> str | None:
    """Return why a weight differs from the number in the file, or None; hexadecimal numbers have the magnitude 0."""
    digits, short = text.lstrip("-+").lstrip("0"), repr(text[:_NAME_SHOWN])
    rounded = "write it with a decimal point to have it rounded"
    if magnitude == 0:
        return f"{short} is not a number; write it in decimals"
    if not digits.isdigit():
        return f"{short} is too large for a 64-bit float; rescale it" if math.isinf(magnitude) else None
    if len(digits) > len(str(_LARGEST)) or int(digits) > _LARGEST:
        return f"{short} does not fit into a 64-bit integer; {rounded}"
    if int(digits) != magnitude:
        return f"weight {text} is read as a 64-bit float, which cannot hold it exactly; {rounded}"
    return None


def _integers(texts: list[Any]) -> list[Any] | None:
    """Return both columns as integers if every id is in canonical form (as `str` prints integers), otherwise None."""
    pa = pyarrow_module()
    if any(column.null_count for column in texts):
        return None
    for kind in (pa.int64(), pa.uint64()):
        try:
            integers = [column.cast(kind) for column in texts]
        except pa.ArrowException:
            continue
        # The cast accepts leading zeros, which lengthen a text, and hexadecimal numbers, which contain an x.
        digits = sum(_size_in_text(chunk.to_numpy()) for column in integers for chunk in column.chunks)
        return integers if digits == _text_bytes(texts) and not _has_letters(texts) else None
    return None


def _size_in_text(integers: np.ndarray) -> int:
    """Return the total number of characters of integers in decimal notation."""
    magnitudes = np.abs(integers).view(np.uint64)  # correct also for -2**63
    size = integers.size + int(np.count_nonzero(integers < 0))
    largest, power = int(magnitudes.max(initial=0)), 10
    while power <= largest:
        size += int(np.count_nonzero(magnitudes >= np.uint64(power)))
        power *= 10
    return size


def _text_bytes(texts: list[Any]) -> int:
    """Return the total number of bytes of all texts."""
    compute = pyarrow_module().compute
    return sum(compute.sum(compute.binary_length(column)).as_py() or 0 for column in texts)


def _has_letters(texts: list[Any]) -> bool:
    """Return whether a text contains a byte greater than "9"; the buffers contain exactly these texts."""
    data = (chunk.buffers()[2] for column in texts for chunk in column.chunks)
    return any(np.frombuffer(buffer, np.uint8).max(initial=0) > ord("9") for buffer in data if buffer is not None)


def _check_blanks(source: Source, texts: list[Any]) -> None:
    """Refuse ids that differ only in surrounding blanks, because they may be meant as one id or as two."""
    compute = pyarrow_module().compute
    if _text_bytes([compute.utf8_trim_whitespace(column) for column in texts]) == _text_bytes(texts):
        return
    names = dict.fromkeys(name for column in texts for name in compute.unique(column).to_pylist() if name is not None)
    by_letters: dict[str, str] = {}
    for name in names:
        other = by_letters.setdefault(name.strip(), name)
        if other != name:
            one, two = other[:_NAME_SHOWN], name[:_NAME_SHOWN]
            raise source.error(
                f"ids {one!r} and {two!r} differ only in the blanks around them; remove the blanks, or read the table "
                "yourself and pass it to from_table, which takes them as two ids"
            )


def write(stream: IO[bytes], graph: Any, separator: str) -> None:
    """Write a table with the columns source, target and, if the graph has weights, weight."""
    u, v, w, _, names = table_edges(graph, counted=False)
    check_text_weights(u, v, w)
    title = ["source", "target"] if w is None else ["source", "target", "weight"]
    stream.write(f"{separator.join(title)}\n".encode())
    if names is None:
        render(stream, Lines([u, v] if w is None else [u, v, w], separator=separator.encode()))
        return
    _check_names(names)
    if w is not None and w.dtype.kind == "b":
        w = w.astype(np.int8)
    for start in range(0, u.size, _ROWS):
        rows = slice(start, start + _ROWS)
        columns = [names_at(names, end[rows]).tolist() for end in (u, v)]
        text = io.StringIO()
        table = csv.writer(text, delimiter=separator, lineterminator="\n")
        table.writerows(zip(*columns, *([] if w is None else [w[rows].tolist()]), strict=True))
        stream.write(text.getvalue().encode())


def _check_names(names: Any) -> None:
    """Refuse names that would be read back from a text as other names."""
    for name in names:
        text = str(name)
        if isinstance(name, bytes) or not text or text != text.strip() or any(mark in text for mark in "\n\r\0"):
            raise ValueError(
                f"a text table cannot hold the name {shown_name(name)}; names in it are not empty, and have no blanks "
                "around them, no line breaks and no NUL; write the format 'parquet' or 'npz' instead"
            )
    if integers_of_texts(names) is not None:
        raise ValueError(
            f"a text table cannot hold names that are texts of integers only, such as {shown_name(names[0])}, which "
            "are read as integers; write the format 'parquet' or 'npz' instead"
        )


def integers_of_texts(names: Any) -> np.ndarray | None:
    """Return the integers that a text table with these ids would be read as; None if the ids would remain texts."""
    if not len(names) or not all(isinstance(name, str) and _INTEGER.fullmatch(name) for name in names):
        return None
    integers = list(map(int, names))
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= min(integers) and max(integers) <= np.iinfo(kind).max:
            return np.array(integers, kind)
    return None
