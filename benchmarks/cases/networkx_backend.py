"""NetworkX functions compared with the backend "stablegraph": with a conversion in each call, and converted in advance.

Random graphs have four edges per node and random weights, and are stored as dictionaries, as a SciPy matrix and as a
pandas table. The variants alternate. Answers that are iterators are exhausted, and the minimum time is reported.
NetworkX is left out where it would take more than a minute, extrapolated from smaller graphs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..harness import no_garbage_collected, threads
from ..machine import installed_version
from ..study import Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, in_order, markdown, provenance

EDGES_PER_NODE = 4
SIZES = {10**3: 9, 10**4: 9, 10**5: 3, 5 * 10**5: 1}  # edges, and repetitions
ARRAYS = list(SIZES)[:-1]  # sizes of matrices and tables
QUICK = {500: 2}
LONGEST = 60.0  # seconds
BACKEND = "stablegraph"
NETWORKX, CONVERTING, CONVERTED = WAYS = "NetworkX", "with conversion", "without"

Job = Callable[..., Any]


def jobs(nx: Any) -> dict[str, Job]:
    """Return the calls on a graph of dictionaries; the names of calls on directed graphs say so."""
    unrolled: dict[str, Job] = {
        "connected_components": nx.connected_components,
        "number_connected_components": nx.number_connected_components,
        "single_source_shortest_path_length": partial(nx.single_source_shortest_path_length, source=0),
        "greedy_color": nx.greedy_color,
        "greedy_color, smallest_last": partial(nx.greedy_color, strategy="smallest_last"),
        "maximal_independent_set": partial(nx.maximal_independent_set, seed=1),
        "dominating_set": nx.dominating_set,
        "minimum_spanning_tree": nx.minimum_spanning_tree,
        "to_scipy_sparse_array": nx.to_scipy_sparse_array,
        "strongly_connected_components": nx.strongly_connected_components,
        "condensation": nx.condensation,
    }
    return {name: partial(_used_up, function) for name, function in unrolled.items()}


DIRECTED = ("strongly_connected_components", "condensation")


def _used_up(function: Job, *args: Any, **kwargs: Any) -> Any:
    answer = function(*args, **kwargs)
    return list(answer) if hasattr(answer, "__next__") else answer


class Given:
    """The edges of a graph, in several containers."""

    device = "cpu"

    def __init__(self, edges: int) -> None:
        draw = np.random.default_rng(edges)
        self.num_vertices, self.num_entries = edges // EDGES_PER_NODE, edges
        self.u, self.v = draw.integers(0, self.num_vertices, (2, edges))
        self.v += self.u == self.v  # no loops, which NetworkX's strategy "smallest_last" rejects
        self.v %= self.num_vertices
        self.weights = draw.random(edges)

    def dictionaries(self, nx: Any, kind: Any) -> Any:
        """Return a NetworkX graph."""
        graph = kind()
        graph.add_nodes_from(range(self.num_vertices))
        graph.add_weighted_edges_from(zip(self.u.tolist(), self.v.tolist(), self.weights.tolist(), strict=True))
        return graph

    def matrix(self) -> Any:
        """Return a symmetric CSR array."""
        n = self.num_vertices
        entries = sp.coo_array((self.weights, (self.u, self.v)), shape=(n, n)).tocsr()
        entries.sum_duplicates()
        return entries.maximum(entries.T.tocsr())

    def table(self) -> Any:
        """Return a DataFrame."""
        import pandas as pd

        return pd.DataFrame({"source": self.u, "target": self.v, "weight": self.weights})


class Turns:
    """Alternating runs of several variants."""

    def __init__(self, problem: str, name: str, turns: int, count: int) -> None:
        self.common = {"problem": problem, "algorithm": name, "options": {}, "seed": None, "threads": count}
        self.turns, self.count = turns, count

    def __call__(
        self, ways: dict[str, Callable[[], Any]], check: Callable[[Any], object] = lambda answer: None
    ) -> Line:
        """Time each variant, after an untimed run; `check` receives every answer, outside the timer."""
        runs: dict[str, list[float]] = {way: [] for way in ways}
        with threads(self.count):
            for way, call in ways.items():
                if self.turns > 1 and way != NETWORKX:
                    call()
            for _ in range(self.turns):
                for way, call in ways.items():
                    with no_garbage_collected():
                        start = time.perf_counter()
                        answer = call()
                        runs[way].append(time.perf_counter() - start)
                    check(answer)
        return {**self.common, "runs": runs, "told": _told(self.common["algorithm"], runs)}


def _told(name: str, runs: dict[str, list[float]]) -> str:
    return f"{name:38} " + " : ".join(f"{1e3 * min(seconds):.3g}" for seconds in runs.values()) + " ms"


class Patience:
    """Predicted times of NetworkX's jobs, which are assumed to grow from size to size as before."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._next: dict[str, float] = {}

    def allows(self, name: str) -> bool:
        """Return whether a job is expected to end in time."""
        return self._next.get(name, 0.0) < LONGEST

    def note(self, name: str, line: Line) -> None:
        """Record the time of a job."""
        if NETWORKX in line["runs"]:
            taken = min(line["runs"][NETWORKX])
            self._next[name] = taken * max(10.0, taken / self._last.get(name, taken))
            self._last[name] = taken


PATIENCE = Patience()


def of_dictionaries(sizes: dict[int, int], _: str, arguments: Given, options: Options) -> Iterator[Line]:
    """Yield all jobs on graphs of dictionaries."""
    import networkx as nx

    from stablegraph.interop.networkx_backend.graph import convert_from_nx

    count = max(options.threads)
    graph, of_kind = None, None
    for name, job in jobs(nx).items():
        if not case_is_asked_for(name, options):
            continue
        kind = nx.DiGraph if name in DIRECTED else nx.Graph
        if kind is not of_kind:
            graph = converted = None  # so that only one is in memory
            graph, of_kind = arguments.dictionaries(nx, kind), kind
            converted = convert_from_nx(graph)
            turns = Turns("times", "*the conversion alone*", sizes[arguments.num_entries], count)
            yield turns({CONVERTING: partial(convert_from_nx, graph)})
        ways: dict[str, Callable[[], Any]] = {
            NETWORKX: partial(job, graph),
            CONVERTING: partial(_converting, nx, job, graph),
            CONVERTED: partial(job, converted),
        }
        if not PATIENCE.allows(name):
            del ways[NETWORKX]
        line = Turns("times", name, sizes[arguments.num_entries], count)(ways)
        PATIENCE.note(name, line)
        yield line


def _converting(nx: Any, job: Job, graph: Any) -> Any:
    with nx.config(cache_converted_graphs=False):
        return job(graph, backend=BACKEND)


def of_arrays(_: str, arguments: Given, options: Options) -> Iterator[Line]:
    """Time one answer from a matrix and from a table; the backend needs no graph of dictionaries for them."""
    import networkx as nx

    with_weights = {"edge_attr": "weight"}
    doors: dict[str, tuple[Any, Job, dict[str, Any]]] = {
        "matrix": (arguments.matrix(), nx.from_scipy_sparse_array, {}),
        "table": (arguments.table(), nx.from_pandas_edgelist, with_weights) if installed_version("pandas") else None,
    }
    for kind, door in doors.items():
        for job in (nx.number_connected_components, nx.greedy_color, nx.minimum_spanning_tree):
            name = f"from a {kind}: {job.__name__}"
            if door is None or not case_is_asked_for(name, options):
                continue
            arrays, make, kwargs = door
            ways = {
                NETWORKX: lambda: job(make(arrays, **kwargs)),  # noqa: B023 - called before the next iteration
                CONVERTING: lambda: job(make(arrays, **kwargs, backend=BACKEND)),  # noqa: B023
            }
            if not PATIENCE.allows(name):
                del ways[NETWORKX]
            line = Turns("arrays", name, (SIZES | QUICK)[arguments.num_entries], max(options.threads))(ways)
            PATIENCE.note(name, line)
            yield line


def graphs(sizes: Iterable[int], options: Options) -> Graphs:
    """Yield graphs of random edges."""
    for edges in QUICK if options.quick else sizes:
        yield f"{edges} edges", partial(Given, edges)


def report(lines: list[Line]) -> str:
    """Show milliseconds of the variants, a row per job."""
    return f"{_times(lines)}\n\n{provenance(lines)}"


def _times(lines: list[Line]) -> str:
    names = {line["graph"]: f"{line['m']:,} edges" for line in sorted(lines, key=lambda line: line["m"])}
    rows = []
    for job in in_order(line["algorithm"] for line in lines):
        cells = (_cell([line for line in lines if (line["algorithm"], line["graph"]) == (job, name)]) for name in names)
        rows.append([job if job.startswith(("*", "from")) else f"`{job}`", *cells])
    return markdown(["milliseconds", *names.values()], rows)


def _cell(lines: list[Line]) -> str:
    if not lines:
        return ""
    shown = WAYS if lines[0]["problem"] == "times" else WAYS[:2]
    if "conversion alone" in lines[0]["algorithm"]:
        shown = (CONVERTING,)
    return " : ".join(_milliseconds([line["runs"][way] for line in lines if way in line["runs"]]) for way in shown)


def _milliseconds(runs: Iterable[list[float]]) -> str:
    all_runs = [seconds for some in runs for seconds in some]
    if not all_runs:
        return "-"
    milliseconds = 1e3 * min(all_runs)
    return f"{milliseconds:.2g}" if milliseconds < 10 else f"{milliseconds:,.0f}"


STUDY = Study(
    __name__,
    (
        Part("times", partial(graphs, SIZES), partial(of_dictionaries, SIZES | QUICK)),
        Part("arrays", partial(graphs, ARRAYS), of_arrays),
    ),
    peers=("networkx", "pandas"),
    report=report,
)
