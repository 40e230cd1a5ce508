"""GPU: the six graphs and three large ones, on one card; `native` compares with published CUDA codes.

Each time is that of the public function on a graph in GPU memory, including the allocation of arrays, the checks of
arguments and the wait for the answer. Each answer is compared with the CPU's, byte by byte.
"""

from __future__ import annotations

import functools
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime.cuda.gpu_code import cuda_available
from stablegraph._core.runtime.device import wait_for

from ..graphs import directed_variant, six_graphs
from ..study import SMALL_MARK, Case, Graphs, Options, Part, Study, WrongResult, case_is_asked_for
from ..tables import Line, figures, in_order, markdown, provenance

LARGE: dict[str, Callable[[], sg.Graph]] = {
    "LG": lambda: gallery.grid((256, 256, 256)),
    "LR": lambda: gallery.uniform_random(2**24, 4, seed=0),
    "LK": lambda: gallery.rmat(22, 16, 0.45, 0.22, 0.22, seed=7),
}
Call = Callable[[sg.Graph], Any]


def calls(graph: sg.Graph) -> dict[str, Call]:
    """Return the calls on an undirected graph, by the names of the cases."""
    sets, colors = sg.maximal_independent_set, sg.vertex_coloring
    source = int(graph.degrees.argmax())
    return {
        "set": partial(sets, priority="ecl"),
        "set, degree": sets,
        "set, distance 2": partial(sets, distance=2),
        "set, distance 2, degree": partial(sets, distance=2, priority="degree"),
        "coloring, none": partial(colors, ties="hash", reduce="none"),
        "coloring, none, ties by id": partial(colors, ties="id", reduce="none"),
        "coloring": colors,
        "coloring, distance 2": partial(colors, distance=2, reduce="none"),
        "components": sg.connected_components,
        "search": partial(sg.breadth_first_search, sources=source),
        'aggregates, "kokkos"': partial(sg.aggregate, algorithm="kokkos"),
        "aggregates": sg.aggregate,
    }


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield all calls."""
    on_cpu = graph.to("cpu")
    for label, call in calls(graph).items():
        yield case(label, call, graph, on_cpu)
    arrays, host_arrays = (graph.indptr, graph.indices), (on_cpu.indptr, on_cpu.indices)
    yield case("as_graph", lambda arguments: sg.as_graph(arguments), arrays, host_arrays)
    for kind in ("int32", "float64"):
        if case_is_asked_for(f"forest, {kind}", options):
            weights = ecl_weights(graph).astype(kind)
            heavy = sg.as_graph((*arrays, weights))
            yield case(f"forest, {kind}", sg.minimum_spanning_forest, heavy, heavy.to("cpu"))


def directed_cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield strong components."""
    yield case("strong components", sg.strongly_connected_components, graph, graph.to("cpu"))


def case(label: str, call: Callable[[Any], Any], arguments: Any, on_cpu: Any) -> Case:
    """Make the case of a call on the GPU, whose answer must equal that of the CPU."""

    @functools.cache
    def expected() -> str:
        return checksum(call(on_cpu))

    def run(_: Any) -> Any:
        answer = call(arguments)
        wait_for("cuda")
        return answer

    def judge(answer: Any) -> dict[str, Any]:
        if (result := checksum(answer)) != expected():
            raise WrongResult(f"the GPU's answer has the checksum {result}, the CPU's {expected()}")
        return {"crc32": result}

    return Case("gpu", label, run, judge)


def checksum(answer: Any) -> str:
    """Return the checksum of all arrays and numbers of an answer on any device; sparse values as float64."""
    total = 0
    for part in answer if isinstance(answer, tuple) else (answer,):
        pieces = [part]
        if isinstance(part, sg.Graph):
            pieces = [part.indptr, part.indices]
        elif hasattr(part, "indptr"):
            pieces = [part.indptr, part.indices, part.data.astype(np.float64)]
        for piece in pieces:
            array = np.ascontiguousarray(piece.get() if hasattr(piece, "get") else piece)
            total = zlib.crc32(array.tobytes(), total)
    return f"{total:08x}"


def ecl_weights(graph: sg.Graph) -> Any:
    """Return the weights that ECL-MST assigns to a file without weights: 1 + |(u v) rem n| in 32 bits."""
    xp, n = graph.xp, graph.num_vertices
    entries = xp.arange(graph.num_entries, dtype=graph.indptr.dtype)
    rows = xp.searchsorted(graph.indptr, entries, side="right").astype(np.int32) - np.int32(1)
    products = rows * graph.indices.astype(np.int32)  # wraps around, as in C
    return 1 + xp.abs(xp.fmod(products, np.int32(n)))


def graphs(options: Options) -> Graphs:
    """Yield the six graphs and the three large ones, on the GPU; small ones with --quick; none without a GPU."""
    if not cuda_available():
        print("left out: no CUDA device, or CuPy is not installed", file=sys.stderr)
        return
    large = {} if options.quick else LARGE
    for name, make in [*six_graphs(options), *large.items()]:
        yield name, lambda make=make: make().to("cuda")


def directed_graphs(options: Options) -> Graphs:
    """Yield RM with directions."""
    if cuda_available():
        name = f"RM{SMALL_MARK}" if options.quick else "RM"
        yield f"{name}, directed", lambda: directed_variant(name).to("cuda")


def report(lines: list[Line]) -> str:
    """Show milliseconds by case and graph."""
    if not lines:
        return ""
    shown = {(algorithm, graph): figure for (algorithm, _, graph), figure in figures(lines).items()}
    names = in_order(graph for _, graph in shown)
    sweeps = [[line["sweep"]["seconds"] for line in lines if line["graph"] == name] for name in names]
    rows = [["*all entries read once*", *(_ms(min(seconds)) for seconds in sweeps)]]
    for algorithm in sorted(in_order(algorithm for algorithm, _ in shown), key=_by_case):
        result = [shown.get((algorithm, name)) for name in names]
        rows.append([algorithm, *(_ms(figure.seconds) if figure else "" for figure in result)])
    return f"{markdown(['milliseconds', *names], rows)}\n\n{provenance(lines)}"


def _by_case(algorithm: str) -> int:
    """Return a sort key that puts the frequent calls first."""
    order = ["as_graph", "set", "set, degree"]
    return order.index(algorithm) if algorithm in order else len(order)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:,.0f}"


STUDY = Study(
    __name__,
    (Part("graphs", graphs, cases), Part("directed", directed_graphs, directed_cases)),
    repeats=15,
    longest=1.0,
    yardsticks_last=10.0,
    machines={"gpu": ()},
    report=report,
)
