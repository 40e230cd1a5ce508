"""Graph: a graph in CSR form and the facts known about it; as_graph and from_edges: the only doors in.

What a Graph promises to every kernel: `indptr` runs from 0 to the number of entries without falling, every index is a
vertex, arrays are contiguous, aligned, in native byte order and read-only, their dtypes are one of the three pairs
(int32, int32), (int64, int32), (int64, int64), and an undirected graph has a symmetric pattern. It is checked once, at
the door, in one parallel pass over the entries (census.py). Loops and repeated entries are legal: every algorithm
ignores them, so a matrix is never rebuilt only to drop its diagonal.

Arrays of the user's that already have that form are used as they are, without a copy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._arguments import distinct_vertices, one_array, unmasked
from .census import Census, first_without_partner, take_census
from .construction import MOST_VERTICES, build_rows, extent, index_type
from .parallel import kernel
from .parallel.device import array_module, cupy_module, device_of
from .rows import read_only, rows_among

_INT32_MAX = 2**31 - 1
_COMBINE = {"min": np.minimum, "max": np.maximum, "sum": np.add}


@kernel(by="edges")
def count_neighbours(u, indptr, indices, degrees):
    """Distinct neighbours other than u itself; rows must be sorted."""
    degree = 0
    previous = -1
    for e in range(indptr[u], indptr[u + 1]):
        v = int(indices[e])
        degree += v != previous and v != u
        previous = v
    degrees[u] = degree


class Graph:
    """A graph in compressed sparse row form. It cannot be changed; `as_graph` and `from_edges` make it.

    Attributes
    ----------
    indptr : array (n + 1,), int32 or int64
        Row u is ``indices[indptr[u]:indptr[u + 1]]``. int32 if the number of entries fits.
    indices : array (entries,), int32 or int64
        The other end of each entry. int32 if the number of vertices fits.
    weights : array (entries,) or None
        One number an entry, as it was handed in.
    directed : bool
        An undirected graph stores each edge twice: its pattern is symmetric.
    nodes : sequence or None
        ``nodes[v]`` is the caller's name of vertex v, where vertices have names. An error about an entry of the graph
        names its ends so; arguments and results are numbers throughout.
    device : {"cpu", "cuda"}
        Where the arrays live.

    Notes
    -----
    All arrays are read-only views; those handed to `as_graph` must not be changed while the Graph lives (`check` finds
    out). Facts are found when they are first asked for, and remembered. ``len(graph)`` is the number of vertices. Two
    Graphs are equal when all their arrays, names and directions are, entry by entry; facts do not count.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2], [1, 2, 0], symmetrize=True)
    >>> graph
    <Graph: 3 vertices, 3 edges, undirected, degrees 2 to 2, unweighted, cpu, 40 bytes>
    >>> graph.degrees()
    array([2, 2, 2], dtype=int32)
    """

    __slots__ = (
        "__weakref__",
        "_census",
        "_degrees",
        "_facts",
        "_transpose",
        "device",
        "directed",
        "indices",
        "indptr",
        "nodes",
        "weights",
    )

    indptr: Any
    indices: Any
    weights: Any
    directed: bool
    nodes: Sequence[Any] | None
    device: str
    _census: Census | None
    _degrees: Any
    _facts: dict[str, Any]
    _transpose: Graph | None

    def __init__(self) -> None:
        raise TypeError("a Graph is made by as_graph(...) or from_edges(...), which check what they are given")

    @classmethod
    def _trusted(
        cls,
        indptr: Any,
        indices: Any,
        weights: Any = None,
        *,
        directed: bool = False,
        nodes: Sequence[Any] | None = None,
        facts: dict[str, Any] | None = None,
        census: Census | None = None,
    ) -> Graph:
        """Wrap arrays that are known to keep the promises above; their dtypes stay as they are."""
        graph = object.__new__(cls)
        put = object.__setattr__
        put(graph, "device", device_of(indices))
        for name, array in (("indptr", indptr), ("indices", indices), ("weights", weights)):
            put(graph, name, read_only(array))
        put(graph, "directed", bool(directed))
        put(graph, "nodes", nodes)
        put(graph, "_facts", dict(facts or {}))
        put(graph, "_census", census)
        put(graph, "_degrees", None)
        put(graph, "_transpose", None)
        return graph

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph cannot be changed ({name!r} was to be set); make a new one with as_graph")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph cannot be changed ({name!r} was to be deleted)")

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (_host(self.indptr), _host(self.indices), _host(self.weights))
        return _restored, (*arrays, self.directed, self.nodes, self._facts, self._census, self.device)

    # What is known

    def _counted(self) -> Census:
        if self._census is None:
            object.__setattr__(self, "_census", take_census(self.indptr, self.indices, self.device))
        census = self._census
        assert census is not None
        return census

    @property
    def facts(self) -> MappingProxyType[str, Any]:
        """What is known so far, read-only.

        ``symmetric``, ``sorted`` (every row ascends), ``loops`` (entries on the diagonal), ``duplicates`` (entries that
        repeat another one), ``longest_row``, ``max_degree``, and what construction changed: ``symmetrized``,
        ``loops_dropped``, ``duplicates_dropped`` (entries). `symmetric`, `duplicates` and `max_degree` are missing
        while finding them would cost more than the one pass over the entries that all graphs are given.
        """
        census = self._counted()
        known = {"sorted": census.descents == 0, "loops": census.loops, "longest_row": census.longest_row}
        if not self.directed or census.forward == census.backward:
            known["symmetric"] = True
        elif census.descents == 0 and census.repeats == 0:
            known["symmetric"] = False
        if census.descents == 0:
            known["duplicates"] = census.repeats
        offset = self.simple_degree_offset()
        if offset is not None:
            known["max_degree"] = max(0, census.longest_row - offset)
        elif self._degrees is not None:
            known["max_degree"] = int(self._degrees.max())
        return MappingProxyType(known | self._facts)

    @property
    def num_vertices(self) -> int:
        """The number of vertices, n."""
        return int(self.indptr.size) - 1

    @property
    def num_entries(self) -> int:
        """The number of stored entries; an undirected edge is stored twice."""
        return int(self.indices.size)

    @property
    def num_edges(self) -> int:
        """Distinct edges without loops; for a directed graph, distinct arcs."""
        offset = self.simple_degree_offset()
        if offset is not None:
            arcs = self.num_entries - offset * self.num_vertices
        else:
            arcs = int(self.degrees().sum(dtype="int64"))
        return arcs if self.directed else arcs // 2

    def __len__(self) -> int:
        return self.num_vertices

    @property
    def has_loops(self) -> bool:
        """Whether some vertex is joined to itself."""
        return self._counted().loops > 0

    @property
    def has_duplicates(self) -> bool:
        """Whether some entry is stored twice. Unsorted rows are sorted once to find out."""
        if "duplicates" not in self.facts:
            self.degrees()
        return bool(self.facts["duplicates"])

    @property
    def is_sorted(self) -> bool:
        """Whether the indices of every row ascend."""
        return self._counted().descents == 0

    @property
    def is_symmetric(self) -> bool:
        """Whether (v, u) is stored wherever (u, v) is."""
        if "symmetric" not in self.facts:
            self._facts["symmetric"] = self._first_without_partner() is None
        return bool(self.facts["symmetric"])

    def simple_degree_offset(self) -> int | None:
        """The number c for which every vertex has exactly (length of its row) - c distinct neighbours, if there is one.

        Returns
        -------
        int or None
            0 without loops and duplicates, 1 if every row has exactly one loop and nothing is stored twice. None
            otherwise, and where the rows are not sorted and duplicates not yet counted: `degrees` then knows more.
        """
        census = self._counted()
        duplicates = census.repeats if census.descents == 0 else self._facts.get("duplicates")
        if duplicates != 0:
            return 0 if self.num_entries == 0 else None
        if census.loops == 0:
            return 0
        return 1 if census.loops == self.num_vertices else None

    def degrees(self) -> Any:
        """The number of distinct neighbours of every vertex, loops not counted; for a directed graph, out-neighbours.

        Returns
        -------
        array (n,), int32 or int64
            Read-only, of the dtype of `indptr`.

        Notes
        -----
        Found once. O(n) without loops and duplicates, else one pass over the entries; unsorted rows are sorted in
        work memory of some 12 bytes an entry.

        Examples
        --------
        >>> import stablegraph as sg
        >>> sg.from_edges([0, 0, 1, 2], [1, 2, 1, 3], symmetrize=True).degrees()
        array([2, 1, 2, 1], dtype=int32)
        """
        if self._degrees is None:
            xp = array_module(self.device)
            offset = self.simple_degree_offset()
            if offset is None and not self.is_sorted:
                degrees = xp.asarray(self._degrees_of_unsorted())
            elif offset is None:
                degrees = xp.empty(self.num_vertices, dtype=self.indptr.dtype)
                count_neighbours(self.num_vertices, self.indptr, self.indices, degrees)
            else:
                degrees = self.indptr[1:] - self.indptr[:-1]
                if offset:
                    degrees -= 1
            object.__setattr__(self, "_degrees", read_only(degrees))
        return self._degrees

    def _degrees_of_unsorted(self) -> Any:
        simple = build_rows(self._rows(), _host(self.indices), self.num_vertices)
        self._facts["duplicates"] = self.num_entries - int(simple.indices.size)
        degrees = np.empty(self.num_vertices, self.indptr.dtype)
        count_neighbours(self.num_vertices, read_only(simple.indptr), read_only(simple.indices), degrees)
        return degrees

    def _rows(self) -> Any:
        """The row of every entry, in host memory."""
        rows = np.repeat(np.arange(self.num_vertices, dtype=self.indices.dtype), np.diff(_host(self.indptr)))
        return read_only(rows)  # as indices are, so that kernels need not be compiled for both

    def _first_without_partner(self) -> tuple[int, int] | None:
        """The first entry (u, v) for which (v, u) is not stored, or None."""
        indptr, indices = _host(self.indptr), _host(self.indices)
        if not self.is_sorted:
            rows = build_rows(self._rows(), indices, self.num_vertices)
            indptr, indices = rows.indptr, rows.indices
        return first_without_partner(read_only(indptr), read_only(indices), "cpu")

    # What can be done with it

    def transpose(self) -> Graph:
        """The graph with every arc turned round; an undirected graph is its own transpose.

        Returns
        -------
        Graph
            With sorted rows and all entries kept. Remembered: the second call costs nothing.

        Examples
        --------
        >>> import stablegraph as sg
        >>> sg.from_edges([0, 0], [1, 2], directed=True).transpose().indptr
        array([0, 0, 1, 2], dtype=int32)
        """
        if not self.directed:
            return self
        if self._transpose is None:
            turned = self.to("cpu") if self.device == "cuda" else self
            weighted = turned.weights is not None
            rows = build_rows(
                turned.indices,
                turned._rows(),
                self.num_vertices,
                drop_duplicates=False,
                positions=weighted,
            )
            weights = turned.weights[rows.positions] if weighted else None
            indptr = rows.indptr.astype(self.indptr.dtype, copy=False)
            indices = rows.indices.astype(self.indices.dtype, copy=False)
            result = Graph._trusted(indptr, indices, weights, directed=True, nodes=self.nodes).to(self.device)
            object.__setattr__(result, "_transpose", self)
            object.__setattr__(self, "_transpose", result)
        assert self._transpose is not None
        return self._transpose

    def subgraph(self, vertices: Any) -> Graph:
        """The graph on some of the vertices, with all entries between them.

        Parameters
        ----------
        vertices : bool array (n,) or integer array
            A mask, or distinct vertices in the order they are to have.

        Returns
        -------
        Graph
            Vertex i of it is ``numpy.flatnonzero(mask)[i]``, or ``vertices[i]``, of this graph; names and weights are
            carried along.

        Raises
        ------
        ValueError
            For a mask of another length, a vertex out of range, or one that is named twice.
        TypeError
            If the vertices are neither integers nor a mask.

        Examples
        --------
        >>> import stablegraph as sg
        >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
        >>> path.subgraph([3, 2]).num_edges
        1
        """
        if self.device == "cuda":
            return self.to("cpu").subgraph(vertices).to("cuda")
        chosen = distinct_vertices(vertices, "vertices", self.num_vertices)
        indptr, indices, origins = rows_among(chosen, self.indptr[:-1], self.indptr[1:], self.indices, origins=True)
        return Graph._trusted(
            indptr,
            indices,
            None if self.weights is None else self.weights[origins],
            directed=self.directed,
            nodes=None if self.nodes is None else [self.nodes[v] for v in chosen.tolist()],
        )

    def simple(self) -> Graph:
        """The same vertices and edges without loops, repeated entries and weights.

        Returns
        -------
        Graph
            This graph, if it has none of these. Its rows are sorted if loops or repeated entries had to go.

        Examples
        --------
        >>> import stablegraph as sg
        >>> sg.from_edges([0, 0, 1], [0, 1, 0]).simple().num_entries
        2
        """
        if not (self.has_loops or self.has_duplicates):
            if self.weights is None:
                return self
            return Graph._trusted(
                self.indptr,
                self.indices,
                directed=self.directed,
                nodes=self.nodes,
                facts=self._facts,
                census=self._census,
            )
        rows = build_rows(self._rows(), read_only(_host(self.indices)), self.num_vertices, drop_loops=True)
        simple = Graph._trusted(rows.indptr, rows.indices, directed=self.directed, nodes=self.nodes)
        return simple.to(self.device)

    def check(self) -> None:
        """Verify that the arrays still are what they were when the Graph was made.

        Raises
        ------
        ValueError
            If the array that was handed in has been changed since then. (A 64-bit sum over all entries is compared;
            weights, which no promise rests on, are not looked at.)

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
        before, now = self._counted(), take_census(self.indptr, self.indices, self.device)
        ends = (int(self.indptr[0]), int(self.indptr[-1])) if self.indptr.size else (0, 0)
        if now != before or ends != (0, self.num_entries):
            raise ValueError("the arrays of this Graph were changed after it was made; make a new one with as_graph")

    def to(self, device: str) -> Graph:
        """The same graph with its arrays on "cpu" or "cuda" (CuPy); itself if they are there already."""
        if device not in ("cpu", "cuda"):
            raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}")
        if device == self.device:
            return self
        move = _host if device == "cpu" else cupy_module().asarray
        arrays = [None if a is None else move(a) for a in (self.indptr, self.indices, self.weights)]
        return Graph._trusted(*arrays, directed=self.directed, nodes=self.nodes, facts=self._facts, census=self._census)

    def to_scipy(self) -> Any:
        """The adjacency matrix: a CSR array on this Graph's read-only arrays (ones, where there are no weights)."""
        n = self.num_vertices
        weights = np.ones(self.num_entries, np.int8) if self.weights is None else _host(self.weights)
        return sp.csr_array((weights, _host(self.indices), _host(self.indptr)), shape=(n, n))

    def to_networkx(self) -> Any:
        """A NetworkX Graph or DiGraph with this Graph's node names (vertex numbers, where there are none).

        Weights become the edge attribute "weight". Loops are kept; of duplicate entries the last one stays.
        """
        import networkx as nx

        result = nx.DiGraph() if self.directed else nx.Graph()
        names = range(self.num_vertices) if self.nodes is None else self.nodes
        result.add_nodes_from(names)
        u, v = self._rows(), _host(self.indices)
        once = slice(None) if self.directed else u <= v
        ends = [u[once].tolist(), v[once].tolist()]
        if self.nodes is not None:
            ends = [[names[x] for x in end] for end in ends]
        if self.weights is None:
            result.add_edges_from(zip(*ends, strict=True))
        else:
            result.add_weighted_edges_from(zip(*ends, _host(self.weights)[once].tolist(), strict=True))
        return result

    def _with_dtypes(self, indptr: Any, indices: Any) -> Graph:
        """The same graph with wider index types than it needs: how small tests reach the 64-bit code."""
        return Graph._trusted(
            self.indptr.astype(indptr),
            self.indices.astype(indices),
            self.weights,
            directed=self.directed,
            nodes=self.nodes,
            facts=self._facts,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        if self is other:
            return True
        if self.directed != other.directed or (self.weights is None) != (other.weights is None):
            return False
        if (self.nodes is None) != (other.nodes is None):
            return False
        mine, theirs = ([g.indptr, g.indices, *([] if g.weights is None else [g.weights])] for g in (self, other))
        if not all(np.array_equal(_host(a), _host(b)) for a, b in zip(mine, theirs, strict=True)):
            return False
        return self.nodes is other.nodes or list(self.nodes) == list(other.nodes)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.num_vertices, self.num_entries, self.directed))

    def __repr__(self) -> str:
        n, degrees = self.num_vertices, self.degrees()
        arrays = [a for a in (self.indptr, self.indices, self.weights) if a is not None]
        parts = [
            f"{n:,} vert{'ex' if n == 1 else 'ices'}",
            f"{self.num_edges:,} {'arc' if self.directed else 'edge'}{'' if self.num_edges == 1 else 's'}",
            "directed" if self.directed else "undirected",
            *([f"degrees {int(degrees.min())} to {int(degrees.max())}"] if n else []),
            "unweighted" if self.weights is None else f"{self.weights.dtype} weights",
            self.device,
            _bytes(sum(int(a.nbytes) for a in arrays)),
        ]
        return f"<Graph: {', '.join(parts)}>"


def _bytes(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def _restored(
    indptr: Any, indices: Any, weights: Any, directed: bool, nodes: Any, facts: Any, census: Any, device: str
) -> Graph:
    graph = Graph._trusted(indptr, indices, weights, directed=directed, nodes=nodes, facts=facts, census=census)
    return graph.to(device)


def _host(array: Any) -> Any:
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def shown_entry(u: int, v: int, nodes: Sequence[Any] | None) -> str:
    """How a message writes the entry (u, v): by the names of its ends, where the vertices have names."""
    return f"({shown_vertex(u, nodes)}, {shown_vertex(v, nodes)})"


def shown_vertex(v: int, nodes: Sequence[Any] | None) -> str:
    """What a message calls vertex v: its name, where it has one."""
    name = v if nodes is None else nodes[int(v)]
    return repr(str(name)) if isinstance(name, str) else str(name)


def _integers(array: Any, what: str) -> Any:
    """A vector of integers as contiguous int32 or int64, without a copy where it is one; `what` names it in errors."""
    array = np.asarray(one_array(array, what))
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "f":
        broken = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array))))
        if broken.size:
            raise ValueError(f"{what} must be whole numbers, but position {broken[0]} holds {array[broken[0]]}")
    if array.dtype.kind in "USO":
        raise ValueError(
            f"{what} must be integers, got {array.dtype}: numpy.unique(ends, return_inverse=True) gives names and "
            "numbers, and from_edges takes the names as nodes="
        )
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers, got {array.dtype}: convert them with .astype(numpy.int64)")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        broken = np.flatnonzero(array > np.uint64(2**63 - 1))
        if broken.size:
            raise ValueError(f"{what} must be below 2**63, but position {broken[0]} holds {array[broken[0]]}")
    fits = np.iinfo(array.dtype).max <= _INT32_MAX
    return np.require(array, np.int32 if fits else np.int64, ["C", "A"])


def _numbers(weights: Any, what: str) -> Any:
    """Weights as a contiguous array in native byte order, without a copy where they are one; `what` names them."""
    weights = np.asarray(one_array(weights, what))
    if weights.dtype.kind not in "biufc":
        raise ValueError(f"{what} must be numbers, got {weights.dtype}: convert them with .astype(float)")
    return np.require(weights, weights.dtype.newbyteorder("="), ["C", "A"])


# The doors


def as_graph(obj: Any, *, directed: bool = False, symmetrize: bool | str = False, weights: bool = True) -> Graph:
    """Take anything that is a graph, check it, and return it as a `Graph`.

    Parameters
    ----------
    obj : Graph, sparse matrix, NetworkX graph, array or tuple
        * a SciPy or CuPy sparse array or matrix in any format: the nonzero pattern. An entry that is stored is an edge,
          also if it is zero (but the zeros of DIA are padding, and are not). Other formats than CSR are converted;
        * a NetworkX graph: node names are kept in `.nodes`, the edge attribute "weight" if all edges have it;
        * ``(indptr, indices)`` or ``(indptr, indices, weights)``: CSR arrays (for two arrays of endpoints see
          `from_edges`);
        * an integer array (m, 2) of edges, or a list of tuples. A square array is a dense matrix: nonzero is an edge;
        * anything with ``.indptr``, ``.indices``, ``.shape`` (and ``.data``).
    directed : bool
        Whether (u, v) stands for an arc. If not, the pattern must be symmetric.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v). True refuses weights of one edge that differ; a name says how to combine the
        weights of all entries that become one edge.
    weights : bool
        Whether to keep the values (or weights).

    Returns
    -------
    Graph
        On the same device as `obj`. A Graph is returned as it is, if it fits.

    Raises
    ------
    ValueError
        Naming the first offending place and the cure: not square; indptr does not start at 0, falls, or does not end at
        the number of indices; an index out of range; an entry without partner; NaN in a dense matrix.
    TypeError
        For an object that is no graph.

    Notes
    -----
    A CSR matrix with 32-bit indices is used without a copy, and must not be changed while the Graph lives; a dtype that
    no kernel takes is converted. Everything is checked in one parallel pass, 1.5 to 4 times the cost of summing the
    indices of every row. Symmetry is found by a 64-bit sum of hashes: a pattern that is not symmetric passes with a
    probability below 2**-56. If a pattern is not symmetric the search for the culprit costs up to 50 such sweeps.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, stablegraph as sg
    >>> sg.as_graph(scipy.sparse.csr_array(np.array([[2, 1], [1, 2]]))).num_edges
    1
    >>> sg.as_graph((np.array([0, 1, 1]), np.array([1])))
    Traceback (most recent call last):
    ...
    ValueError: entry (0, 1) has no partner (1, 0); pass symmetrize=True to as_graph (or directed=True, ...)
    """
    _check_symmetrize(symmetrize, directed)
    if isinstance(obj, Graph):
        return _fitting(obj, directed, symmetrize, weights)
    networkx = sys.modules.get("networkx")
    if networkx is not None and isinstance(obj, networkx.Graph):
        return _from_networkx(obj, directed, symmetrize, weights)
    if sp.issparse(obj) or type(obj).__module__.startswith("cupyx."):
        _check_square(obj.shape)
        obj = obj if obj.format == "csr" else obj.tocsr()
        return _from_csr(obj.indptr, obj.indices, obj.data if weights else None, directed, symmetrize)
    if all(hasattr(obj, name) for name in ("indptr", "indices", "shape")):
        _check_square(obj.shape)
        data = getattr(obj, "data", None) if weights else None
        graph_n = int(obj.shape[0])
        if np.shape(obj.indptr) != (graph_n + 1,):
            raise ValueError(
                f"indptr has shape {np.shape(obj.indptr)}, but a graph of {graph_n} vertices needs ({graph_n + 1},)"
            )
        return _from_csr(obj.indptr, obj.indices, data, directed, symmetrize)
    if isinstance(obj, tuple):
        if any(isinstance(part, Graph) or sp.issparse(part) for part in obj):
            raise TypeError(f"a tuple of {len(obj)} results is no graph: pass the graph in it alone")
        if len(obj) not in (2, 3):
            raise ValueError(
                f"a tuple must be (indptr, indices) or (indptr, indices, weights), got {len(obj)} items; "
                "arrays of endpoints go to from_edges(u, v)"
            )
        data = obj[2] if len(obj) == 3 and weights else None
        return _from_csr(obj[0], obj[1], data, directed, symmetrize)
    if isinstance(obj, (np.ndarray, list)):
        of_tuples = isinstance(obj, list) and all(isinstance(item, tuple) for item in obj)
        return _from_array(np.asarray(unmasked(obj, "the array")), of_tuples, directed, symmetrize, weights)
    raise TypeError(
        f"cannot make a graph of {type(obj).__name__}: pass a sparse matrix, a NetworkX graph, (indptr, indices), a "
        "square array, an (m, 2) array of edges, or use from_edges(u, v)"
    )


def from_edges(
    u: Any,
    v: Any,
    w: Any = None,
    n: int | None = None,
    *,
    directed: bool = False,
    symmetrize: bool | str = False,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    nodes: Sequence[Any] | None = None,
) -> Graph:
    """Make a Graph of edges (u[e], v[e]), with sorted rows.

    Parameters
    ----------
    u, v : integer arrays (m,)
        The ends of each edge, of any integer dtype, or lists.
    w : array (m,), optional
        A weight for each edge.
    n : int, optional
        The number of vertices; one more than the largest end if not given.
    directed : bool
        Whether (u, v) stands for an arc. If not, (v, u) must be there too, or be added by `symmetrize`.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v). True refuses weights of one edge that differ; a name says how to combine the
        weights of all given edges that are equal or opposite. A loop is counted once.
    drop_loops : bool
        Leave out edges (u, u).
    drop_duplicates : bool
        Store equal entries once. With weights that differ this needs `symmetrize` to say how; those of a directed graph
        must be equal.
    nodes : sequence, optional
        A name for each vertex.

    Returns
    -------
    Graph
        The same for any number of threads. Its `facts` say what was changed: ``symmetrized``, ``loops_dropped`` (edges
        given) and ``duplicates_dropped`` (entries).

    Raises
    ------
    ValueError
        Naming the first offending edge: lengths that differ, ids that are negative, not below `n` or not integers;
        weights that differ; an edge without partner.

    Notes
    -----
    A parallel counting sort: 4 to 9 sweeps over the result for 20 million random edges. Work memory beside the result:
    8 bytes an entry (16 in the worst case, one vertex that has all edges), with weights 20.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 1], [1, 0, 2], symmetrize=True)
    >>> graph.indices
    array([1, 0, 2, 1], dtype=int32)
    >>> graph.facts["duplicates_dropped"]
    2
    """
    _check_symmetrize(symmetrize, directed)
    u, v = _integers(u, "u"), _integers(v, "v")
    if u.size != v.size:
        raise ValueError(f"u and v must have equal lengths, got {u.size} and {v.size}")
    if u.dtype != v.dtype:
        u, v = u.astype(np.int64, copy=False), v.astype(np.int64, copy=False)
    u, v = read_only(u), read_only(v)
    if w is not None:
        w = _numbers(w, "w")
        if w.shape != u.shape:
            raise ValueError(f"w must have one weight for each of the {u.size} edges, got shape {w.shape}")
    n = _checked_vertex_count(u, v, n, nodes)

    mirror = bool(symmetrize)
    rows = build_rows(
        u,
        v,
        n,
        mirror=mirror,
        drop_loops=drop_loops,
        drop_duplicates=drop_duplicates and w is None,
        positions=w is not None,
    )
    indptr, indices, weights = rows.indptr, rows.indices, None
    if w is not None:
        weights = w[rows.positions]
        if drop_duplicates:
            indptr, indices, weights = _combine(indptr, indices, weights, symmetrize, directed, nodes)
    facts = {
        "symmetrized": mirror,
        "loops_dropped": rows.loops if drop_loops else 0,
        "duplicates_dropped": rows.dealt - int(indices.size),
    }
    graph = Graph._trusted(indptr, indices, weights, directed=directed, nodes=nodes, facts=facts)
    if not directed and not mirror:
        _check_symmetric(graph, "from_edges")
    return graph


def _check_symmetrize(symmetrize: bool | str, directed: bool) -> None:
    if symmetrize not in (False, True, *_COMBINE):
        raise ValueError(f"symmetrize must be False, True, 'min', 'max' or 'sum', got {symmetrize!r}")
    if symmetrize and directed:
        raise ValueError("symmetrize makes an undirected graph; leave out directed=True, or symmetrize")


def _check_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"the matrix of a graph must be square, got shape {tuple(shape)}")


def _checked_vertex_count(u: Any, v: Any, n: int | None, nodes: Sequence[Any] | None) -> int:
    if n is not None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ValueError(f"n must be the number of vertices, a non-negative integer, got {n!r}")
        n = int(n)
    elif nodes is not None:
        n = len(nodes)
    smallest, largest = extent(u, v)
    if n is None:
        n = largest + 1
    if smallest < 0 or largest >= n:
        wrong = (u < 0) | (u >= n) | (v < 0) | (v >= n)
        e = int(np.argmax(wrong))
        culprit = int(u[e]) if not 0 <= u[e] < n else int(v[e])
        cure = "ids start at 0" if culprit < 0 else "pass a larger n"
        raise ValueError(f"edge {e} ({u[e]}, {v[e]}): {culprit} is not one of the {n} vertices; {cure}")
    if nodes is not None and len(nodes) != n:
        raise ValueError(f"there are {n} vertices, but nodes has {len(nodes)} names")
    if n > MOST_VERTICES:
        raise ValueError(f"{n} vertices are more than 2**36; relabel the ids so that they have no gaps")
    return n


def _combine(
    indptr: Any,
    indices: Any,
    weights: Any,
    symmetrize: bool | str,
    directed: bool = False,
    nodes: Sequence[Any] | None = None,
) -> tuple[Any, Any, Any]:
    """One entry in place of equal ones, their weights combined in the order of the edges."""
    fresh = np.ones(indices.size, bool)
    fresh[1:] = indices[1:] != indices[:-1]
    if fresh.all():
        return indptr, indices, weights
    begins = indptr[:-1]
    fresh[begins[begins < indptr[1:]]] = True
    if fresh.all():
        return indptr, indices, weights
    first = np.flatnonzero(fresh)
    if symmetrize in _COMBINE:
        combined = _COMBINE[str(symmetrize)].reduceat(weights, first).astype(weights.dtype, copy=False)
    else:
        combined = weights[first]
        group = np.cumsum(fresh) - 1
        same = weights == combined[group]
        if weights.dtype.kind in "fc":
            same |= np.isnan(weights) & np.isnan(combined[group])
        if not same.all():
            e = int(np.argmin(same))
            row = int(np.searchsorted(indptr, e, side="right")) - 1
            entry = shown_entry(row, indices[e], nodes)
            cure = "drop_duplicates=False to keep both" if directed else "symmetrize='min', 'max' or 'sum'"
            raise ValueError(
                f"the weights of entry {entry} differ: {combined[group[e]]} and {weights[e]}; pass "
                f"{cure}, or combine them before"
            )
    kept = np.zeros(indices.size + 1, indptr.dtype)
    np.cumsum(fresh, out=kept[1:])
    return kept[indptr], indices[first], combined


def _check_symmetric(graph: Graph, door: str = "as_graph") -> None:
    """Refuse an undirected graph whose pattern is not symmetric; `door` is the function that can make it so."""
    census = graph._counted()
    if census.forward == census.backward:
        return
    culprit = graph._first_without_partner()
    if culprit is not None:
        entry, partner = shown_entry(*culprit, graph.nodes), shown_entry(*culprit[::-1], graph.nodes)
        raise ValueError(
            f"entry {entry} has no partner {partner}; pass symmetrize=True to {door} "
            "(or directed=True, where arcs are meant)"
        )


def _from_csr(indptr: Any, indices: Any, weights: Any, directed: bool, symmetrize: bool | str) -> Graph:
    if hasattr(indices, "__cuda_array_interface__"):
        device = "cuda"
    else:
        device = "cpu"
        indptr, indices = _integers(indptr, "indptr"), _integers(indices, "indices")
    n, entries = int(indptr.size) - 1, int(indices.size)
    if n < 0:
        raise ValueError("indptr is empty: a graph of n vertices needs n + 1 numbers, and without vertices [0]")
    if int(indptr[0]) != 0:
        raise ValueError(f"indptr must start at 0, but indptr[0] is {int(indptr[0])}")
    if int(indptr[-1]) != entries:
        raise ValueError(
            f"indptr must end at the number of indices, {entries}, but indptr[{n}] is {int(indptr[-1])}; "
            "(arrays of endpoints go to from_edges(u, v))"
        )
    if weights is not None:
        weights = weights if device == "cuda" else _numbers(weights, "weights")
        if weights.shape != (entries,):
            raise ValueError(f"there are {entries} indices, but the weights have shape {weights.shape}")
    if indptr.dtype != np.int32 or indices.dtype != np.int32:
        # Narrowing wraps what does not fit, so what is wrong must be found before.
        _check_places(_host(indptr), _host(indices), n)
        indices = indices.astype(index_type(n), copy=False)
        wide = indices.dtype == np.int64 or entries > _INT32_MAX
        indptr = indptr.astype(np.int64 if wide else np.int32, copy=False)
    indptr, indices = read_only(indptr), read_only(indices)
    census = take_census(indptr, indices, device)
    if census.broken_rows or census.outside:
        _check_places(_host(indptr), _host(indices), n)
    graph = Graph._trusted(indptr, indices, weights, directed=directed or bool(symmetrize), census=census)
    if symmetrize:
        return _symmetrized(graph, symmetrize)
    if not directed:
        _check_symmetric(graph)
    return graph


def _check_places(indptr: Any, indices: Any, n: int) -> None:
    """Name the first row that falls, or the first index that is no vertex."""
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        u = int(falls[0])
        raise ValueError(f"indptr must not fall, but indptr[{u}] is {indptr[u]} and indptr[{u + 1}] is {indptr[u + 1]}")
    outside = np.flatnonzero((indices < 0) | (indices >= n))
    if outside.size:
        e = int(outside[0])
        row = int(np.searchsorted(indptr, e, side="right")) - 1
        raise ValueError(
            f"entry {e}, in row {row}, has index {indices[e]}, which is not one of the {n} vertices (0 to {n - 1})"
        )


def _symmetrized(graph: Graph, symmetrize: bool | str) -> Graph:
    """An undirected graph from one whose direction does not count; unweighted symmetric ones are used as they are."""
    if graph.weights is None:
        census = graph._counted()
        if census.forward == census.backward:
            facts = graph._facts | {"symmetrized": False}
            return Graph._trusted(graph.indptr, graph.indices, nodes=graph.nodes, facts=facts, census=census)
    moved = graph.to("cpu")
    result = from_edges(
        moved._rows(), moved.indices, moved.weights, graph.num_vertices, symmetrize=symmetrize, nodes=graph.nodes
    )
    return result.to(graph.device)


def _fitting(graph: Graph, directed: bool, symmetrize: bool | str, weights: bool) -> Graph:
    """A Graph as the caller wants it; the same object if nothing is to be changed."""
    if graph.weights is not None and not weights:
        graph = Graph._trusted(
            graph.indptr,
            graph.indices,
            directed=graph.directed,
            nodes=graph.nodes,
            facts=graph._facts,
            census=graph._census,
        )
    if graph.directed == directed:
        if not symmetrize or graph.weights is None or graph._facts.get("symmetrized"):
            return graph
        result = _symmetrized(graph, symmetrize)  # the weights of (u, v) and (v, u) may differ
        return graph if result == graph else result
    if symmetrize:
        return _symmetrized(graph, symmetrize)
    if not directed:
        _check_symmetric(graph)
    return Graph._trusted(
        graph.indptr,
        graph.indices,
        graph.weights,
        directed=directed,
        nodes=graph.nodes,
        facts=graph._facts | {"symmetric": True},
        census=graph._census,
    )


def _from_array(array: Any, of_tuples: bool, directed: bool, symmetrize: bool | str, weights: bool) -> Graph:
    if array.ndim != 2:
        raise ValueError(f"an array must be a square matrix or edges of shape (m, 2), got shape {array.shape}")
    if array.dtype.kind in "USO" and array.shape[1] == 2:
        raise ValueError(
            f"an array of edges must hold integers, got {array.dtype}: names, ends = numpy.unique(edges, "
            "return_inverse=True) numbers them for from_edges(*ends.reshape(-1, 2).T, nodes=names)"
        )
    if array.dtype.kind not in "biufc":
        raise ValueError(f"an array must be boolean or numeric, got {array.dtype}")
    if array.shape[1] == 2 and (array.shape[0] != 2 or of_tuples):
        u, v = (_integers(array[:, side], f"column {side} of the edges") for side in (0, 1))
        graph = from_edges(u, v, directed=not symmetrize, symmetrize=symmetrize)
        return graph if symmetrize else _fitting(graph, directed, False, weights)
    _check_square(array.shape)
    if array.dtype.kind in "fc":
        broken = np.argwhere(np.isnan(array))
        if len(broken):
            u, v = broken[0].tolist()
            raise ValueError(f"element ({u}, {v}) of the matrix is NaN; an edge is there or it is not")
    u, v = np.nonzero(array)
    indptr = np.zeros(array.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(u, minlength=array.shape[0]), out=indptr[1:])
    data = array[u, v] if weights and array.dtype != bool else None
    return _from_csr(indptr, v, data, directed, symmetrize)


def _from_networkx(obj: Any, directed: bool, symmetrize: bool | str, weights: bool) -> Graph:
    names = list(obj)
    number = {name: v for v, name in enumerate(names)}
    m = obj.number_of_edges()
    edges = list(obj.edges(data="weight"))
    u = np.fromiter((number[edge[0]] for edge in edges), np.int64, m)
    v = np.fromiter((number[edge[1]] for edge in edges), np.int64, m)
    w = None
    if weights and m and all(edge[2] is not None for edge in edges):
        w = np.array([edge[2] for edge in edges])
    if not obj.is_directed() and (directed or not symmetrize):
        # Every edge of an undirected graph stands for both entries.
        both = u != v
        u, v = np.concatenate([u, v[both]]), np.concatenate([v, u[both]])
        w = None if w is None else np.concatenate([w, w[both]])
    # Parallel edges may have different weights: as entries of their own they are legal.
    return from_edges(
        u,
        v,
        w,
        len(names),
        directed=directed,
        symmetrize=symmetrize,
        drop_duplicates=w is None or bool(symmetrize),
        nodes=names,
    )
