"""A billion entries: each public function in a new process that maps the graph's files and has little other memory.

The graphs are made once and written to --folder: R, a uniform random graph of 2^27 vertices; RM, RMAT with 2^26; G3, a
grid of 512^3; G27, a grid of 448^3 with diagonals, which has 2.3 * 10^9 entries. --exponent scales them down. Each
process runs the function on a small graph of the same kind to import its modules, maps the files, runs the timed call,
and checks the answer with the loops in large_checks.py or with SciPy. The result line names the property that was
checked. The address space of the process is limited to the size of the files plus --memory. The jobs that need only the
graph come first. Each line is written at once, so a run that is ended early keeps its measurements.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

import stablegraph as sg
from stablegraph import gallery
from stablegraph.gallery.reference_kernels import edge_sweep_seconds

from ..graphs import hashed_weights
from ..limited import Limited, NotEnded, Timed
from ..study import SMALL_MARK, Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, in_order, markdown, provenance
from .cores import ARCS, ARRAYS, GRAPH, JOBS, PAIRS, WEIGHTED, Job, arcs_of, pairs_of

EXPONENT, SMALL_EXPONENT, QUICK_EXPONENT = 27, 16, 15
BYTES_A_VERTEX = 160  # of memory, to make a graph
GIB = 2**30


def make(kind: str, exponent: int) -> sg.Graph:
    """Make a graph with about 2^exponent vertices and 8 times the entries (G27: 2/3 of the vertices, 17 times)."""
    if kind == "R":
        return gallery.uniform_random(2**exponent, 4, seed=0)
    if kind == "RM":
        return gallery.rmat(exponent - 1, 8, 0.45, 0.22, 0.22, seed=1)
    shape = tuple(2 ** ((exponent + i) // 3) for i in range(3))
    return gallery.grid(shape) if kind == "G3" else gallery.grid(tuple(x * 7 // 8 for x in shape), stencil=27)


KINDS = ("R", "RM", "G3", "G27")


def _tenth(graph: sg.Graph) -> np.ndarray:
    return np.arange(graph.num_vertices // 10)


ALL_JOBS = {
    "degrees": Job(GRAPH, lambda graph: graph.degrees),
    **JOBS,
    "subgraph of a tenth": Job(GRAPH, lambda given: sg.subgraph(*given), lambda graph: (graph, _tenth(graph))),
    "coarse graph of aggregates": Job(
        GRAPH, lambda given: sg.coarse_graph(*given), lambda graph: (graph, sg.aggregate(graph)[1])
    ),
}
PARTS = {  # the files by the input of a job
    GRAPH: ("indptr", "indices"),
    ARRAYS: ("indptr", "indices"),
    WEIGHTED: ("indptr", "indices", "weights"),
    ARCS: ("arcs_indptr", "arcs_indices"),
    PAIRS: ("n", "u", "v"),
}


class Files:
    """A graph in files; files that only some jobs need are written at the first such job."""

    device = "cpu"

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind

    @classmethod
    def of(cls, folder: Path, kind: str, exponent: int) -> Files:
        """Return the graph in the folder, and make it first if needed."""
        files = cls(folder / f"{kind}-{exponent}", kind)
        files.folder.mkdir(parents=True, exist_ok=True)
        if not files._has(GRAPH):
            graph = make(kind, exponent)
            files._write(GRAPH, graph.indptr, graph.indices)
        return files

    @property
    def num_vertices(self) -> int:
        return int(self.arrays(GRAPH)[0].size) - 1

    @property
    def num_entries(self) -> int:
        return int(self.arrays(GRAPH)[1].size)

    def arrays(self, arguments: str) -> list[np.ndarray]:
        """Map the arrays."""
        return [np.load(path, mmap_mode="r") for path in self._paths(arguments)]

    def size(self, arguments: str) -> int:
        """Return the size of the files in bytes."""
        return sum(path.stat().st_size for path in self._paths(arguments))

    def given(self, given: str) -> Any:
        """Return the input of a job, in mapped arrays."""
        arrays = self.arrays(given)
        if given == PAIRS:
            return int(arrays[0]), *arrays[1:]
        return sg.as_graph(tuple(arrays)) if given in (GRAPH, WEIGHTED) else tuple(arrays)

    def provide(self, arguments: str) -> None:
        """Write the files of such jobs, unless they exist."""
        if not self._has(arguments):
            graph = self.given(GRAPH)
            if arguments == WEIGHTED:
                self._write(arguments, *self.arrays(GRAPH), hashed_weights(graph))
            elif arguments == ARCS:
                self._write(arguments, *arcs_of("", graph))
            else:
                n, u, v = pairs_of(graph)
                self._write(arguments, np.array(n), u, v)

    def _paths(self, arguments: str) -> list[Path]:
        return [self.folder / f"{part}.npy" for part in PARTS[arguments]]

    def _has(self, arguments: str) -> bool:
        return all(path.exists() for path in self._paths(arguments))

    def _write(self, arguments: str, *arrays: np.ndarray) -> None:
        """Write the arrays under temporary names and rename them, so that a file with its final name is complete."""
        for path, array in zip(self._paths(arguments), arrays, strict=True):
            if not path.exists():
                partial_file = path.with_suffix(".part")
                with partial_file.open("wb") as file:
                    np.save(file, array)
                partial_file.rename(path)


# In the process of a job


def calls(folder: str, kind: str, label: str) -> Timed:
    """Run the call on a small graph, map the files, run the timed call, and check the answer."""
    job = ALL_JOBS[label]
    _checks()  # imported before memory becomes short
    with tempfile.TemporaryDirectory() as place:
        small = Files.of(Path(place), kind, SMALL_EXPONENT)
        small.provide(job.given)
        job.call(job.prepare(small.given(job.given)))
    files = Files(Path(folder), kind)
    arguments = job.prepare(files.given(job.given))
    yield
    answer = job.call(arguments)
    yield
    return check(label, files, answer)


def check(label: str, files: Files, answer: Any) -> tuple[str, str | None]:
    """Return the checked property, and the error in the answer or None."""
    graph = files.given(WEIGHTED if label.startswith("forest") else GRAPH)
    what, is_right = CHECKS.get(label) or CHECKS[label.partition(",")[0]]
    return what, None if is_right(2 if "distance 2" in label else 1, files, graph, answer) else f"not so: {what}"


def _checks() -> Any:
    """Import the loops that check answers. They need Numba; listing the studies must not."""
    from .. import large_checks

    return large_checks


def _is_set(distance: int, _: Files, graph: sg.Graph, answer: Any) -> bool:
    return _checks().independent_and_maximal(graph.indptr, graph.indices, np.asarray(answer), distance)


def _is_coloring(distance: int, _: Files, graph: sg.Graph, answer: Any) -> bool:
    return _checks().properly_colored(graph.indptr, graph.indices, answer, distance)


def _is_search(_: int, __: Files, graph: sg.Graph, answer: Any) -> bool:
    source = int(np.diff(graph.indptr).argmax())
    return _checks().wrong_in_search(graph.indptr, graph.indices, source, *answer) == 0


def _all_are_used(answer: Any) -> bool:
    count, labels = answer
    return bool(labels.max() + 1 == count and np.bincount(labels).all())


def _are_components(_: int, files: Files, graph: sg.Graph, answer: Any) -> bool:
    return _checks().edges_between(graph.indptr, graph.indices, answer[1]) == 0 and _are_connected(
        _, files, graph, answer
    )


def _are_connected(_: int, __: Files, graph: sg.Graph, answer: Any) -> bool:
    return _all_are_used(answer) and _checks().pieces(graph.indptr, graph.indices, answer[1]) == answer[0]


def _are_strong(_: int, files: Files, __: sg.Graph, answer: Any) -> bool:
    indptr, indices = files.arrays(ARCS)
    n = indptr.size - 1
    arcs = scipy.sparse.csr_array((np.broadcast_to(np.int8(1), indices.shape), indices, indptr), shape=(n, n))
    count, labels = scipy.sparse.csgraph.connected_components(arcs, connection="strong")
    return bool(count == answer[0]) and _checks().same_partition(answer[1], labels)


def _is_forest(_: int, __: Files, graph: sg.Graph, answer: Any) -> bool:
    return _checks().is_minimum_forest(graph, answer, sg.connected_components(graph)[0])


def _is_given_graph(_: int, __: Files, graph: sg.Graph, answer: sg.Graph) -> bool:
    return np.array_equal(graph.indptr, answer.indptr) and np.array_equal(graph.indices, answer.indices)


def _is_turned(_: int, files: Files, __: sg.Graph, answer: sg.Graph) -> bool:
    arrays, n = files.arrays(ARCS), answer.num_vertices
    turned = _checks().fingerprint(answer.indptr, answer.indices, True, n)
    return turned == _checks().fingerprint(*arrays, False, n) and _is_in_order(answer)


def _is_tenth(_: int, __: Files, graph: sg.Graph, answer: sg.Graph) -> bool:
    n = answer.num_vertices
    result = _checks().fingerprint(answer.indptr, answer.indices, False, n)
    return result == _checks().fingerprint(graph.indptr, graph.indices, False, n) and _is_in_order(answer)


def _is_in_order(graph: sg.Graph) -> bool:
    return _checks().rows_not_in_order(graph.indptr, graph.indices) == 0


def _is_coarse(_: int, __: Files, graph: sg.Graph, answer: sg.Graph) -> bool:
    labels = sg.aggregate(graph)[1]
    return _checks().is_quotient(graph.indptr, graph.indices, labels, answer.indptr, answer.indices)


Check = Callable[[int, Files, sg.Graph, Any], bool]
MAXIMAL: tuple[str, Check] = ("independent, maximal", _is_set)
PROPER: tuple[str, Check] = ("proper", _is_coloring)
EQUAL: tuple[str, Check] = ("the graph that was written", _is_given_graph)
CHECKS: dict[str, tuple[str, Check]] = {
    "degrees": ("lengths of rows", lambda _, files, graph, answer: np.array_equal(answer, np.diff(graph.indptr))),
    "set": MAXIMAL,
    "large set": MAXIMAL,
    "coloring": PROPER,
    "first fit": PROPER,
    "components": ("no edge leaves one, each is connected", _are_components),
    "strong components": ("SciPy's", _are_strong),
    "search": ("shortest, smallest parents", _is_search),
    "forest": ("spans, none left out is lighter", _is_forest),
    "aggregates": ("each is connected", _are_connected),
    'aggregates, "kokkos"': ("each label is used", lambda _, files, graph, answer: _all_are_used(answer)),
    "from_edges": EQUAL,
    "as_graph": EQUAL,
    "symmetrize": EQUAL,
    "transpose": ("the arcs turned, in order", _is_turned),
    "subgraph of a tenth": ("the entries within, in order", _is_tenth),
    "coarse graph of aggregates": ("pairs of aggregates with edges, each once", _is_coarse),
}


# In the process that starts the other processes


def cases(name: str, files: Files, options: Options) -> Iterator[Line]:
    """Yield a line for each job, whatever its outcome."""
    sweep = edge_sweep_seconds(files.given(GRAPH))  # also initializes the threading layer
    threads = max(options.threads)
    for label, job in ALL_JOBS.items():
        if case_is_asked_for(label, options) and time.monotonic() < options.ends_at():
            files.provide(job.given)
            line = {"problem": "billion", "algorithm": label, "options": {}, "seed": None, "threads": threads}
            line |= {
                "sweep": {"seconds": sweep},
                "memory": round(options.memory * GIB),
                "mapped": files.size(job.given),
            }
            line |= _outcome(label, files, threads, options, line["memory"] + line["mapped"])
            yield {**line, "told": _told(line)}


def _outcome(label: str, files: Files, threads: int, options: Options, memory: int) -> Line:
    """Return the seconds, the peak memory, the check, the error in the answer, and the limit that the call reached."""
    limited = Limited(calls, memory, threads, not_timed=options.each_check)
    outcome: Line = {"taken": None, "check": None, "wrong": None, "limit": None}
    try:
        outcome["taken"], (outcome["check"], outcome["wrong"]) = limited(
            str(files.folder), files.kind, label, seconds=options.each
        )
    except NotEnded as ended:
        outcome |= {"taken": ended.taken, "limit": str(ended)}
    except RuntimeError as error:  # reported by the process
        outcome["limit"] = str(error)
    finally:
        limited.end()
    return {**outcome, "peak": limited.peak}


def _told(line: Line) -> str:
    """Format a line for the terminal."""
    taken = "" if line["taken"] is None else f"{line['taken']:.2f} s"
    peak = "" if line["peak"] is None else f"{line['peak'] / GIB:.1f} GiB"
    said = line["limit"] or (f"WRONG: {line['wrong']}" if line["wrong"] else line["check"])
    return f"{line['algorithm']:38} {line['threads']} thr {taken:>10} {peak:>10}  {said}"


def graphs(options: Options) -> Graphs:
    """Yield all kinds, stored in the folder; none if the machine has too little memory to make them."""
    options.ends_at = _end(options.in_all)
    exponent = options.exponent or (QUICK_EXPONENT if options.quick else EXPONENT)
    if _memory() < BYTES_A_VERTEX << exponent:
        needed = (BYTES_A_VERTEX << exponent) / GIB
        print(f"left out: 2^{exponent} vertices take {needed:.0f} GiB; see --exponent", file=sys.stderr)
        return
    mark = SMALL_MARK if exponent < EXPONENT else ""
    for kind in KINDS:
        yield f"{kind}{mark}", partial(Files.of, options.folder or _temporary(), kind, exponent)


def _end(seconds: float) -> Callable[[], float]:
    """Return a function that gives the end time, counted from now."""
    at = time.monotonic() + seconds
    return lambda: at


def _memory() -> int:
    """Return the memory of the machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@cache
def _temporary_folder() -> Any:
    return tempfile.TemporaryDirectory()


def _temporary() -> Path:
    """Return a folder that is removed when Python exits."""
    return Path(_temporary_folder().name)


def report(lines: list[Line]) -> str:
    """Show the seconds, and the peak memory in brackets, from the last line of each function and graph."""
    shown = {(line["algorithm"], line["graph"]): line for line in lines}
    names, sizes = in_order(line["graph"] for line in lines), {line["graph"]: line for line in lines}
    rows = [["*one edge sweep*", *(f"{sizes[name]['sweep']['seconds']:.3g}" for name in names)]]
    for job in in_order(line["algorithm"] for line in lines):
        rows.append([job, *(_cell(shown.get((job, name))) for name in names)])
    reported = "; ".join(
        f"{name}: {line['n']:,} vertices, {line['m']:,} entries, files of {line['mapped'] / GIB:.1f} GiB"
        for name in names
        for line in [next(line for line in lines if line["graph"] == name)]
    )
    largest = ", ".join(map(str, in_order(line["threads"] for line in lines)))
    table = markdown([f"seconds (peak memory, GiB), {largest} threads", *names], rows)
    return f"{table}\n\n{reported}.\n\n{provenance(lines)}"


def _cell(line: Line | None) -> str:
    """Format a cell; ‡ marks answers that were not checked."""
    if line is None:
        return ""
    if line["wrong"]:
        return "wrong"
    if line["taken"] is None:
        return line["limit"]
    peak = "" if line["peak"] is None else f" ({line['peak'] / GIB:.1f})"
    return f"{line['taken']:.2f}{peak}{'' if line['check'] else ' ‡'}"


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="where the graphs are written, and found again (else temporary)")
    parser.add_argument("--exponent", type=int, help=f"2^EXPONENT vertices (default {EXPONENT})")
    parser.add_argument("--each", type=float, default=120.0, help="seconds for a call")
    parser.add_argument("--each-check", type=float, default=300.0, help="seconds to prepare a call, or to check it")
    parser.add_argument("--in-all", type=float, default=3600.0, help="seconds after which no other call begins")
    parser.add_argument("--memory", type=float, default=20.0, help="GiB of address space besides the mapped files")


STUDY = Study(__name__, (Part("graphs", graphs, cases, once=False),), report=report, add_options=_add_options)
