"""Components of a table of edges with string ids, compared with Polars: each variant in its own process.

A Parquet file has one or two million rows, a fifth as many distinct ids of 12 characters, and one component. It is
written in pieces, in --edge-files or a temporary folder. Each variant first reads a small file. Then it is timed from
the first call to the answer. The variants alternate. All of them must return the same graph and the same labels.
"polars alone" only reads both columns and computes the distinct values of their concatenation: the minimum work that
looks at each id once.
"""

from __future__ import annotations

import tempfile
import time
import zlib
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import stablegraph as sg

from ..limited import Limited, NotEnded, Timed
from ..study import Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, in_order, markdown, provenance

ROWS, QUICK_ROWS = (10**6, 2 * 10**6), (10**4,)
ROWS_PER_ID = 5
PIECE = 10**6  # rows per write
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz234567", np.uint8)
LENGTH = 12  # characters of an id, with five bits each
GIB = 2**30
MEMORY, SECONDS = 20 * GIB, 600.0  # limits of address space and time of a variant
COLUMNS = ["source", "target"]


def names(numbers: np.ndarray) -> Any:
    """Return a distinct id for each number below 2**60: its bits are mixed and written as letters."""
    import pyarrow as pa

    mask = np.uint64(2**60 - 1)
    bits = (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) & mask
    bits ^= bits >> np.uint64(29)
    bits = (bits * np.uint64(0xBF58476D1CE4E5B9)) & mask
    letters = np.empty((numbers.size, LENGTH), np.uint8)
    for k in range(LENGTH):
        letters[:, k] = LETTERS[(bits >> np.uint64(5 * k)) & np.uint64(31)]
    offsets = np.arange(0, LENGTH * numbers.size + 1, LENGTH, dtype=np.int32)
    return pa.StringArray.from_buffers(numbers.size, pa.py_buffer(offsets), pa.py_buffer(letters))


def edges(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a random spanning tree and additional random edges, shuffled."""
    draw, n = np.random.default_rng(0), rows // ROWS_PER_ID
    u, v = np.empty(rows, np.int32), np.empty(rows, np.int32)
    u[: n - 1], v[: n - 1] = np.arange(1, n), draw.random(n - 1) * np.arange(1, n)
    for ends in (u, v):
        ends[n - 1 :] = draw.integers(0, n, rows - n + 1, dtype=np.int32)
    order, vertices = draw.permutation(rows), draw.permutation(n).astype(np.int32)
    return vertices[u[order]], vertices[v[order]]


class EdgeFile:
    """A Parquet file of edges."""

    device = "cpu"

    def __init__(self, folder: Path, rows: int) -> None:
        self.path = folder / f"edges-{rows}.parquet"
        self.num_vertices, self.num_entries = rows // ROWS_PER_ID, rows
        if not self.path.exists():
            self._write(rows)

    def _write(self, rows: int) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        u, v = edges(rows)
        part = self.path.with_suffix(".part")
        with pq.ParquetWriter(part, pa.schema([(name, pa.string()) for name in COLUMNS]), compression="zstd") as file:
            for first in range(0, rows, PIECE):
                ends = (names(end[first : first + PIECE]) for end in (u, v))
                file.write_table(pa.table(dict(zip(COLUMNS, ends, strict=True))))
        part.rename(self.path)


# In the process of a variant


def _pyarrow(path: str) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(path, columns=COLUMNS)


def _polars(path: str) -> Any:
    import polars as pl

    return pl.read_parquet(path, columns=COLUMNS)


def _pandas(path: str) -> Any:
    import pandas as pd

    return pd.read_parquet(path, columns=COLUMNS)


def _duckdb(path: str) -> Any:
    import duckdb

    duckdb.sql("SET enable_progress_bar = false")
    return duckdb.sql(f"SELECT source, target FROM '{path}'")


def _distinct(path: str) -> int:
    """Count the distinct values of both columns together with Polars."""
    import polars as pl

    table = _polars(path)
    return len(pl.concat([table[name] for name in COLUMNS]).unique())


def _components(read: Callable[[str], Any], path: str) -> tuple[Any, Any]:
    """Compute the components of a table: one line for input, one for output."""
    graph = sg.from_table(read(path))
    return graph, sg.to_table(graph, component=sg.connected_components(graph)[1])


def _components_of_file(path: str) -> tuple[Any, Any]:
    graph = sg.read_graph(path, symmetrize=True)
    return graph, sg.to_table(graph, component=sg.connected_components(graph)[1])


ALONE = "polars alone: distinct ids"
WAYS: dict[str, Callable[[str], Any]] = {
    ALONE: _distinct,
    "from polars": partial(_components, _polars),
    "from pyarrow": partial(_components, _pyarrow),
    "from DuckDB": partial(_components, _duckdb),
    "from pandas": partial(_components, _pandas),
    "read_graph": _components_of_file,
}


def calls(small: str, path: str, way: str) -> Timed:
    """Warm up on the small file, read the large one, compute the answer, and check it."""
    WAYS[way](small)
    yield
    before = time.process_time()
    answer = WAYS[way](path)
    processor = time.process_time() - before
    yield
    return processor, answer if way == ALONE else _fingerprint(*answer)


def _fingerprint(graph: Any, answer: Any) -> list[int]:
    """Return vertices, components, and checksums of graph, labels, and the first and last 100 names."""
    labels = answer["component"].to_numpy()
    ends = str(answer["id"][:100].to_pylist() + answer["id"][-100:].to_pylist()).encode()
    sums = (zlib.crc32(np.ascontiguousarray(part)) for part in (graph.indptr, graph.indices, labels))
    return [graph.num_vertices, int(labels.max()) + 1, zlib.crc32(ends), *sums]


# In the process that starts the other processes


def cases(name: str, file: EdgeFile, options: Options) -> Iterator[Line]:
    """Yield a line for each variant and repetition."""
    small = EdgeFile(file.path.parent, QUICK_ROWS[0])
    threads = max(options.threads)
    expected, lines = None, []
    for _ in range(options.turns):
        for way in WAYS:
            if not case_is_asked_for(way, options):
                continue
            line: Line = {"problem": "edge_tables", "algorithm": way, "options": {}, "seed": None, "threads": threads}
            limited = Limited(calls, MEMORY, threads)
            try:
                taken, (processor, answer) = limited(str(small.path), str(file.path), way, seconds=SECONDS)
            except (NotEnded, RuntimeError) as reason:
                line |= {"taken": None, "limit": str(reason), "told": f"{way:30} {reason}"}
            else:
                reported = f"{way:30} {taken:8.2f} s, {processor:.2f} of processors {limited.peak / GIB:6.2f} GiB"
                expected = expected or (None if way == ALONE else answer)
                if answer != (file.num_vertices if way == ALONE else expected):
                    reported, line["wrong"] = f"{reported}  WRONG: {answer}", answer
                line |= {
                    "taken": taken,
                    "processor": processor,
                    "limit": None,
                    "peak": limited.peak,
                    "answer": answer,
                    "told": reported,
                }
            finally:
                limited.end()
            lines.append(line)
    yield from lines  # at the end, because a run that is continued repeats all of them


def graphs(options: Options) -> Graphs:
    """Yield the files, which are written at their first use unless they exist."""
    folder = options.edge_files or Path(_temporary().name)
    for rows in QUICK_ROWS if options.quick else ROWS:
        yield f"{rows:,} rows", partial(EdgeFile, folder, rows)


@cache
def _temporary() -> Any:
    """Return a folder that is removed when Python exits."""
    return tempfile.TemporaryDirectory()


def report(lines: list[Line]) -> str:
    """Show wall time and CPU time, both relative to Polars in the same run, and the peak of memory."""
    names = in_order(line["graph"] for line in sorted(lines, key=lambda line: line["m"]))
    rows = []
    for way in in_order(line["algorithm"] for line in lines):
        rows.append([way])
        for name in names:
            rows[-1].append(_cell(_of(lines, name, way), _of(lines, name, ALONE)))
    table = markdown(["wall time, CPU time (relative to Polars), peak memory", *names], rows)
    return f"{table}\n\n{provenance(lines)}"


def _of(lines: list[Line], name: str, way: str) -> list[Line]:
    return [line for line in lines if (line["graph"], line["algorithm"]) == (name, way)]


def _cell(lines: list[Line], alone: list[Line]) -> str:
    if any("wrong" in line for line in lines):
        return "wrong"
    done = [line for line in lines if line["taken"] is not None]
    if not done:
        return lines[0]["limit"] if lines else ""
    beside = [line for line in alone if line["taken"] is not None]
    times = (_beside(*([line[what] for line in some] for some in (done, beside))) for what in ("taken", "processor"))
    return ", ".join([*times, f"{max(line['peak'] for line in done) / GIB:.1f} GiB"])


def _beside(seconds: list[float], alone: list[float]) -> str:
    ratio = f" ({median(seconds) / median(alone):.2f})" if alone else ""
    return f"{median(seconds):.3g} s{ratio}"


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--edge-files", type=Path, help="their folder, where they are found again (else temporary)")
    parser.add_argument("--turns", type=int, default=3, help="how often each way is timed")


STUDY = Study(
    __name__,
    (Part("files", graphs, cases),),
    peers=("polars", "pyarrow", "duckdb", "pandas"),
    report=report,
    add_options=_add_options,
)
