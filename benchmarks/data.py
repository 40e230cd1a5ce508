"""The folder of real graphs given by STABLEGRAPH_DATA, as in the tests.

It contains MANIFEST.tsv with the columns name, file, kind and vertices, and the files; for some studies also BEST.tsv.
"""

from __future__ import annotations

import csv
import os
from functools import partial
from pathlib import Path

import stablegraph as sg

from .study import Graphs, Options

LARGE = 10_000  # vertices; times and sizes of smaller graphs vary too much
MISSING = "set STABLEGRAPH_DATA to the folder that holds MANIFEST.tsv and the real graphs"


def folder() -> Path | None:
    """Return the folder of the real graphs, or None."""
    named = os.environ.get("STABLEGRAPH_DATA")
    return Path(named) if named and (Path(named) / "MANIFEST.tsv").exists() else None


def table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table in that folder; none if it does not exist."""
    where = folder()
    if where is None or not (where / name).exists():
        return []
    with (where / name).open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows, delimiter="\t"))


def files() -> dict[str, tuple[Path, int]]:
    """Map each name to its file and number of vertices; of several formats of one graph, use Matrix Market."""
    found: dict[str, tuple[Path, int]] = {}
    for row in table("MANIFEST.tsv"):
        if row["name"] not in found or ".mtx" in row["file"]:
            found[row["name"]] = path_of(row), int(row["vertices"])
    return found


def path_of(row: dict[str, str]) -> Path:
    """Return the file of a row of the manifest."""
    return (folder() or Path()) / row["file"]


def undirected(file: Path) -> sg.Graph:
    """Read only the pattern, with both directions of each edge."""
    return sg.read_graph(file, weights=False, symmetrize=True)


def large_graphs(options: Options) -> Graphs:
    """Yield the real graphs with more than `LARGE` vertices, made undirected, by name; none with --quick."""
    for name, (file, n) in sorted(files().items()):
        if n > LARGE and not options.quick:
            yield name, partial(undirected, file)
