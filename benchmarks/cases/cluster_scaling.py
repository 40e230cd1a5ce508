"""Graphs in partitions on increasing numbers of workers: weak and strong scaling, compared with a single process.

Graphs are generated on the workers: a 3-D grid and a random graph of average degree 8. They have 2^SCALE vertices per
worker (weak scaling) or in total (strong scaling). First one process generates the same graph and computes the answers,
with as many threads as all workers together. Then the workers compute them, with one partition each. The checksums must
be equal.

Two reference times are measured as well: a superstep that does nothing, and an edge sweep of a partition by its worker,
once while the other workers are idle and once on all workers simultaneously. The two sweeps show how much workers on
one machine slow each other down. Peak memory is that of the worker process with the highest peak since it began.

A worker has as many threads as the largest number in --threads. Graphs of the weak part that also belong to the strong
part are in both tables.

Each line is written at once. The call that runs when --seconds-in-all have passed is abandoned; the lines so far are
kept.
"""

from __future__ import annotations

import signal
import statistics
import sys
import time
import zlib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import dask
import numpy as np

import stablegraph as sg
from stablegraph import gallery
from stablegraph.gallery.reference_kernels import edge_sweep_seconds

from ..harness import threads
from ..limited import peak_of_this_process
from ..study import SMALL_MARK, Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, in_order, markdown, provenance, under_headings
from .cluster import FUNCTIONS, seconds_of_an_empty_round

Functions = dict[str, Callable[..., Any]]

WEAK, STRONG, QUICK = 24, 27, 12  # exponents
SMALL = 12  # exponent of the graph for the runs that are not timed
SWEEPS = 9
LONG = 5.0  # seconds after which a call is not repeated
PICKS = 4
RUNS = 2
MEMORY = 0.7  # of the machine, for all workers
SCALED = "set;components;search;coloring*"
GB = 1e9


class TimeIsOver(Exception):
    """The time of the study is used up."""


class Clock:
    """A time limit for calls of functions, which interrupts the running call at the end."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise TimeIsOver
        before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, remaining)
        try:
            return function(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _ring(self, *_: Any) -> None:
        raise TimeIsOver


class Scale:
    """A kind of graph that has not been generated yet, and the number of workers that will generate it."""

    device = "cpu"
    num_entries = 0  # until the graph is generated

    def __init__(self, kind: str, exponent: int, workers: int) -> None:
        self.kind, self.exponent, self.workers = kind, exponent, workers

    @property
    def num_vertices(self) -> int:
        return 1 << self.exponent

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the grid, which is partitioned along its longest axis."""
        short, middle, long = (2 ** ((self.exponent + i) // 3) for i in range(3))
        return long, middle, short

    @property
    def source(self) -> int:
        """Return the vertex where searches begin: the middle of a grid."""
        return int(np.ravel_multi_index([size // 2 for size in self.shape], self.shape))

    def at_home(self) -> sg.Graph:
        """Generate the graph in this process."""
        if self.kind == "grid":
            return gallery.grid(self.shape)
        return gallery.uniform_random(self.num_vertices, PICKS, seed=0)

    def in_place(self, client: Any, each: int = 1) -> Any:
        """Generate the graph on the workers, with `each` partitions per worker."""
        from stablegraph import distributed

        partitions = each * self.workers
        if self.kind == "grid":
            graph = distributed.grid(self.shape, partitions, client=client)
        else:
            graph = distributed.uniform_random(self.num_vertices, PICKS, 0, partitions, client=client)
        _wait(graph.parts)
        return graph


def _wait(futures: Any) -> None:
    from distributed import wait

    wait(futures)


def crc32_of(answer: tuple[Any, ...], client: Any = None) -> str:
    """Return the checksum of the arrays of an answer; arrays on workers are read piece by piece on the workers."""
    crc32: Any = 0
    for part in answer:
        if hasattr(part, "dask"):
            for piece in part.to_delayed().ravel().tolist():
                crc32 = client.submit(_go_on, client.compute(piece), crc32, pure=False)
        elif isinstance(part, np.ndarray):
            crc32 = _go_on(part, crc32)
    return f"{crc32 if client is None else client.gather([crc32])[0]:08x}"


def _go_on(piece: Any, crc32: int) -> int:
    return zlib.crc32(np.ascontiguousarray(piece), crc32)


def functions_from(source: int) -> Functions:
    """Return the functions of cluster.py, with a search that begins at `source`."""
    return FUNCTIONS | {"search": lambda graph, **info: sg.breadth_first_search(graph, source, **info)}


def _asked_for(options: Options, source: int) -> Functions:
    options.cases = SCALED if options.cases == "*" else options.cases
    return {name: run for name, run in functions_from(source).items() if case_is_asked_for(name, options)}


def times_and_answer(run: Callable[[], Any], repeats: int) -> tuple[list[float], Any]:
    """Run up to `repeats` times, fewer if runs are long; return the times and the last answer."""
    taken: list[float] = []
    while len(taken) < repeats and sum(taken) < LONG:
        answer = None  # free the memory before the next run
        began = time.perf_counter()
        answer = run()
        taken.append(time.perf_counter() - began)
    return taken, answer


def answer_as_tuple(answer: Any) -> tuple[Any, ...]:
    """Return the arrays and numbers of an answer."""
    if isinstance(answer, tuple):
        return answer
    return (answer.indptr, answer.indices) if hasattr(answer, "indptr") else (answer,)


# One process


def _first_of_all(options: Options) -> None:
    """Run every function once on a small graph, so that no timed run imports modules."""
    from stablegraph import distributed
    from stablegraph.cluster.workers import InProcess

    if options.is_warm:
        return
    options.is_warm = True
    graph = gallery.uniform_random(1 << SMALL, PICKS)
    with dask.config.set(scheduler="sync"):
        split = distributed.from_graph(graph, 2, client=InProcess())
        for run in _asked_for(options, 0).values():
            run(graph)
            run(split)
        for k in range(split.num_partitions):
            edge_sweep_seconds(split.client.gather(split.parts[k : k + 1])[0].graph, 1)


def _here(graph: sg.Graph, run: Callable[..., Any], repeats: int) -> tuple[list[float], str]:
    """Run in this process; return the times and the checksum."""
    taken, answer = times_and_answer(lambda: answer_as_tuple(run(graph)), repeats)
    return taken, crc32_of(answer)


# Workers


def _cluster(scale: Scale, options: Options) -> Any:
    """Start workers and return their client."""
    from distributed import Client
    from distributed.system import MEMORY_LIMIT

    each = int(options.worker_memory * GB) if options.worker_memory else int(MEMORY * MEMORY_LIMIT / scale.workers)
    return Client(
        n_workers=scale.workers,
        threads_per_worker=_threads(options),
        memory_limit=each,
        dashboard_address="127.0.0.1:0",
    )


def _threads(options: Options) -> int:
    """Return the number of threads per worker."""
    return int(max(options.threads))


def _start(client: Any, scale: Scale, options: Options) -> None:
    """Run all functions on a small graph, so that the workers import and load all code."""
    functions = _asked_for(options, 0)
    small = Scale(scale.kind, SMALL, scale.workers).in_place(client)
    for run in functions.values():
        settled(run(small))
    client.gather(small.map_partitions(_sweep))


def settled(answer: Any) -> tuple[Any, ...]:
    """Wait until an answer is complete, and return it."""
    if hasattr(answer, "to_scipy"):  # a forest
        answer = answer.u, answer.v, answer.weights
    result = tuple(part.persist() if hasattr(part, "dask") else part for part in answer_as_tuple(answer))
    _wait([part for part in result if hasattr(part, "dask")])
    return result


def _sweep(part: Any) -> float:
    return edge_sweep_seconds(part.graph, SWEEPS)


def _machinery(client: Any, split: Any) -> Line:
    """Measure an empty superstep, an edge sweep on one worker and on all at once, and where the partitions are."""
    from stablegraph.cluster.tasks import run_alone

    of_a_round = seconds_of_an_empty_round(split)
    alone = [client.gather([client.submit(run_alone, _sweep, part, pure=False)])[0] for part in split.parts]
    together = client.gather(split.map_partitions(_sweep)) if len(alone) > 1 else alone
    held = Counter(address for addresses in client.who_has(split.parts).values() for address in addresses)
    return {
        "seconds_of_an_empty_round": of_a_round,
        "sweep_alone": statistics.median(alone),
        "sweep_together": statistics.median(together),
        "partitions_of_a_worker": sorted(held.values()),
    }


def _there(client: Any, split: Any, run: Callable[..., Any], repeats: int) -> tuple[list[float], Line]:
    """Run on the workers; return the times, the reported counts, and the checksum."""
    taken, (*answer, info) = times_and_answer(lambda: settled(run(split, return_info=True)), repeats)
    peaks = client.run(peak_of_this_process).values()
    messages = {"rounds": info["rounds"], "bytes": info["bytes"], "peak": max(filter(None, peaks), default=None)}
    return taken, messages | {"crc32": crc32_of(tuple(answer), client)}


def _lines(part: str, scale: Scale, options: Options, clock: Clock) -> Iterator[Line]:
    functions, repeats = _asked_for(options, scale.source), options.repeats or RUNS
    clock(_first_of_all, options)
    of_each = _threads(options)
    with threads(min(of_each * scale.workers, sg.num_threads())):
        on_one_machine = {}
        if not options.no_single:
            graph = clock(scale.at_home)
            scale.num_entries = graph.num_entries
            on_one_machine = {label: clock(_here, graph, run, repeats) for label, run in functions.items()}
            del graph
    with _cluster(scale, options) as client:
        clock(_start, client, scale, options)
        began = time.perf_counter()
        split = clock(scale.in_place, client)
        result = time.perf_counter() - began
        scale.num_entries = split.num_entries
        facts = {"problem": part, "kind": scale.kind, "workers": scale.workers, "threads": of_each, "made": result}
        facts |= clock(_machinery, client, split)
        for label, run in functions.items():
            taken, reported = clock(_there, client, split, run, repeats)
            single, wanted = on_one_machine.get(label, ([], None))
            line = {"algorithm": label, **facts, "there": taken, **reported, "here": single}
            line["same"] = None if wanted is None else wanted == reported["crc32"]
            yield {**line, "told": _in_short(line)}
        del split  # before the workers end


def _in_short(line: Line) -> str:
    single = f"one process {min(line['here']):8.3f} s" if line["here"] else ""
    same = {None: "", True: "same bits", False: "WRONG"}[line["same"]]
    return (
        f"{line['workers']} workers  {line['algorithm']:28} {min(line['there']):8.3f} s  {single}  "
        f"{line['rounds']} rounds  {line['bytes'] / 1e6:,.1f} MB  {same}"
    )


def scaling(part: str, name: str, scale: Any, options: Options) -> Iterator[Line]:
    """Yield a line for each function."""
    try:
        yield from _lines(part, scale, options, options.clock)
    except TimeIsOver:
        print(f"{name}: broken off, the time is over", file=sys.stderr, flush=True)


def graphs(part: str, options: Options) -> Graphs:
    """Yield both kinds with each number of workers."""
    if not hasattr(options, "clock"):
        options.clock, options.is_warm = Clock(options.seconds_in_all), False
    weak = part == "weak"
    exponent = options.scale or (QUICK if options.quick else WEAK if weak else STRONG)
    mark = SMALL_MARK if options.quick else ""
    for workers in options.workers:
        for kind in ("grid", "random"):
            all_of_them = exponent + (workers.bit_length() - 1 if weak else 0)
            yield f"{kind}, 2^{all_of_them}, {part}, {workers}{mark}", partial(Scale, kind, all_of_them, workers)


# The tables


def _table(part: str, lines: list[Line]) -> str:
    lines = _of(part, lines)
    head = ["graph", "function", "workers", "threads of each", "seconds"]
    head += ["of one worker", "without the sweep's slowdown"] if part == "weak" else ["speed-up"]
    head += ["one process", "allowed", "rounds", "empty round", "MB read", "peak of a worker", "the same bits"]
    rows = []
    for line in lines:
        seconds = min(line["there"])
        first = next((one for one in lines if one["workers"] == 1 and _alike(one, part) == _alike(line, part)), None)
        ratio = None if first is None else seconds / min(first["there"])
        slower = line["sweep_together"] / line["sweep_alone"]
        compared = [_number(ratio), _number(ratio and ratio / slower)]
        empty, single = line["seconds_of_an_empty_round"], min(line["here"], default=None)
        allowed = None if single is None else 3 * single + 1.5 * line["rounds"] * empty
        rows.append(
            [
                f"{line['kind']}, {line['n']:,}",
                line["algorithm"],
                f"{line['workers']}",
                f"{line['threads']}",
                f"{seconds:.2f}",
                *(compared if part == "weak" else [_number(ratio and 1 / ratio)]),
                _number(single),
                _number(allowed),
                f"{line['rounds']}",
                f"{empty * 1e3:.0f} ms",
                f"{line['bytes'] / 1e6:,.1f}",
                f"{line['peak'] / GB:.1f} GB" if line["peak"] else "",
                {None: "not compared", True: "yes", False: "**no**"}[line["same"]],
            ]
        )
    return markdown(head, rows) if rows else "Not run."


def _of(part: str, lines: list[Line]) -> list[Line]:
    """Return the lines of a part; strong scaling also uses lines of weak scaling with the same graph."""
    selected = [line for line in lines if line["problem"] == part]
    if part == "strong":
        asked = {_alike(line, part) for line in selected}
        measured = {(*_alike(line, part), line["workers"]) for line in selected}
        others = [line for line in lines if line["problem"] == "weak" and _alike(line, part) in asked]
        selected += [line for line in others if (*_alike(line, part), line["workers"]) not in measured]
    return sorted(selected, key=lambda line: (_share(line, part), line["threads"], line["workers"], line["kind"]))


def _share(line: Line, part: str) -> int:
    """Return the vertices per worker for weak scaling, and of the whole graph for strong scaling."""
    return int(line["n"]) // (line["workers"] if part == "weak" else 1)


def _alike(line: Line, part: str) -> tuple[Any, ...]:
    """Return the key that comparable lines have in common."""
    return line["kind"], line["algorithm"], line["threads"], _share(line, part)


def _number(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def report(lines: list[Line]) -> str:
    """Show both tables and the machine; "allowed" is 3 times the single process plus 1.5 empty supersteps per round."""
    tables = {"Weak scaling": _table("weak", lines), "Strong scaling": _table("strong", lines)}
    spread = in_order(tuple(line["partitions_of_a_worker"]) for line in lines)
    uneven = [str(list(counts)) for counts in spread if len(set(counts)) > 1]
    warning = [f"Workers had different numbers of partitions: {', '.join(uneven)}."] if uneven else []
    return "\n\n".join([under_headings(3, tables), *warning, provenance(lines)])


def _powers(text: str) -> list[int]:
    numbers = [int(number) for number in text.split(",")]
    if any(number < 1 or number & (number - 1) for number in numbers):
        raise ValueError("powers of two")
    return numbers


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--scale", type=int, help=f"2^SCALE vertices (default {WEAK} a worker, {STRONG} in all)")
    parser.add_argument("--workers", type=_powers, default=[1, 2, 4, 8], help="1, 2, 4, .. workers, of --threads each")
    parser.add_argument("--worker-memory", type=float, help=f"GB each may use (default a share of {MEMORY:.0%}%)")
    parser.add_argument("--no-single", action="store_true", help="without the single process, so nothing is compared")
    parser.add_argument("--seconds-in-all", type=float, default=3600.0, help="after which all is given up")


STUDY = Study(
    __name__,
    tuple(Part(part, partial(graphs, part), partial(scaling, part)) for part in ("weak", "strong")),
    report=report,
    add_options=add_options,
)
