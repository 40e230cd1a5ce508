"""Maximal independent sets: the six graphs, all orders, one and two threads, the ways in, the first call, the peers.

    python -m benchmarks.mis                                  # everything; minutes
    python -m benchmarks.mis --quick                          # the same on small graphs; seconds
    python -m benchmarks.mis --graphs G2,R4 --threads 1,2 --only sets,peers -o results.jsonl

The parts, as named to ``--only``:

=========  ===========================================================================================================
``sets``   `maximal_independent_set` on a Graph: every order on every number of threads
``peers``  PyAMG's serial and "parallel" sets, NetworKit's Luby, NetworkX (on small graphs), and ours beside it
``ways``   `as_graph` and the whole call on a SciPy matrix never seen before; `from_edges` against SciPy, 20 M edges
``start``  import and first call in a fresh process, with nothing compiled and with the cache filled
``read``   `read_graph` on text files
=========  ===========================================================================================================

igraph is left out: its independent sets are all of them, or the largest, which takes exponential time.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, Harness, WrongResult, installed_version

GRAPHS = ("G2", "G3", "R4", "DE", "RM", "KR")
PARTS = ("sets", "peers", "ways", "start", "read")
ORDERS = ("degree", "natural", "ecl", "random")
PEERS = ("pyamg", "networkit", "networkx")
NETWORKX_LIMIT = 20_000  # vertices: it takes thousands of sweeps
SMALL: dict[str, Callable[[], sg.Graph]] = {
    "G2": lambda: gallery.grid((64, 64)),
    "G3": lambda: gallery.grid((16, 16, 16)),
    "R4": lambda: gallery.uniform_random(2**12, 4, seed=0),
    "DE": lambda: gallery.delaunay(2**12, seed=0),
    "RM": lambda: gallery.rmat(12, 8, 0.45, 0.22, 0.22, seed=1),
    "KR": lambda: gallery.kronecker(10, 48, seed=1),
}


def judge_of_sets(graph: sg.Graph, k: int = 1) -> Callable[[Any], dict[str, Any]]:
    """A judge: the verifier's word for every set that it has not seen yet; the size is the quality."""
    accepted: set[int] = set()

    def judge(result: Any) -> dict[str, Any]:
        mask = np.asarray(result, dtype=bool)
        checksum = zlib.crc32(np.packbits(mask).tobytes())
        if checksum not in accepted:
            wrong = sg.explain(sg.is_maximal_independent_set, graph, mask, k)
            if wrong:
                raise WrongResult(wrong)
            accepted.add(checksum)
        return {"size": int(mask.sum()), "crc32": f"{checksum:08x}"}

    return judge


def set_cases(graph: sg.Graph, threads: list[int], orders: tuple[str, ...] = ORDERS) -> Iterator[Case]:
    """Our own sets, on a Graph that is ready: every order, and Luby's algorithm."""
    for name in (*orders, "luby"):
        options = {"algorithm": "luby"} if name == "luby" else {"priority": name}
        for count in threads:
            yield Case(
                "mis",
                f"stablegraph {name}",
                lambda _, options=options: sg.maximal_independent_set(graph, **options),
                judge_of_sets(graph),
                threads=count,
                options=options,
                seed=0,
            )


def peer_cases(graph: sg.Graph, threads: int) -> Iterator[Case]:
    """What pip can install, each on its own form of the graph, converted before."""
    judge = judge_of_sets(graph)
    if installed_version("pyamg"):
        pyamg = importlib.import_module("pyamg.graph")
        matrix = _matrix(graph)
        for kind in ("serial", "parallel"):
            yield Case(
                "mis",
                f"PyAMG {kind}",
                lambda _, kind=kind: pyamg.maximal_independent_set(matrix, algo=kind),
                judge,
                options={"algo": kind},
            )
    if installed_version("networkit"):
        networkit = importlib.import_module("networkit")
        networkit.setNumberOfThreads(threads)
        upper = sp.triu(_matrix(graph), 1, format="coo")
        converted = networkit.GraphFromCoo(
            (upper.row.astype(np.uint64), upper.col.astype(np.uint64)), graph.num_vertices
        )
        luby = networkit.independentset.Luby()
        yield Case("mis", "NetworKit Luby", lambda _: luby.run(converted), judge, threads=threads)
    if installed_version("networkx") and graph.num_vertices <= NETWORKX_LIMIT:
        networkx = importlib.import_module("networkx")
        nodes = graph.to_networkx()

        def judge_nodes(chosen: Iterable[int]) -> dict[str, Any]:
            mask = np.zeros(graph.num_vertices, bool)
            mask[list(chosen)] = True  # a list, or a set in later versions
            return judge(mask)

        yield Case("mis", "NetworkX", lambda _: networkx.maximal_independent_set(nodes, seed=1), judge_nodes, seed=1)


def way_cases(graph: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """The ways in: a SciPy matrix that was never seen before, each time."""

    def judge_graph(result: sg.Graph) -> dict[str, Any]:
        if result != graph:
            raise WrongResult("as_graph gave another graph")
        return {}

    for count in threads:
        yield Case(
            "as_graph",
            "stablegraph as_graph(matrix)",
            lambda matrix: sg.as_graph(matrix, weights=False),
            judge_graph,
            threads=count,
            prepare=lambda: _matrix(graph),
        )
        yield Case(
            "mis",
            "stablegraph degree, SciPy matrix",
            lambda matrix: sg.maximal_independent_set(matrix),
            judge_of_sets(graph),
            threads=count,
            options={"priority": "degree", "prepared": False},
            seed=0,
            prepare=lambda: _matrix(graph),
        )


def edge_cases(edges: int, threads: list[int]) -> tuple[sg.Graph, list[Case]]:
    """`from_edges` against SciPy's way of building the same symmetric matrix, on uniform random pairs."""
    n = edges // 5
    u, v = np.random.default_rng(2).integers(0, n, (2, edges), dtype=np.int32)
    graph = sg.from_edges(u, v, n=n, symmetrize=True)

    def with_scipy(_: Any) -> sp.csr_array:
        pairs = np.concatenate([u, v]), np.concatenate([v, u])
        return sp.coo_array((np.ones(2 * edges, np.int8), pairs), shape=(n, n)).tocsr()

    def judge(result: Any) -> dict[str, Any]:
        entries = result.nnz if sp.issparse(result) else result.num_entries
        if entries != graph.num_entries or not np.array_equal(result.indptr, graph.indptr):
            raise WrongResult(f"{entries} entries, expected {graph.num_entries}, or rows of other lengths")
        return {"edges": edges, "entries": entries}

    ours = [
        Case(
            "from_edges",
            "stablegraph from_edges",
            lambda _: sg.from_edges(u, v, n=n, symmetrize=True),
            judge,
            threads=count,
            options={"symmetrize": True},
        )
        for count in threads
    ]
    return graph, [*ours, Case("from_edges", "SciPy coo to csr", with_scipy, judge)]


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


def start_cases(graph: sg.Graph, folder: Path) -> Iterator[Case]:
    """Import and first call, each run in a process of its own; the call takes a SciPy matrix."""
    np.save(folder / "indptr.npy", graph.indptr)
    np.save(folder / "indices.npy", graph.indices)
    judge_mask = judge_of_sets(graph)

    def fresh_process(cache: str) -> tuple[float, float]:
        done = subprocess.run(
            [sys.executable, "-c", _FRESH_PROCESS, str(folder)],
            env={**os.environ, "STABLEGRAPH_CACHE_DIR": cache},
            capture_output=True,
            text=True,
            check=True,
        )
        imported, first = done.stdout.split()
        return float(imported), float(first)

    def judge(_: tuple[float, float]) -> dict[str, Any]:
        return judge_mask(np.load(folder / "mask.npy"))

    def empty_cache() -> str:
        return tempfile.mkdtemp(dir=folder)

    def filled_cache() -> str:
        return str(folder / "filled")

    for kind, what in ((1, "first call"), (0, "import stablegraph")):
        for state, cache in (("nothing compiled", empty_cache), ("cache filled", filled_cache)):
            if kind == 1 or state == "cache filled":
                yield Case(
                    "start",
                    f"{what}, {state}" if kind else what,
                    fresh_process,
                    judge,
                    threads=sg.num_threads(),
                    prepare=cache,
                    seconds=lambda times, kind=kind: times[kind],
                )


def read_cases(graph: sg.Graph, folder: Path, threads: int) -> Iterator[Case]:
    """`read_graph` on text: one file in each format that the byte parser serves."""

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


def _matrix(graph: sg.Graph) -> sp.csr_array:
    """A SciPy matrix that shares no array with anything seen before."""
    n = graph.num_vertices
    parts = np.ones(graph.num_entries, np.int8), graph.indices.copy(), graph.indptr.copy()
    return sp.csr_array(parts, shape=(n, n))


def plan(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, sg.Graph, Case]]:
    """What is to be measured, one case after the other: (the graph's name, the graph, the case)."""
    parts, threads = options.only, options.threads

    def named(label: str) -> tuple[str, sg.Graph]:
        return (f"{label} (small)", SMALL[label]()) if options.quick else (label, gallery.benchmark_graph(label))

    if {"sets", "peers", "ways"} & set(parts):
        for label in options.graphs:
            name, graph = named(label)
            cases: list[Case] = []
            cases += set_cases(graph, threads) if "sets" in parts else []
            cases += peer_cases(graph, max(threads)) if "peers" in parts else []
            cases += way_cases(graph, threads) if "ways" in parts else []
            yield from ((name, graph, case) for case in cases)
    if "peers" in parts and not options.quick:  # NetworkX and ours side by side, where it can follow
        graph = SMALL["G2"]()
        cases = [*set_cases(graph, threads, ("degree",)), *peer_cases(graph, max(threads))]
        yield from (("G2 (small)", graph, case) for case in cases)
    if "ways" in parts:
        graph, cases = edge_cases(20_000 if options.quick else 20_000_000, threads)
        yield from (("pairs", graph, case) for case in cases)
    if "start" in parts:
        name, graph = named("G2")
        yield from ((name, graph, case) for case in start_cases(graph, folder))
    if "read" in parts:
        name, graph = named("R4")
        yield from ((name, graph, case) for case in read_cases(graph, folder, max(threads)))


def main(arguments: list[str] | None = None) -> int:
    """Measure what the command line asks for; 1 if an answer was wrong."""
    parser = _options()
    options = parser.parse_args(arguments)
    options.threads = [count for count in options.threads if 1 <= count <= sg.num_threads()]
    if not options.threads:
        parser.error(f"--threads: there are 1 to {sg.num_threads()} here")
    if options.output is None and not options.quick:
        today = datetime.now(UTC).strftime("%Y-%m-%d")
        options.output = Path(__file__).parent / "results" / f"mis-{today}.jsonl"
    missing = [peer for peer in PEERS if not installed_version(peer)]
    if missing and "peers" in options.only:
        print(f"peers that are not installed: {', '.join(missing)}", file=sys.stderr)
    harness = Harness(options.output, options.repeats or (3 if options.quick else 9), PEERS)
    with tempfile.TemporaryDirectory() as folder:
        for name, graph, case in plan(options, Path(folder)):
            harness.measure(name, graph, case)
    return 1 if harness.failures else 0


def _options() -> argparse.ArgumentParser:
    def listed(known: tuple[str, ...]) -> Callable[[str], list[str]]:
        def parse(text: str) -> list[str]:
            chosen = text.split(",")
            if unknown := [name for name in chosen if name not in known]:
                raise argparse.ArgumentTypeError(f"{', '.join(unknown)} not among {', '.join(known)}")
            return chosen

        return parse

    parser = argparse.ArgumentParser(prog="python -m benchmarks.mis", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small graphs; a file is only written with -o")
    parser.add_argument("--graphs", type=listed(GRAPHS), default=list(GRAPHS), metavar="G2,R4,...")
    parser.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2], metavar="1,2")
    parser.add_argument("--only", type=listed(PARTS), default=list(PARTS), metavar=",".join(PARTS))
    parser.add_argument("--repeats", type=int, help="timed runs of a case (default 9, with --quick 3)")
    parser.add_argument("-o", "--output", type=Path, help="append the lines to it (default: today's file in results/)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
