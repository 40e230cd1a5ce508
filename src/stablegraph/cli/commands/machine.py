"""``stablegraph bench`` and ``doctor``: the speed of this machine, and its packages, compiled code, threads and GPU."""

from __future__ import annotations

import os
import platform
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import click
import numpy as np
from rich.text import Text

import stablegraph as sg

from ..._core.option_names import Priority
from ..._core.runtime.config import CUPY, configuration, version_of
from ..._core.runtime.device import wait_for
from ..._core.runtime.library import REINSTALL
from ..._core.texts import printable
from .. import options
from ..frame import command
from ..job import Job, Report, size_line, threads_line
from ..terminal import Facts, console_for, duration, table, working


@command(
    "bench",
    click.argument("file", type=options.FileName(), default=""),
    click.option("--graph", "name", metavar="NAME", help="A benchmark graph (G2, G3, R4, DE, RM, KR) instead of FILE."),
    options.number_option("--repeat", 1, 5, "Timed calls per priority."),
    click.option("--readme", is_flag=True, help="Repeat the README's comparisons with other packages instead."),
    options.seed,
    options.edges_input,
    options.threads,
    options.device,
    options.json,
)
def bench(job: Job, name: str | None, repeat: int, readme: bool, seed: int) -> Report:
    """Time the independent set on this machine, in edge sweeps.

    An edge sweep is the time in which all threads, or the GPU, read every edge once. Without FILE and --graph, the
    graph is G2, a grid of 1024 x 1024 points. --readme takes less than a minute.

    Example: stablegraph bench graph.npz --repeat 9
    """
    from ...gallery.reference_kernels import edge_sweep_seconds, ping_pong_ns

    if readme:
        if job.file or name is not None:
            raise click.UsageError("--readme has its own graphs: leave out FILE and --graph")
        return _readme()
    if job.file and name is not None:
        raise click.UsageError("give FILE or --graph, not both")
    title = job.name if job.file else "G2" if name is None else name
    if job.file:
        graph = job.read(directed=False)
    else:
        with working(f"generating {title}"):
            graph = sg.gallery.benchmark_graph(title)
    rows: list[Facts] = []
    with working("measuring"):
        graph = graph.to(job.device)
        round_trip = ping_pong_ns() if job.device == "cpu" else None
        sweep = edge_sweep_seconds(graph, repeat)
        for priority in get_args(Priority):
            mask = sg.maximal_independent_set(graph, priority=priority, seed=seed)
            if not sg.is_maximal_independent_set(graph, mask):
                raise RuntimeError(f"the set by {priority} is not a maximal independent set")
            seconds = []
            for _ in range(repeat):
                start = time.perf_counter()
                sg.maximal_independent_set(graph, priority=priority, seed=seed)
                wait_for(job.device)
                seconds.append(time.perf_counter() - start)
            median = float(np.median(seconds))
            row = {"priority": priority, "size": int(mask.sum()), "seconds": median, "seconds_min": min(seconds)}
            rows.append({**row, "sweeps": median / sweep})
    facts: Facts = {
        "graph": title,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "threads": sg.num_threads(),
        "device": job.device,
        "sweep_seconds": sweep,
        "round_trip_ns": round_trip,
        "repeat": repeat,
        "seed": seed,
        "results": rows,
    }
    return Report(facts, partial(_print_times, facts, size_line(graph)))


def _readme() -> Report:
    from .readme_numbers import comparisons

    with working("measuring"):
        rows = list(comparisons())
    lines = {}
    for row in rows:
        name, times = f"{row['call']}, {row['what']}", "not installed"
        if not row["missing"]:
            times = f"{duration(row['seconds_peer'])}, here {duration(row['seconds'])}: {row['ratio']:.1f} times faster"
        lines[name] = f"{times} ({row['graph']})"
    facts = {"processor": platform.processor() or platform.machine(), "threads": sg.num_threads(), "results": rows}
    return Report(facts, lines, title=f"on {threads_line()}; every answer was verified")


def _print_times(facts: Facts, size: str) -> None:
    rows = [
        (row["priority"], f"{row['size']:,}", duration(row["seconds"]), f"{row['sweeps']:.2f}")
        for row in facts["results"]
    ]
    console = console_for()
    console.print(Text(f"{facts['graph']}: {size}", style="bold"))
    console.print(table(("order", ">set size", ">time", ">edge sweeps"), rows, left=2))
    round_trip = facts["round_trip_ns"]
    cores = "" if round_trip is None else f"; a cache line goes there and back in {round_trip:.0f} ns"
    processor = "the GPU" if facts["device"] == "cuda" else threads_line()
    console.print(
        Text(f"  One edge sweep takes {duration(facts['sweep_seconds'])} on {processor}{cores}.", style="dim")
    )
    console.print(Text(f"  Medians of {facts['repeat']} calls; every set was verified.", style="dim"))


_EXTRAS = {  # except those for the development of the package
    "cli": "the command line",
    "plot": "figures",
    "io": "Parquet, Feather and named CSV tables",
    "networkx": "NetworkX graphs, and a backend for them",
    "pyamg": "PyAMG's hierarchies",
    "dask": "graphs in partitions on a cluster",
}
_GOOD, _NOTE, _BAD = "ok", "note", "problem"
_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds of CPU time, and the period in microseconds


@dataclass
class Finding:
    """The subject of a check, its result, and the suggested remedy."""

    about: str
    state: str
    found: str
    cure: str = ""


@command("doctor", options.json)
def doctor(job: Job) -> Report:
    """Check this installation, and suggest improvements.

    The command checks packages, compiled code, threads and the GPU. A line that begins with "note" names a possible
    improvement, a line that begins with "problem" a defect; the exit code is 1 if there is a problem.

    Example: stablegraph doctor
    """
    with working("looking"):
        findings = [*_installed(), _compiled_code(), _threads(), _gpu()]
    problems = sum(finding.state == _BAD for finding in findings)
    facts = {"findings": [vars(finding) for finding in findings], "problems": problems}
    return Report(facts, partial(_print_findings, findings), exit_code=int(problems > 0))


def _installed() -> Iterator[Finding]:
    """Report the versions of the package, of its dependencies, and of the packages of each extra."""
    core = ", ".join(f"{name} {version_of(name)}" for name in ("numpy", "scipy"))
    package = f"stablegraph {version_of('stablegraph')}, Python {platform.python_version()}, {core}"
    yield Finding("package", _GOOD, f"{package}; {platform.platform(terse=True)}")
    for extra, what in _EXTRAS.items():
        versions = {name: version_of(name) for name in _packages(extra)}
        missing = [name for name, number in versions.items() if number is None]
        if missing:
            cure = f'pip install "stablegraph[{extra}]"'
            yield Finding(extra, _NOTE, f"no {' and no '.join(missing)}: needed for {what}", cure)
        else:
            yield Finding(extra, _GOOD, ", ".join(f"{name} {number}" for name, number in versions.items()))


def _packages(extra: str) -> list[str]:
    """Return the names of the packages in an extra."""
    from importlib.metadata import requires

    lines = [line for line in requires("stablegraph") or [] if f"'{extra}'" in line.replace('"', "'").partition(";")[2]]
    return [match[0] for line in lines if (match := re.match(r"[\w.-]+", line)) and match[0] != "stablegraph"]


def _compiled_code() -> Finding:
    """Report the origin of compiled code, and whether it computes a small set correctly."""
    about, graph = "compiled code", sg.gallery.grid((200, 200))
    try:
        origin = configuration()["compiled code"]
        start = time.perf_counter()
        mask = sg.maximal_independent_set(graph)
        seconds = duration(time.perf_counter() - start)
    except Exception as error:  # any error of compiled code is a finding
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return Finding(about, _BAD, f"a small set failed ({reason})", REINSTALL)
    if not sg.is_maximal_independent_set(graph, mask):
        return Finding(about, _BAD, f"{origin}; a small set in {seconds} is wrong", REINSTALL)
    return Finding(about, _GOOD, f"{origin}; a small set in {seconds}, verified")


def _threads() -> Finding:
    from ..._core.runtime.thread_count import thread_limit

    used, limit = sg.num_threads(), thread_limit()
    named = ("STABLEGRAPH_NUM_THREADS", "OMP_NUM_THREADS")
    settings = ", ".join(f"{name}={os.environ[name]}" for name in named if os.environ.get(name))
    text = f"{used} of {limit}" + (f" ({settings})" if settings else "")
    quota = _quota()
    allowed = used if quota is None else max(1, int(quota))
    if allowed < used:
        cure = f"export STABLEGRAPH_NUM_THREADS={allowed}"
        return Finding("threads", _NOTE, f"{text}, but this container may use {quota:g} processors only", cure)
    if used < limit:
        return Finding("threads", _NOTE, f"{text}: fewer than there are processors", "unset them, to use all")
    return Finding("threads", _GOOD, text)


def _quota() -> float | None:
    """Return the number of processors that a container may use, or None if it is unlimited or unknown."""
    try:
        allowed, period = _QUOTA.read_text().split()
        return None if allowed == "max" else int(allowed) / int(period)
    except (OSError, ValueError):
        return None


def _gpu() -> Finding:
    from ..._core.runtime.cuda import gpu_code

    driver = shutil.which("nvidia-smi") is not None or os.path.exists("/proc/driver/nvidia/version")
    cupy = next((f"{name} {number}" for name in CUPY if (number := version_of(name))), None)
    if gpu_code.cuda_available():
        return Finding("GPU", _GOOD, f"ready, with {cupy}")
    if not driver:
        return Finding("GPU", _GOOD, "no NVIDIA GPU found; everything runs on the CPU")
    if cupy is None:
        cure = 'pip install "stablegraph[cuda12]", or [cuda13] for a driver of version 580 or newer'
        return Finding("GPU", _NOTE, "a driver is installed, but CuPy is not", cure)
    if not gpu_code.PATH.exists():
        cure = "install a wheel of a release, or a source tree with STABLEGRAPH_BUILD_CUDA=1"
        return Finding("GPU", _NOTE, f"a driver and {cupy} are installed, but this installation has no GPU code", cure)
    return Finding("GPU", _BAD, f"a driver and {cupy} are installed, but no GPU answers", "look at nvidia-smi")


def _print_findings(findings: list[Finding]) -> None:
    console = console_for()
    inks = {_GOOD: "green", _NOTE: "yellow", _BAD: "bold red"}
    width = max(len(finding.about) for finding in findings)
    for finding in findings:
        state = (f"{finding.state:<8}", inks[finding.state])
        console.print(Text.assemble("  ", state, (f"{finding.about:<{width}}  ", "dim"), printable(finding.found)))
        if finding.cure:
            console.print(Text.assemble(" " * (12 + width), ("-> ", "dim"), printable(finding.cure)))
