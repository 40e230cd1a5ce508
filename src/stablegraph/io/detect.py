"""Format detection from the contents of a file; the suffix decides only between formats that fit the contents.

The contents also have precedence over a format that the caller states: a file that bears the mark of another format is
refused. A list of edges whose first line may be a line of sizes is read as such only if the caller states the format.
"""

from __future__ import annotations

import re

from . import egr, feather, matrix_market, metis, npz, parquet
from .damaged import refuse_damaged_headers
from .foreign import reader_elsewhere
from .parse import parse
from .snap import LAYOUT as EDGE_LIST
from .snap import refuse_size_line
from .source import Source
from .titled_table import begins

__all__ = ["BINARY", "FORMATS", "SUFFIXES", "detect", "is_table"]

FORMATS = ("mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather")
SUFFIXES = {
    ".mtx": "mtx",
    ".txt": "snap",
    ".snap": "snap",
    ".el": "snap",
    ".wel": "snap",
    ".edges": "snap",
    ".edgelist": "snap",
    ".tsv": "snap",
    ".csv": "snap",
    ".gr": "dimacs",
    ".col": "dimacs",
    ".dimacs": "dimacs",
    ".graph": "metis",
    ".metis": "metis",
    ".egr": "egr",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
}
BINARY = ("egr", "npz", "parquet", "feather")
_BINARY_PROBE = 4096
_HEADER_OF_DIMACS = re.compile(rb"[ \t\r\v\f]*p(\s|\Z)")
_WITH_COMMENTS = ("snap", "metis")  # their comments start like the headers of other formats


def detect(source: Source, stated: str | None = None) -> str:
    """Return the format of an uncompressed file; refuse a `stated` format that contradicts the contents."""
    if not source.data:
        raise source.error("the file is empty")
    marked = _marked(source)
    if stated and marked and stated != marked:
        raise source.error(
            f"the contents are in the format {marked!r}, not {stated!r}; correct the format that is named, or name none"
        )
    if not marked and stated in (None, *_WITH_COMMENTS):
        refuse_damaged_headers(source)
    found = stated or marked
    if found is None:
        found = _unmarked(source)
        if found == "snap":
            refuse_size_line(source)
    return found


def is_table(source: Source) -> bool:
    """Return whether a file is a table with named columns: Parquet, Feather, or text with a title line."""
    if marked := _marked(source):
        return marked in ("parquet", "feather")
    text = source.without_byte_order_mark()
    return begins(text, text.skip_comments(0, b"#%"))


def _marked(source: Source) -> str | None:
    """Return the format by the first line or bytes, or None; ECL's binary CSR has no mark and is known by its size."""
    if source.data[: len(matrix_market.MAGIC)].lower() == matrix_market.MAGIC.lower():
        return "mtx"
    if source.data.startswith(npz.MEMBER):
        return "npz"
    if source.data.startswith(parquet.MAGIC):
        return "parquet"
    if source.data.startswith(feather.MAGIC):
        return "feather"
    if egr.looks_like(source):
        return "egr"
    return "dimacs" if _HEADER_OF_DIMACS.match(source.data, source.skip_comments(0, b"c")) else None


def _unmarked(source: Source) -> str:
    """Return the format by the file's suffix, or the format that the numbers fit."""
    suffix = SUFFIXES.get(source.suffix)
    if source.data.find(0, 0, _BINARY_PROBE) >= 0:
        if suffix in BINARY:
            return suffix
        raise source.error(
            "a binary file of no known format; known binary formats are 'egr', 'npz', 'parquet' and 'feather'"
        )
    if suffix == "mtx":
        raise source.error("the first line must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY'", line=1)
    if suffix in ("dimacs", "metis", *BINARY):
        return suffix
    if source.data[:64].lstrip().startswith(b"#"):
        return "snap"
    return _list_of_edges_or_neighbors(source, suffix)


def _list_of_edges_or_neighbors(source: Source, suffix: str | None) -> str:
    """Distinguish an edge list (two or three numbers on every line) from a METIS file (lines that fit its header)."""
    metis_fits = metis.looks_like(source)
    if not metis_fits and suffix == "snap":
        return "snap"
    edges_fit = _even_rows(source)
    if metis_fits and not edges_fit:
        return "metis"
    if edges_fit and not metis_fits:
        return "snap"
    if suffix is not None:
        return suffix
    if elsewhere := reader_elsewhere(source):
        raise source.error(elsewhere)
    formats = ", ".join(repr(name) for name in FORMATS)
    reason = "could be of format 'snap' or 'metis'" if metis_fits else "the format is none that is known"
    raise source.error(f"{reason}; name it by format= or by the file's suffix, one of {formats}")


def _even_rows(source: Source) -> bool:
    try:
        numbers = parse(source, source.skip_comments(0, b"#%"), EDGE_LIST)
    except ValueError:
        return False
    ends = numbers.row_ends
    width = int(ends[1]) if numbers.rows else 0
    return width in (2, 3) and bool((ends[1:] - ends[:-1] == width).all())
