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

from ..._core.texts import counted
from ...coloring.bounds import option_for_fewer
from ...csgraph import reverse_cuthill_mckee
from ...plot.charts import entry_blocks
from ...plot.page import Ink, drawn_at
from ..answers import shown_weight
from ..terminal import Clock

_WIDE, _BARS = (5.2, 5.2), (5.2, 3.4)  # inches
_DOTS = 130  # per inch
_LARGE = 2_000_000  # entries; larger graphs get fewer rounds of search
_DIRECTED = "A directed graph. Sets and all that follow take every arc as an edge, without weights."


Titles = tuple[str, str, str]


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
    crc32: str
    checked: bool  # whether the verifier was run
    wrong: str | None  # the defect that the verifier found
    rows: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # for the JSON object


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

    def section(
        self, key: str, titles: Titles, code: str, pictures: list[Picture], answer: Any, predicate: Any, **more: Any
    ) -> Section:
        """Make a section on an answer for a graph, by default the one with edges, and verify the answer.

        `titles` are the title, the headline and the text; `code` is the last line of the program. `more` are the graph,
        and rows and facts of the section.
        """
        graph, crc32 = more.pop("graph", self.graph), sg.fingerprint(answer)
        wrong = sg.explain(predicate, graph, answer) if self.verify else None
        program = self._code(code, graph is self.whole)
        section = Section(key, *titles, program, pictures, crc32, self.verify, wrong, **more)
        section.facts["crc32"] = crc32
        return section

    def _code(self, line: str, whole: bool) -> tuple[str, ...]:
        """Return a program: the lines that read the graph, followed by this line."""
        options = dict(self.options)
        if self.whole.directed and not whole:
            options = {**options, "symmetrize": True, "weights": False}
            for name in ("directed", "weight"):
                options.pop(name, None)
        arguments = "".join(f", {name}={value!r}" for name, value in options.items())
        return ("import stablegraph as sg", f"graph = sg.read_graph({self.file!r}{arguments})", line)


def sections(subject: Subject, clock: Clock) -> Iterator[Section]:
    """Yield all sections, and record the time of each in the clock."""
    for name, section in _SECTIONS.items():
        with clock(name, name):
            yield section(subject)


def _contents(subject: Subject) -> Section:
    graph, n = subject.whole, subject.whole.num_vertices
    count, labels = sg.connected_components(graph)
    spread, kind = _degree_range(np.asarray(graph.degrees)), "arcs" if graph.directed else "edges"
    ordered = subject.graph.subgraph(reverse_cuthill_mckee(subject.graph, symmetric_mode=True))
    band = _bandwidth(graph)
    rows = {
        "vertices": f"{n:,}" + ("" if graph.nodes is None else " (with names)"),
        kind: f"{graph.num_edges:,}",
        "entries": f"{graph.num_entries:,}"
        + (f", {graph.facts.get('loops', 0):,} of them on the diagonal" if n else ""),
        "weights": _weights(graph),
        "symmetry": _symmetry(graph),
        "out-degrees" if graph.directed else "degrees": spread,
        "components": f"{count:,}{_largest(labels, n)}",
        "bandwidth": f"{band:,}; {_bandwidth(ordered):,} in the order of reverse Cuthill-McKee",
    }
    facts = {"components": count, "bandwidth": band, "symmetric": not graph.directed or graph.is_symmetric}
    if graph.directed:
        facts["strong_components"], strong = sg.strongly_connected_components(graph)
        rows["strong components"] = f"{facts['strong_components']:,}{_largest(strong, n)}"
    reordered, cells = "in the order of reverse Cuthill-McKee", _cells(n)
    alt, same = f"The matrix in the order of the file, bandwidth {band:,}.", "in which neighbors have near numbers."
    by_rcm = f"The matrix with its rows and columns {reordered}."
    pictures = [
        _picture(alt, cells, sg.plot.plot_matrix, graph),
        _picture(by_rcm, f"The same {reordered}, {same}", sg.plot.plot_matrix, ordered),
        _bars(f"Vertices of each degree: {spread}.", "Degrees.", sg.plot.plot_degrees, graph),
    ]
    connected = "connected" if count == 1 else f"{count:,} components"
    titles = "Contents", f"{_vertices(n)}, {graph.num_edges:,} {kind}, {connected}", _DIRECTED if graph.directed else ""
    code = "count, labels = sg.connected_components(graph)"
    predicate = sg.is_component_labeling
    return subject.section("contents", titles, code, pictures, labels, predicate, rows=rows, facts=facts, graph=graph)


def _maximal_set(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    mask = sg.maximal_independent_set(graph, seed=subject.seed)
    size = int(mask.sum())
    headline = f"{_vertices(size)}{_share(size, n)}"
    text = "No two of its vertices are adjacent, and every other vertex has a neighbor in it: it is maximal."
    alt, below = "Vertices of each degree, and how many of them are in the set.", "Members (red) among all vertices"
    pictures = [
        _drawing(subject, f"The graph with a set of {headline}.", "A set", sg.plot.plot_independent_set, mask),
        _bars(alt, f"{below} of each degree.", sg.plot.plot_degrees, graph, mask),
    ]
    code = f"mask = sg.maximal_independent_set(graph{subject.seed_argument})"
    titles, predicate = ("An independent set", headline, text), sg.is_maximal_independent_set
    return subject.section("maximal_set", titles, code, pictures, mask, predicate, facts={"size": size})


def _large_set(subject: Subject) -> Section:
    rounds = 100 if subject.graph.num_entries <= _LARGE else 10
    best = sg.large_independent_set(subject.graph, rounds=rounds, seed=subject.seed)
    size, bound = best.size, best.upper_bound
    gap = f"{bound - size:,}, " + (f"{(bound - size) / size:.2%} of its size" if size else "none")
    alt = f"The graph with a set of {_vertices(size)}, out of at most {bound:,}."
    titles = (
        "A large set, and how large one can be",
        f"{_vertices(size)}; " + ("a maximum set" if best.optimal else f"at most {bound:,}"),
        "Found by exact reductions and local search; the bound is proved.",
    )
    rows = {
        "size": f"{size:,}",
        "upper bound": f"{bound:,}: no independent set has more vertices",
        "gap": "none: no set is larger" if best.optimal else gap,
        "rounds of search": f"{best.rounds:,}",
    }
    pictures = [_drawing(subject, alt, "A set", sg.plot.plot_independent_set, best.mask)]
    code = f"mask = sg.large_independent_set(graph, rounds={rounds}{subject.seed_argument}).mask"
    facts, predicate = {"size": size, "upper_bound": bound}, sg.is_maximal_independent_set
    return subject.section("large_set", titles, code, pictures, best.mask, predicate, rows=rows, facts=facts)


def _coloring(subject: Subject) -> Section:
    graph = subject.graph
    colors = sg.vertex_coloring(graph, seed=subject.seed)
    count, (low, high) = int(colors.max(initial=-1)) + 1, sg.color_bounds(graph)
    fewer = option_for_fewer(count, low, high)
    hint = {"to try": f'{fewer[0]}="{fewer[1]}": {fewer[2]}'} if fewer else {}
    sizes = _sizes(colors)
    alt, below = f"The graph in {count:,} colors.", "Vertices of each color."
    spread = f"How many vertices have each color: {sizes.min():,} to {sizes.max():,}."
    titles = (
        "A coloring",
        f"{count:,} colors; " + ("no coloring has fewer" if count == low else f"at least {low:,} are needed"),
        "Adjacent vertices have different colors.",
    )
    pictures = [
        _drawing(subject, alt, "Colors", sg.plot.plot_coloring, colors, sg.plot.plot_color_matrix),
        _bars(spread, below, sg.plot.plot_color_sizes, colors),
    ]
    rows = {"colors": f"{count:,}", "bounds": f"{low:,} to {high:,}", **hint}
    code = f"colors = sg.vertex_coloring(graph{subject.seed_argument})"
    facts, predicate = {"colors": count, "bounds": [low, high]}, sg.is_proper_coloring
    return subject.section("coloring", titles, code, pictures, colors, predicate, rows=rows, facts=facts)


def _communities(subject: Subject) -> Section:
    graph = sg.as_graph(subject.graph, weights=False)
    count, labels = sg.communities(graph, seed=subject.seed)
    value, sizes = sg.modularity(graph, labels), _sizes(labels)
    headline = f"{counted(count, 'community', 'communities')}, modularity {value:.3f}"
    text = "Groups of vertices with many edges inside and few between them, by the method of Leiden, without weights."
    alt, below = f"The graph with {headline}.", "Vertices of each community."
    spread = f"The sizes of the communities: {sizes.min():,} to {sizes.max():,}."
    pictures = [
        _drawing(subject, alt, "Communities", sg.plot.plot_communities, labels, sg.plot.plot_color_matrix),
        _bars(spread, below, sg.plot.plot_community_sizes, labels),
    ]
    rows = {"communities": f"{count:,}", "modularity": f"{value:.4f}", "largest": _vertices(int(sizes.max()))}
    code = f"count, labels = sg.communities(sg.as_graph(graph, weights=False){subject.seed_argument})"
    titles, facts = ("Communities", headline, text), {"communities": count, "modularity": value}
    predicate = sg.is_community_labeling
    return subject.section(
        "communities", titles, code, pictures, labels, predicate, rows=rows, facts=facts, graph=graph
    )


def _forest(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    forest = sg.minimum_spanning_forest(graph)
    trees, weight = n - forest.nnz, sg.total_weight(forest)
    total = "" if graph.weights is None else f", weight {shown_weight(weight)}"
    headline = f"{forest.nnz:,} edges, {counted(trees, 'tree', 'trees')}{total}"
    text = "The edges of least weight that connect each component." if total else "Every edge weighs 1."
    positions, why_not = subject.positions
    if positions is None:
        alt = "How many edges of the forest vertices have."
        below = f"Vertices by their number of edges in the forest, as {why_not}."
        picture = _bars(alt, below, sg.plot.plot_degrees, sg.as_graph(forest, weights=False))
    else:
        alt, below = f"The graph with the edges of the forest dark: {headline}.", "Edges of the forest are dark."
        picture = _drawn(alt, below, sg.plot.plot_forest, graph, forest, positions)
    code, titles = "forest = sg.minimum_spanning_forest(graph)", ("A minimum spanning forest", headline, text)
    facts, predicate = {"forest_edges": forest.nnz, "trees": trees, "weight": weight}, sg.is_minimum_spanning_forest
    return subject.section("forest", titles, code, [picture], forest, predicate, facts=facts)


def _aggregates(subject: Subject) -> Section:
    graph, n = subject.graph, subject.graph.num_vertices
    count, labels = sg.aggregate(graph)
    sizes = _sizes(labels)
    spread = f"{sizes.min():,} to {sizes.max():,} vertices, {n / max(count, 1):.2f} on average"
    alt, below = f"Aggregates of each size: {spread}.", "Aggregates of each size."
    pictures = [_bars(alt, below, sg.plot.plot_aggregate_sizes, labels)]
    positions, _ = subject.positions
    if positions is not None:
        alt = f"The graph with {count:,} aggregates as patches."
        pictures.insert(0, _drawn(alt, "Aggregates are patches.", sg.plot.plot_aggregates, graph, labels, positions))
    text = "Small groups of neighbors: the unknowns of a coarser level in multigrid."
    code, titles = "count, labels = sg.aggregate(graph)", ("Aggregates", f"{count:,} aggregates of {spread}", text)
    facts = {"aggregates": count}
    return subject.section("aggregates", titles, code, pictures, labels, sg.is_aggregation, facts=facts)


_SECTIONS: dict[str, Callable[[Subject], Section]] = {
    "contents": _contents,
    "set": _maximal_set,
    "large set": _large_set,
    "coloring": _coloring,
    "communities": _communities,
    "forest": _forest,
    "aggregates": _aggregates,
}


# Pictures: each function takes the description, the caption, and the function that draws, with its arguments.


def _drawing(subject: Subject, alt: str, what: str, draw: Any, answer: Any, matrix: Any = None) -> Picture:
    """Draw the graph with an answer, or its matrix if a drawing would not be legible."""
    positions, why_not = subject.positions
    if positions is not None:
        return _drawn(alt, f"{what}.", draw, subject.graph, answer, positions)
    below = f"{what}, in the matrix: {why_not}. {_cells(subject.graph.num_vertices)}"
    return _picture(f"{alt} It is shown as a matrix.", below, matrix or sg.plot.plot_matrix, subject.graph, answer)


def _drawn(alt: str, below: str, draw: Any, graph: sg.Graph, answer: Any, positions: Any) -> Picture:
    """Draw the graph, with the height of the picture adapted to its shape."""
    wide, high = np.ptp(positions, axis=0) if len(positions) else (1, 1)
    size = (_WIDE[0], _WIDE[0] * float(np.clip(high / max(wide, 1e-9), 0.35, 1.2)))
    return _picture(alt, below, draw, graph, answer, positions, size=size)


def _bars(alt: str, below: str, draw: Any, *arguments: Any) -> Picture:
    return _picture(alt, below, draw, *arguments, size=_BARS)


def _picture(alt: str, below: str, draw: Any, *arguments: Any, size: tuple[float, float] = _WIDE) -> Picture:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=_DOTS, facecolor=Ink.PAPER, layout="constrained")
    draw(*arguments, ax=figure.add_subplot())
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return Picture(file.getvalue(), alt, below)


def _cells(n: int) -> str:
    """Return a sentence: the part of the matrix that one dot of the pictures represents."""
    side = max(1, round(n / 300))
    if side == 1:
        return "Each dot is an entry of the matrix."
    return f"Each dot represents {side:,} x {side:,} entries of the matrix; darker means more of them."


# Facts


def _bandwidth(graph: sg.Graph) -> int:
    """Return the largest distance of an entry from the diagonal."""
    widest = 0
    for rows, columns in entry_blocks(graph):
        widest = max(widest, int(np.abs(rows.astype(np.int64) - columns).max(initial=0)))
    return widest


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


def _sizes(labels: Any) -> Any:
    return np.bincount(labels) if len(labels) else np.zeros(1, np.int64)


def _degree_range(degrees: Any) -> str:
    if not degrees.size:
        return "none"
    return f"{degrees.min():,} to {degrees.max():,}, mean {degrees.mean():.3g}, median {np.median(degrees):g}"


def _largest(labels: Any, n: int) -> str:
    return f", the largest with {np.bincount(labels).max():,} vertices" if n else ""


def _vertices(count: int) -> str:
    return counted(count, "vertex", "vertices")


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.1%})" if whole else ""
