"""Measure the first call of every function on a GPU: each in a process of its own, with empty caches.

    python -m tests.first_gpu_calls                             all calls, three times each
    python -m tests.first_gpu_calls --repeats 1 --jobs 4 leiden the calls that match all words, four at a time
    python -m tests.first_gpu_calls --blocked                   all in one process in which CuPy cannot compile

The calls are those of the table of pinned calls, that is all functions with all options. The time begins before the
process starts and ends with the synchronized answer. It contains the imports, the making of a graph of a million edges
on the host, and its copy to the GPU. One JSON line per call has the seconds of all runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.runtime.device import of_package
from tests.pins import calls
from tests.pins.graphs import Subject

# Tables, derivatives, sweeps are given in host memory; the rest mix arrays of both or change them in the call itself.
ON_HOST = ("from_edges", "CompressionPlan", "jacobian_coloring", "gauss_seidel", "is_spanning_forest") + (
    ("is_minimum_spanning_forest", "write_graph", "csgraph", "cluster_pairs")
)
_VERTICES, _ROW = 1 << 18, 10  # at most, and more than the entries of a row
# Calls that take graphs on a GPU, but work on the CPU.
_WITHOUT_FORM = "large_independent_set", "residual"
_ON_A_GRID = "smoothed_aggregation", "solve"


def to_gpu(value: Any) -> Any:
    """Copy a graph, a matrix or an array to the GPU; return any other value unchanged."""
    if isinstance(value, sg.Graph):
        return value.to("cuda")
    if sp.issparse(value):
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix(value)
    import cupy

    return cupy.asarray(value) if isinstance(value, np.ndarray) else value


class OnGpu:
    """A subject whose graphs and matrices, and arrays if wanted, are on the GPU."""

    device = "cuda"

    def __init__(self, subject: Subject, *, with_arrays: bool = False) -> None:
        self.subject, self.with_arrays = subject, with_arrays

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.subject, name)
        return value if isinstance(value, np.ndarray) and not self.with_arrays else to_gpu(value)


def calls_on_gpu() -> Iterator[calls.Call]:
    """Yield the calls of the table that have a form for a GPU, with one seed."""
    for call in calls.CALLS:
        if not call.name.startswith(ON_HOST) and "seed=12345" not in call.name:
            yield call


def subject_of(call: calls.Call, vertices: int = _VERTICES) -> Subject:
    """Return the graph for a call, which is smaller for slow functions."""
    n = min(vertices, call.limit // _ROW)
    side = round(min(n, 40_000) ** 0.5)
    if "of=own" in call.name:  # with weights
        return Subject("laplacian", sg.as_graph(sg.gallery.laplacian((side, side))))
    if call.name.startswith(_ON_A_GRID):
        return Subject("grid", sg.gallery.grid((side, side)))
    return Subject("random", sg.gallery.uniform_random(n, 4))


def wait() -> None:
    """Wait for all work on the GPU."""
    import cupy

    cupy.cuda.Device().synchronize()


def block_compilers() -> None:
    """Make CuPy raise an error when it compiles."""
    import cupy.cuda.compiler

    def refuse(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(f"CuPy compiles {str(arguments[0])[-300:]}")

    for name in ("compile_using_nvrtc", "compile_with_cache", "_compile_module_with_cache", "_compile_with_cache_cuda"):
        if hasattr(cupy.cuda.compiler, name):
            setattr(cupy.cuda.compiler, name, refuse)


def failures_without_compilers(vertices: int = 1 << 12) -> Iterator[str]:
    """Make all calls in this process, which cannot compile; yield those that fail, with their errors."""
    block_compilers()
    changed, longest = calls._changed, calls._longest  # these change answers with CuPy
    calls._changed = lambda array: changed(of_package(array))  # type: ignore[assignment]
    calls._longest = lambda graph, sources: longest(graph.to("cpu"), sources)  # type: ignore[assignment]
    calls._whole_again = lambda answer, graph: answer  # type: ignore[assignment]
    for call in calls_on_gpu():
        for with_arrays in (False, True):
            subject = subject_of(call, vertices)
            try:
                call.answer(subject)
            except (ValueError, ArithmeticError):  # a graph that the call rejects
                continue
            try:
                call.answer(OnGpu(subject, with_arrays=with_arrays))  # type: ignore[arg-type]
                wait()
            except Exception as error:
                yield f"{call.name}, arrays on the GPU: {with_arrays}: {type(error).__name__}: {error}"


def _measure(name: str, started: float) -> None:
    """Make a call twice; print the seconds from the start to the imports and to the answer, and of the second call."""
    imported = time.time() - started
    calls._whole_again = lambda answer, graph: answer  # type: ignore[assignment]
    call = next(call for call in calls.CALLS if call.name == name)
    subject = OnGpu(subject_of(call))
    call.answer(subject)  # type: ignore[arg-type]
    wait()
    first = time.time() - started
    call.answer(subject)  # type: ignore[arg-type]
    wait()
    seconds = {"imports": imported, "first": first, "again": time.time() - started - first}
    print(json.dumps({name: round(value, 3) for name, value in seconds.items()}))


def _first_call(name: str) -> dict[str, float] | str:
    """Run a process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CUPY_CACHE_DIR": f"{folder}/cupy", "CUDA_CACHE_PATH": f"{folder}/cuda"}
        command = [sys.executable, "-m", __spec__.name, "--measure", name, "--started", str(time.time())]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:300]
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    """Print a line per call, the slowest last; return 1 if one fails or takes longer than the limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.first_gpu_calls")
    parser.add_argument("words", nargs="*", help="of the names of calls")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="number of processes at a time")
    parser.add_argument("--again-above", type=float, default=0, help="repeat only calls whose first run took longer")
    parser.add_argument("--limit", type=float, default=2.5, help="maximum median in seconds")
    parser.add_argument("--blocked", action="store_true", help="make all calls in one process that cannot compile")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        _measure(chosen.measure, chosen.started)
        return 0
    if chosen.blocked:
        failed = 0
        for line in failures_without_compilers():
            failed += 1
            print(line, flush=True)
        print(f"{failed} calls failed")
        return int(failed > 0)
    names = [call.name for call in calls_on_gpu() if all(word in call.name for word in chosen.words)]
    names = [name for name in names if not any(word in name for word in _WITHOUT_FORM)]

    def runs(name: str) -> tuple[str, list[Any]]:
        results = [_first_call(name)]
        while (
            len(results) < chosen.repeats and isinstance(results[0], dict) and results[0]["first"] > chosen.again_above
        ):
            results.append(_first_call(name))
        return name, results

    lines = []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for name, results in pool.map(runs, names):
            seconds = [result["first"] for result in results if isinstance(result, dict)]
            lines.append((median(seconds) if seconds else 0.0, name))
            print(json.dumps({"call": name, "median": lines[-1][0], "runs": results}), flush=True)
    slow = [line for line in sorted(lines) if line[0] > chosen.limit]
    for middle, name in sorted(lines)[-15:]:
        print(f"{middle:6.2f} s  {name}")
    print(f"{len(lines)} calls, {len(slow)} above {chosen.limit} s; {sum(not line[0] for line in lines)} failed")
    return int(bool(slow) or any(not line[0] for line in lines))


if __name__ == "__main__":
    sys.exit(main())
