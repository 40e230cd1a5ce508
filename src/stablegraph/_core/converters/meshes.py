"""Conversion of meshes to graphs of their vertices, which are adjacent if a cell has an edge between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .graphs import EdgeList

# The edges of each type of cell: the indices of their ends in the cell, in the order of meshio (that is, VTK).
_EDGES_OF_CELLS = {
    "vertex": "",
    "line": "01",
    "triangle": "01 12 20",
    "quad": "01 12 23 30",
    "tetra": "01 12 20 03 13 23",
    "pyramid": "01 12 23 30 04 14 24 34",
    "wedge": "01 12 20 34 45 53 03 14 25",
    "hexahedron": "01 12 23 30 45 56 67 74 04 15 26 37",
}


def of_trimesh(mesh: Any, weights: bool) -> EdgeList:
    """Convert a trimesh mesh to the edges of its triangles."""
    return _edges([("triangle", mesh.faces)], len(mesh.vertices))


def of_meshio(mesh: Any, weights: bool) -> EdgeList:
    """Convert a meshio mesh to the edges of the cells in all blocks."""
    blocks = [(block.type, block.data) for block in mesh.cells]
    for kind, _ in blocks:
        if kind not in _EDGES_OF_CELLS:
            raise ValueError(
                f"cells must be {', '.join(_EDGES_OF_CELLS)}, but this mesh has some of type {kind}: "
                "join their vertices with from_edges(u, v)"
            )
    return _edges(blocks, len(mesh.points))


def _edges(blocks: list[tuple[str, Any]], n: int) -> EdgeList:
    """Return the edges of blocks of cells; an edge that several cells share is listed several times."""
    sides = [np.empty((0, 2), np.int64)]
    for kind, cells in blocks:
        sides += [np.asarray(cells)[:, [int(a) for a in ends]] for ends in _EDGES_OF_CELLS[kind].split()]
    pairs = np.concatenate(sides)
    return EdgeList(pairs[:, 0], pairs[:, 1], None, n, directed=False, are_distinct=True)
