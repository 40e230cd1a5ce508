"""Readers of a few lines for valid texts of a known format; their edges are compared. They do not validate anything.

Each reads the same texts as the reader of stablegraph, with the same rules for comments, for weights, and for the first
index (0 or 1).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

sys.set_int_max_str_digits(0)  # a number may have any number of leading zeros

Edge = tuple[int, int, float | None]
TEXTS = ("mtx", "snap", "dimacs", "metis")


def edges_of(data: bytes, format: str) -> set[Edge] | None:
    """Return edges with the smaller end first; None for texts that are not supported: tables with a title line."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = re.split("\n", text)
    edges = {"mtx": _mtx, "snap": _snap, "dimacs": _dimacs, "metis": _metis}[format](lines)
    return None if edges is None else {(min(u, v), max(u, v), w) for u, v, w in edges}


def _fields(line: str) -> list[str]:
    return re.split(r"[ \t\r\v\f,]+", line.strip(" \t\r\v\f,"))


def _filled(lines: list[str], comments: str) -> Iterator[list[str]]:
    """Yield the fields of lines that are neither empty nor comments."""
    for line in lines:
        stripped = line.strip(" \t\r\v\f")
        if stripped and stripped[0] not in comments:
            yield _fields(stripped)


def _snap(lines: list[str]) -> list[Edge] | None:
    rows = list(_filled(lines, "#%"))
    if rows and not re.match(r"[-+.\d]", rows[0][0]):
        return None
    header = "\n".join(lines[: next((k for k, line in enumerate(lines) if re.match(r"\s*[-+.\d]", line)), 0)])
    if re.search(r"^[#%]\s*bip\b", header, re.IGNORECASE | re.MULTILINE):
        return None  # its ends are two kinds of vertices
    return [(int(row[0]), int(row[1]), float(row[2]) if len(row) > 2 else None) for row in rows]


def _dimacs(lines: list[str]) -> list[Edge]:
    rows = [[*filter(None, (row[0].lstrip("ae"), *row[1:]))] for row in _filled(lines, "cndvxp")]
    return [(int(row[0]) - 1, int(row[1]) - 1, float(row[2]) if len(row) > 2 else None) for row in rows]


def _metis(lines: list[str]) -> list[Edge]:
    rows = [line.split() for line in lines if line.strip(" \t\r\v\f")[:1] != "%"]
    while rows and not rows[0]:
        rows.pop(0)
    n, fmt = int(rows[0][0]), rows[0][2] if len(rows[0]) > 2 else "0"
    sizes, vertex_weights, edge_weights = (int(fmt) // place % 10 for place in (100, 10, 1))
    skipped = sizes + vertex_weights * int(rows[0][3] if len(rows[0]) > 3 else 1)
    edges: list[Edge] = []
    for v, row in enumerate(rows[1 : n + 1]):
        remaining = row[skipped:]
        if edge_weights:
            edges += [(v, int(remaining[k]) - 1, float(remaining[k + 1])) for k in range(0, len(remaining), 2)]
        else:
            edges += [(v, int(u) - 1, None) for u in remaining]
    return edges


def _mtx(lines: list[str]) -> list[Edge] | None:
    _, _, kind, field, symmetry = lines[0].lower().split()
    if symmetry == "skew-symmetric":
        return None  # its weights have two signs
    rows = list(_filled(lines[1:], "%"))
    n, rows = int(rows[0][0]), rows[1:]
    if kind == "coordinate":
        return [(int(r[0]) - 1, int(r[1]) - 1, None if field == "pattern" else float(r[2])) for r in rows]
    places = [(i, j) for j in range(n) for i in range(j if symmetry == "symmetric" else 0, n)]
    values = [float(value) for row in rows for value in row]
    return [(i, j, value) for (i, j), value in zip(places, values, strict=True) if value]
