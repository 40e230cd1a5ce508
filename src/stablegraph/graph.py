"""Graph: a graph in CSR form and the facts known about it.

Properties of every Graph, which all kernels rely on: `indptr` starts at 0, is non-decreasing and ends at the number of
entries; every index is a vertex; the arrays are contiguous, aligned, read-only and in native byte order; their dtypes
are one of the three pairs (int32, int32), (int64, int32), (int64, int64); and an undirected graph has a symmetric
pattern. conversion.py checks this once, in one parallel pass over the entries (_core/csr/facts.py). Loops and repeated
entries are valid: every algorithm ignores them, so that a matrix need not be rebuilt to drop its diagonal.

Names with one underscore are internal to the package. Other modules use `_trusted` (wrap arrays that are known to have
these properties), `_replace` (copy the graph with changes), `_with_dtypes`, `_with_sorted_rows`, `_rows`, `_remember`
and `_known_transpose`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import scipy

from ._core.csr.arrays import ARRAYS, StoredGraph, on_host, read_only
from ._core.csr.build import build_rows, rows_of, transposed_rows
from ._core.csr.facts import Scan, distinct_degrees, first_without_partner, scan_facts
from ._core.csr.induced import induced_rows
from ._core.representation import described, networkx_graph, one_line, tensors_of
from ._core.runtime.arrays import differences
from ._core.runtime.device import empty_array, gpu_module
from ._core.texts import facts_as_html
from ._core.unknown_options import suggests_options
from ._core.validation import one_device, vertices_on
from ._core.vertex_names import OwnNumbers, find, names_of, numbers_by_name


class Graph(StoredGraph):
    """An immutable graph in compressed sparse row (CSR) form, constructed by `as_graph` or `from_edges`.

    Attributes
    ----------
    indptr : array (n + 1,), int32 or int64
        Row u is ``indices[indptr[u]:indptr[u + 1]]``. int32 if the number of entries fits.
    indices : array (entries,), int32 or int64
        The other end of each entry. int32 if the number of vertices fits.
    weights : array (entries,) or None
        One number per entry, with the user's dtype where kernels support it.
    directed : bool
        An undirected graph stores each edge twice: its pattern is symmetric.
    nodes : sequence or None
        ``nodes[v]`` is the user's name of vertex v, if vertices have names. Error messages about entries and the
        explanations of verifiers use these names, and `index` converts names to numbers. Results contain numbers.
    device : {"cpu", "cuda"}
        Where the arrays are stored.
    xp : module
        The module of the arrays, NumPy or CuPy.
    num_vertices : int
        The number of vertices, n.
    num_entries : int
        The number of stored entries; an undirected edge is stored twice.

    Notes
    -----
    All arrays are read-only views. The arrays passed to `as_graph` must not be changed while the Graph exists; `check`
    detects such changes. Facts are computed on first use and cached. ``len(graph)`` is the number of vertices. Two
    Graphs are equal if all their arrays, names and directions are equal, entry by entry; facts are not compared.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2], [1, 2, 0], symmetrize=True)
    >>> graph
    <Graph: 3 vertices, 3 edges, undirected, degrees 2 to 2, unweighted, cpu, 40 bytes>
    >>> graph.degrees
    array([2, 2, 2], dtype=int32)
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.to("cpu")._contents(), self.device)

    def _scanned(self) -> Scan:
        scan: Scan = self._scan or self._keep("_scan", scan_facts(self.indptr, self.indices, self.device))
        return scan

    def _remember(self, **facts: Any) -> None:
        """Add known facts."""
        self._facts.update(facts)

    @property
    def facts(self) -> MappingProxyType[str, Any]:
        """The facts that are known so far, as a read-only mapping.

        ``symmetric``, ``sorted`` (every row is ascending), ``loops`` (entries on the diagonal), ``duplicates`` (entries
        that repeat another one), ``longest_row``, ``max_degree``, and the changes that construction made:
        ``symmetrized``, ``loops_dropped``, ``duplicates_dropped`` (entries). `symmetric`, `duplicates` and `max_degree`
        are missing if they would take more work than the single pass over the entries that every graph gets.
        """
        known = self._scanned().facts()
        if not self.directed:
            known["symmetric"] = True
        offset = self._simple_degree_offset()
        if offset is not None:
            known["max_degree"] = max(0, known["longest_row"] - offset)
        elif self._degrees is not None:
            known["max_degree"] = int(self._degrees.max())
        return MappingProxyType(known | self._facts)

    @property
    def num_edges(self) -> int:
        """The number of distinct edges without loops; for a directed graph, of distinct arcs."""
        if self._is_simple():
            arcs = self.num_entries
        elif self.is_sorted:
            arcs = self.num_entries - self._scanned().repeats - self._scanned().loop_rows
        else:
            arcs = int(self.degrees.sum(dtype="int64"))
        return arcs if self.directed else arcs // 2

    def _is_simple(self) -> bool:
        """Return whether there are no loops and duplicates because construction dropped them."""
        return self._facts.get("loops") == self._facts.get("duplicates") == 0

    @property
    def has_loops(self) -> bool:
        """Whether a vertex is joined to itself."""
        return self._scanned().loops > 0

    @property
    def has_duplicates(self) -> bool:
        """Whether an entry is stored more than once. Unsorted rows are sorted once to find duplicates."""
        if "duplicates" not in self.facts:
            self.degrees  # noqa: B018 - counts the duplicates
        return bool(self.facts["duplicates"])

    @property
    def is_sorted(self) -> bool:
        """Whether the indices of every row are ascending."""
        return self._scanned().descents == 0

    @property
    def is_symmetric(self) -> bool:
        """Whether (v, u) is stored wherever (u, v) is."""
        if "symmetric" not in self.facts:
            self._remember(symmetric=self._first_without_partner() is None)
        return bool(self.facts["symmetric"])

    def _simple_degree_offset(self) -> int | None:
        """Return the c for which every vertex has exactly (length of its row) - c distinct neighbors, if there is one.

        0 without loops and duplicates, 1 if every row has exactly one loop and there are no duplicates. None otherwise,
        and also if rows are unsorted and duplicates are not yet counted; `degrees` counts them.
        """
        known = self._facts.get("duplicates")
        return 0 if self._is_simple() else self._scanned().simple_degree_offset(self.num_vertices, known)

    @property
    def degrees(self) -> Any:
        """The number of distinct neighbors of every vertex, without loops; for a directed graph, of out-neighbors.

        Returns
        -------
        array (n,), int32 or int64
            Read-only, of the dtype of `indptr`.

        Notes
        -----
        Computed once. O(n) without loops and duplicates, otherwise one pass over the entries; unsorted rows are sorted
        in work memory of about 12 bytes per entry.

        Examples
        --------
        >>> import stablegraph as sg
        >>> sg.from_edges([0, 0, 1, 2], [1, 2, 1, 3], symmetrize=True).degrees
        array([2, 1, 2, 1], dtype=int32)
        """
        if self._degrees is None:
            offset = self._simple_degree_offset()
            if offset is not None:
                degrees = differences(self.indptr, offset)
            else:
                rows = None if self.is_sorted else self._rows()
                degrees, duplicates = distinct_degrees(self.indptr, self.indices, rows)
                if rows is not None:
                    self._remember(duplicates=duplicates)
            self._keep("_degrees", read_only(degrees))
        return self._degrees

    @suggests_options
    def index(self, names: Any) -> Any:
        """Return the numbers of the vertices with these names: the inverse of `nodes`.

        Parameters
        ----------
        names : hashable, or sequence of them
            One name out of `nodes`, or several in any container. If `nodes` is None, the name of each vertex is its
            number, so a table with ids 0 .. n - 1 needs no special case.

        Returns
        -------
        int or int64 array
            The number of the vertex, or an array of numbers in the order of the names.

        Raises
        ------
        ValueError, TypeError
            If a name belongs to no vertex or to more than one, or the names are in a dict.

        Examples
        --------
        >>> import stablegraph as sg
        >>> graph = sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True)
        >>> graph.index("Cy"), graph.index(["Bob", "Ann"])
        (2, array([1, 0]))
        """
        return find(names, self._numbers_by_name())

    def _numbers_by_name(self) -> Any:
        """Return the number of each name; it is computed once."""
        if self.nodes is None:
            return OwnNumbers(self.num_vertices)
        return self._numbers or self._keep("_numbers", numbers_by_name(self.nodes))

    def _rows(self) -> Any:
        """Return the row of every entry."""
        return rows_of(self.indptr, self.num_entries, self.indices.dtype)

    def _first_without_partner(self) -> tuple[int, int] | None:
        """Return the first entry (u, v) for which (v, u) is not stored, or None."""
        rows = None if self.is_sorted else self._rows()
        return first_without_partner(self.indptr, self.indices, rows)

    # Operations

    @suggests_options
    def transpose(self) -> Graph:
        """Return the graph with every arc reversed; an undirected graph is its own transpose.

        Returns
        -------
        Graph
            With sorted rows and all entries. It is cached, so that the second call costs nothing.

        Examples
        --------
        >>> import stablegraph as sg
        >>> sg.from_edges([0, 0], [1, 2], directed=True).transpose().indptr
        array([0, 0, 1, 2], dtype=int32)
        """
        if not self.directed:
            return self
        if self._known_transpose is not None:
            return self._known_transpose
        arrays = transposed_rows(self.indptr, self.indices, self.weights, self._rows())
        result = Graph._trusted(*arrays, directed=True, nodes=self.nodes)
        result._keep("_known_transpose", self)
        self._keep("_known_transpose", result)
        return result

    @suggests_options
    def subgraph(self, vertices: Any) -> Graph:
        """Return the subgraph of the given vertices, with all entries between them.

        Parameters
        ----------
        vertices : bool array (n,), integer array, or names
            A mask, or distinct vertices by number or by name; they define the order of the vertices in the result.

        Returns
        -------
        Graph
            Its vertex i is ``numpy.flatnonzero(mask)[i]``, or ``vertices[i]``, of this graph. Names and weights are
            kept.

        Raises
        ------
        ValueError
            For a mask of another length, a vertex out of range, an unknown name, or a repeated vertex.
        TypeError
            If the vertices are neither integers, nor a mask, nor names.

        Examples
        --------
        >>> import stablegraph as sg
        >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
        >>> path.subgraph([3, 2]).num_edges
        1
        """
        chosen = vertices_on(self, vertices, "vertices")
        indptr, indices, origins = induced_rows(chosen, self.indptr[:-1], self.indptr[1:], self.indices, origins=True)
        return Graph._trusted(
            indptr,
            indices,
            None if self.weights is None else self.weights[origins],
            directed=self.directed,
            nodes=None if self.nodes is None else names_of(on_host(chosen), self.nodes),
        )

    @suggests_options
    def simple(self) -> Graph:
        """Return the same vertices and edges without loops, repeated entries and weights.

        Returns
        -------
        Graph
            This graph, if it has none of these. The rows are sorted if loops or repeated entries were removed.
        """
        if not (self.has_loops or self.has_duplicates):
            return self if self.weights is None else self._replace(weights=None)
        return self._with_sorted_rows(drop_loops=True)

    def _with_sorted_rows(self, *, drop_loops: bool = False) -> Graph:
        """Return the same entries in sorted rows, without repeated ones and weights."""
        rows = build_rows(self._rows(), self.indices, self.num_vertices, drop_loops=drop_loops)
        return Graph._trusted(rows.indptr, rows.indices, directed=self.directed, nodes=self.nodes)

    @suggests_options
    def check(self) -> None:
        """Check that the arrays have not been changed since the Graph was made.

        Raises
        ------
        ValueError
            If they have been changed. (A 64-bit sum over all entries is compared; weights are not checked.)

        Examples
        --------
        >>> import numpy as np, scipy.sparse, stablegraph as sg
        >>> matrix = scipy.sparse.csr_array(np.array([[0, 1], [1, 0]]))
        >>> graph = sg.as_graph(matrix)
        >>> graph.check()
        >>> matrix.indices[0] = 0
        >>> graph.check()
        Traceback (most recent call last):
        ...
        ValueError: the arrays of this Graph were changed after it was made; make a new one with as_graph
        """
        if scan_facts(self.indptr, self.indices, self.device) != self._scanned():
            raise ValueError("the arrays of this Graph were changed after it was made; make a new one with as_graph")

    @suggests_options
    def to(self, device: str | Sequence[int]) -> Graph:
        """Return the same graph on another device; this graph itself, if it already is on that device.

        Parameters
        ----------
        device : str or sequence of int
            "cpu" (NumPy arrays), "cuda" (CuPy arrays on the current GPU), or several GPUs of this machine:
            "cuda:0,1,2", "cuda:all", or a list of their numbers. The rows are then split over these GPUs: as few of
            them as have room for twice the graph, perhaps one, or otherwise as many as can hold it. `device` of the
            result names the GPUs that have a part of it.

        Returns
        -------
        Graph
            On several GPUs it has no arrays of its own, and only some functions support it (docs/gpu.md lists them).

        Raises
        ------
        ValueError
            If the device is unknown, or a GPU does not exist or is named twice.
        RuntimeError
            If there is no GPU, or CuPy is not installed.
        MemoryError
            If the GPUs have too little memory; the message says how many suffice.
        """
        known = one_device(device)
        if known is None:
            on_cards = importlib.import_module(f"{__package__}.spread_graph").on_cards  # a class of its own
            return cast(Graph, on_cards(self, device))
        return self if known == self.device else self._moved(known)

    def _moved(self, device: str) -> Graph:
        """Return the same graph on another device, in one array each."""
        move = on_host if device == "cpu" else gpu_module().asarray
        return self._replace(**{name: None if (a := getattr(self, name)) is None else move(a) for name in ARRAYS})

    def _no_vertices(self) -> Any:
        """Return an empty array of vertices."""
        return empty_array(self.device, self.indices.dtype)

    @suggests_options
    def to_scipy(self) -> Any:
        """Return the adjacency matrix: a CSR array on the same read-only arrays; its values are 1 without weights."""
        n = self.num_vertices
        weights = np.ones(self.num_entries, np.int8) if self.weights is None else on_host(self.weights)
        return scipy.sparse.csr_array((weights, on_host(self.indices), on_host(self.indptr)), shape=(n, n))

    @property
    def edge_index(self) -> Any:
        """The ends of all entries as an int64 array (2, entries), as in PyTorch Geometric; a new array in each call."""
        return self.xp.stack([self._rows(), self.indices]).astype(np.int64)

    @suggests_options
    def to_torch(self) -> tuple[Any, Any]:
        """Return copies of `edge_index` and the weights, or None, as tensors of PyTorch on the graph's device."""
        return tensors_of(self)

    @suggests_options
    def to_networkx(self) -> Any:
        """Return a NetworkX Graph or DiGraph with the same names or numbers; duplicates keep the last weight."""
        return networkx_graph(self)

    def _with_dtypes(self, indptr: Any, indices: Any) -> Graph:
        """Return the same graph with wider index types than necessary, to test 64-bit code with small graphs."""
        return self._replace(indptr=self.indptr.astype(indptr), indices=self.indices.astype(indices), scan=None)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return facts_as_html("Graph", described(self))


def _restored(contents: dict[str, Any], device: str) -> Graph:
    """Return an unpickled graph. Unpickled arrays may be unaligned, and are then copied: kernels need aligned ones."""
    arrays = {name: contents[name] for name in ARRAYS if isinstance(contents[name], np.ndarray)}
    copies = {name: array.copy() for name, array in arrays.items() if not array.flags.aligned}
    return Graph._trusted(**contents | copies).to(device)
