"""Maximal independent sets: the six graphs, all orders, one and two threads, conversions, the first call, the peers.

The parts:

=========  ===========================================================================================================
``sets``   `maximal_independent_set` on a Graph: every order on every number of threads
``peers``  PyAMG's serial and "parallel" sets, NetworKit's Luby, NetworkX (on small graphs), compared with ours
``ways``   `as_graph` and the whole call on a SciPy matrix that was never passed before
``pairs``  `from_edges` against SciPy, 20 M edges
``start``  import and first call in a new process
``read``   `read_graph` on text files
=========  ===========================================================================================================

igraph is left out: it enumerates all independent sets, or finds the largest one, which takes exponential time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core import option_names as names

from .. import peers, picture
from ..graphs import SMALL, one_graph, six_graphs, unseen_matrix
from ..judges import judge_of_equals, judge_of_sets
from ..study import SMALL_MARK, Case, Graphs, Options, Part, Study, WrongResult
from ..tables import Line, figures, in_order, markdown, provenance, table_of_times, threads_in_words

SETS = ("degree", "natural", "ecl", "random", "luby")  # orders, and other algorithms
EDGES = 20_000_000


def set_cases(name: str, graph: sg.Graph, options: Options, sets: tuple[str, ...] = SETS) -> Iterator[Case]:
    """Yield our own sets, on a prepared Graph: by orders and by other algorithms."""
    for one in sets:
        chosen = {"priority" if one in get_args(names.Priority) else "algorithm": one}
        find = partial(sg.maximal_independent_set, graph, **chosen)
        for count in options.threads:
            judge = judge_of_sets(graph)
            yield Case("mis", f"stablegraph {one}", lambda _, find=find: find(), judge, count, options=chosen, seed=0)


def peer_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the peers; on a small graph also ours."""
    if name.endswith(SMALL_MARK) and not options.quick:
        yield from set_cases(name, graph, options, ("degree", "luby"))
    yield from peers.set_cases(graph, max(options.threads))


def graphs_of_peers(options: Options) -> Graphs:
    """Yield the six graphs, and a small one for NetworkX."""
    yield from six_graphs(options)
    if not options.quick:
        yield f"G2{SMALL_MARK}", SMALL["G2"]


def way_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the conversions, each time from a SciPy matrix that was never passed before."""
    for count in options.threads:
        yield Case(
            "as_graph",
            "stablegraph as_graph(matrix)",
            lambda matrix: sg.as_graph(matrix, weights=False),
            judge_of_equals(graph),
            threads=count,
            prepare=partial(unseen_matrix, graph),
        )
        yield Case(
            "mis",
            "stablegraph degree, SciPy matrix",
            lambda matrix: sg.maximal_independent_set(matrix),
            judge_of_sets(graph),
            threads=count,
            options={"priority": "degree", "prepared": False},
            seed=0,
            prepare=partial(unseen_matrix, graph),
        )


def _random_pairs(edges: int) -> tuple[int, np.ndarray, np.ndarray]:
    n = edges // 5
    u, v = np.random.default_rng(2).integers(0, n, (2, edges), dtype=np.int32)
    return n, u, v


def _joined(edges: int) -> sg.Graph:
    n, u, v = _random_pairs(edges)
    return sg.from_edges(u, v, n=n, symmetrize=True)


def pairs(options: Options) -> Graphs:
    """Yield uniform random pairs."""
    yield "pairs", partial(_joined, EDGES // 1000 if options.quick else EDGES)


def edge_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield `from_edges`, and SciPy building the same symmetric matrix."""
    n, u, v = _random_pairs(5 * graph.num_vertices)

    def with_scipy(_: Any) -> sp.csr_array:
        pairs = np.concatenate([u, v]), np.concatenate([v, u])
        return sp.coo_array((np.ones(2 * u.size, np.int8), pairs), shape=(n, n)).tocsr()

    def judge(result: Any) -> dict[str, Any]:
        entries = result.nnz if sp.issparse(result) else result.num_entries
        if entries != graph.num_entries or not np.array_equal(result.indptr, graph.indptr):
            raise WrongResult(f"{entries} entries, expected {graph.num_entries}, or rows of other lengths")
        return {"edges": u.size, "entries": entries}

    for count in options.threads:
        yield Case(
            "from_edges",
            "stablegraph from_edges",
            lambda _: sg.from_edges(u, v, n=n, symmetrize=True),
            judge,
            threads=count,
            options={"symmetrize": True},
        )
    yield Case("from_edges", "SciPy coo to csr", with_scipy, judge)


_FRESH_PROCESS = """
import time
begin = time.perf_counter()
import stablegraph as sg
imported = time.perf_counter()
import sys
import numpy as np
import scipy.sparse as sp
indptr, indices = np.load(sys.argv[1] + "/indptr.npy"), np.load(sys.argv[1] + "/indices.npy")
matrix = sp.csr_array((np.ones(indices.size, np.int8), indices, indptr))
start = time.perf_counter()
mask = sg.maximal_independent_set(matrix)
end = time.perf_counter()
np.save(sys.argv[1] + "/mask.npy", mask)
print(imported - begin, end - start)
"""


def start_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield import and first call, each run in its own process; the call receives a SciPy matrix."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _start_cases(graph, Path(folder))


def _start_cases(graph: sg.Graph, folder: Path) -> Iterator[Case]:
    np.save(folder / "indptr.npy", graph.indptr)
    np.save(folder / "indices.npy", graph.indices)
    judge_mask = judge_of_sets(graph)

    def fresh_process(_: Any) -> tuple[float, float]:
        done = subprocess.run(
            [sys.executable, "-c", _FRESH_PROCESS, str(folder)], capture_output=True, text=True, check=True
        )
        imported, first = done.stdout.split()
        return float(imported), float(first)

    def judge(_: tuple[float, float]) -> dict[str, Any]:
        return judge_mask(np.load(folder / "mask.npy"))

    for which, name in enumerate(("import stablegraph", "first call")):
        yield Case(
            "start",
            name,
            fresh_process,
            judge,
            threads=sg.num_threads(),
            seconds=lambda times, which=which: times[which],
        )


def read_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield `read_graph` on text: one file in each format that the byte parser reads."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _read_cases(graph, Path(folder), max(options.threads))


def _read_cases(graph: sg.Graph, folder: Path, threads: int) -> Iterator[Case]:

    def judge(result: sg.Graph, size: int) -> dict[str, Any]:
        if result.num_edges != graph.num_edges:
            raise WrongResult(f"{result.num_edges} edges, expected {graph.num_edges}")
        return {"bytes": size}

    for suffix, what in ((".txt", "SNAP"), (".graph", "METIS"), (".gr", "DIMACS"), (".mtx", "Matrix Market")):
        path = folder / f"graph{suffix}"
        sg.write_graph(path, graph)
        size = path.stat().st_size
        yield Case(
            "read",
            f"stablegraph read {what}",
            lambda _, path=path: sg.read_graph(path, symmetrize=True),
            lambda result, size=size: judge(result, size),
            threads=threads,
            options={"format": what},
        )
        path.unlink()


def table_of_sets(lines: list[Line]) -> str:
    """Show times in sweeps, sizes in brackets: one row per algorithm and number of threads, one column per graph."""
    sets = [line for line in lines if line["problem"] == "mis"]
    large = [line for line in sets if not line["graph"].endswith(SMALL_MARK)]
    return table_of_times(large or sets, "time in edge sweeps (set size)", threads=threads_in_words)


def table_of_speedups(lines: list[Line]) -> str:
    """Show the speed-up of the most threads over one."""
    shown = figures(line for line in lines if line["problem"] in ("mis", "as_graph", "from_edges"))
    graphs = in_order(graph for _, _, graph in shown)
    rows = []
    for algorithm, threads in in_order((algorithm, threads) for algorithm, threads, _ in shown if threads > 1):
        cells = []
        for graph in graphs:
            one, many = shown.get((algorithm, 1, graph)), shown.get((algorithm, threads, graph))
            cells.append(f"{one.seconds / many.seconds:.2f}{many.mark}" if one and many else "")
        if any(cells):
            rows.append([f"{algorithm}, 1 to {threads} threads", *cells])
    return markdown(["speed-up", *graphs], rows)


def table_of_the_rest(lines: list[Line]) -> str:
    """Show all results except the sets: conversions, start, reading."""
    rows = []
    for (algorithm, threads, graph), figure in figures(x for x in lines if x["problem"] != "mis").items():
        size = figure.quality.get("bytes")
        rate = f"{size / figure.seconds / 1e6:,.0f} MB/s" if size else ""
        median, smallest = f"{figure.seconds * 1e3:,.1f} ms", f"{figure.least * 1e3:,.1f} ms"
        rows.append([algorithm, graph, str(threads), median, smallest, figure.time, rate])
    return markdown(["what", "graph", "threads", "median", "minimum", "sweeps", "rate"], rows)


def report(lines: list[Line]) -> str:
    """Show all tables."""
    return "\n\n".join([table_of_sets(lines), table_of_speedups(lines), table_of_the_rest(lines), provenance(lines)])


def draw(lines: list[Line], path: Path) -> None:
    """Draw for each graph the time of each algorithm in edge sweeps; every run is a dot.

    There is one panel per graph, and one row per algorithm and number of threads. The axis is logarithmic; smaller is
    better.
    """
    plt = picture.pyplot()
    lines = [line for line in lines if line["problem"] == "mis"]
    graphs = in_order(line["graph"] for line in lines)
    labels = in_order((line["algorithm"], line["threads"]) for line in lines)
    size = 3 + 2.2 * len(graphs), 1 + 0.28 * len(labels)
    figure, panels = plt.subplots(1, len(graphs), figsize=size, sharey=True, squeeze=False, layout="constrained")
    for panel, graph in zip(panels[0], graphs, strict=True):
        for line in (line for line in lines if line["graph"] == graph):
            row = labels.index((line["algorithm"], line["threads"]))
            sweep = line["sweep"]["seconds"]
            runs = [seconds / sweep for seconds in line["seconds"]["runs"]]
            color = "#b5452c" if line["algorithm"].startswith("stablegraph") else "#5a6b7b"
            panel.plot(runs, [row] * len(runs), "o", markersize=2.5, alpha=0.45, color=color)
            panel.plot(line["sweeps"]["median"], row, "|", markersize=11, markeredgewidth=2, color=color)
        panel.set(title=graph, xscale="log", xlabel="edge sweeps")
        picture.make_plain(panel, axis="x", which="both")
    panels[0][0].set_yticks(range(len(labels)), [f"{name}, {threads} thr" for name, threads in labels])
    panels[0][0].invert_yaxis()
    picture.save(figure, path)


STUDY = Study(
    __name__,
    (
        Part("sets", six_graphs, set_cases),
        Part("peers", graphs_of_peers, peer_cases),
        Part("ways", six_graphs, way_cases),
        Part("pairs", pairs, edge_cases),
        Part("start", one_graph("G2"), start_cases),
        Part("read", one_graph("R4"), read_cases),
    ),
    peers=("pyamg", "networkit", "networkx"),
    repeats=9,
    quick_repeats=3,
    report=report,
    page=table_of_sets,
    pictures={"benchmarks.png": draw},
)
