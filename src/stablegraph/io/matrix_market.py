"""Matrix Market files: coordinate and array; pattern, integer and real; general, symmetric and skew-symmetric.

SciPy writes these files, but does not read them: its reader accepts "5.5" as the integer 5, ignores text after the last
number of a line, and crashed the process on a last line such as "12 11-" (SciPy 1.17). The byte parser of the other
text formats reads them instead, and reports every error with its line number.

Entries that a symmetric file omits are added. Those of a skew-symmetric file are added with the negated weight, so that
with its weights it is a directed graph. A "general" file is undirected if its entries are symmetric. In an array file
every number other than zero is an edge. Of a complex or Hermitian file only the pattern can be read, because weights
are real.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO, Any, Literal

import numpy as np
import scipy

from .contents import Contents, check_text_weights, entries, has_symmetric_weights
from .parse import Layout, parse
from .source import Source

MAGIC = b"%%MatrixMarket"
_LONGEST_WORD = 40  # in a message
_INTEGERS = ("integer", "unsigned-integer")
_FIELDS = ("pattern", "real", "double", "complex", *_INTEGERS)
_ZERO = re.compile(rb"[-+]?(0+\.?0*|\.0+)([eE].*)?")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")
BANNER_WORDS = tuple(
    {word.encode() for word in kind}
    for kind in (("matrix",), ("coordinate", "array"), _FIELDS, (*_SYMMETRIES, "hermitian"))
)


def read(source: Source, *, weights: bool) -> Contents:
    """Read a Matrix Market file."""
    kind, field, symmetry = _banner(source, weights)
    position = source.skip_comments(0, b"%")
    line, start = source.line(position)
    start = min(start, len(source.data))
    words = line.split()
    size, wanted = (2, "rows and columns") if kind == "array" else (3, "rows, columns and entries")
    if len(words) != size or not all(word.isdigit() for word in words):
        raise source.error(f"the size line must state the numbers of {wanted}", position=position)
    n, columns, *announced = (source.count(word, position) for word in words)
    if n != columns:
        raise source.error(f"a graph needs a square matrix, this one is {n} x {columns}", position=position)

    w: np.ndarray | None
    if kind == "array":
        u, v, w = _read_array(source, start, n, field, symmetry, weights)
    else:
        u, v, w = _read_coordinates(source, start, n, announced[0], field, symmetry, weights)
    is_half = symmetry != "general"
    if symmetry == "skew-symmetric" and w is not None:
        u, v, w = np.concatenate([u, v]), np.concatenate([v, u]), np.concatenate([w, -w])
        is_half = False
    return Contents(n, u, v, weights=w, directed=False if is_half else None, is_list=is_half)


def _banner(source: Source, weights: bool) -> tuple[str, str, str]:
    """Return the kind (coordinate or array), the field, and the symmetry."""
    line, _ = source.line(0)
    words = [word[:_LONGEST_WORD] for word in line.decode("ascii", "replace").lower().split(maxsplit=5)]
    if len(words) != 5 or words[0] != "%%matrixmarket":
        raise source.error("the first line must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY'", line=1)
    _, matrix, kind, field, symmetry = words
    if matrix != "matrix" or kind not in ("coordinate", "array"):
        raise source.error(f"'{matrix} {kind}' must be 'matrix coordinate' or 'matrix array'", line=1)
    if weights and (field == "complex" or symmetry == "hermitian"):
        cure = "pass weights=False to read its pattern"
        raise source.error(f"the matrix is complex, but the weights of a graph must be real; {cure}", line=1)
    known = field in _FIELDS and (symmetry in _SYMMETRIES or (symmetry, field) == ("hermitian", "complex"))
    if not known or (kind == "array" and field == "pattern"):
        raise source.error(f"'{kind} {field} {symmetry}' is unknown", line=1)
    return kind, field, symmetry


def _layout(field: str) -> Layout:
    return Layout(comments="%", decimals=field in ("real", "double", "complex"))


def _read_coordinates(
    source: Source, start: int, n: int, announced: int, field: str, symmetry: str, weights: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    layout = _layout(field) if weights else replace(_layout(field), unread=2)
    numbers = parse(source, start, layout)
    if numbers.rows != announced:
        raise source.miscount(f"{announced} entries", f"{numbers.rows} lines")
    width = {"pattern": 2, "complex": 4}.get(field, 3)
    table = numbers.edges(width, first=1, n=n)
    u, v, has_weights = table[:, 0] - 1, table[:, 1] - 1, weights and field != "pattern"
    w = numbers.last_column(width, floats=field not in _INTEGERS) if has_weights else None
    wrong = np.flatnonzero(u <= v) if symmetry == "skew-symmetric" else u[:0]
    if wrong.size:
        k = int(wrong[0])
        raise numbers.error(
            f"the entries of a skew-symmetric matrix must be below the diagonal, not at ({u[k] + 1}, {v[k] + 1}); call "
            "it general, and give all entries",
            k,
        )
    return u, v, w


def _read_array(
    source: Source, start: int, n: int, field: str, symmetry: str, weights: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return rows, columns and values of the nonzero numbers, which are listed column by column.

    A symmetric or Hermitian file lists the part on and below the diagonal, a skew-symmetric file the part below it.
    """
    layout = _layout(field)
    expected = {"general": n * n, "skew-symmetric": n * (n - 1) // 2}.get(symmetry, n * (n + 1) // 2)
    if weights:
        values = parse(source, start, layout).last_column(1, floats=field not in _INTEGERS)
    else:
        values = _are_nonzero(source, start, layout, 2 if field == "complex" else 1)
    if values.size != expected:
        raise source.miscount(f"{expected} numbers", str(values.size))
    if symmetry == "general":
        v, u = np.divmod(np.arange(n * n), max(n, 1))
    else:
        v, u = np.triu_indices(n, k=1 if symmetry == "skew-symmetric" else 0)
    is_stored = values != 0
    return u[is_stored], v[is_stored], values[is_stored] if weights else None


def _are_nonzero(source: Source, start: int, layout: Layout, width: int) -> np.ndarray:
    """Return whether each value of an array file, of `width` numbers, is another one than zero, whatever it is."""
    nonzero: np.ndarray
    try:
        numbers = parse(source, start, layout)
        nonzero = (numbers.integers if numbers.decimals is None else numbers.decimals) != 0
    except ValueError:  # NaN, numbers of any size, or words
        lines = map(bytes.split, bytes(source.data[start:]).split(b"\n"))
        words = [word for line in lines if line and not line[0].startswith(b"%") for word in line]
        nonzero = np.array([not _ZERO.fullmatch(word) for word in words], bool)
    if nonzero.size % width:
        raise source.error(f"{nonzero.size} numbers, but a complex number has two parts")
    nonzero = np.any(nonzero.reshape(-1, width), axis=1)
    return nonzero


def write(stream: IO[bytes], graph: Any) -> None:
    """Write a Matrix Market file: symmetric if the graph is undirected and its weights are symmetric, else general."""
    u, v, w = entries(graph)
    check_text_weights(u, v, w)
    n = graph.num_vertices
    field: Literal["pattern", "integer", "real"]
    field = "pattern" if w is None else "integer" if w.dtype.kind in "iub" else "real"
    values = np.ones(u.size, np.int8) if w is None else w.astype(np.int64 if field == "integer" else np.float64)
    symmetric = not graph.directed and has_symmetric_weights(graph)
    if symmetric:
        is_stored = u >= v
        u, v, values = u[is_stored], v[is_stored], values[is_stored]
    matrix = scipy.sparse.coo_array((values, (u, v)), shape=(n, n))
    scipy.io.mmwrite(stream, matrix, field=field, symmetry="symmetric" if symmetric else "general")
