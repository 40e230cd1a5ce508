"""Graphs as plain data, and the programs that hand them in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class Given:
    """A graph: its edges (arcs, if it is directed) in any order, loops and repetitions among them; and a form."""

    n: int
    edges: Edges
    weights: list[Any] | None = None
    directed: bool = False
    form: str = "csr"
    reverse: bool = False  # every row from right to left

    def entries(self) -> tuple[list[int], list[int], list[Any]]:
        """Rows, columns and weights, row by row: an undirected edge is two entries, a loop one."""
        weights = [1] * len(self.edges) if self.weights is None else self.weights
        found = [(u, v, w) for (u, v), w in zip(self.edges, weights, strict=True)]
        if not self.directed:
            found += [(v, u, w) for u, v, w in found if u != v]
        found.sort(key=lambda entry: (entry[0], -entry[1] if self.reverse else entry[1]))
        return [e[0] for e in found], [e[1] for e in found], [e[2] for e in found]

    def plain(self) -> SimpleNamespace:
        """What the oracles read: the arrays of a Graph."""
        rows, columns, weights = self.entries()
        indptr = np.concatenate([[0], np.cumsum(np.bincount(np.array(rows, int), minlength=self.n))])
        return SimpleNamespace(
            indptr=indptr.astype(int),
            indices=np.array(columns, int),
            weights=None if self.weights is None else np.array(weights),
            num_vertices=self.n,
            num_entries=len(rows),
            directed=self.directed,
        )

    @property
    def has_repetitions(self) -> bool:
        rows, columns, _ = self.entries()
        return len(set(zip(rows, columns, strict=True))) < len(rows)

    def without_vertices(self, gone: set[int]) -> Given:
        """The graph on the other vertices, which are numbered anew."""
        number = {v: i for i, v in enumerate(v for v in range(self.n) if v not in gone)}
        kept = [e for e, (u, v) in enumerate(self.edges) if u in number and v in number]
        edges = [(number[self.edges[e][0]], number[self.edges[e][1]]) for e in kept]
        weights = None if self.weights is None else [self.weights[e] for e in kept]
        return replace(self, n=len(number), edges=edges, weights=weights)

    def without_edges(self, gone: set[int]) -> Given:
        kept = [e for e in range(len(self.edges)) if e not in gone]
        weights = None if self.weights is None else [self.weights[e] for e in kept]
        return replace(self, edges=[self.edges[e] for e in kept], weights=weights)

    def code(self) -> str:
        """The program that makes `graph`."""
        plain, (rows, columns, weights) = self.plain(), self.entries()
        n, directed = self.n, "directed=True" if self.directed else ""
        values = _array(weights) if self.weights is not None else f"np.ones({len(rows)})"
        wide = "np.int64" if self.form == "csr64" else "np.int32"
        indptr, indices = f"np.array({plain.indptr.tolist()}, {wide})", f"np.array({columns}, {wide})"
        csr = f"sp.csr_array(({values}, {indices}, {indptr}), shape=({n}, {n}))"
        more = "" if self.weights is None else f", {values}"
        match self.form:
            case "csr":
                return f"graph = {csr}"
            case "csr64":
                lines = f"graph = sp.csr_array(({n}, {n}))\n"
                return lines + f"graph.data, graph.indices, graph.indptr = {values}, {indices}, {indptr}"
            case "spmatrix":
                return f"graph = sp.csr_matrix({csr})"
            case "coo" | "csc" | "lil" | "dok":
                return f"graph = {csr}.to{self.form}()"
            case "bsr":
                return f"graph = {csr}.tobsr((1, 1))"  # zeros that fill larger blocks would be entries
            case "dense":
                return f"graph = {csr}.toarray()"
            case "arrays":
                return f"graph = ({indptr}, {indices}{more})"
            case "narrow":
                return f"graph = ({indptr}.astype(np.int16), {indices}.astype(np.uint8){more})"
            case "strided":
                return f"graph = (np.repeat({indptr}, 2)[::2], np.repeat({indices}, 3)[::3]{more})"
            case "read-only":
                lines = "for array in (graph.data, graph.indices, graph.indptr):\n    array.setflags(write=False)"
                return f"graph = {csr}\n{lines}"
            case "networkx":
                kind = "DiGraph" if self.directed else "Graph"
                both = zip(self.edges, self.weights or [], strict=bool(self.weights))
                edges = self.edges if self.weights is None else [(u, v, w) for (u, v), w in both]
                add = "add_edges_from" if self.weights is None else "add_weighted_edges_from"
                return f"graph = nx.{kind}()\ngraph.add_nodes_from(range({n}))\ngraph.{add}({edges})"
            case "edges":
                return f"graph = sg.from_edges({rows}, {columns}{more}, n={n}{directed and ', ' + directed})"
            case "symmetrized":
                u, v = [u for u, _ in self.edges], [v for _, v in self.edges]
                more = "" if self.weights is None else f", {_array(self.weights)}"
                return f"graph = sg.from_edges({u}, {v}{more}, n={n}, symmetrize=True)"
        return f"graph = sg.as_graph({csr}{directed and ', ' + directed})"


def _array(values: list[Any]) -> str:
    text = ", ".join("np.inf" if value == np.inf else repr(value) for value in values)
    return f"np.array([{text}])" if values else "np.array([], int)"


KEEPS_ALL = ("csr", "csr64", "spmatrix", "arrays", "narrow", "strided", "read-only", "graph")
DROPS_REPETITIONS = ("coo", "csc", "lil", "dok", "bsr", "networkx", "edges")


def draw_form(random: Random, given: Given) -> Given:
    """The same in another form, one that can hold it."""
    forms = list(KEEPS_ALL)
    if not given.has_repetitions:
        forms += DROPS_REPETITIONS
        if given.weights is None or all(given.weights):
            forms.append("dense")
        if not given.directed:
            forms.append("symmetrized")
    return replace(given, form=random.choice(forms), reverse=random.random() < 0.2)


def draw_edges(random: Random, largest: int) -> tuple[int, Edges]:
    """Of many kinds, small."""
    n = random.randint(0, largest) if random.random() < 0.9 else random.randint(0, 3)
    kind = random.choice(
        ["random", "random", "sparse", "star", "path", "cycle", "clique", "grid", "bipartite", "tree", "hubs"]
    )
    if random.random() < 0.01:  # sets of 64 colors are full
        n, kind = random.randint(62, 68), "clique"
    pairs = [(u, v) for v in range(n) for u in range(v)]
    match kind:
        case "random":
            density = random.random() ** 2
            edges = [pair for pair in pairs if random.random() < density]
        case "sparse":
            edges = random.sample(pairs, min(len(pairs), random.randint(0, n)))
        case "star":
            edges = [(0, v) for v in range(1, n)]
        case "path" | "cycle":
            edges = [(v, v + 1) for v in range(n - 1)] + ([(n - 1, 0)] if kind == "cycle" and n > 2 else [])
        case "clique":
            edges = pairs
        case "grid":
            width = random.randint(1, 5)
            edges = [(v, v + 1) for v in range(n - 1) if (v + 1) % width] + [(v, v + width) for v in range(n - width)]
        case "bipartite":
            side = random.randint(0, n)
            edges = [(u, v) for u in range(side) for v in range(side, n) if random.random() < 0.6]
        case "tree":
            edges = [(random.randrange(v), v) for v in range(1, n)]
        case _:
            hubs = min(n, 2)
            edges = [(u, v) for u, v in pairs if u < hubs and random.random() < 0.8] + random.sample(
                pairs, min(len(pairs), 3)
            )
    names = list(range(n))
    if random.random() < 0.6:
        random.shuffle(names)
    edges = [(names[u], names[v]) if random.random() < 0.5 else (names[v], names[u]) for u, v in edges]
    if n and random.random() < 0.25:
        edges += [(v, v) for v in random.sample(range(n), random.randint(1, n))]
    if edges and random.random() < 0.2:
        edges += [random.choice(edges) for _ in range(random.randint(1, 4))]
    if n < largest and random.random() < 0.3:  # alone at the end
        n += random.randint(1, largest - n)
    random.shuffle(edges)
    return n, edges


def draw_weights(random: Random, count: int) -> list[Any]:
    kind = random.choice(["ties", "negative", "apart", "floats", "large"])
    match kind:
        case "ties":
            return [random.randint(1, 3) for _ in range(count)]
        case "negative":
            return [random.randint(-4, 4) for _ in range(count)]
        case "apart":
            return [random.randint(-(10**6), 10**6) for _ in range(count)]
        case "floats":
            return [random.choice([0.0, 0.5, -1.25, 1e-300, 1e300, random.uniform(-2, 2)]) for _ in range(count)]
    return [random.choice([2**62, 2**53 + 1, 2**53, -(2**62), 7]) for _ in range(count)]


def draw_given(random: Random, *, directed: bool = False, weights: bool = False, largest: int = 14) -> Given:
    """A graph in some form: of repeated edges the weights are equal."""
    n, edges = draw_edges(random, largest)
    if directed and random.random() < 0.5:
        edges += [(v, u) for u, v in edges if random.random() < 0.3]
    drawn = None
    if weights:
        of_edge: dict[tuple[int, int], Any] = {}
        for (u, v), weight in zip(edges, draw_weights(random, len(edges)), strict=True):
            of_edge.setdefault((u, v) if directed else (min(u, v), max(u, v)), weight)
        drawn = [of_edge[(u, v) if directed else (min(u, v), max(u, v))] for u, v in edges]
    return draw_form(random, Given(n, edges, drawn, directed))
