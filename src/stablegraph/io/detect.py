"""Which format a file has: told from its contents; the suffix decides only where they leave a choice."""

from __future__ import annotations

from . import egr, matrix_market, metis, parquet
from .parse import parse
from .snap import LAYOUT as EDGE_LIST
from .source import Source

__all__ = ["FORMATS", "SUFFIXES", "detect"]

FORMATS = ("mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet")
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
}
_BINARY = ("egr", "npz", "parquet")
_BINARY_PROBE = 4096


def detect(source: Source) -> str:
    """The name of the format of an uncompressed file."""
    if not source.data:
        raise source.error("the file is empty")
    if source.data[: len(matrix_market.MAGIC)].lower() == matrix_market.MAGIC.lower():
        return "mtx"
    if source.data.startswith(parquet.MAGIC):
        return "parquet"
    if egr.looks_like(source):
        return "egr"
    suffix = SUFFIXES.get(source.suffix)
    if source.data.find(0, 0, _BINARY_PROBE) >= 0:
        if suffix in _BINARY:
            return suffix
        raise source.error("a binary file of no known format; known binary formats are 'egr', 'npz' and 'parquet'")
    first = bytes(source.data[:64]).lstrip()
    if first.startswith((b"p ", b"p\t")) or _after_c_lines(source).startswith((b"p ", b"p\t")):
        return "dimacs"
    if suffix == "mtx":
        raise source.error("the first line must be '%%MatrixMarket matrix coordinate FIELD SYMMETRY'", line=1)
    if suffix in ("dimacs", "metis", *_BINARY):
        return suffix
    if first.startswith(b"#"):
        return "snap"
    return _list_of_edges_or_neighbours(source, suffix)


def _after_c_lines(source: Source) -> bytes:
    start = source.skip_comments(0, b"c")
    return bytes(source.data[start : start + 2])


def _list_of_edges_or_neighbours(source: Source, suffix: str | None) -> str:
    """Numbers alone: an edge list has two or three on every line, a METIS file fits its header."""
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
