"""Two units of measurement for this machine, to which measured times are compared.

A time in seconds depends on the machine as much as on the code. Times are therefore also given as multiples of one
*edge sweep*: all threads read the column indices of the graph once, row by row, and add them up. No algorithm that
reads every edge can be faster, so one that takes two sweeps is within a factor of two of this bound.

The second unit is the *round trip* of a cache line between two cores. On virtual machines it changes by a factor of
three within minutes, and with it the speed of code whose threads write to shared cache lines. Measurements on two
threads are comparable only if the round trips at both times are known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.runtime import (
    Int64s,
    Rows,
    atomic_load,
    atomic_store,
    edge_chunk_bounds,
    kernel,
    num_threads,
    worker_count,
)
from .._core.runtime.cuda.source import CudaSource
from .._core.runtime.device import by_device, wait_for
from .._core.runtime.partitioning import CACHE_LINE
from ..graph import Graph

Array = npt.NDArray[Any]
SOURCE = CudaSource(__file__, "cuda/reference_kernels.cu")

_SPREADING = 0.1  # seconds that the system may need to move new threads to different processors
_PATIENCE = 2_000_000  # maximum number of reads of the ball, a few milliseconds


@kernel(by="workers")
def sum_indices_by_rows(worker: int, workers: int, n: int, rows: Rows, totals: Int64s) -> None:
    """Add up the column indices of this worker's rows; `totals[worker]` gets the sum."""
    total = 0
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for v in range(start, end):
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            total += rows.indices[e]
    totals[worker] = total


def one_sweep(graph: Graph) -> Callable[[], None]:
    """Return a function that makes one sweep on all threads."""
    workers = worker_count("cpu", graph.num_entries)
    rows, totals = Rows(graph.indptr, graph.indices), np.zeros(workers, np.int64)
    return lambda: sum_indices_by_rows(workers, graph.num_vertices, rows, totals)


def _one_sweep_on_gpu(graph: Graph) -> Callable[[], None]:
    """Return a function that launches one sweep on a GPU, in which all column indices are read once and added up."""
    run, total = SOURCE.for_graph(graph), graph.xp.zeros(1, graph.indices.dtype)
    step = 16 // np.dtype(graph.indices.dtype).itemsize
    return lambda: run("sum_entries", graph.num_entries // step, graph.num_entries, graph.indices, total)


_one_sweep = by_device(one_sweep, _one_sweep_on_gpu)


def edge_sweep_seconds(graph: Graph, repeat: int = 5) -> float:
    """Measure the time in which all threads read every entry of a graph once: the unit of the benchmarks.

    Parameters
    ----------
    graph : Graph
        On the CPU, or on a GPU; on a GPU the time includes the launch and the wait (about 10 microseconds).
    repeat : int
        The number of sweeps that are timed. Untimed sweeps run for 0.1 seconds before them: the system may run two new
        threads on one processor for that long.

    Returns
    -------
    float
        Median seconds of one sweep with `num_threads()` threads.

    Examples
    --------
    >>> from stablegraph import from_edges
    >>> from stablegraph.gallery.reference_kernels import edge_sweep_seconds
    >>> path = from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> edge_sweep_seconds(path) > 0
    True
    """
    if repeat < 1:
        raise ValueError(f"repeat must be at least 1, got {repeat}")
    run = _one_sweep(graph)

    def sweep() -> float:
        start = time.perf_counter()
        run()
        wait_for(graph.device)
        return time.perf_counter() - start

    end = time.perf_counter() + _SPREADING
    while time.perf_counter() < end:
        sweep()
    return float(np.median([sweep() for _ in range(repeat)]))


@kernel(by="workers")
def pass_back_and_forth(worker: int, workers: int, rounds: int, patience: int, ball: Int64s, finished: Int64s) -> None:
    """Let workers 0 and 1 increment `ball[0]` alternately, `rounds` times each.

    A worker that sees no change in `patience` reads stops, so that the kernel also ends if workers run one after
    another. `finished[worker]` is the number of its completed rounds.
    """
    if worker < 2:
        round_trips = 0
        for turn in range(rounds):
            reads = 0
            while reads < patience and atomic_load(ball, 0) != 2 * turn + worker:
                reads += 1
            if reads == patience:
                break
            atomic_store(ball, 0, 2 * turn + worker + 1)
            round_trips += 1
        finished[worker] = round_trips


def ping_pong_ns(rounds: int = 20_000) -> float:
    """Measure the round trip of a cache line between two cores, in nanoseconds.

    Cores that share a cache take 100 to 150 ns, distant ones 340 to 400 ns.

    Parameters
    ----------
    rounds : int
        The number of round trips in each attempt.

    Returns
    -------
    float
        The shortest of three attempts, per round trip; NaN if two threads do not run at the same time within 40
        attempts (one thread, one processor, or a busy machine).

    Examples
    --------
    >>> from stablegraph.gallery.reference_kernels import ping_pong_ns
    >>> nanoseconds = ping_pong_ns(rounds=100)   # NaN on a machine with one processor
    """
    if num_threads() < 2:
        return math.nan
    attempts: list[float] = []
    for _ in range(40):
        ball, finished = np.zeros(CACHE_LINE, np.int64), np.zeros(2, np.int64)
        start = time.perf_counter()
        pass_back_and_forth(2, rounds, _PATIENCE, ball, finished)
        seconds = time.perf_counter() - start
        if finished.min() == rounds:
            attempts.append(seconds / rounds * 1e9)
            if len(attempts) == 3:
                break
    return min(attempts, default=math.nan)
