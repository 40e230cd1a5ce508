"""``stablegraph doctor``: check packages, compiled code, threads and the GPU, and suggest improvements."""

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

from rich.text import Text

import stablegraph as sg

from ..._core.runtime.config import CUPY, configuration, version_of
from ..._core.runtime.library import REINSTALL
from ..._core.texts import printable
from .. import options
from ..frame import command
from ..job import Job, Report
from ..terminal import console_for, duration, working

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
    return Report(facts, partial(_print, findings), is_wrong=problems > 0)


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


def _print(findings: list[Finding]) -> None:
    console = console_for()
    inks = {_GOOD: "green", _NOTE: "yellow", _BAD: "bold red"}
    width = max(len(finding.about) for finding in findings)
    for finding in findings:
        state = (f"{finding.state:<8}", inks[finding.state])
        console.print(Text.assemble("  ", state, (f"{finding.about:<{width}}  ", "dim"), printable(finding.found)))
        if finding.cure:
            console.print(Text.assemble(" " * (12 + width), ("-> ", "dim"), printable(finding.cure)))
