"""Linear elasticity of a block of trilinear hexahedra, and its rigid-body modes."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from .._core.dispatch import suggests_options
from .._core.validation import boolean, number
from .grids import checked_shape, neighbor_ids, sorted_csr, stencil_offsets, valid_neighbors

_CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))  # of an element; also the elements around a point


@suggests_options
def elasticity_3d(
    shape: tuple[int, int, int], *, young: float = 1.0, poisson: float = 0.3, clamped: bool = True
) -> tuple[sp.csr_array, np.ndarray]:
    """Assemble the linear elasticity matrix of a block of trilinear hexahedra, and its six rigid-body modes.

    Parameters
    ----------
    shape : tuple of three ints
        Free points along each axis, at least 2. Elements are cubes of edge 1.
    young, poisson : float, optional
        Young's modulus (> 0) and Poisson's ratio (between -1 and 0.5) of the isotropic material.
    clamped : bool, optional
        If true, the block is one layer of elements longer along the first axis, and the points at its end are fixed
        and eliminated: the matrix is positive definite, and rows of the first layer of free points do not annihilate
        the modes. If false, the block is not fixed: the matrix is singular, and the modes span its null space.

    Returns
    -------
    matrix : scipy.sparse.csr_array, (3 n, 3 n) float64
        Row ``3 * point + c`` is the displacement of a point along axis ``c``. Exactly symmetric. All 27 * 3 entries of
        the stencil are stored, even if their value is zero.
    modes : (3 n, 6) float64 array
        Translations along the three axes, then rotations in the planes of axes (1, 2), (2, 0), (0, 1) about the
        block's middle.

    Raises
    ------
    ValueError
        If an extent is below 2 or a material constant is out of range.
    TypeError
        If an extent is not an integer, a constant not a number, or `clamped` not a bool.

    Notes
    -----
    Peak memory: 17 bytes per entry; the result takes 12 of them. ``(60, 60, 60)`` is the matrix Elasticity3D_60 of
    Kelley and Rajamanickam (2022): 648,000 rows, 50,757,768 entries.

    Examples
    --------
    >>> import numpy as np
    >>> from stablegraph import gallery
    >>> A, modes = gallery.elasticity_3d((3, 3, 3), clamped=False)
    >>> A.shape, A.nnz, modes.shape
    ((81, 81), 3087, (81, 6))
    >>> bool(np.allclose(A @ modes, 0))
    True
    """
    shape = checked_shape(shape)  # type: ignore[assignment]
    if len(shape) != 3 or min(shape) < 2:
        raise ValueError(f"elasticity_3d needs three extents of at least 2 points, got {shape}")
    young, poisson = number(young, "young", above=0), number(poisson, "poisson", above=-1, below=0.5)
    clamped = boolean(clamped, "clamped")
    offsets = stencil_offsets(shape, 27)
    around = _elements_around(shape, clamped)
    stencils = _stiffness_stencils(_element_stiffness(young, poisson), offsets)
    n = int(np.prod(shape))

    valid = valid_neighbors(shape, offsets)
    blocks_per_row = np.count_nonzero(valid, axis=1)
    nnz = 9 * int(blocks_per_row.sum())
    itype = np.int32 if max(nnz, 3 * n) < 2**31 else np.int64
    indptr = np.zeros(3 * n + 1, itype)
    np.cumsum(np.repeat(3 * blocks_per_row, 3), out=indptr[1:])

    # An array with the axes (point, row, neighbor, column) has the order of CSR with sorted rows.
    every = np.broadcast_to(valid[:, None, :, None], (n, 3, 27, 3))
    values = stencils[around][every]
    columns = 3 * neighbor_ids(shape, offsets, itype)[:, None, :, None] + np.arange(3, dtype=itype)
    indices = np.broadcast_to(columns, every.shape)[every]
    return sorted_csr(values, indices, indptr, 3 * n), _rigid_body_modes(shape)


def _element_stiffness(young: float, poisson: float) -> np.ndarray:
    """Return (8, 3, 8, 3): the force on corner a along axis i for a unit displacement of corner b along axis j."""
    gauss = 0.5 + np.array(list(itertools.product((-1, 1), repeat=3))) / np.sqrt(12)
    shapes = np.where(_CORNERS[None], gauss[:, None], 1 - gauss[:, None])  # (8 points, 8 corners, 3 factors)
    slopes = np.where(_CORNERS, 1.0, -1.0)
    gradients = np.empty((8, 8, 3))
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        gradients[:, :, axis] = slopes[:, axis] * shapes[:, :, others].prod(axis=2)
    products = np.einsum("pai,pbj->aibj", gradients, gradients) / 8  # two Gauss points per axis integrate them exactly
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    stiffness = lame * products + shear * products.transpose(0, 3, 2, 1)
    stiffness += shear * np.einsum("akbk,ij->aibj", products, np.eye(3))
    flat = stiffness.reshape(24, 24)
    symmetric: np.ndarray = ((flat + flat.T) / 2).reshape(8, 3, 8, 3)
    return symmetric


def _elements_around(shape: tuple[int, ...], clamped: bool) -> np.ndarray:
    """Return (n,) bit masks of the existing elements around each point: bit e is the element on side _CORNERS[e]."""
    sides = []
    for axis, extent in enumerate(shape):
        position = np.arange(extent)
        first = 0 if clamped and axis == 0 else 1
        sides.append((position >= first, position < extent - 1))
    around = np.zeros(shape, np.uint8)
    for e, (i, j, k) in enumerate(_CORNERS):
        exists = sides[0][i][:, None, None] & sides[1][j][:, None] & sides[2][k]
        around |= exists.astype(np.uint8) << np.uint8(e)
    return around.ravel()


def _stiffness_stencils(stiffness: np.ndarray, offsets: list[tuple[int, ...]]) -> np.ndarray:
    """Return (256, 3, 27, 3): for every pattern of existing elements, the rows of the three unknowns of a point.

    The elements are added in the order of their positions in the block, which is the same for an entry and its
    transposed entry, so that the matrix is exactly symmetric.
    """
    stencils = np.zeros((256, 3, 27, 3))
    patterns = np.arange(256)
    for e, side in enumerate(_CORNERS):
        exists = (patterns >> e) & 1 == 1
        corner = 1 - side  # the point's corner in the element on this side of it
        for column, offset in enumerate(offsets):
            other = corner + offset
            if ((other == 0) | (other == 1)).all():
                a, b = corner @ (4, 2, 1), other @ (4, 2, 1)
                stencils[exists, :, column, :] += stiffness[a, :, b, :]
    return stencils


def _rigid_body_modes(shape: tuple[int, ...]) -> np.ndarray:
    position = np.argwhere(np.ones(shape, bool)).astype(float)
    position -= (np.array(shape) - 1) / 2
    modes = np.zeros((position.shape[0], 3, 6))
    for axis in range(3):
        following, last = (axis + 1) % 3, (axis + 2) % 3
        modes[:, axis, axis] = 1
        modes[:, following, 3 + axis] = -position[:, last]
        modes[:, last, 3 + axis] = position[:, following]
    return modes.reshape(-1, 6)
