"""The formats, and their detection from the contents of a file; the suffix decides only between formats that fit these.

The contents also have precedence over a format that the caller states: a file that bears the mark of another format is
refused. A list of edges whose first line may be a line of sizes is read as such only if the caller states the format.

"%" starts a comment in edge lists and METIS files, and also the banner of a Matrix Market file. A single wrong byte can
turn any header into a comment, which a reader would skip, to read the line of sizes as an edge. Therefore a line before
the first numbers that resembles a header is refused, and a Matrix Market banner is refused on any line but the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from typing import NamedTuple

from ..tables.columns import Columns
from . import harwell_boeing, matrix_market, metis, parquet
from .contents import Contents
from .csr_files import NPZ_MEMBER, is_egr, read_egr, read_npz_source, write_egr, write_npz
from .edge_lists import EDGE_LIST, PACE_WORDS, read_dimacs, read_snap, refuse_size_line, write_dimacs, write_snap
from .matrix_market import BANNER_WORDS, MAGIC
from .parse import Layout, parse
from .source import Source
from .titled_table import begins, is_evident
from .titled_table import write as write_table


class FileFormat(NamedTuple):
    """A format: its reader and writer, the suffixes of its files, and their first bytes."""

    read: Callable[..., Contents]  # of a source and the columns of a table, or a source and `weights`
    write: Callable[..., None]  # to a stream, a graph (for DIMACS also the suffix)
    suffixes: str
    mark: bytes | None = None
    has_columns: bool = False
    is_binary: bool = False


FILE_FORMATS: dict[str, FileFormat] = {
    "mtx": FileFormat(matrix_market.read, matrix_market.write, ".mtx", MAGIC),
    "snap": FileFormat(read_snap, write_snap, ".txt .snap .el .wel .edges .edgelist .tsv .csv", has_columns=True),
    "dimacs": FileFormat(read_dimacs, write_dimacs, ".gr .col .dimacs"),
    "metis": FileFormat(metis.read, metis.write, ".graph .metis"),
    "egr": FileFormat(read_egr, write_egr, ".egr", is_binary=True),
    "npz": FileFormat(read_npz_source, write_npz, ".npz", NPZ_MEMBER, is_binary=True),
    "parquet": FileFormat(parquet.read, parquet.write, ".parquet .pq", parquet.MAGIC, has_columns=True, is_binary=True),
    "feather": FileFormat(
        parquet.read_feather, parquet.write_feather, ".feather .arrow", b"ARROW1", has_columns=True, is_binary=True
    ),
}
TEXT_TABLES = {  # forms of "snap" with fields between commas or tabs; they are written with a title line
    "csv": FileFormat(read_snap, partial(write_table, separator=","), ".csv", has_columns=True),
    "tsv": FileFormat(partial(read_snap, tabs=True), partial(write_table, separator="\t"), ".tsv", has_columns=True),
}
NAMED_FORMATS = FILE_FORMATS | TEXT_TABLES
READERS = {name: format.read for name, format in NAMED_FORMATS.items()} | {"hb": harwell_boeing.read}  # only read
SUFFIXES = {suffix: name for name, format in FILE_FORMATS.items() for suffix in format.suffixes.split()}
FORMATS = tuple(FILE_FORMATS)
BINARY = tuple(name for name, format in FILE_FORMATS.items() if format.is_binary)
_BINARY_PROBE = 4096
_HEADER_OF_DIMACS = re.compile(rb"[ \t\r\v\f]*p(\s|\Z)")
_LIST_MARK = re.compile(rb"\s*(#|%[ \t]*(sym|asym|bip)\b)")  # comments of SNAP, and the header of KONECT
_WITH_COMMENTS = ("snap", "metis")  # their comments start like the headers of other formats

_NEAR = 0.8  # ratio of difflib; one wrong byte in "%%MatrixMarket" gives 0.93
_TEXT_PROBE = 1024


def detect(source: Source, stated: str | None, columns: Columns) -> str:
    """Return the format of an uncompressed file; refuse a `stated` format that contradicts the contents.

    Weights have no influence if they are not wanted and no format fits them.
    """
    if not source.data:
        raise source.error("the file is empty")
    marked = _marked(source)
    if stated and marked and stated != marked:
        raise source.error(
            f"the contents are in the format {marked!r}, not {stated!r}; correct the format that is named, or name none"
        )
    if not marked and stated in (None, *_WITH_COMMENTS, *TEXT_TABLES):
        _refuse_damaged_headers(source)
    chosen = stated or marked
    if chosen is None:
        chosen = _unmarked(source, columns)
        if chosen == "snap":
            refuse_size_line(source)
    return chosen


def is_table(source: Source) -> bool:
    """Return whether a file is a table with named columns: Parquet, Feather, or text with a title line."""
    if marked := _marked(source):
        return marked in ("parquet", "feather")
    return _has_title(source.without_byte_order_mark())


def _has_title(source: Source) -> bool:
    return begins(source, source.skip_comments(0, b"#%"))


def may_be_egr(source: Source) -> bool:
    """Return whether a file has the form of ECL's binary CSR, which has no mark; its first row starts at entry 0."""
    return source.data[8:12] == bytes(4) and is_egr(source)


def _marked(source: Source) -> str | None:
    """Return the format by the first line or bytes, or None."""
    if source.data[: len(MAGIC)].lower() == MAGIC.lower():
        return "mtx"
    marked = (name for name, format in FILE_FORMATS.items() if format.mark and source.data.startswith(format.mark))
    if name := next(marked, None):
        return name
    if may_be_egr(source):
        return "egr"
    if harwell_boeing.is_header(source):
        return "hb"
    return "dimacs" if _HEADER_OF_DIMACS.match(source.data, source.skip_comments(0, b"c")) else None


def _unmarked(source: Source, columns: Columns) -> str:
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
    if _LIST_MARK.match(source.data):
        return "snap"
    return _list_of_edges_or_neighbors(source, suffix, columns)


def _list_of_edges_or_neighbors(source: Source, suffix: str | None, columns: Columns) -> str:
    """Distinguish an edge list (two or three numbers on every line) from a METIS file (lines that fit its header).

    Only a file whose first lines fit both is read as a whole.
    """
    has_title, weights = _has_title(source), columns.may_have_weights
    if suffix == "snap":
        fits_metis = not has_title and metis.has_fitting_header(source, False) and not _has_even_rows(source, EDGE_LIST)
        return "metis" if fits_metis and metis.is_readable(source, weights) else "snap"
    are_numbers = _has_even_rows(source, EDGE_LIST)
    fits_edges = are_numbers or (not weights and _has_even_rows(source, replace(EDGE_LIST, unread=2)))
    fits_metis = metis.has_fitting_header(source, last_line=fits_edges)
    if fits_metis and fits_edges:
        fits_metis = metis.is_readable(source, weights or are_numbers)
    if fits_metis != fits_edges:
        return "metis" if fits_metis else "snap"
    if not fits_metis and has_title:
        if is_evident(source, source.skip_comments(0, b"#%"), columns):
            return "snap"
        raise source.error(
            "the first line may be the title line of a table of edges; if it is, name the columns of the two ends by "
            "source= and target=; if it is an edge, put the line 'source,target' before it"
        )
    formats = ", ".join(map(repr, NAMED_FORMATS))
    reason = "could be of format 'snap' or 'metis'" if fits_metis else "unknown format"
    raise source.error(f"{reason}; name it by format= or by the file's suffix, one of {formats}")


def _has_even_rows(source: Source, layout: Layout) -> bool:
    """Return whether every line has two or three numbers; the first lines are checked before all are."""
    start = source.skip_comments(0, b"#%")
    end = source.end_of_line(min(start + _TEXT_PROBE, len(source.data)))
    for data in (source.data[:end], source.data):
        try:
            numbers = parse(Source(source.name, data), start, layout)
        except ValueError:
            return False
        ends = numbers.row_ends
        width = int(ends[1]) if numbers.rows else 0
        if width not in (2, 3) or not (ends[1:] - ends[:-1] == width).all():
            return False
    return True


def _refuse_damaged_headers(source: Source) -> None:
    """Refuse text with a damaged or misplaced Matrix Market or PACE header."""
    position = 0
    first_numbers = source.skip_comments(0, b"#%")
    while position <= first_numbers:
        end = source.end_of_line(position)
        words = bytes(source.data[position : min(end, position + 200)]).lower().split()
        if words and _is_near_banner(words):
            raise _no_banner(source, position)
        if words and _is_near_pace(words):
            raise source.error(
                "this looks like a damaged DIMACS header, which is 'p', a word, and the numbers of vertices and edges; "
                "correct it (or remove the line if the file is an edge list)",
                position=position,
            )
        position = end + 1
    position = source.data.find(b"\n" + MAGIC)
    if position >= 0:
        raise _no_banner(source, position + 1)


def _no_banner(source: Source, position: int) -> Exception:
    return source.error(
        "this looks like a damaged Matrix Market banner; '%%MatrixMarket matrix coordinate FIELD SYMMETRY' must be the "
        "first line (or take the line out if the file is an edge list)",
        position=position,
    )


def _is_near_banner(words: list[bytes]) -> bool:
    """Return whether a line begins nearly like a banner, or consists mostly of at least three words of a banner."""
    known = sum(any(word in kind for word in words) for kind in BANNER_WORDS)
    return (known >= 3 and len(words) <= 6) or SequenceMatcher(None, words[0], MAGIC.lower()).ratio() > _NEAR


def _is_near_pace(words: list[bytes]) -> bool:
    """Return whether a line is a PACE header with another byte instead of "p"; PACE edge lines have no letters."""
    return len(words) == 4 and len(words[0]) == 1 and words[1] in PACE_WORDS and all(map(bytes.isdigit, words[2:]))
