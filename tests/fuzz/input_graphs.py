"""Graphs as plain data, and the programs that pass them to stablegraph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class InputGraph:
    """A graph: its edges (arcs, if it is directed) in any order, including loops and repetitions; and a form."""

    n: int
    edges: Edges
    weights: list[Any] | None = None
    directed: bool = False
    form: str = "csr"
    reverse: bool = False  # store every row in descending order
    dtype: str | None = None  # of the weights, if it is not NumPy's default for Python numbers

    def entries(self) -> tuple[list[int], list[int], list[Any]]:
        """Return rows, columns and weights, row by row: an undirected edge is two entries, a loop one."""
        weights = [1] * len(self.edges) if self.weights is None else self.weights
        result = [(u, v, w) for (u, v), w in zip(self.edges, weights, strict=True)]
        if not self.directed:
            result += [(v, u, w) for u, v, w in result if u != v]
        result.sort(key=lambda entry: (entry[0], -entry[1] if self.reverse else entry[1]))
        return [e[0] for e in result], [e[1] for e in result], [e[2] for e in result]

    def plain(self) -> SimpleNamespace:
        """Return the arrays of a Graph, as read by the oracles."""
        rows, columns, weights = self.entries()
        indptr = np.concatenate([[0], np.cumsum(np.bincount(np.array(rows, int), minlength=self.n))])
        return SimpleNamespace(
            indptr=indptr.astype(int),
            indices=np.array(columns, int),
            weights=None if self.weights is None else np.array(weights, self.dtype),
            num_vertices=self.n,
            num_entries=len(rows),
            directed=self.directed,
        )

    @property
    def has_repetitions(self) -> bool:
        rows, columns, _ = self.entries()
        return len(set(zip(rows, columns, strict=True))) < len(rows)

    def without_vertices(self, removed: set[int]) -> InputGraph:
        """Return the graph on the remaining vertices, renumbered."""
        number = {v: i for i, v in enumerate(v for v in range(self.n) if v not in removed)}
        kept = [e for e, (u, v) in enumerate(self.edges) if u in number and v in number]
        edges = [(number[self.edges[e][0]], number[self.edges[e][1]]) for e in kept]
        weights = None if self.weights is None else [self.weights[e] for e in kept]
        return replace(self, n=len(number), edges=edges, weights=weights)

    def without_edges(self, removed: set[int]) -> InputGraph:
        kept = [e for e in range(len(self.edges)) if e not in removed]
        weights = None if self.weights is None else [self.weights[e] for e in kept]
        return replace(self, edges=[self.edges[e] for e in kept], weights=weights)

    def code(self) -> str:
        """Return the program that makes `graph`."""
        plain, (rows, columns, weights) = self.plain(), self.entries()
        n, directed = self.n, "directed=True" if self.directed else ""
        values = _array(weights, self.dtype) if self.weights is not None else f"np.ones({len(rows)})"
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
            case "lists":
                return f"graph = {csr}.toarray().tolist()"
            case "dia":
                return f"graph = {csr}.todia()"
            case "npz":
                write = f"sg.write_graph(file, sg.as_graph({csr}{directed and ', ' + directed}), format='npz')"
                return f"file = io.BytesIO()\n{write}\ngraph = sg.read_graph(io.BytesIO(file.getvalue()))"
            case "arrays":
                return f"graph = ({indptr}, {indices}{more})"
            case "narrow":
                largest = "uint8" if n <= 256 else "uint16"
                return f"graph = ({indptr}.astype(np.int16), {indices}.astype(np.{largest}){more})"
            case "strided":
                return f"graph = (np.repeat({indptr}, 2)[::2], np.repeat({indices}, 3)[::3]{more})"
            case "read-only":
                lines = "for array in (graph.data, graph.indices, graph.indptr):\n    array.setflags(write=False)"
                return f"graph = {csr}\n{lines}"
            case "networkx" | "multigraph":
                kind = ("Multi" if self.form == "multigraph" else "") + ("DiGraph" if self.directed else "Graph")
                both = zip(self.edges, self.weights or [], strict=bool(self.weights))
                edges = self.edges if self.weights is None else [(u, v, w) for (u, v), w in both]
                add = "add_edges_from" if self.weights is None else "add_weighted_edges_from"
                return f"graph = nx.{kind}()\ngraph.add_nodes_from(range({n}))\ngraph.{add}({edges})"
            case "edges":
                return f"graph = sg.from_edges({rows}, {columns}{more}, n={n}{directed and ', ' + directed})"
            case "symmetrized":
                u, v = [u for u, _ in self.edges], [v for _, v in self.edges]
                more = "" if self.weights is None else f", {_array(self.weights, self.dtype)}"
                return f"graph = sg.from_edges({u}, {v}{more}, n={n}, symmetrize=True)"
            case "wide":
                result = f"sg.as_graph({csr}{directed and ', ' + directed})"
                return f"graph = {result}._with_dtypes(np.int64, np.int32)"
        return f"graph = sg.as_graph({csr}{directed and ', ' + directed})"


def _array(values: list[Any], dtype: str | None) -> str:
    text = ", ".join("np.inf" if value == np.inf else repr(value) for value in values)
    if dtype is not None:
        return f"np.array([{text}], np.{dtype})"
    return f"np.array([{text}])" if values else "np.array([], int)"


KEEPS_ALL = ("csr", "csr64", "spmatrix", "arrays", "narrow", "strided", "read-only", "graph", "wide", "npz")
DROPS_REPETITIONS = ("coo", "csc", "lil", "dok", "bsr", "networkx", "edges")


def draw_form(random: Random, input_graph: InputGraph) -> InputGraph:
    """Draw another form of the same graph, one that can store it."""
    forms = list(KEEPS_ALL)
    if input_graph.dtype is None:
        forms.append("multigraph")
    if input_graph.dtype is None and not input_graph.has_repetitions:
        forms += DROPS_REPETITIONS
        if input_graph.weights is None or all(input_graph.weights):
            forms += ["dense", "dia", *(["lists"] if input_graph.n else [])]
        if not input_graph.directed:
            forms.append("symmetrized")
    return replace(input_graph, form=random.choice(forms), reverse=random.random() < 0.2)
