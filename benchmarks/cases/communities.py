"""Communities: quality, time and repeatability, compared with igraph, leidenalg, NetworKit and graspologic-native.

The graphs are real ones of STABLEGRAPH_DATA, made undirected; a graph of nearest neighbors with weights; and planted
partitions with a mixing of 0.2 to 0.6 and power laws of degrees and sizes, as in the benchmark of Lancichinetti,
Fortunato and Radicchi. All programs look for communities with the same ten seeds, and alternate after each call. Slow
peers end earlier. The default of igraph, leidenalg and graspologic-native is set to two iterations; ours is three. In
the part "labels" each call has its own process. The part "threads" has ten graphs of about a million entries and more
(LARGE) and the programs that use several threads besides igraph; run it with --threads 1,2,16.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

import stablegraph as sg

from .. import data
from ..community_finders import OURS, THREADED, Edges, by_smallest, finders
from ..harness import no_garbage_collected
from ..machine import ROOT
from ..study import Graphs, Options, Part, Study, case_is_asked_for
from ..tables import Line, markdown, provenance, under_headings

SEEDS = 10
ALL_SEEDS = (OURS, "igraph,")  # the programs whose means are compared; all other programs end earlier if they are slow
LONGEST = 3.0  # seconds of a slow peer on one graph, after FEWEST seeds
FEWEST = 3
GRAPHS = ("polblogs", "hep-th", "usps_3nn", "PGPgiantcompo", "lastfm-asia", "as-caida20071105", "facebook_combined")
LARGE = (  # of real graphs; generated ones are added by `large_graphs`. The first two have 0.8 million entries
    *("soc-Epinions1", "cit-HepPh", "ego-Twitter", "web-NotreDame", "uk-2007-05_100000", "road-LKS-contracted", "wave"),
)
MIXINGS = (0.2, 0.4, 0.6)
REPEATED = ("lastfm-asia",)


@cache
def planted(mixing: float, n: int = 10_000, seed: int = 0) -> tuple[sg.Graph, Any]:
    """Return a planted partition and its groups; `mixing` is the share of the ends of edges that lead out of a group.

    Degrees and sizes of groups have power laws.
    """
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(min(400, 20 / (1 - rng.random()))))
    group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:n])
    degree = np.minimum(200, 6.6 * (1 - rng.random(n)) ** (-1 / 1.6)).astype(int) + 1
    return _joined(rng, group, degree, mixing), group


def _joined(rng: np.random.Generator, group: Any, degree: Any, mixing: float) -> sg.Graph:
    """Join the ends of edges at random, inside groups and between all vertices."""
    n = group.size
    inner = rng.binomial(degree, 1 - mixing)
    ends = np.repeat(np.arange(n), inner)
    ends = ends[np.lexsort((rng.random(ends.size), group[ends]))]
    u, v = ends[:-1:2], ends[1::2]
    same = group[u] == group[v]
    outer = rng.permutation(np.repeat(np.arange(n), degree - inner))
    half = outer.size // 2
    u, v = np.concatenate([u[same], outer[:half]]), np.concatenate([v[same], outer[half : 2 * half]])
    return sg.from_edges(u, v, n=n, symmetrize=True, drop_loops=True)


def large_graphs(options: Options) -> Graphs:
    """Yield the ten graphs on which threads are compared; none with --quick."""
    if options.quick:
        return
    known = data.files()
    for name in LARGE:
        if name in known:
            yield name, partial(_without_loops, known[name][0])
    yield "300,000 points", partial(neighbors, 300_000)
    yield "planted, mixing 0.3, 300,000 vertices", lambda: planted(0.3, 300_000)[0]
    yield "RMAT, scale 19", partial(sg.gallery.rmat, 19)


@cache
def neighbors(n: int = 10_000) -> sg.Graph:
    """Return a graph of 15 nearest neighbors with float weights, of points around 40 centers in 5 dimensions."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 5))[rng.integers(40, size=n)] * 2 + rng.normal(size=(n, 5))
    distances, indices = KDTree(points).query(points, 16)
    weights = np.exp(-distances[:, 1:] / distances[:, -1:])
    ends = np.repeat(np.arange(n), 15), indices[:, 1:].ravel()
    matrix = sp.csr_array((weights.ravel(), ends), shape=(n, n))
    return sg.as_graph(matrix, symmetrize="max")


def _known() -> dict[str, Any]:
    """Return functions that make planted partitions and their groups, by name."""
    made: dict[str, Any] = {f"planted, mixing {mixing}": partial(planted, mixing) for mixing in MIXINGS}
    return made | {"planted, mixing 0.3 (small)": partial(planted, 0.3, 2000)}


def _made(name: str) -> sg.Graph:
    graph: sg.Graph = _known()[name]()[0]
    return graph


def graphs(options: Options) -> Graphs:
    """Yield real and generated graphs; with --quick one small planted partition."""
    if options.quick:
        yield "planted, mixing 0.3 (small)", partial(_made, "planted, mixing 0.3 (small)")
        return
    known = data.files()
    for name in GRAPHS:
        if name in known:
            yield name, partial(_without_loops, known[name][0])
    yield "10,000 points", neighbors
    for name in _known():
        if "small" not in name:
            yield name, partial(_made, name)


def _without_loops(file: Any) -> sg.Graph:
    graph = data.undirected(file)
    return sg.from_edges(graph._rows(), graph.indices, n=graph.num_vertices, drop_loops=True)


def _repeated(options: Options) -> Graphs:
    return [item for item in graphs(options) if options.quick or item[0] in REPEATED]


def agreement(a: Any, b: Any) -> float:
    """Return the normalized mutual information of two partitions: 1 if they are equal."""
    pairs = a.astype(np.int64) * (int(b.max()) + 1) + b
    first, second, both = (_entropy(labels) for labels in (a, b, pairs))
    return 2 * (first + second - both) / (first + second) if first + second else 1.0


def _entropy(labels: Any) -> float:
    share = np.unique(labels, return_counts=True)[1] / labels.size
    return float(-(share * np.log(share)).sum())


def not_connected(graph: sg.Graph, labels: Any) -> int:
    """Return how many communities are not connected."""
    rows = graph._rows()
    inside = labels[rows] == labels[graph.indices]
    shape = graph.num_vertices, graph.num_vertices
    inner = sp.csr_array((np.ones(int(inside.sum()), np.int8), (rows[inside], graph.indices[inside])), shape=shape)
    pieces = sp.csgraph.connected_components(inner, directed=False)[1]
    pairs = np.unique(labels.astype(np.int64) * graph.num_vertices + pieces)
    return int((np.unique(pairs // graph.num_vertices, return_counts=True)[1] > 1).sum())


def measure(
    graph: sg.Graph,
    options: Options,
    truth: Any = None,
    programs: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Return the results of all programs, which alternate: times in seconds, and the quality of the communities."""
    edges = Edges.of(graph)
    found = {
        f"{name}, {count} thr": finder
        for count in options.threads
        for name, finder in finders(edges, count)
        if case_is_asked_for(name, options)
        and (count == 1 or name in THREADED)
        and (programs is None or name in programs)
    }
    runs: dict[str, list[tuple[float, float, Any]]] = {name: [] for name in found}
    for seed in range(2 if options.quick else SEEDS):
        for name, finder in found.items():
            done = runs[name]
            if name.startswith(ALL_SEEDS) or len(done) < FEWEST or sum(wall for wall, _, _ in done) < LONGEST:
                with no_garbage_collected():
                    start = time.perf_counter(), time.process_time()
                    answer = finder.find(seed)
                    taken = time.perf_counter() - start[0], time.process_time() - start[1]
                done.append((*taken, by_smallest(finder.labels(answer))))
    return {name: _summary(graph, done, truth) for name, done in runs.items()}


def _summary(graph: sg.Graph, runs: list[tuple[float, float, Any]], truth: Any) -> dict[str, Any]:
    """Return medians of times, and means over seeds."""
    labelings = [labels for _, _, labels in runs]
    values = [sg.modularity(graph, labels) for labels in labelings]
    summary = {
        "seeds": len(runs),
        "wall": round(statistics.median(wall for wall, _, _ in runs), 5),
        "cpu": round(statistics.median(cpu for _, cpu, _ in runs), 5),
        "objective": statistics.fmean(values),
        "deviation": statistics.pstdev(values),
        "communities": statistics.fmean(int(labels.max()) + 1 for labels in labelings),
        "not connected": sum(not_connected(graph, labels) for labels in labelings),
    }
    if truth is not None:
        summary["nmi"] = round(statistics.fmean(agreement(truth, labels) for labels in labelings), 5)
    return summary


def qualities(name: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield the results of all programs for modularity."""
    truth = _known()[name]()[1] if name in _known() else None
    results = measure(graph, options, truth)
    yield {"objective": "modularity", "results": results, "told": _told(results)}


def with_threads(_: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield the results of the programs that use several threads, and of igraph."""
    results = measure(graph, options, programs=(*THREADED, "igraph"))
    yield {"objective": "modularity on threads", "results": results, "told": _told(results)}


def _told(results: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {r['objective']:.6g}, {r['cpu']:.3g} s" for name, r in results.items())


# Variants of a call: the kind of its edges, and its number of threads. Those of a group should have equal answers.
VARIANTS = {
    "threads": [("plain", 1), ("plain", 2), ("plain", 3)],
    "processes": [("plain", 2), ("plain", 2), ("plain", 2), ("plain", 2)],
    "order of entries": [("plain", 1), ("shuffled", 1)],
    "dtype of weights": [("int", 1), ("float", 1)],
}
CALLED = (
    OURS,
    f"{OURS}, Louvain",
    "igraph",
    "leidenalg",
    "NetworKit ParallelLeiden",
    "NetworKit PLM",
    "graspologic-native",
)


def checksums(_: str, graph: sg.Graph, options: Options) -> Iterator[Line]:
    """Yield the number of different labels of each program in each group of variants; each call has its own process."""
    edges = Edges.of(graph)
    weights = 1 + (edges.u * 7 + edges.v * 13) % 5
    found: dict[str, dict[str, list[int]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "edges.npz")
        np.savez(file, n=edges.n, u=edges.u, v=edges.v, weights=weights)
        for group, variants in VARIANTS.items():
            for kind, count in variants:
                for name, checksum in _called(file, kind, count):
                    found.setdefault(name, {}).setdefault(group, []).append(checksum)
    yield {"checksums": found, "told": "; ".join(f"{name}: {_different(groups)}" for name, groups in found.items())}


def _called(file: Path, kind: str, count: int) -> Iterator[tuple[str, int]]:
    """Yield the names and checksums from a new process."""
    command = [sys.executable, "-m", "benchmarks.community_finders", str(file), str(count), kind, *CALLED]
    environment = os.environ | {"STABLEGRAPH_MAX_THREADS": "3"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    for line in done.stdout.splitlines():
        name, checksum = line.split("\t")
        yield name, int(checksum)


def _different(groups: dict[str, list[int]]) -> dict[str, int]:
    return {group: len(set(checksums)) for group, checksums in groups.items()}


def report(lines: list[Line]) -> str:
    """Show a table for each question, with means over graphs."""
    results = [line for line in lines if line.get("objective") == "modularity"]
    planted_ones = [line for line in results if any("nmi" in result for result in line["results"].values())]
    tables = {
        "Modularity, time and connectivity": summary_table(results),
        "Normalized mutual information with the planted groups": planted_table(planted_ones),
        "Threads": thread_table([line for line in lines if line.get("objective") == "modularity on threads"]),
        "Different labels for one seed": label_table([line for line in lines if "checksums" in line]),
    }
    return under_headings(3, {head: table for head, table in tables.items() if table}) + f"\n\n{provenance(lines)}"


def _reference(name: str) -> str:
    return "igraph, until stable, 1 thr" if "until stable" in name else "igraph, 1 thr"


def summary_table(lines: list[Line]) -> str:
    """Compare each program with igraph, with the same rule to stop: differences of modularity, and ratios of times."""
    rows = []
    for name in dict.fromkeys(name for line in lines for name in line["results"]):
        pairs = [
            (line["results"][name], line["results"][_reference(name)])
            for line in lines
            if name in line["results"] and _reference(name) in line["results"]
        ]
        if pairs:
            differences = [1e4 * (ours["objective"] - theirs["objective"]) for ours, theirs in pairs]
            ratios = [statistics.geometric_mean(o[kind] / t[kind] for o, t in pairs) for kind in ("cpu", "wall")]
            torn = sum(ours["not connected"] for ours, _ in pairs)
            calls = sum(ours["seeds"] for ours, _ in pairs)
            rows.append(
                [name, str(len(pairs)), f"{statistics.fmean(differences):+.1f}", f"{min(differences):+.1f}"]
                + [f"{ratio:.2f}" for ratio in ratios]
                + [f"{torn:,} in {calls:,} calls"]
            )
    head = ["program", "graphs", "modularity, 1e-4", "smallest", "CPU time", "time", "communities not connected"]
    return markdown(head, rows) if rows else ""


def planted_table(lines: list[Line]) -> str:
    """Show the agreement of all programs with the planted groups."""
    names = [name for name in dict.fromkeys(n for line in lines for n in line["results"]) if name.endswith("1 thr")]
    rows = [
        [name.removesuffix(", 1 thr"), *(f"{line['results'][name]['nmi']:.3f}" for line in lines)] for name in names
    ]
    return markdown(["program", *(line["graph"] for line in lines)], rows) if rows else ""


def thread_table(lines: list[Line]) -> str:
    """Show seconds and modularity on each graph of the part "threads"."""
    names = list(dict.fromkeys(name for line in lines for name in line["results"]))
    rows = [
        [name] + [f"{line['results'][name]['wall']:.3f} ({line['results'][name]['objective']:.4f})" for line in lines]
        for name in names
    ]
    return markdown(["seconds (modularity)", *(line["graph"] for line in lines)], rows) if rows else ""


def label_table(lines: list[Line]) -> str:
    """Show the largest number of different labels over all graphs, for each program and group of variants."""
    rows = []
    for name in dict.fromkeys(name for line in lines for name in line["checksums"]):
        row = [name]
        for group, variants in VARIANTS.items():
            most = max(_different(line["checksums"][name])[group] for line in lines if name in line["checksums"])
            row.append("equal" if most == 1 else f"**{most} of {len(variants)}**")
        rows.append(row)
    return markdown(["program", *VARIANTS], rows) if rows else ""


STUDY = Study(
    __name__,
    (
        Part("quality", graphs, qualities, once=True),
        Part("labels", _repeated, checksums),
        Part("threads", large_graphs, with_threads, once=True),
    ),
    peers=("igraph", "leidenalg", "networkit", "graspologic-native"),
    data="the graphs of GRAPHS",
    machines={"cpu2": ("--parts", "quality,labels", "--threads", "1")},
    report=report,
)
