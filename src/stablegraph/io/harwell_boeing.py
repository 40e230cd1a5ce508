"""Harwell-Boeing and Rutherford-Boeing files: a matrix by columns, in fields of fixed width.

The four lines of the header (five with right-hand sides, which are not read) are a title; the numbers of lines of each
part; the type and the size; and the Fortran formats of the parts, such as ``(16I5)``. The type has three letters: the
values (R real, I integer, C complex, P none), the form (U unsymmetric, S symmetric, H Hermitian, Z skew-symmetric, R
rectangular), and A for an assembled matrix. The parts are the starts of the columns, the rows, and the values.

As in a Matrix Market file, a symmetric file is undirected, and an unsymmetric one is if its entries are symmetric.
Neighboring fields need no blank between them, so that each line is cut at the widths of its fields.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .contents import Contents
from .source import Source

_HEADER = re.compile(
    rb"[^\n]*\n *\d+ +(\d{1,9}) +(\d{1,9}) +(\d{1,9})(?: +(\d{1,9}))?[ \r]*\n"
    rb"([RICP][USHZR][AE]) +(\d+) +(\d+) +(\d+)(?: +\d+)?[ \r]*\n",
    re.IGNORECASE,
)
_FIELDS = re.compile(rb"\( *(?:\d+P *,? *)?(\d*)([IEDFG])(\d+)(?:\.\d+)?(?:E\d+)? *\)", re.IGNORECASE)
_PLACES = ((0, 16), (16, 32), (32, 52))  # of the formats in the fourth line
_WIDEST = 1 << 10  # characters of a line


class _Part(NamedTuple):
    """A part of the file: the number of its first line, its lines, and number and width of the fields of a line."""

    first: int
    lines: list[bytes]
    in_line: int
    width: int


def is_header(source: Source) -> bool:
    """Return whether a file begins with the header of one of these formats."""
    return _HEADER.match(source.data, 0, _WIDEST) is not None


def read(source: Source, *, weights: bool) -> Contents:
    """Read the matrix of a file."""
    header = _HEADER.match(source.data)
    assert header is not None, "the file is detected by its header"
    kind = header[5].decode().lower()
    n, columns, entries = (source.count(number, header.start(5)) for number in header.groups()[5:])
    if n != columns or kind[2] == "e":
        got = f"a graph needs an assembled square matrix, got the type {kind.upper()} and the size {n} x {columns}"
        raise source.error(f"{got}; write one in Matrix Market format", line=3)
    if weights and (kind[0] == "c" or kind[1] == "h"):
        cure = "pass weights=False to read its pattern"
        raise source.error(f"the matrix is complex, but the weights of a graph must be real; {cure}", line=3)
    has_weights = weights and kind[0] != "p"
    counts = [int(count or 0) for count in header.groups()[:4]]
    starts, rows, *values = _text_parts(source, counts, 2 if kind[0] == "p" else 3)
    for part in values:  # a file that lacks values is refused even if they are not read
        _check_length(source, part, entries * (2 if kind[0] == "c" else 1))
    pointers = _integers(source, starts, n + 1) - 1
    lengths = np.diff(pointers)
    if pointers[0] != 0 or pointers[-1] != entries or np.any(lengths < 0):
        raise source.error(f"the columns must start at 1, ascend, and end at {entries + 1}", line=starts.first)
    u, v = _integers(source, rows, entries) - 1, np.repeat(np.arange(n), lengths)
    wrong = np.flatnonzero((u < 0) | (u >= n) | ((u <= v) if kind[1] == "z" else False))
    if wrong.size:
        where = f"entry {u[wrong[0]] + 1}, {v[wrong[0]] + 1} is not in the {n} rows"
        where += ", or not below the diagonal" if kind[1] == "z" else ""
        raise source.error(where, line=rows.first + wrong[0] // rows.in_line)
    w = _numbers(source, values[0], entries, kind[0] == "i") if has_weights else None
    if kind[1] == "z" and w is not None:  # with its weights, a directed graph
        return Contents(n, np.concatenate([u, v]), np.concatenate([v, u]), weights=np.concatenate([w, -w]))
    is_half = kind[1] in "shz"
    return Contents(n, u, v, weights=w, directed=False if is_half else None, is_list=is_half)


def _text_parts(source: Source, counts: list[int], wanted: int) -> list[_Part]:
    """Return the wanted parts, starts of columns, rows and values, for the numbers of lines of all parts."""
    lines = bytes(source.data).replace(b"\r\n", b"\n").split(b"\n")
    first, parts = 5 + (counts[3] > 0), []
    for size, (begin, end) in zip(counts, _PLACES[:wanted], strict=False):
        form = _FIELDS.fullmatch(b"".join(lines[3:4])[begin:end].strip())
        in_line, width = (int(form[1] or 1), int(form[3])) if form else (0, 0)
        if form is None or not 0 < in_line * width <= _WIDEST:
            raise source.error("the line must have the formats of the parts, such as (16I5) and (4E20.12)", line=4)
        parts.append(_Part(first, lines[first - 1 : first - 1 + size], in_line, width))
        first += size
    return parts


def _check_length(source: Source, part: _Part, count: int) -> None:
    """Refuse a part with less than `count` fields."""
    # The last field of a file without a last line end must fill its width, or it may have lost digits.
    is_last = bool(part.lines) and source.data.endswith(part.lines[-1])
    least = part.width * (count % part.in_line or part.in_line)
    if len(part.lines) * part.in_line < count or (is_last and len(part.lines[-1]) < least):
        line = part.first + len(part.lines)
        raise source.error(f"expected {count} numbers in {len(part.lines)} lines; the file is cut short", line=line)


def _cut(source: Source, part: _Part, count: int) -> np.ndarray:
    """Return the texts of the first `count` fields: the words of the lines, if each has the right number of them."""
    _check_length(source, part, count)
    full, rest = divmod(count, part.in_line)
    words = [line.split() for line in part.lines]
    if [len(line) for line in words] == [part.in_line] * full + [rest] * (rest > 0):
        texts = np.array([word for line in words for word in line], np.bytes_)
    else:
        size = part.in_line * part.width
        source.allowance.check(size * len(part.lines), "its fields")
        padded = b"".join(line[:size].ljust(size) for line in part.lines)
        texts = np.char.strip(np.frombuffer(padded, f"S{part.width}")[:count])
    return texts


def _refused(source: Source, part: _Part, texts: np.ndarray, right: Any, what: str) -> None:
    """Raise the error for the first field that is not right."""
    wrong = np.flatnonzero(~right)
    if wrong.size:
        k = int(wrong[0])
        shown = texts[k].decode("ascii", "backslashreplace")[:30]
        raise source.error(f"expected {what}, got {shown!r}", line=part.first + k // part.in_line)


def _integers(source: Source, part: _Part, count: int) -> np.ndarray:
    texts = _cut(source, part, count)
    _refused(source, part, texts, np.char.isdigit(texts) & (np.char.str_len(texts) <= 18), "an integer from 1 on")
    return texts.astype(np.int64)


def _numbers(source: Source, part: _Part, count: int, are_integers: bool) -> np.ndarray:
    """Return the values; without a decimal point, Fortran would divide a number by a power of ten."""
    texts = _cut(source, part, count)
    texts = np.char.replace(np.char.upper(texts), b"D", b"E") if count else texts
    pattern = re.compile(rb"[-+]?\d{1,18}" if are_integers else rb"[-+]?(\d+\.\d*|\.\d+)(E[-+]?\d+)?")
    right = np.array([pattern.fullmatch(text) is not None for text in texts.tolist()], bool)
    _refused(source, part, texts, right, "an integer" if are_integers else "a number with a decimal point")
    values = texts.astype(np.int64 if are_integers else np.float64)
    _refused(source, part, texts, np.isfinite(values), "a number of 64 bits")
    return values
