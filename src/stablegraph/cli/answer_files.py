"""Answers in files, with one or several values per vertex.

An answer can be written in three forms. Text has one line per vertex: 1 for a member of a set and 0 for other vertices,
or the color or label, or the distance and parent. If vertices have names, a comment is written first, since the lines
do not contain the names. A table (.csv, .tsv, .parquet or .feather) has these values after the column id, which is the
name of the vertex, or its number if there are no names. A .npy file contains the array; a .npz file contains an array
per column, the names of the vertices, and how the answer was computed. An answer can be read from each of these forms,
independently of the file's name, and a set also from a .npy array of vertex numbers. Files may be compressed (.gz,
.bz2, .xz).
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import importlib
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

import stablegraph as sg

from .._core.vertex_names import shown_vertex
from ..io.contents import plain_names
from ..io.matrix_market import MAGIC
from ..io.source import Source, load_path, utf8
from ..io.target import compressed, replacing
from ..io.titled_table import SUFFIXES
from ..tables import id_column
from ..tables.columns import pyarrow_module
from . import vertex_tables
from .failures import blamed_on

_GRAPH = re.compile(rb"(?:[c%].*\n|\s*\n)*(?:p[ \t].*|(?:\d+[ \t]+){2}[01]{1,3}(?:[ \t]+\d+)?[ \t\r]*)\n")  # its header

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]


def write_answer(file: str, suffix: str, names: str, answer: Numbers, about: dict[str, Any], nodes: Any) -> None:
    """Write an answer in the format of a suffix, text by default, to a file or, for "-", to standard output.

    In .npz the name is that of the array, (n,), or the k names, separated by spaces, are those of the columns of an
    array (n, k).
    """
    if is_table(suffix):
        title, values = ["id", *names.split()], answer.T if answer.dtype != bool else answer.astype(np.int8)
        rows = zip(_names_of(nodes, len(answer)), *np.atleast_2d(values).tolist(), strict=True)
        write_table(file, suffix, title, rows, partial(_arrow_table, names, answer, nodes))
        return
    with output_stream(file) as output:
        if suffix == ".npy":
            np.save(output, answer, allow_pickle=False)
        elif suffix == ".npz":
            arrays: dict[str, Any] = {**_columns(names, answer), "about": np.array(json.dumps(about))}
            if nodes is not None:
                arrays["nodes"] = plain_names(nodes)
            np.savez_compressed(output, **arrays)
        else:
            output.write(_names_comment(names, nodes) + _as_text(answer))


def is_table(suffix: str) -> bool:
    """Return whether a suffix is that of a table."""
    return suffix in (*SUFFIXES, ".parquet", ".feather")


def write_table(file: str, suffix: str, title: list[str], rows: Iterable[Any], table: Callable[[], Any]) -> None:
    """Write a table in the format of a suffix: its rows as text, or an Arrow table."""
    with output_stream(file) as output:
        if suffix in SUFFIXES:
            text = io.StringIO()
            csv.writer(text, delimiter=SUFFIXES[suffix], lineterminator="\n").writerows(chain([title], rows))
            output.write(text.getvalue().encode())
            return
        sink = pyarrow_module().BufferOutputStream()
        if suffix == ".parquet":
            importlib.import_module("pyarrow.parquet").write_table(table(), sink)
        else:
            importlib.import_module("pyarrow.feather").write_feather(table(), sink)
        output.write(memoryview(sink.getvalue()))


@contextlib.contextmanager
def output_stream(file: str) -> Iterator[Any]:
    """Yield a stream to a file or, for "-", to standard output."""
    if file == "-":
        collected = io.BytesIO()  # pipes cannot seek
        yield collected
        sys.stdout.buffer.write(collected.getbuffer())
        sys.stdout.buffer.flush()
        return
    with blamed_on(file), replacing(file) as whole, compressed(whole, file) as output:
        yield output


def _names_comment(names: str, nodes: Any) -> bytes:
    """Return a comment that explains that the lines do not contain the names of vertices."""
    if nodes is None or len(nodes) == 0:
        return b""
    first, last = (shown_vertex(v, nodes) for v in (0, len(nodes) - 1))
    where = f"one line a vertex, the first for {first}, the last for {last}"
    return f"# {names}, {where}: numbers, not names (-o FILE.csv and --to csv have both)\n".encode()


def _arrow_table(names: str, answer: Numbers, nodes: Any) -> Any:
    return pyarrow_module().table({"id": id_column(len(answer), nodes), **_columns(names, answer)})


def _columns(names: str, answer: Numbers) -> dict[str, Numbers]:
    return dict(zip(names.split(), np.atleast_2d(answer.T), strict=True))


def _names_of(nodes: Any, n: int) -> Iterable[Any]:
    return range(n) if nodes is None else nodes


def _as_text(answer: Numbers) -> bytes:
    if answer.dtype != bool:
        rows = np.atleast_2d(answer.T).T.tolist()
        return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()
    lines = np.full(2 * answer.size, ord("\n"), np.uint8)
    lines[::2] = answer.astype(np.uint8) + ord("0")
    return lines.tobytes()


def read_set(file: str, graph: sg.Graph) -> Numbers:
    """Read a set from a file: a mask of all vertices, or vertex numbers from a .npy array."""
    return set_in(*read_bytes(file), graph)


def set_in(name: str, data: bytes, graph: sg.Graph) -> Numbers:
    """Return the set in the contents of a file, as `read_set`."""
    n, lines = graph.num_vertices, vertex_tables.table_in(name, data)
    if lines is not None:
        members = _columns_in(name, lines, ["mask"], graph)
        if members.max(initial=0) > 1 or members.min(initial=0) < 0:
            raise ValueError(f"{name}: the column {lines[0][1]} must be 0 or 1")
        mask: Mask = members == 1
        return mask
    array = _array(name, data, "mask")
    return _parse_set(name, data, n) if array is None else _checked_set(name, array, n)


def numbers_in(name: str, data: bytes, names: str, graph: sg.Graph, all_vertices: bool = True) -> Numbers:
    """Return the integers of each vertex in the contents of a file that `write_answer` wrote with these names."""
    arrays, n, lines = names.split(), graph.num_vertices, vertex_tables.table_in(name, data)
    if lines is not None:
        return _columns_in(name, lines, arrays, graph)
    array = _array(name, data, *arrays)
    numbers = _parse_numbers(name, data, len(arrays)) if array is None else array
    if numbers.ndim != 1 + (len(arrays) > 1) or numbers.shape[1:] not in ((), (len(arrays),)):
        expected = "one row of numbers" if len(arrays) == 1 else f"columns of {' and '.join(arrays)}"
        raise ValueError(f"{name}: expected {expected}, got an array of shape {numbers.shape}")
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{name}: expected integers, got an array of {numbers.dtype}")
    if all_vertices and len(numbers) != n:
        raise ValueError(f"{name}: {len(numbers):,} rows of {' and '.join(arrays)}, but the graph has {n:,} vertices")
    return numbers


def read_bytes(file: str) -> tuple[str, bytes]:
    """Return the name of a file, and its contents without a byte order mark."""
    return contents(load_path(file))


def contents(source: Source) -> tuple[str, bytes]:
    """Return the name of a source, and its contents without a byte order mark."""
    return source.name, bytes(source.data).removeprefix(codecs.BOM_UTF8)


def named_columns(source: Source) -> list[str] | None:
    """Return the names of the columns in a file: of a title, of arrays, or in the comment that `write_answer` writes.

    For a Matrix Market file, return its mark; None for a file without names.
    """
    name, data = contents(source)
    if data.startswith(b"PK\x03\x04"):
        with contextlib.suppress(OSError, ValueError, zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as file:
            arrays = [member.removesuffix(".npy") for member in file.namelist()]
            return [array for array in arrays if array not in ("about", "nodes")] or None
    if data.startswith(MAGIC):
        return [MAGIC.decode()]
    if comment := re.match(rb"# ([^,\n]+), one line a vertex", data):
        return comment[1].decode().split()
    return vertex_tables.title_of(name, data)


def _array(name: str, data: bytes, *arrays: str) -> Numbers | None:
    """Read the array of a .npy file, or columns (by default the only one) of a .npz file; None for other files."""
    if not data.startswith((b"\x93NUMPY", b"PK\x03\x04")):
        return None
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        known = [array for array in loaded.files if array not in ("about", "nodes")]
        candidates = [[*arrays], vertex_tables.earlier_names([*arrays])]
        candidates += [known] * vertex_tables.may_be(known, [*arrays])
        present = next((names for names in candidates if names and {*names} <= {*known}), arrays or known)
        columns = [loaded[array] for array in present]
    except KeyError:
        message = f"{name}: there is no array {' or '.join(map(repr, arrays))} in this .npz file"
        raise vertex_tables.OtherColumnsError(message, known) from None
    except Exception as error:
        raise ValueError(f"{name}: the file is damaged or holds no plain array ({error})") from None
    if not arrays and len(known) != 1:
        raise ValueError(f"{name}: expected one array in this .npz file, found {', '.join(known) or 'none'}")
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _columns_in(name: str, lines: list[list[str]], arrays: list[str], graph: sg.Graph) -> Numbers:
    """Return the columns of a table in the order of the graph's vertices; its lines may be in any order."""
    title, wanted = lines[0], ",".join(["id", *arrays])
    vertex_tables.check_title(name, title, graph, *arrays)
    if not vertex_tables.may_be(title[1:], arrays):
        message = f"{name}, line 1: expected the columns {wanted}, got {','.join(title)[:60]}"
        raise vertex_tables.OtherColumnsError(message, title[1:])
    numbers = np.zeros((graph.num_vertices, len(arrays)), np.int64)
    for line, v, (_, *values) in vertex_tables.row_of_each(name, lines, graph):
        if not all(re.fullmatch(r"-?[0-9]{1,18}", value) for value in values):
            raise ValueError(f"{name}, line {line}: expected {wanted} with integers")
        numbers[v] = [int(value) for value in values]
    return numbers[:, 0] if len(arrays) == 1 else numbers


def _behind_title(data: bytes) -> tuple[bytes, int]:
    """Return the text after the leading comments, and the number of its first line."""
    text = re.sub(rb"\A(#.*(\n|\Z))+", b"", data)
    return text.rstrip(), 1 + data.count(b"\n") - text.count(b"\n")


def _parse_set(name: str, data: bytes, n: int) -> Mask:
    text, first = _behind_title(data)
    text = text.replace(b"\r\n", b"\n")
    characters = np.frombuffer(text + b"\n" if text else b"", np.uint8)
    members, ends = characters[::2], characters[1::2]
    if characters.size != 2 * n or np.any(ends != ord("\n")) or np.any((members | 1) != ord("1")):
        raise _wrong_set(name, text, first, n)
    mask: Mask = members == ord("1")
    return mask


def _wrong_set(name: str, text: bytes, first: int, n: int) -> ValueError:
    lines = text.split(b"\n") if text else []
    for number, line in enumerate(lines, first):
        if line not in (b"0", b"1"):
            return _wrong_line(name, number, line, "0 or 1")
    return ValueError(f"{name}: a set of {len(lines):,} vertices, but the graph has {n:,}")


def _parse_numbers(name: str, data: bytes, columns: int) -> Numbers:
    text, first = _behind_title(data)
    line_of_numbers = re.compile(rb"-?[0-9]{1,18}" + rb"[ \t]+-?[0-9]{1,18}" * (columns - 1) + rb"\r?")
    for number, line in enumerate(text.split(b"\n") if text else [], first):
        if not line_of_numbers.fullmatch(line):
            raise _wrong_line(name, number, line, "a number" if columns == 1 else f"{columns} numbers")
    numbers = np.array(list(map(int, text.split())), np.int64)
    return numbers if columns == 1 else numbers.reshape(-1, columns)


def _wrong_line(name: str, number: int, line: bytes, expected: str) -> ValueError:
    shown = line[:20].decode("utf-8", "replace").strip()
    return ValueError(f"{name}, line {number}: expected {expected} (one line for each vertex), got {shown!r}")


def _checked_set(name: str, array: Numbers, n: int) -> Numbers:
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one row of numbers, got an array of shape {array.shape}")
    if array.dtype == bool:
        if array.size != n:
            raise ValueError(f"{name}: a set of {array.size:,} vertices, but the graph has {n:,}")
        return array
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: expected true/false or vertex numbers, got an array of {array.dtype}")
    if array.size == n > 2 and array.max() <= 1 and array.min() >= 0:  # a mask stored as 0 and 1
        mask: Mask = array != 0
        return mask
    if array.size and (array.min() < 0 or array.max() >= n):
        worst = int(array.min() if array.min() < 0 else array.max())
        raise ValueError(f"{name}: vertex {worst} is not one of the graph's {n:,} vertices, numbered from 0")
    return array


def read_vector(file: str, n: int) -> Numbers:
    """Read the n numbers of a right-hand side: .npy, .npz, a Matrix Market array, or text with a number per line."""
    return _vector_in(*read_bytes(file), n, "A has {:,} rows")


def _weights_of_graph(name: str, data: bytes) -> Numbers | None:
    """Return the weights of the vertices in a METIS or DIMACS file; None for other files."""
    if not _GRAPH.match(data):
        return None
    stream: Any = io.BytesIO(data)
    stream.name = name
    weights = sg.read_graph(stream).facts.get("vertex_weights")
    number = 0 if weights is None else weights.shape[1]
    if number != 1:
        raise ValueError(f"{name}: expected one weight for each vertex of this graph file, got {number}")
    return np.asarray(weights)[:, 0]


def _vector_in(name: str, data: bytes, n: int, owner: str, values: Numbers | None = None) -> Numbers:
    values = _array(name, data) if values is None else values
    if values is None and data.startswith(b"%%MatrixMarket"):
        values = _matrix_market(name, data)
    elif values is None:
        values = _decimals(name, utf8(name, data).splitlines(), 1)
    if values.shape not in ((n,), (n, 1)):
        raise ValueError(f"{name}: {' x '.join(map(str, values.shape))} numbers, but {owner.format(n)}")
    return values.ravel()


def read_weights(file: str, graph: sg.Graph, *names: str) -> Numbers:
    """Read a number for each vertex: as `read_vector`, or a table with the id and a column that has one of the names.

    A table with two columns may have another name for the second one. A METIS or DIMACS file may have the weights of
    its vertices.
    """
    name, data = read_bytes(file)
    lines = vertex_tables.table_in(name, data)
    if lines is None:
        values = _weights_of_graph(name, data)
        return _vector_in(name, data, graph.num_vertices, "the graph has {:,} vertices", values)
    column = vertex_tables.value_column(name, lines[0], graph, *names, "weight")
    texts = [""] * graph.num_vertices
    for _, v, row in vertex_tables.row_of_each(name, lines, graph):
        texts[v] = row[column]
    try:
        return np.array([int(text) for text in texts], np.int64)
    except (ValueError, OverflowError):
        return _decimals(name, texts, 2)


def _matrix_market(name: str, data: bytes) -> Numbers:
    banner, *lines = utf8(name, data).splitlines()
    words = banner.lower().split()
    if words[1:3] != ["matrix", "array"] or words[3:4] == ["complex"] or words[4:] != ["general"]:
        raise ValueError(f"{name}, line 1: a right-hand side is a general real array, got {banner!r}")
    skipped = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("%")), len(lines))
    size = lines[skipped].split() if skipped < len(lines) else []
    if len(size) != 2 or size[1] != "1" or not size[0].isdecimal():
        raise ValueError(f"{name}, line {skipped + 2}: expected the size of one column, such as 100 1")
    values = _decimals(name, lines[skipped + 1 :], skipped + 3)
    if values.size != int(size[0]):
        raise ValueError(f"{name}: {values.size:,} numbers, but its size line says {size[0]}")
    return values


def _decimals(name: str, lines: list[str], first: int) -> Numbers:
    """Parse one number per line; empty lines and lines that begin with # or % are ignored."""
    values = []
    for number, line in enumerate(lines, first):
        text = line.strip()
        if text and text[0] not in "#%":
            try:
                values.append(float(text))
            except ValueError:
                raise ValueError(f"{name}, line {number}: expected a number, got {text[:20]!r}") from None
    return np.array(values, np.float64)
