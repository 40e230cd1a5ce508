"""The few numbers that the first page shows, from the newest lines: beside other libraries, and the same bits."""

from __future__ import annotations

from pathlib import Path

from .bars import CPU, RESULTS, bars_of, newest
from .report import put_between_markers
from .tables import Line, markdown

PAGES = {"README.md": ("numbers",), "docs/index.md": ("numbers", "bits")}
SAME = {  # how the studies of cores and of the GPU call a job: what it is
    "set, degree": "a maximal independent set",
    "set, distance 2": "a set at distance two",
    "coloring": "a coloring",
    "components": "connected components",
    "search": "a search",
    "aggregates": "aggregates",
}


def _line(study: str, graph: str, algorithm: str, results: Path) -> Line:
    """The last line of a case with the most threads."""
    lines = [line for line in newest(study, results) if (line["graph"], line.get("algorithm")) == (graph, algorithm)]
    return max(lines, key=lambda line: (line["threads"], line["time"]))


def _seconds(study: str, graph: str, *algorithms: str, results: Path) -> float:
    found = (_line(study, graph, algorithm, results)["seconds"]["median"] for algorithm in algorithms)
    return float(sum(found))


def _times(factor: float) -> str:
    return f"**{factor:.0f}**" if factor >= 10 else f"**{factor:.1f}**"


def numbers(results: Path = RESULTS) -> str:
    """A table of three lines: beside NetworkX, SciPy and PyAMG, on two cores and on a GPU."""
    runs = next(
        line["runs"]
        for line in newest("networkx_backend", results)
        if (line["problem"], line["graph"], line["algorithm"]) == ("times", "1000000 edges", "greedy_color")
    )
    networkx, converting, converted = (min(runs[way]) for way in ("NetworkX", "with conversion", "without"))
    jobs = {job.title: {bar.who: bar.seconds for bar in bars_of(job, results)} for job in CPU}
    components, system = jobs["Connected components"], jobs["A linear system of a million unknowns"]
    on_gpu = _seconds("gpu", "R4", "components", results=results)
    system_on_gpu = _seconds("gpu_multigrid", "Poisson 100^3", "setup, chebyshev", "solve, chebyshev", results=results)
    scipy, pyamg = components["SciPy, 1 thread"], system["PyAMG, 1 thread"]
    rows = [
        [
            "NetworkX: `greedy_color`, a million edges, the same colors",
            f"{_times(networkx / converted)} (converting the graph, too: {_times(networkx / converting)})",
            "",
        ],
        [
            "SciPy: connected components of a million vertices",
            _times(scipy / components["stablegraph, 2 threads"]),
            _times(scipy / on_gpu),
        ],
        [
            "PyAMG: a linear system of a million unknowns, setup and solution",
            _times(pyamg / system["stablegraph, 2 threads"]),
            _times(pyamg / system_on_gpu),
        ],
    ]
    return markdown(["times as fast as", "two CPU threads", "one H200"], rows)


def bits(results: Path = RESULTS) -> str:
    """A table of jobs and the crc32 of their answers on 1 and 32 threads, and on a GPU; unequal ones are an error."""
    rows = []
    cpu = newest("cores", results)
    for algorithm, job in SAME.items():
        found = {
            line["threads"]: line["quality"]["crc32"]
            for line in cpu
            if (line["graph"], line["algorithm"]) == ("R4", algorithm)
        }
        gpu = _line("gpu", "R4", algorithm, results)["quality"]["crc32"]
        if {*found.values()} != {gpu}:
            raise ValueError(f"{algorithm} has the fingerprints {found} on a CPU and {gpu} on a GPU")
        rows.append([job, *(f"`{crc32}`" for crc32 in (found[1], found[32], gpu))])
    return markdown(["crc32 of the answer", "1 thread", "32 threads", "one H200"], rows)


def write_numbers(root: Path, results: Path = RESULTS) -> None:
    """Put both into the pages that show them."""
    tables = {"numbers": numbers(results), "bits": bits(results)}
    for page, names in PAGES.items():
        for name in names:
            put_between_markers(root / page, tables[name], name)
