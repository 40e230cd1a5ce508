"""`block_diagonal`: many small graphs as one, so that one call computes the answers for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.csr.arrays import index_type
from .._core.typing import GraphLike
from .._core.unknown_options import suggests_options
from ..conversion import any_graph
from ..graph import Graph


@suggests_options
def block_diagonal(graphs: Iterable[GraphLike]) -> tuple[Graph, npt.NDArray[np.int64]]:
    """Make one graph of several graphs, without edges between them: the block-diagonal matrix of their matrices.

    >>> import stablegraph as sg
    >>> graph, offsets = sg.block_diagonal([sg.gallery.grid((3,)), sg.gallery.grid((4,))])
    >>> graph.num_edges, offsets
    (5, array([0, 3, 7]))

    Parameters
    ----------
    graphs : list of Graph, or of anything `as_graph` takes
        All directed or all undirected, all with or all without weights, on one device. A matrix whose pattern is not
        symmetric is directed. Names are dropped.

    Returns
    -------
    graph : Graph
        Vertex v of graph i is vertex ``offsets[i] + v``. Weights have the common dtype of all weights.
    offsets : int64 (k + 1,)
        The first vertex of each graph, and at the end the number of all vertices. Graph i has the answers
        ``labels[offsets[i] : offsets[i + 1]]``; ``numpy.split(labels, offsets[1:-1])`` returns those of all graphs.

    Raises
    ------
    ValueError
        If there are no graphs; if only some are directed, only some have weights, or only some are on a GPU.

    Notes
    -----
    A copy of all arrays. Components, distances, forests, matchings and orders of a block are those of its graph.
    Results that depend on hashes of vertex numbers or on the size of the graph differ, but they are as good.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> graph, offsets = sg.block_diagonal([sg.gallery.grid((3,)), sg.gallery.grid((4,))])
    >>> graph.num_edges, offsets
    (5, array([0, 3, 7]))
    >>> colors = sg.vertex_coloring(graph)
    >>> [part.tolist() for part in np.split(colors, offsets[1:-1])]
    [[1, 0, 1], [1, 0, 1, 0]]
    """
    blocks = [_block(graph, i) for i, graph in enumerate(graphs)]
    if not blocks:
        raise ValueError("graphs must contain at least one graph, got none")
    first = blocks[0]
    for i, block in enumerate(blocks):
        for what, value, other in (
            ("directed", block.directed, first.directed),
            ("with weights", block.weights is not None, first.weights is not None),
            ("on a GPU", block.device == "cuda", first.device == "cuda"),
        ):
            if value != other:
                verbs = ("is", "is not") if value else ("is not", "is")
                raise ValueError(f"graphs[{i}] {verbs[0]} {what}, but graphs[0] {verbs[1]}; convert one of them")
    xp = first.xp
    offsets = np.cumsum([0, *(block.num_vertices for block in blocks)], dtype=np.int64)
    entries = np.cumsum([0, *(block.num_entries for block in blocks)], dtype=np.int64)
    id_type = index_type(int(offsets[-1]))
    row_type = np.int64 if id_type is np.int64 else index_type(int(entries[-1]))
    indptr = xp.zeros(int(offsets[-1]) + 1, row_type)
    indices = xp.empty(int(entries[-1]), id_type)
    for block, vertex, entry in zip(blocks, offsets.tolist(), entries.tolist(), strict=False):
        indptr[vertex + 1 : vertex + 1 + block.num_vertices] = block.indptr[1:] + row_type(entry)
        indices[entry : entry + block.num_entries] = block.indices + id_type(vertex)
    weights = None if first.weights is None else xp.concatenate([block.weights for block in blocks])
    return Graph._trusted(indptr, indices, weights, directed=first.directed), offsets


def _block(graph: Any, i: int) -> Graph:
    """Return an undirected graph if the pattern is symmetric; the error for anything else names its position."""
    try:
        block = any_graph(graph, weights=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"graphs[{i}]: {error}") from None
    if isinstance(graph, Graph) or not block.is_symmetric:
        return block
    return block._replace(directed=False)
