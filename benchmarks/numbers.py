"""The numbers of the first page, and the fingerprints of answers on one thread, many threads and a GPU."""

from __future__ import annotations

import statistics
from pathlib import Path
from textwrap import fill

from .bars import RESULTS, newest
from .cases.first_call import IMPORTS, OURS
from .cases.first_page import COLORING, PEER, SCIPY, SETUP_AND_SOLUTION, SYSTEM
from .cases.networkx_backend import CONVERTING
from .report import put_between_markers
from .tables import Line, markdown, threads_in_words

PAGES = {"README.md": ("numbers",), "docs/index.md": ("numbers",), "docs/determinism.md": ("bits",)}
SAME = {  # names of a job in the studies of cores and of the GPU: descriptions
    "set, degree": "a maximal independent set",
    "set, distance 2": "a set at distance two",
    "coloring": "a coloring",
    "components": "connected components",
    "search": "a search",
    "aggregates": "aggregates",
}


def _line(study: str, graph: str, algorithm: str, results: Path) -> Line:
    """Return the last line of a case, with the most threads."""
    lines = [line for line in newest(study, results) if (line["graph"], line.get("algorithm")) == (graph, algorithm)]
    return max(lines, key=lambda line: (line["threads"], line["time"]))


def _seconds(study: str, graph: str, *algorithms: str, results: Path) -> float:
    result = (_line(study, graph, algorithm, results)["seconds"]["median"] for algorithm in algorithms)
    return float(sum(result))


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2g} ms" if seconds < 0.01 else f"{1e3 * seconds:,.0f} ms"


def numbers(results: Path = RESULTS) -> str:
    """Make a table of three rows, compared with NetworkX, SciPy and PyAMG, and name the machine."""
    lines = {line["algorithm"]: line for line in newest("first_page", results)}  # the last one of each
    coloring, system, first_call = lines[COLORING], lines[SYSTEM], newest("first_call", results)[-1]

    def row(job: str, line: Line, theirs: list[float], ours: list[float], gpu: str = "") -> list[str]:
        """Return a row: the medians, and the median of the ratios within the rounds."""
        ratio = statistics.median(a / b for a, b in zip(theirs, ours, strict=True))
        factor = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
        times = [_milliseconds(statistics.median(seconds)) for seconds in (theirs, ours)]
        return [f"{job.format(**line)}: {times[0]}", f"**{factor}** ({times[1]})", gpu]

    def whole_process(name: str) -> list[float]:
        runs = first_call["runs"]
        return [sum(parts) for parts in zip(runs[name], runs[f"{name}, {IMPORTS}"], strict=True)]

    on_gpu = _seconds("gpu_multigrid", "Poisson 100^3", "setup, chebyshev", "solve, chebyshev", results=results)
    pyamg, networkx = system["runs"], coloring["runs"]
    rows = [
        row(
            "NetworkX `greedy_color`; the backend gives equal colors, and its time includes the conversion; random "
            "graph, {n:,} vertices, {m:,} edges",
            coloring,
            networkx[PEER[COLORING]],
            networkx[CONVERTING],
        ),
        row(
            "SciPy `connected_components`, one call in a fresh process; CPU time of the whole process, with imports; "
            "random graph, {n:,} vertices, {m:,} edges",
            first_call,
            whole_process(SCIPY),
            whole_process(OURS),
        ),
        row(
            "PyAMG smoothed aggregation, setup and solution to 1e-8, {graph}, {n:,} unknowns",
            system,
            pyamg[PEER[SYSTEM]],
            pyamg[SETUP_AND_SOLUTION],
            f"{_milliseconds(on_gpu)} for a matrix on the GPU, after a first call",
        ),
    ]
    gpu = _line("gpu_multigrid", "Poisson 100^3", "solve, chebyshev", results)
    rounds = [min(map(len, line["runs"].values())) for line in (coloring, system, first_call)]
    facts = (
        f"CPU: {system['machine']['processor']}, {system['machine']['processors']} processors, "
        f"{' and '.join(sorted({line['time'][:10] for line in (coloring, system, first_call)}))}; medians of "
        f"{min(rounds)} runs or more, in which both sides alternate; the peers use one thread. GPU: one NVIDIA H200, "
        f"{gpu['time'][:10]}. Repeat it: `stablegraph bench --readme`."
    )
    head = ["speed-up over", threads_in_words(system["threads"]), "time on one H200"]
    return f"{markdown(head, rows)}\n\n{fill(facts, 120)}"


def bits(results: Path = RESULTS) -> str:
    """Make a table of jobs and the crc32 of their answers on 1 and many threads and on a GPU; raise if they differ."""
    rows = []
    cpu = newest("cores", results)
    most = max(line["threads"] for line in cpu)
    for algorithm, job in SAME.items():
        result = {
            line["threads"]: line["quality"]["crc32"]
            for line in cpu
            if (line["graph"], line["algorithm"]) == ("R4", algorithm)
        }
        gpu = _line("gpu", "R4", algorithm, results)["quality"]["crc32"]
        if {*result.values()} != {gpu}:
            raise ValueError(f"{algorithm} has the fingerprints {result} on a CPU and {gpu} on a GPU")
        rows.append([job, *(f"`{crc32}`" for crc32 in (result[1], result[most], gpu))])
    return markdown(["crc32 of the answer", "1 thread", f"{most} threads", "one H200"], rows)


def tables(results: Path = RESULTS) -> dict[str, str]:
    """Return all tables by the names of their markers."""
    return {"numbers": numbers(results), "bits": bits(results)}


def write_numbers(root: Path, results: Path = RESULTS) -> str:
    """Write the tables into the pages that show them, and return the names of the pages."""
    result = tables(results)
    for page, names in PAGES.items():
        for name in names:
            put_between_markers(root / page, result[name], name)
    return ", ".join(PAGES)
