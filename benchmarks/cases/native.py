"""C++ and CUDA programs: PBBS, GAPBS, GBBS and PASGAL on all threads of a CPU, ECL-Suite on a GPU.

The programs are those that the user builds in the folder given by --programs; missing ones are left out. A C++ program
reads a graph, and then lines "run JOB VERTEX 1 0" and "check JOB" from its input; it answers each with a line of JSON:
the milliseconds of one run after an untimed one, and facts about its answer. It is stopped while other programs run,
because waiting threads would slow them down. The file is int64 n, m, flags; int64 offsets; int32 neighbors; int32
weights (flag 1), or the transposed arrays (flag 2). An ECL program prints milliseconds ("ms") and facts for a file in
ECL's format, repeated as often as REPS says. Times of ECL are those of its timer and exclude the allocation of memory;
ours are whole calls. Our answers are verified, and the facts of all programs are compared with ours.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import tempfile
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime.cuda.gpu_code import cuda_available

from .. import data
from ..graphs import GRAPHS, SMALL, directed_variant
from ..judges import judge_of_colors, judge_of_forests, judge_of_labels, judge_of_sets, judge_of_trees
from ..study import SMALL_MARK, Best, Case, Graphs, Judge, Options, Part, Study, WrongResult
from .gpu import case as case_on_gpu
from .gpu import ecl_weights

REAL = {  # short names of real graphs
    "roads": "USA-road-d.NY",
    "web": "web-NotreDame",
    "formula": "sat-cbmc-aes",
    "social": "ego-Twitter",
    "mesh": "wave",
}
LARGE = {"cpu": 22, "gpu": 24}  # the logarithm of the vertices of LR, a random graph by R4's rule
LIMIT = 60.0  # seconds after which a program is ended
PROGRAMS: dict[str, dict[str, tuple[str, str]]] = {  # problem: name: file, job
    "set": {
        "PBBS ndMIS": ("pbbs_ndMIS", "mis"),
        "PBBS incrementalMIS": ("pbbs_incrementalMIS", "mis"),
        "GBBS rootset": ("gbbs", "mis_rootset"),
        "GBBS specfor": ("gbbs", "mis_specfor"),
    },
    "coloring": {"GBBS LF": ("gbbs", "color_lf"), "GBBS LLF": ("gbbs", "color_llf")},
    "components": {
        "GAPBS Afforest": ("gapbs", "cc"),
        "GAPBS Shiloach-Vishkin": ("gapbs", "cc_sv"),
        "GBBS SimpleUnionAsync": ("gbbs", "cc_simple"),
        "GBBS ConnectIt k-out": ("gbbs", "cc_kout"),
        "GBBS ConnectIt": ("gbbs", "cc_plain"),
    },
    "search": {
        "GAPBS": ("gapbs", "bfs"),
        "PBBS backForwardBFS": ("pbbs_backForwardBFS", "bfs"),
        "PBBS deterministicBFS": ("pbbs_deterministicBFS", "bfs"),
        "PASGAL": ("pasgal", "bfs"),
        "GBBS": ("gbbs", "bfs"),
    },
    "strong components": {"PASGAL": ("pasgal", "scc"), "GBBS": ("gbbs", "scc")},
    "forest": {"PBBS ndST": ("pbbs_ndST", "st"), "PBBS incrementalST": ("pbbs_incrementalST", "st")},
    "forest, int32": {"PBBS filter-Kruskal": ("pbbs_filterKruskal", "mst")},
}
ECL = {"set": "mis", "coloring": "gc", "components": "cc", "forest, int32": "mst", "strong components": "scc"}
VARIANTS = ("baseline", "racefree")
COMPARED = ("components", "reached", "levels", "edges", "weight")  # facts that are the same for every right answer


@cache
def _folder() -> Any:
    return tempfile.TemporaryDirectory()  # removed when Python exits


class Inputs:
    """A graph, the same one with weights and with directions, and the files of the programs."""

    def __init__(self, name: str, graph: sg.Graph) -> None:
        known = name.removesuffix(SMALL_MARK) in GRAPHS
        self.graph, self.directed = graph, directed_variant(name) if known else gallery.with_directions(graph)
        self.heavy = sg.as_graph((graph.indptr, graph.indices, ecl_weights(graph)))
        self.source = int(graph.degrees.argmax())

    def ours(self) -> Iterator[tuple[str, str, Callable[[], Any], Judge]]:
        """Yield problem, name, call and judge of our calls."""
        g, arcs, labels = self.graph, self.directed, partial(judge_of_labels, dtype=np.int64)
        sets, colors, forests = sg.maximal_independent_set, sg.vertex_coloring, sg.minimum_spanning_forest
        yield "set", "degree", partial(sets, g), judge_of_sets(g)
        yield "set", "natural", partial(sets, g, priority="natural"), judge_of_sets(g)
        yield "coloring", "first fit", partial(colors, g, ties="id", reduce="none"), judge_of_colors(g)
        yield "coloring", "default", partial(colors, g), judge_of_colors(g)
        yield "components", "components", partial(sg.connected_components, g), labels(g, sg.is_component_labeling)
        trees = judge_of_trees(g, self.source)
        yield "search", "search", partial(sg.breadth_first_search, g, self.source), trees
        arcs.transpose()  # is kept by the graph; the programs receive it, too
        strong = labels(arcs, sg.is_strong_component_labeling)
        yield "strong components", "strong", partial(sg.strongly_connected_components, arcs), strong
        yield "forest", "forest", partial(forests, g), judge_of_forests(g)
        yield "forest, int32", "forest, int32", partial(forests, self.heavy), judge_of_forests(self.heavy)

    def write(self, kind: str) -> Path:
        """Write the file of the C++ programs for "graph" or "directed"."""
        path, arcs = Path(_folder().name, f"{kind}.csr"), self.directed
        graph, flag, more = self.heavy, 1, [self.heavy.weights.astype(np.int32)]
        if kind == "directed":
            back = arcs.transpose()
            graph, flag, more = arcs, 2, [back.indptr.astype(np.int64), back.indices.astype(np.int32)]
        head = np.array([graph.num_vertices, graph.num_entries, flag], np.int64)
        with path.open("wb") as file:
            for array in (head, graph.indptr.astype(np.int64), graph.indices.astype(np.int32), *more):
                array.tofile(file)
        return path


class Program:
    """A C++ program that has read a graph and waits, stopped, for lines."""

    def __init__(self, program: Path, file: Path, threads: int) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
        counts = dict.fromkeys(("PARLAY_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
        self.process = subprocess.Popen(
            [program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=kept | counts
        )
        self._answer()

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line and return the answer."""
        assert self.process.stdin is not None
        self.process.send_signal(signal.SIGCONT)
        with suppress(BrokenPipeError):
            print(line, file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        limit = threading.Timer(LIMIT, self.process.kill)
        limit.start()
        text = self.process.stdout.readline()
        limit.cancel()
        if not text:
            raise WrongResult(f"the program has ended with status {self.process.wait()}")
        self.process.send_signal(signal.SIGSTOP)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


_running: dict[tuple[str, str], Program] = {}


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our calls and the programs, problem by problem."""
    inputs, count, facts = Inputs(name, graph), max(options.threads), dict[str, dict[str, Any]]()
    for program in _running.values():
        program.end()
    _running.clear()
    files = {kind: inputs.write(kind) for kind in ("graph", "directed")}
    for problem, label, call, judge in inputs.ours():
        yield Case(problem, label, lambda _, call=call: call(), _noting(judge, facts, problem), count)
    for problem, programs in PROGRAMS.items():
        kind = "directed" if problem == "strong components" else "graph"
        for label, (program, job) in programs.items():
            if (options.programs / program).exists():
                ask = partial(_asked, options.programs / program, files[kind], count)
                run = f"run {job} {inputs.source} 1 0"
                yield Case(
                    problem,
                    label,
                    lambda _, ask=ask, run=run: ask(run),
                    lambda _, ask=ask, job=job, problem=problem: _same(ask(f"check {job}"), facts[problem]),
                    count,
                    seconds=lambda answer: answer["ms"][0] / 1e3,
                )


def _asked(program: Path, file: Path, threads: int, line: str) -> dict[str, Any]:
    key = program.name, file.name
    if key not in _running:
        _running[key] = Program(program, file, threads)
    return _running[key].ask(line)


def _noting(judge: Judge, facts: dict[str, dict[str, Any]], problem: str) -> Judge:
    """Return the judge; it also records the facts, for the comparison with those of the programs."""

    def noting(answer: Any) -> dict[str, Any]:
        quality = judge(answer)
        facts[problem] = quality | ({"reached": int((answer[0] >= 0).sum())} if problem == "search" else {})
        facts[problem].pop("levels", None)  # the programs count them in other ways
        return quality

    return noting


def _same(facts: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a program if they are right and equal to ours, where both have them."""
    if not facts.get("ok", True):
        raise WrongResult(f"the program's own check fails: {facts}")
    if wrong := [key for key in COMPARED if key in facts and key in ours and facts[key] != ours[key]]:
        raise WrongResult(f"{wrong[0]} is {facts[wrong[0]]}, ours {ours[wrong[0]]}")
    return {key: value for key, value in facts.items() if key in (*COMPARED, "size", "colors")}


def cases_on_gpu(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our calls on the GPU and the programs of ECL-Suite."""
    inputs = Inputs(name, graph)
    files = {kind: Path(_folder().name, f"{kind}.egr") for kind in ("graph", "directed")}
    sg.write_graph(files["graph"], graph)
    sg.write_graph(files["directed"], inputs.directed)
    calls: dict[str, tuple[Callable[[Any], Any], sg.Graph]] = {
        "set": (partial(sg.maximal_independent_set, priority="ecl"), graph),
        "coloring": (partial(sg.vertex_coloring, ties="hash", reduce="none"), graph),
        "components": (sg.connected_components, graph),
        "forest, int32": (sg.minimum_spanning_forest, inputs.heavy),
        "strong components": (sg.strongly_connected_components, inputs.directed),
    }
    for problem, (call, given) in calls.items():
        ours = case_on_gpu("ours", call, given.to("cuda"), given)
        yield Case(problem, ours.algorithm, ours.run, ours.judge)
        for variant in VARIANTS:
            program = options.programs / f"ecl-{ECL[problem]}-{variant}"
            if program.exists():
                run = partial(_ecl, program, files["directed" if given is inputs.directed else "graph"])
                milliseconds = lambda answer: statistics.median(answer["ms"]) / 1e3  # noqa: E731
                yield Case(problem, f"ECL {variant}", lambda _, run=run: run(), _ecl_facts, seconds=milliseconds)


def _ecl(program: Path, file: Path) -> dict[str, Any]:
    environment = os.environ | {"REPS": "3"}
    done = subprocess.run([program, file], capture_output=True, text=True, timeout=LIMIT, env=environment)
    answer = next((json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")), None)
    if answer is None:
        raise WrongResult(f"{program.name} printed no times: {(done.stdout + done.stderr)[-200:]}")
    return dict(answer)


def _ecl_facts(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key in ("size", "colors", "components", "edges", "weight")}


def graphs(where: str, options: Options) -> Graphs:
    """Yield real graphs, the six graphs and a large one; small ones with --quick; none without --programs or a GPU."""
    if options.programs is None or (where == "gpu" and not cuda_available()):
        return
    if options.quick:
        yield f"KR{SMALL_MARK}", SMALL["KR"]
        return
    known = data.files()
    for name in GRAPHS:
        yield name, partial(gallery.benchmark_graph, name)
    yield "LR", partial(gallery.uniform_random, 2 ** LARGE[where], 4, seed=0)
    for name, file in REAL.items():
        if file in known:
            yield name, lambda file=file: data.undirected(known[file][0]).simple()


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="native: the programs of the peers")


BEST = (
    *(Best(f"{problem} on a GPU", problem, "ours", "ECL *") for problem in ECL),
    Best("any maximal independent set", "set", "degree", "PBBS*;GBBS*"),
    Best("the lexicographic set", "set", "natural", "PBBS incrementalMIS;GBBS specfor"),
    Best("coloring by first fit", "coloring", "first fit", "GBBS*"),
    *(Best(name, name, name.partition(" c")[0], "PBBS*;GBBS*;GAPBS*;PASGAL*") for name in list(PROGRAMS)[2:]),
)
STUDY = Study(
    __name__,
    (Part("cpu", partial(graphs, "cpu"), cases), Part("gpu", partial(graphs, "gpu"), cases_on_gpu)),
    repeats=9,
    longest=3.0,
    turns=True,
    machines={"cpu16": ("--parts", "cpu", "--threads", "16"), "gpu": ("--parts", "gpu", "--repeats", "5")},
    best=BEST,
    programs=(
        *dict.fromkeys(program for programs in PROGRAMS.values() for program, _ in programs.values()),
        *(f"ecl-{short}-{variant}" for short in ECL.values() for variant in VARIANTS),
    ),
    add_options=_add_options,
)
