"""The numbers of the first page, and the comparisons with other programs on the pages about cores and GPUs."""

from __future__ import annotations

import statistics
from pathlib import Path
from textwrap import fill

from .bars import RESULTS, newest
from .cases.first_page import GRAPH, MATRIX, PEER, SETUP_AND_SOLUTION
from .cases.networkx_backend import CONVERTED, CONVERTING
from .report import put_between_markers
from .tables import Line, in_order, markdown, threads_in_words

PAGES = {
    "README.md": ("numbers",),
    "docs/index.md": ("numbers", "bits"),
    "docs/cores.md": ("peers-cpu",),
    "docs/gpu.md": ("peers-cuda",),
}
AHEAD = 1.2  # ratio to a peer from which on it is bold
SAME = {  # names of a job in the studies of cores and of the GPU: descriptions
    "set, degree": "a maximal independent set",
    "set, distance 2": "a set at distance two",
    "coloring": "a coloring",
    "components": "connected components",
    "search": "a search",
    "aggregates": "aggregates",
}


def _line(study: str, graph: str, algorithm: str, results: Path) -> Line:
    """Return the last line of a case with the most threads."""
    lines = [line for line in newest(study, results) if (line["graph"], line.get("algorithm")) == (graph, algorithm)]
    return max(lines, key=lambda line: (line["threads"], line["time"]))


def _seconds(study: str, graph: str, *algorithms: str, results: Path) -> float:
    found = (_line(study, graph, algorithm, results)["seconds"]["median"] for algorithm in algorithms)
    return float(sum(found))


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2g} ms" if seconds < 0.01 else f"{1e3 * seconds:,.0f} ms"


def numbers(results: Path = RESULTS) -> str:
    """Make a table of three rows, compared with NetworkX, SciPy and PyAMG, and name the machine."""
    lines = {line["algorithm"]: line for line in newest("first_page", results)}  # the last one of each
    coloring, components, system = (lines[name] for name in PEER)

    def against(line: Line, graph: str) -> str:
        peer = _milliseconds(statistics.median(line["runs"][PEER[line["algorithm"]]]))
        return f"{graph.format(**line, edges=line['m'] // 2)}: {peer}"

    def speed_up(line: Line, way: str) -> str:
        """Return the median of the ratios within the rounds."""
        runs = line["runs"]
        ratio = statistics.median(
            theirs / ours for theirs, ours in zip(runs[PEER[line["algorithm"]]], runs[way], strict=True)
        )
        factor = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
        return f"**{factor}** ({_milliseconds(statistics.median(runs[way]))})"

    on_gpu = _seconds("gpu", "R4", "components", results=results)
    system_on_gpu = _seconds("gpu_multigrid", "Poisson 100^3", "setup, chebyshev", "solve, chebyshev", results=results)
    rows = [
        [
            against(coloring, "NetworkX `greedy_color`, random graph, {n:,} vertices, {m:,} edges, equal colors"),
            f"{speed_up(coloring, CONVERTED)} on a converted graph, {speed_up(coloring, CONVERTING)} with conversion",
            "",
        ],
        [
            against(components, "SciPy `connected_components`, random graph {graph}, {n:,} vertices, {edges:,} edges"),
            f"{speed_up(components, GRAPH)} on a prepared `Graph`, {speed_up(components, MATRIX)} on the SciPy matrix",
            f"{_milliseconds(on_gpu)} on a `Graph` on the GPU",
        ],
        [
            against(system, "PyAMG smoothed aggregation, {graph}, {n:,} unknowns, setup and solution to 1e-8"),
            speed_up(system, SETUP_AND_SOLUTION),
            f"{_milliseconds(system_on_gpu)} on a matrix on the GPU, after a first call",
        ],
    ]
    cpu, gpu = components, _line("gpu", "R4", "components", results)
    rounds = min(len(times) for line in lines.values() for times in line["runs"].values())
    facts = (
        f"CPU: {cpu['machine']['processor']}, {cpu['machine']['processors']} processors, {cpu['time'][:10]}; medians "
        f"of {rounds} runs, in which both sides alternate; the peers use one thread. GPU: one NVIDIA H200, "
        f"{gpu['time'][:10]}."
    )
    head = ["speed-up over", threads_in_words(cpu["threads"]), "time on one H200"]
    return f"{markdown(head, rows)}\n\n{fill(facts, 120)}"


def bits(results: Path = RESULTS) -> str:
    """Make a table of jobs and the crc32 of their answers on 1 and 32 threads and on a GPU; raise if they differ."""
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


def peers(device: str, results: Path = RESULTS) -> str:
    """Make a table of our times relative to the best peer: a row per problem, a column per graph, and the mean."""
    lines = [line for line in newest("peers", results) if line["device"] == device]
    graphs = in_order(line["graph"] for line in lines)
    ratios: dict[str, dict[str, float]] = {}
    for line in lines:
        ratio = line["ratio"] if "ratio" in line else line["ours_ms"] / line["peer_ms"]
        title = line["problem"] + (f" / {line['peer']}" if "ratio" in line else "")
        ratios.setdefault(title, {})[line["graph"]] = ratio
    rows = []
    for title, cells in ratios.items():
        texts = [_ratio(cells[graph]) if graph in cells else "" for graph in graphs]
        rows.append([title, *texts, _ratio(statistics.geometric_mean(cells.values()))])
    facts = f"{lines[0]['machine']}, {lines[0]['date']}, commit {lines[0]['commit']}"
    return f"{markdown(['our time / that of the best other program', *graphs, 'mean'], rows)}\n\n{facts}"


def _ratio(value: float) -> str:
    text = f"{value:.2f}" if value < 10 else f"{value:.0f}"
    return f"**{text}**" if value > AHEAD else text


def tables(results: Path = RESULTS) -> dict[str, str]:
    """Return all tables by the names of their markers."""
    of_peers = {f"peers-{device}": peers(device, results) for device in ("cpu", "cuda")}
    return {"numbers": numbers(results), "bits": bits(results), **of_peers}


def write_numbers(root: Path, results: Path = RESULTS) -> str:
    """Write the tables into the pages that show them, and return the names of the pages."""
    made = tables(results)
    for page, names in PAGES.items():
        for name in names:
            put_between_markers(root / page, made[name], name)
    return ", ".join(PAGES)
