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

import stablegraph as sg

from .._core.representation import counted
from ..coloring.bounds import option_for_fewer
from ..csgraph import reverse_cuthill_mckee
from ..plot.checks import drawn_at
from ..plot.style import PAPER
from .answer_files import fingerprint
from .forest import shown_weight
from .terminal import Clock

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
    code: tuple[str, ...]
    pictures: list[Picture]
    rows: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # for the JSON object
    crc32: str = ""
    checked: bool = True  # whether the verifier was run
    wrong: str | None = None  # the defect that the verifier found


@dataclass
class Subject:
    """The graph of a page, how it was read, and how it is drawn."""

    whole: sg.Graph  # with its direction
    file: str
    options: dict[str, Any]  # arguments of `read_graph`
    seed: int
    verify: bool

    @cached_property
    def graph(self) -> sg.Graph:
        """The graph with every arc as an edge, for which sets and all later answers are computed."""
        return sg.as_graph(self.whole, symmetrize=True, weights=False) if self.whole.directed else self.whole

    @cached_property
    def positions(self) -> tuple[Any, str]:
        """The positions of the vertices; or None, and the reason why the matrix is shown."""
        return drawn_at(self.graph)

    @property
    def seed_argument(self) -> str:
        return f", seed={self.seed}" if self.seed else ""

    def code(self, *lines: str, whole: bool = False) -> tuple[str, ...]:
        """Return a program: the lines that read the graph, followed by these."""
        options = dict(self.options)
        if self.whole.directed and not whole:
            options = {**options, "symmetrize": True, "weights": False}
            for name in ("directed", "weight"):
                options.pop(name, None)
        arguments = "".join(f", {name}={value!r}" for name, value in options.items())
        return ("import stablegraph as sg", f"graph = sg.read_graph({self.file!r}{arguments})", *lines)

    def checked(
        self, section: Section, predicate: Callable[..., bool], answer: Any, whole: bool = False, pattern: bool = False
    ) -> Section:
        """Add the fingerprint of the answer and the result of its verifier to a section; `pattern` ignores weights."""
        graph = self.whole if whole else self.graph
        graph = sg.as_graph(graph, weights=False) if pattern else graph
        section.crc32, section.checked = fingerprint(answer), self.verify
        section.wrong = sg.explain(predicate, graph, answer) if self.verify else None
        return section


def sections(subject: Subject, clock: Clock) -> Iterator[Section]:
    """Yield all sections, and record the time of each in the clock."""
    for name, section in _SECTIONS.items():
        with clock(name, name):
            yield section(subject)


def _contents(subject: Subject) -> Section:
    graph, n = subject.whole, subject.whole.num_vertices
    count, labels = sg.connected_components(graph)
    degrees = np.asarray(graph.degrees)
    band, lower = _bandwidth(graph), np.argsort(reverse_cuthill_mckee(subject.graph, symmetric_mode=True))
    kind = "arcs" if graph.directed else "edges"
    rows = {
        "vertices": f"{n:,}" + ("" if graph.nodes is None else " (with names)"),
        kind: f"{graph.num_edges:,}",
        "entries": f"{graph.num_entries:,}"
        + (f", {graph.facts.get('loops', 0):,} of them on the diagonal" if n else ""),
        "weights": _weights(graph),
        "symmetry": _symmetry(graph),
        "out-degrees" if graph.directed else "degrees": _spread(degrees),
        "components": f"{count:,}{_largest(labels, n)}",
        "bandwidth": f"{band:,}; {_bandwidth(subject.graph, lower):,} in the order of reverse Cuthill-McKee",
    }
    facts = {"components": count, "bandwidth": band, "symmetric": not graph.directed or graph.is_symmetric}
    if graph.directed:
        facts["strong_components"], strong = sg.strongly_connected_components(graph)
        rows["strong components"] = f"{facts['strong_components']:,}{_largest(strong, n)}"
    cells = f"Each dot represents {_cell(n)} entries of the matrix; darker means more of them."
    pictures = [
        _picture(
            sg.plot.plot_matrix, graph, alt=f"The matrix in the order of the file, bandwidth {band:,}.", below=cells
        ),
        _picture(
            sg.plot.plot_matrix,
            _reordered(subject.graph, lower),
            alt="The matrix with its rows and columns in the order of reverse Cuthill-McKee.",
            below="The same in the order of reverse Cuthill-McKee, in which neighbors have near numbers.",
        ),
        _bars(sg.plot.plot_degrees, graph, alt=f"Vertices of each degree: {_spread(degrees)}.", below="Degrees."),
    ]
    section = Section(
        "contents",
        "Contents",
        f"{_vertices(n)}, {graph.num_edges:,} {kind}, {'connected' if count == 1 else f'{count:,} components'}",
        _DIRECTED if graph.directed else "",
        subject.code("count, labels = sg.connected_components(graph)", whole=True),
        pictures,
        rows,
        facts,
    )
    return subject.checked(section, sg.is_component_labeling, labels, whole=True)


def _maximal_set(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    mask = sg.maximal_independent_set(graph, seed=subject.seed)
    size = int(mask.sum())
    headline = f"{_vertices(size)}{_share(size, n)}"
    what = f"The graph with a set of {headline}."
    section = Section(
        "maximal_set",
        "An independent set",
        headline,
        "No two of its vertices are adjacent, and every other vertex has a neighbor in it: it is maximal.",
        subject.code(f"mask = sg.maximal_independent_set(graph{subject.seed_argument})"),
        [
            _drawing(subject, sg.plot.plot_independent_set, sg.plot.plot_matrix, mask, what, "A set"),
            _bars(
                sg.plot.plot_degrees,
                graph,
                mask,
                alt="Vertices of each degree, and how many of them are in the set.",
                below="Members (red) among all vertices of each degree.",
            ),
        ],
        facts={"size": size, "crc32": fingerprint(mask)},
    )
    return subject.checked(section, sg.is_maximal_independent_set, mask)


def _large_set(subject: Subject) -> Section:
    rounds = 100 if subject.graph.num_entries <= _LARGE else 10
    best = sg.large_independent_set(subject.graph, rounds=rounds, seed=subject.seed)
    size, bound = best.size, best.upper_bound
    gap = f"{bound - size:,}, " + (f"{(bound - size) / size:.2%} of its size" if size else "none")
    alt = f"The graph with a set of {_vertices(size)}, out of at most {bound:,}."
    section = Section(
        "large_set",
        "A large set, and how large one can be",
        f"{_vertices(size)}; " + ("a maximum set" if best.optimal else f"at most {bound:,}"),
        "Found by exact reductions and local search; the bound is proved.",
        subject.code(f"mask = sg.large_independent_set(graph, rounds={rounds}{subject.seed_argument}).mask"),
        [_drawing(subject, sg.plot.plot_independent_set, sg.plot.plot_matrix, best.mask, alt, "A set")],
        rows={
            "size": f"{size:,}",
            "upper bound": f"{bound:,}: no independent set has more vertices",
            "gap": "none: no set is larger" if best.optimal else gap,
            "rounds of search": f"{best.rounds:,}",
        },
        facts={"size": size, "upper_bound": bound, "crc32": fingerprint(best.mask)},
    )
    return subject.checked(section, sg.is_maximal_independent_set, best.mask)


def _coloring(subject: Subject) -> Section:
    graph = subject.graph
    colors = sg.vertex_coloring(graph, seed=subject.seed)
    count, (low, high) = int(colors.max(initial=-1)) + 1, sg.color_bounds(graph)
    fewer = option_for_fewer(count, low, high)
    hint = {"to try": f'{fewer[0]}="{fewer[1]}": {fewer[2]}'} if fewer else {}
    sizes = np.bincount(colors) if count else np.zeros(1, np.int64)
    spread = f"{sizes.min():,} to {sizes.max():,}"
    alt = f"The graph in {count:,} colors."
    section = Section(
        "coloring",
        "A coloring",
        f"{count:,} colors; " + ("no coloring has fewer" if count == low else f"at least {low:,} are needed"),
        "Adjacent vertices have different colors.",
        subject.code(f"colors = sg.vertex_coloring(graph{subject.seed_argument})"),
        [
            _drawing(subject, sg.plot.plot_coloring, sg.plot.plot_color_matrix, colors, alt, "Colors"),
            _bars(
                sg.plot.plot_color_sizes,
                colors,
                alt=f"How many vertices have each color: {spread}.",
                below="Vertices of each color.",
            ),
        ],
        rows={"colors": f"{count:,}", "bounds": f"{low:,} to {high:,}", **hint},
        facts={"colors": count, "bounds": [low, high], "crc32": fingerprint(colors)},
    )
    return subject.checked(section, sg.is_proper_coloring, colors)


def _communities(subject: Subject) -> Section:
    graph, n = sg.as_graph(subject.graph, weights=False), subject.graph.num_vertices
    count, labels = sg.communities(graph, seed=subject.seed)
    value = sg.modularity(graph, labels)
    sizes = np.bincount(labels) if n else np.zeros(1, np.int64)
    headline = f"{counted(count, 'community', 'communities')}, modularity {value:.3f}"
    alt = f"The graph with {headline}."
    section = Section(
        "communities",
        "Communities",
        headline,
        "Groups of vertices with many edges inside and few between them, by the method of Leiden, without weights.",
        subject.code(f"count, labels = sg.communities(sg.as_graph(graph, weights=False){subject.seed_argument})"),
        [
            _drawing(subject, sg.plot.plot_communities, sg.plot.plot_color_matrix, labels, alt, "Communities"),
            _bars(
                sg.plot.plot_community_sizes,
                labels,
                alt=f"The sizes of the communities: {sizes.min():,} to {sizes.max():,}.",
                below="Vertices of each community.",
            ),
        ],
        rows={"communities": f"{count:,}", "modularity": f"{value:.4f}", "largest": _vertices(int(sizes.max()))},
        facts={"communities": count, "modularity": value, "crc32": fingerprint(labels)},
    )
    return subject.checked(section, sg.is_community_labeling, labels, pattern=True)


def _forest(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    forest = sg.minimum_spanning_forest(graph)
    trees, weight = n - forest.nnz, sg.total_weight(forest)
    total = "" if graph.weights is None else f", weight {shown_weight(weight)}"
    headline = f"{forest.nnz:,} edges, {counted(trees, 'tree', 'trees')}{total}"
    positions, why_not = subject.positions
    if positions is None:
        edges = sg.as_graph(forest, weights=False)
        below = f"Vertices by their number of edges in the forest, as {why_not}."
        picture = _bars(sg.plot.plot_degrees, edges, alt="How many edges of the forest vertices have.", below=below)
    else:
        alt = f"The graph with the edges of the forest dark: {headline}."
        picture = _drawn(sg.plot.plot_forest, graph, forest, positions, alt, "Edges of the forest are dark.")
    section = Section(
        "forest",
        "A minimum spanning forest",
        headline,
        "The edges of least weight that connect each component." if total else "Every edge weighs 1.",
        subject.code("forest = sg.minimum_spanning_forest(graph)"),
        [picture],
        facts={"forest_edges": forest.nnz, "trees": trees, "weight": weight, "crc32": fingerprint(forest)},
    )
    return subject.checked(section, sg.is_minimum_spanning_forest, forest)


def _aggregates(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    count, labels = sg.aggregate(graph)
    sizes = np.bincount(labels) if n else np.zeros(1, np.int64)
    spread = f"{sizes.min():,} to {sizes.max():,} vertices, {n / max(count, 1):.2f} on average"
    alt, below = f"Aggregates of each size: {spread}.", "Aggregates of each size."
    pictures = [_bars(sg.plot.plot_aggregate_sizes, labels, alt=alt, below=below)]
    positions, _ = subject.positions
    if positions is not None:
        alt = f"The graph with {count:,} aggregates as patches."
        pictures.insert(0, _drawn(sg.plot.plot_aggregates, graph, labels, positions, alt, "Aggregates are patches."))
    section = Section(
        "aggregates",
        "Aggregates",
        f"{count:,} aggregates of {spread}",
        "Small groups of neighbors: the unknowns of a coarser level in multigrid.",
        subject.code("count, labels = sg.aggregate(graph)"),
        pictures,
        facts={"aggregates": count, "crc32": fingerprint(labels)},
    )
    return subject.checked(section, sg.is_aggregation, labels)


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
    positions, why_not = subject.positions
    if positions is not None:
        return _drawn(draw, subject.graph, answer, positions, alt, f"{what}.")
    below = f"{what}, in the matrix: {why_not}. Each dot represents {_cell(subject.graph.num_vertices)} entries."
    return _picture(matrix, subject.graph, answer, alt=f"{alt} It is shown as a matrix.", below=below)


def _drawn(draw: Callable[..., Any], graph: sg.Graph, answer: Any, positions: Any, alt: str, below: str) -> Picture:
    """Draw the graph, with the height of the picture adapted to its shape."""
    wide, high = np.ptp(positions, axis=0) if len(positions) else (1, 1)
    size = (_WIDE[0], _WIDE[0] * float(np.clip(high / max(wide, 1e-9), 0.35, 1.2)))
    return _picture(draw, graph, answer, positions, alt=alt, below=below, size=size)


def _bars(draw: Callable[..., Any], *arguments: Any, alt: str, below: str) -> Picture:
    return _picture(draw, *arguments, alt=alt, below=below, size=_BARS)


def _picture(
    draw: Callable[..., Any], *arguments: Any, alt: str, below: str, size: tuple[float, float] = _WIDE
) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=_DOTS, facecolor=PAPER, layout="constrained")
    draw(*arguments, ax=figure.add_subplot())
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return Picture(file.getvalue(), alt, below)


def _cell(n: int) -> str:
    """Return the part of the matrix that one dot of the pictures represents, as text."""
    side = max(1, round(n / 300))
    return "one of the" if side == 1 else f"{side:,} x {side:,}"


# Facts


def _bandwidth(graph: sg.Graph, place: Any = None) -> int:
    """Return the largest distance of an entry from the diagonal, with vertex v at position place[v]."""
    widest = 0
    for start in range(0, graph.num_entries, _BLOCK):
        stop = min(start + _BLOCK, graph.num_entries)
        rows = np.searchsorted(graph.indptr, np.arange(start, stop), side="right") - 1
        columns = np.asarray(graph.indices[start:stop])
        u, v = (rows, columns) if place is None else (place[rows], place[columns])
        widest = max(widest, int(np.abs(u.astype(np.int64) - v).max(initial=0)))
    return widest


def _reordered(graph: sg.Graph, place: Any) -> sg.Graph:
    """Return the graph with its vertices renumbered: v becomes place[v]."""
    order = np.argsort(place)
    matrix = graph._replace(weights=None, nodes=None).to_scipy()[order]
    return sg.as_graph((matrix.indptr, place.astype(matrix.indices.dtype)[matrix.indices]))


def _weights(graph: sg.Graph) -> str:
    if graph.weights is None:
        return "none"
    kind = str(graph.weights.dtype)
    if graph.weights.dtype.kind == "c" or not graph.weights.size:
        return kind
    return f"{kind}, {graph.weights.min():g} to {graph.weights.max():g}"


def _symmetry(graph: sg.Graph) -> str:
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


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.1%})" if whole else ""
