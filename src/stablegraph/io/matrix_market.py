"""Matrix Market files, read and written by SciPy; checked here for what SciPy lets pass.

SciPy reads "5.5" as the integer 5, ignores what stands behind the last number of a line, and reserves memory for as
many entries as the header says. So the header is looked at first, and one pass of the byte parser counts lines and
numbers. Entries that a symmetric file leaves out are added; "general" files are undirected if their entries are.
"""

from __future__ import annotations

import io
import re
from typing import IO, Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from .contents import Contents
from .parse import Layout, count
from .source import Source
from .symmetry import entries, has_symmetric_weights

__all__ = ["MAGIC", "read", "write"]

MAGIC = b"%%MatrixMarket"
_FIELDS = ("pattern", "integer", "unsigned-integer", "real", "double")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")
_LINE = re.compile(r"^Line (\d+): (.*)$", re.DOTALL)


def read(source: Source, *, weights: bool) -> Contents:
    """Read a Matrix Market file."""
    dense, field, symmetry = _banner(source)
    _check_counts(source, dense, field)
    try:
        matrix = scipy.io.mmread(io.BytesIO(source.data))
    except (ValueError, OverflowError, MemoryError) as error:
        found = _LINE.match(str(error))
        line, reason = (int(found[1]), found[2]) if found else (None, str(error))
        reason = reason.rstrip(".")
        raise source.error(reason[:1].lower() + reason[1:], line=line) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise source.error(f"a graph needs a square matrix, this one is {' x '.join(map(str, matrix.shape))}")
    matrix = sp.coo_array(matrix)
    keep = weights and field != "pattern"
    return Contents(
        matrix.shape[0],
        matrix.row,
        matrix.col,
        weights=matrix.data if keep else None,
        directed=None if symmetry == "general" else False,
    )


def _banner(source: Source) -> tuple[bool, str, str]:
    """Whether the matrix is dense, its field and its symmetry."""
    line, _ = source.line(0)
    words = line.decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket":
        raise source.error("the first line must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY'", line=1)
    if words[1] != "matrix" or words[2] not in ("coordinate", "array"):
        raise source.error(f"'{words[1]} {words[2]}' is not a matrix, coordinate or array", line=1)
    if words[3] == "complex" or words[4] == "hermitian":
        raise source.error("the matrix is complex, but the weights of a graph must be real", line=1)
    if words[3] not in _FIELDS or words[4] not in _SYMMETRIES:
        raise source.error(f"'{words[3]} {words[4]}' is unknown", line=1)
    return words[2] == "array", words[3], words[4]


def _check_counts(source: Source, dense: bool, field: str) -> None:
    """Refuse a file whose lines and numbers are not as many as its size line says."""
    position = source.skip_comments(0, b"%")
    line, start = source.line(position)
    words = line.split()
    if len(words) != (2 if dense else 3) or not all(word.isdigit() for word in words):
        wanted = "rows and columns" if dense else "rows, columns and entries"
        raise source.error(
            f"the size line must hold three numbers: {wanted}".replace("three", str(3 - dense)), position=position
        )
    if dense:
        return
    start = min(start, len(source.data))
    announced = int(words[2])
    layout = Layout(decimals=field in ("real", "double"))
    rows, numbers = count(source, start, layout)
    if rows != announced:
        raise source.error(
            f"the header announces {announced} entries, but {rows} lines follow; "
            "the file is cut short or its header is wrong",
            line=source.last_line(),
        )
    width = 2 if field == "pattern" else 3
    if numbers != width * rows:
        raise source.error(f"the {rows} entries need {width} numbers each, but there are {numbers} in all")


def write(stream: IO[bytes], graph: Any) -> None:
    """Write a Matrix Market file: symmetric if the graph is undirected and its weights are, else general."""
    u, v, w = entries(graph)
    n = graph.num_vertices
    field = "pattern" if w is None else "integer" if w.dtype.kind in "iub" else "real"
    values = np.ones(u.size, np.int8) if w is None else w.astype(np.int64 if field == "integer" else np.float64)
    symmetric = not graph.directed and has_symmetric_weights(graph)
    if symmetric:
        kept = u >= v
        u, v, values = u[kept], v[kept], values[kept]
    matrix = sp.coo_array((values, (u, v)), shape=(n, n))
    scipy.io.mmwrite(stream, matrix, field=field, symmetry="symmetric" if symmetric else "general")
