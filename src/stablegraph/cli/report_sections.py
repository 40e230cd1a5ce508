"""The contents of the page of ``stablegraph report``: facts, an answer, pictures, and Python code for each section.

A section is a function of the `Subject` in the table `_SECTIONS`. A test runs the Python code, and compares the
fingerprint of its result with the one on the page.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._core.representation import counted
from ..coarsening.api import aggregate
from ..coloring.api import vertex_coloring
from ..coloring.bounds import color_bounds, option_for_fewer
from ..community.api import communities, modularity
from ..components.api import connected_components, strongly_connected_components
from ..conversion import as_graph
from ..csgraph import reverse_cuthill_mckee
from ..forest.api import minimum_spanning_forest, total_weight
from ..graph import Graph
from ..independent_set.api import large_independent_set, maximal_independent_set
from ..plot import (
    plot_aggregate_sizes,
    plot_aggregates,
    plot_color_matrix,
    plot_color_sizes,
    plot_coloring,
    plot_communities,
    plot_community_sizes,
    plot_degrees,
    plot_forest,
    plot_independent_set,
    plot_matrix,
)
from ..plot.checks import drawn_at
from ..plot.style import PAPER
from ..verify import (
    explain,
    is_aggregation,
    is_community_labeling,
    is_component_labeling,
    is_maximal_independent_set,
    is_minimum_spanning_forest,
    is_proper_coloring,
)
from .answer_files import fingerprint
from .clock import Clock
from .forest import shown_weight

_WIDE, _BARS = (5.2, 5.2), (5.2, 3.4)  # inches
_DOTS = 130  # per inch
_LARGE = 2_000_000  # entries; larger graphs get fewer rounds of search
_BLOCK = 1 << 22  # entries per step
_DIRECTED = "A directed graph. Sets and all that follow take every arc as an edge, without weights."


@dataclass(frozen=True)
class Picture:
    """A picture, a description for people who cannot see it, and its caption."""

    png: bytes
    alternative: str
    caption: str


@dataclass
class Section:
    """A part of the page."""

    key: str
    title: str
    headline: str
    text: str
    rows: dict[str, str]
    code: tuple[str, ...]
    pictures: list[Picture] = field(default_factory=list)
    crc32: str | None = None
    wrong: str | None = None  # the defect that the verifier found
    about: dict[str, Any] = field(default_factory=dict)  # for the JSON object
    checked: bool = True  # whether the verifier was run


@dataclass
class Subject:
    """The graph of a page, how it was read, and how it is drawn."""

    whole: Graph  # with its direction
    file: str
    options: dict[str, Any]  # arguments of `read_graph`
    seed: int
    verify: bool

    @cached_property
    def graph(self) -> Graph:
        """The graph with every arc as an edge, for which sets and all later answers are computed."""
        return as_graph(self.whole, symmetrize=True, weights=False) if self.whole.directed else self.whole

    @cached_property
    def place(self) -> tuple[Any, str]:
        """The positions of the vertices; or None, and the reason why the matrix is shown."""
        return drawn_at(self.graph)

    @property
    def seeded(self) -> str:
        return f", seed={self.seed}" if self.seed else ""

    def code(self, *lines: str, whole: bool = False) -> tuple[str, ...]:
        """Return a program: the lines that read the graph, followed by these."""
        options = dict(self.options)
        if self.whole.directed and not whole:
            options = {**options, "symmetrize": True, "weights": False}
            for name in ("directed", "weight"):
                options.pop(name, None)
        stated = "".join(f", {name}={value!r}" for name, value in options.items())
        return ("import stablegraph as sg", f"graph = sg.read_graph({self.file!r}{stated})", *lines)

    def wrong(self, predicate: Callable[..., bool], *answer: Any, **options: Any) -> str | None:
        return explain(predicate, self.graph, *answer, **options) if self.verify else None


def sections(subject: Subject, clock: Clock) -> Iterator[Section]:
    """Yield all sections, and record the time of each in the clock."""
    for name, section in _SECTIONS.items():
        with clock(name, name):
            found = section(subject)
        found.checked = subject.verify
        yield found


def _contents(subject: Subject) -> Section:
    graph, n = subject.whole, subject.whole.num_vertices
    count, labels = connected_components(graph)
    degrees = np.asarray(graph.degrees)
    band, lower = _bandwidth(graph), np.argsort(reverse_cuthill_mckee(subject.graph, symmetric_mode=True))
    kind = "arcs" if graph.directed else "edges"
    rows = {
        "vertices": f"{n:,}" + ("" if graph.nodes is None else " (with names)"),
        kind: f"{graph.num_edges:,}",
        "entries": f"{graph.num_entries:,}" + (f", {_diagonal(graph):,} of them on the diagonal" if n else ""),
        "weights": _weights(graph),
        "symmetry": _symmetry(graph),
        "out-degrees" if graph.directed else "degrees": _spread(degrees),
        "components": f"{count:,}{_largest(labels, n)}",
        "bandwidth": f"{band:,}; {_bandwidth(subject.graph, lower):,} in the order of reverse Cuthill-McKee",
    }
    about = {"components": count, "bandwidth": band, "symmetric": not graph.directed or graph.is_symmetric}
    if graph.directed:
        about["strong_components"], strong = strongly_connected_components(graph)
        rows["strong components"] = f"{about['strong_components']:,}{_largest(strong, n)}"
    code = subject.code("count, labels = sg.connected_components(graph)", whole=True)
    cells = f"Each dot represents {_cell(n)} entries of the matrix; darker means more of them."
    ordered = _in_order(subject.graph, lower)
    pictures = [
        _picture(plot_matrix, graph, alt=f"The matrix in the order of the file, bandwidth {band:,}.", below=cells),
        _picture(
            plot_matrix,
            ordered,
            alt="The matrix with its rows and columns in the order of reverse Cuthill-McKee.",
            below="The same in the order of reverse Cuthill-McKee, in which neighbors have near numbers.",
        ),
        _bars(plot_degrees, graph, alt=f"Vertices of each degree: {_spread(degrees)}.", below="Degrees."),
    ]
    text = _DIRECTED if graph.directed else ""
    headline = f"{_vertices(n)}, {graph.num_edges:,} {kind}, {_parts(count)}"
    crc32 = fingerprint(labels)
    wrong = explain(is_component_labeling, graph, labels) if subject.verify else None
    return Section("contents", "Contents", headline, text, rows, code, pictures, crc32, wrong, about)


def _maximal_set(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    mask = maximal_independent_set(graph, seed=subject.seed)
    size = int(mask.sum())
    headline = f"{_vertices(size)}{_share(size, n)}"
    what = f"The graph with a set of {headline}."
    return Section(
        "maximal_set",
        "An independent set",
        headline,
        "No two of its vertices are adjacent, and every other vertex has a neighbor in it: it is maximal.",
        {},
        subject.code(f"mask = sg.maximal_independent_set(graph{subject.seeded})"),
        [
            _drawing(subject, plot_independent_set, plot_matrix, mask, what, "A set"),
            _bars(
                plot_degrees,
                graph,
                mask,
                alt="Vertices of each degree, and how many of them are in the set.",
                below="Members (red) among all vertices of each degree.",
            ),
        ],
        fingerprint(mask),
        subject.wrong(is_maximal_independent_set, mask),
        {"size": size, "crc32": fingerprint(mask)},
    )


def _large_set(subject: Subject) -> Section:
    graph = subject.graph
    rounds = 100 if graph.num_entries <= _LARGE else 10
    best = large_independent_set(graph, rounds=rounds, seed=subject.seed)
    gap = best.upper_bound - best.size
    share = f"{gap / best.size:.2%} of its size" if best.size else "none"
    rows = {
        "size": f"{best.size:,}",
        "upper bound": f"{best.upper_bound:,}: no independent set has more vertices",
        "gap": "none: no set is larger" if best.optimal else f"{gap:,}, {share}",
        "rounds of search": f"{best.rounds:,}",
    }
    headline = f"{_vertices(best.size)}; " + ("a maximum set" if best.optimal else f"at most {best.upper_bound:,}")
    code = subject.code(f"mask = sg.large_independent_set(graph, rounds={rounds}{subject.seeded}).mask")
    alt = f"The graph with a set of {_vertices(best.size)}, out of at most {best.upper_bound:,}."
    crc32 = fingerprint(best.mask)
    return Section(
        "large_set",
        "A large set, and how large one can be",
        headline,
        "Found by exact reductions and local search; the bound is proved.",
        rows,
        code,
        [_drawing(subject, plot_independent_set, plot_matrix, best.mask, alt, "A set")],
        crc32,
        subject.wrong(is_maximal_independent_set, best.mask),
        {"size": best.size, "upper_bound": best.upper_bound, "crc32": crc32},
    )


def _coloring(subject: Subject) -> Section:
    graph = subject.graph
    colors = vertex_coloring(graph, seed=subject.seed)
    count, (low, high) = int(colors.max(initial=-1)) + 1, color_bounds(graph)
    fewer = option_for_fewer(count, low, high)
    hint = {"to try": f'{fewer[0]}="{fewer[1]}": {fewer[2]}'} if fewer else {}
    least = "no coloring has fewer" if count == low else f"at least {low:,} are needed"
    sizes = np.bincount(colors) if count else np.zeros(1, np.int64)
    crc32 = fingerprint(colors)
    return Section(
        "coloring",
        "A coloring",
        f"{count:,} colors; {least}",
        "Adjacent vertices have different colors.",
        {"colors": f"{count:,}", "bounds": f"{low:,} to {high:,}", **hint},
        subject.code(f"colors = sg.vertex_coloring(graph{subject.seeded})"),
        [
            _drawing(subject, plot_coloring, plot_color_matrix, colors, f"The graph in {count:,} colors.", "Colors"),
            _bars(
                plot_color_sizes,
                colors,
                alt=f"How many vertices have each color: {sizes.min():,} to {sizes.max():,}.",
                below="Vertices of each color.",
            ),
        ],
        crc32,
        subject.wrong(is_proper_coloring, colors),
        {"colors": count, "bounds": [low, high], "crc32": crc32},
    )


def _communities(subject: Subject) -> Section:
    graph, n = as_graph(subject.graph, weights=False), subject.graph.num_vertices
    count, labels = communities(graph, seed=subject.seed)
    value = modularity(graph, labels)
    sizes, crc32 = np.bincount(labels) if n else np.zeros(1, np.int64), fingerprint(labels)
    headline = f"{counted(count, 'community', 'communities')}, modularity {value:.3f}"
    what = f"The graph with {headline}."
    return Section(
        "communities",
        "Communities",
        headline,
        "Groups of vertices with many edges inside and few between them, by the method of Leiden, without weights.",
        {"communities": f"{count:,}", "modularity": f"{value:.4f}", "largest": _vertices(int(sizes.max()))},
        subject.code(f"count, labels = sg.communities(sg.as_graph(graph, weights=False){subject.seeded})"),
        [
            _drawing(subject, plot_communities, plot_color_matrix, labels, what, "Communities"),
            _bars(
                plot_community_sizes,
                labels,
                alt=f"The sizes of the communities: {sizes.min():,} to {sizes.max():,}.",
                below="Vertices of each community.",
            ),
        ],
        crc32,
        None if not subject.verify else explain(is_community_labeling, graph, labels),
        {"communities": count, "modularity": value, "crc32": crc32},
    )


def _forest(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    forest = minimum_spanning_forest(graph)
    trees, weight, crc32 = n - forest.nnz, total_weight(forest), fingerprint(forest)
    light = "" if graph.weights is None else f", weight {shown_weight(weight)}"
    headline = f"{forest.nnz:,} edges, {counted(trees, 'tree', 'trees')}{light}"
    text = "The edges of least weight that connect each component." if light else "Every edge weighs 1."
    where, why_not = subject.place
    if where is None:
        edges = as_graph(forest, weights=False)
        below = f"Vertices by their number of edges in the forest, as {why_not}."
        picture = _bars(plot_degrees, edges, alt="How many edges of the forest vertices have.", below=below)
    else:
        alt = f"The graph with the edges of the forest dark: {headline}."
        picture = _drawn(plot_forest, graph, forest, where, alt, "Edges of the forest are dark.")
    return Section(
        "forest",
        "A minimum spanning forest",
        headline,
        text,
        {},
        subject.code("forest = sg.minimum_spanning_forest(graph)"),
        [picture],
        crc32,
        subject.wrong(is_minimum_spanning_forest, forest),
        {"forest_edges": forest.nnz, "trees": trees, "weight": weight, "crc32": crc32},
    )


def _aggregates(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    count, labels = aggregate(graph)
    sizes = np.bincount(labels) if n else np.zeros(1, np.int64)
    spread = f"{sizes.min():,} to {sizes.max():,} vertices, {n / max(count, 1):.2f} on average"
    crc32, (where, _) = fingerprint(labels), subject.place
    pictures = [
        _bars(plot_aggregate_sizes, labels, alt=f"Aggregates of each size: {spread}.", below="Aggregates of each size.")
    ]
    if where is not None:
        alt = f"The graph with {count:,} aggregates as patches."
        pictures.insert(0, _drawn(plot_aggregates, graph, labels, where, alt, "Aggregates are patches."))
    return Section(
        "aggregates",
        "Aggregates",
        f"{count:,} aggregates of {spread}",
        "Small groups of neighbors: the unknowns of a coarser level in multigrid.",
        {},
        subject.code("count, labels = sg.aggregate(graph)"),
        pictures,
        crc32,
        subject.wrong(is_aggregation, labels),
        {"aggregates": count, "crc32": crc32},
    )


_SECTIONS: dict[str, Callable[[Subject], Section]] = {
    "contents": _contents,
    "set": _maximal_set,
    "large set": _large_set,
    "coloring": _coloring,
    "communities": _communities,
    "forest": _forest,
    "aggregates": _aggregates,
}


# Pictures


def _drawing(subject: Subject, draw: Any, matrix: Any, answer: Any, alt: str, what: str) -> Picture:
    """Draw the graph with an answer, or its matrix if a drawing would not be legible."""
    where, why_not = subject.place
    if where is not None:
        return _drawn(draw, subject.graph, answer, where, alt, f"{what}.")
    below = f"{what}, in the matrix: {why_not}. Each dot represents {_cell(subject.graph.num_vertices)} entries."
    return _picture(matrix, subject.graph, answer, alt=f"{alt} It is shown as a matrix.", below=below)


def _drawn(draw: Callable[..., Any], graph: Graph, answer: Any, where: Any, alt: str, below: str) -> Picture:
    """Draw the graph, with the height of the picture adapted to its shape."""
    wide, high = np.ptp(where, axis=0) if len(where) else (1, 1)
    size = (_WIDE[0], _WIDE[0] * float(np.clip(high / max(wide, 1e-9), 0.35, 1.2)))
    return _picture(draw, graph, answer, where, alt=alt, below=below, size=size)


def _bars(draw: Callable[..., Any], *given: Any, alt: str, below: str) -> Picture:
    return _picture(draw, *given, alt=alt, below=below, size=_BARS)


def _picture(draw: Callable[..., Any], *given: Any, alt: str, below: str, size: tuple[float, float] = _WIDE) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=_DOTS, facecolor=PAPER, layout="constrained")
    draw(*given, ax=figure.add_subplot())
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return Picture(file.getvalue(), alt, below)


def _cell(n: int) -> str:
    """Return the part of the matrix that one dot of the pictures represents, as text."""
    side = max(1, round(n / 300))
    return "one of the" if side == 1 else f"{side:,} x {side:,}"


# Facts


def _bandwidth(graph: Graph, place: Any = None) -> int:
    """Return the largest distance of an entry from the diagonal, with vertex v at position place[v]."""
    widest = 0
    for start in range(0, graph.num_entries, _BLOCK):
        stop = min(start + _BLOCK, graph.num_entries)
        rows = np.searchsorted(graph.indptr, np.arange(start, stop), side="right") - 1
        columns = np.asarray(graph.indices[start:stop])
        u, v = (rows, columns) if place is None else (place[rows], place[columns])
        widest = max(widest, int(np.abs(u.astype(np.int64) - v).max(initial=0)))
    return widest


def _in_order(graph: Graph, place: Any) -> Graph:
    """Return the graph with its vertices renumbered: v becomes place[v]."""
    order = np.argsort(place)
    matrix = graph._replace(weights=None, nodes=None).to_scipy()[order]
    return as_graph((matrix.indptr, place.astype(matrix.indices.dtype)[matrix.indices]))


def _diagonal(graph: Graph) -> int:
    return int(graph.facts.get("loops", 0))


def _weights(graph: Graph) -> str:
    if graph.weights is None:
        return "none"
    kind = str(graph.weights.dtype)
    if graph.weights.dtype.kind == "c" or not graph.weights.size:
        return kind
    return f"{kind}, {graph.weights.min():g} to {graph.weights.max():g}"


def _symmetry(graph: Graph) -> str:
    if not graph.directed:
        return "symmetric" if graph.weights is None else "pattern and values are symmetric"
    return "the pattern is symmetric, the values are not" if graph.is_symmetric else "not symmetric"


def _spread(degrees: Any) -> str:
    if not degrees.size:
        return "none"
    return f"{degrees.min():,} to {degrees.max():,}, mean {degrees.mean():.3g}, median {np.median(degrees):g}"


def _largest(labels: Any, n: int) -> str:
    return f", the largest with {np.bincount(labels).max():,} vertices" if n else ""


def _vertices(count: int) -> str:
    return counted(count, "vertex", "vertices")


def _parts(count: int) -> str:
    return "connected" if count == 1 else f"{count:,} components"


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.1%})" if whole else ""
