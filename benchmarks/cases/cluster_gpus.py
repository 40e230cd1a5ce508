"""Graphs in partitions on workers with GPUs, compared with the same workers without GPUs, and with one process.

A 3-D grid and a random graph of average degree 8, each with 2^SCALE vertices in total, are generated on the workers,
with two partitions per worker. By default there is one worker per GPU; with --workers, several workers share a GPU.
First one process holds the whole graph and runs on all of its threads, then on one GPU. Then the workers run, first
without and then with GPUs. The checksums must be equal.
"""

from __future__ import annotations

import logging
import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import stablegraph as sg

from ..study import SMALL_MARK, Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, markdown, with_provenance
from .cluster_scaling import (
    MEMORY,
    Functions,
    Scale,
    answer_as_tuple,
    crc32_of,
    functions_from,
    settled,
    times_and_answer,
)

SCALE, QUICK = 24, 12
PARTITIONS = 2  # per worker
RUNS = 3


def gpus() -> int:
    """Return the number of GPUs that this process may use, or 0."""
    from stablegraph._core.runtime.cuda.gpu_code import cuda_available
    from stablegraph._core.runtime.device import cupy_module

    return int(cupy_module().cuda.runtime.getDeviceCount()) if cuda_available() else 0


def _names() -> list[str]:
    """Return the names of the GPUs, as in CUDA_VISIBLE_DEVICES."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return named.split(",") if named else [str(k) for k in range(gpus())]


@contextmanager
def _client(workers: int, names: list[str]) -> Iterator[Any]:
    """Start workers, each with one of the GPUs, and yield their client."""
    from distributed import Client, Nanny, Scheduler, SpecCluster
    from distributed.system import MEMORY_LIMIT

    each = {"nthreads": max(1, (os.cpu_count() or 1) // workers), "memory_limit": int(MEMORY * MEMORY_LIMIT / workers)}
    with (
        SpecCluster(
            workers={
                k: {"cls": Nanny, "options": {**each, "env": {"CUDA_VISIBLE_DEVICES": names[k % len(names)]}}}
                for k in range(workers)
            },
            scheduler={"cls": Scheduler, "options": {"dashboard_address": "127.0.0.1:0"}},
            silence_logs=logging.WARNING,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(workers)
        yield client


def _asked_for(options: Options, source: int) -> Functions:
    calls = functions_from(source)
    return {name: run for name, run in calls.items() if name != "forest" and case_is_asked_for(name, options)}


def _in_one_process(graph: sg.Graph, functions: Functions, repeats: int) -> dict[str, tuple[float, str]]:
    """Return the minimum time of each function, and the checksum of its answer in host memory."""
    result = {}
    for name, run in functions.items():
        run(graph)
        taken, answer = times_and_answer(lambda run=run: _on_host(run(graph)), repeats)
        result[name] = min(taken), crc32_of(answer)
    return result


def _on_host(answer: Any) -> tuple[Any, ...]:
    return tuple(part.get() if hasattr(part, "get") else part for part in answer_as_tuple(answer))


def _on_workers(scale: Scale, names: list[str], functions: Functions, repeats: int) -> dict[str, Any]:
    """Run the functions on workers with these GPUs; return the times, the checksums, and the reported counts."""
    with _client(scale.workers, names) as client:
        split = scale.in_place(client, PARTITIONS)
        scale.num_entries = split.num_entries
        return {name: _there(client, partial(run, split, return_info=True), repeats) for name, run in functions.items()}


def _there(client: Any, run: Callable[[], Any], repeats: int) -> tuple[float, str, Line]:
    settled(run())
    taken, (*answer, info) = times_and_answer(lambda: settled(run()), repeats)
    return min(taken), crc32_of(tuple(answer), client), info


def beside(name: str, scale: Scale, options: Options) -> Iterator[Line]:
    """Yield a line for each function."""
    functions, repeats = _asked_for(options, scale.source), options.repeats or RUNS
    graph = scale.at_home()
    on_cpu = _in_one_process(graph, functions, repeats)
    on_gpu = _in_one_process(graph.to("cuda"), functions, repeats)
    without = _on_workers(scale, [""], functions, repeats)
    with_gpus = _on_workers(scale, _names(), functions, repeats)
    for function in functions:
        runs = [on_cpu[function], on_gpu[function], without[function][:2], with_gpus[function][:2]]
        info = with_gpus[function][2]
        yield {
            "problem": "gpus",
            "algorithm": function,
            "kind": scale.kind,
            "workers": scale.workers,
            "gpus": min(gpus(), scale.workers),
            "times": dict(zip(("process", "gpu", "workers", "workers_with_gpus"), (t for t, _ in runs), strict=True)),
            "rounds": info["rounds"],
            "bytes": info["bytes"],
            "steps_on_gpus": info["on_gpus"],
            "same": len({crc32 for _, crc32 in runs}) == 1,
        }


def graphs(options: Options) -> Graphs:
    """Yield both kinds of graphs."""
    exponent, workers = options.scale or (QUICK if options.quick else SCALE), options.workers or gpus()
    mark = SMALL_MARK if options.quick else ""
    for kind in ("grid", "random") if gpus() else ():
        yield f"{kind}, 2^{exponent}, {workers}{mark}", partial(Scale, kind, exponent, workers)


@with_provenance
def report(lines: list[Line]) -> str:
    """Show one table."""
    head = ["graph", "function", "one process", "on one GPU", "workers, GPUs", "workers without GPUs", "with"]
    head += ["rounds", "steps on GPUs", "MB read", "the same bits"]
    rows = []
    for line in lines:
        process, gpu, workers, with_gpus = (f"{seconds * 1e3:,.0f} ms" for seconds in line["times"].values())
        row = [f"{line['kind']}, {line['n']:,}", line["algorithm"], process, gpu, f"{line['workers']}, {line['gpus']}"]
        row += [workers, with_gpus, f"{line['rounds']}", f"{line['steps_on_gpus']}"]
        rows.append([*row, f"{line['bytes'] / 1e6:,.1f}", "yes" if line["same"] else "**no**"])
    return markdown(head, rows) if rows else "Not run."


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--scale", type=int, help=f"2^SCALE vertices (default {SCALE})")
    parser.add_argument(
        "--workers", type=int, help="number of workers (default: one per GPU); may exceed the number of GPUs"
    )


STUDY = Study(__name__, (Part("gpus", graphs, beside),), report=report, add_options=add_options)
