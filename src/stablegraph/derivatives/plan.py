"""CompressionPlan: how a sparse Jacobian or Hessian is computed from few products and recovered from them.

A plan contains the colors, and for each entry of the pattern the position in the products from which it is read. It is
prepared once and used for many evaluations, with arrays of NumPy, CuPy, JAX and PyTorch.

Idea: the products are one long array. In direct recovery an entry is one of its elements. In recovery by substitution
(substitution.py), some elements are first added to other elements, in a few rounds.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.csr.arrays import read_only
from .._core.unknown_options import suggests_options
from .._core.validation import is_sparse
from .array_libraries import as_array, library_of

# The members of a pytree: the structure, and the arrays.
_STATIC = ("mode", "shape", "num_column_colors", "num_row_colors")
_ARRAYS = ("column_colors", "row_colors", "indptr", "indices", "places", "entries", "rounds")


@dataclass(frozen=True, eq=False, repr=False)
class CompressionPlan:
    """The colors of a sparse Jacobian or Hessian, and the recovery of its entries from few products.

    Made by `jacobian_coloring` and `hessian_coloring`. The compressed form of a matrix ``J`` depends on the mode. With
    the 0-1 matrices of `seeds` it is

    * ``J @ seeds``, one product per color of the columns, in the modes "column", "star" and "acyclic";
    * ``seeds.T @ J``, one product per color of the rows, in the mode "row";
    * the pair ``(J @ seeds[0], seeds[1].T @ J)`` in the mode "both".

    Attributes
    ----------
    mode : {"column", "row", "both", "star", "acyclic"}
        How entries are recovered.
    shape : tuple of int
        The shape of the matrix.
    column_colors, row_colors : int32 array, or None
        The color of each column and of each row; -1 for a column or row that is in no product. None if no product is of
        this kind.
    num_column_colors, num_row_colors : int
        The numbers of products of each kind.
    indptr, indices : array
        The pattern in CSR form, ascending and without repeated entries.
    places : array
        Positions in the compressed form, flattened (in the mode "both": one array after the other).
    entries : array, or None
        For each entry of the pattern its position in `places`; None if there is one place per entry, in order.
    rounds : tuple of pairs of arrays
        For recovery by substitution: in each round, elements at the first positions are added to those at the second
        positions (in the first round subtracted).

    Notes
    -----
    Immutable, with read-only arrays; can be pickled. A plan is a pytree of JAX, and can be an argument of a function
    under ``jax.jit``, or be used inside of one. It is registered when it is made, unpickled or used, so import JAX
    before.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> J = np.array([[1.0, 2, 0], [0, 3, 4], [0, 0, 5]])
    >>> plan = sg.jacobian_coloring(J)
    >>> plan
    <CompressionPlan: 3 x 3, 5 entries, mode column, 2 colors>
    >>> plan.seeds()
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    >>> plan.recover(J @ plan.seeds()).toarray()
    array([[1., 2., 0.],
           [0., 3., 4.],
           [0., 0., 5.]])
    """

    mode: str
    shape: tuple[int, int]
    column_colors: Any
    row_colors: Any
    num_column_colors: int
    num_row_colors: int
    indptr: Any
    indices: Any
    places: Any
    entries: Any = None
    rounds: tuple[tuple[Any, Any], ...] = ()

    def __post_init__(self) -> None:
        for name in _ARRAYS[:-1]:
            object.__setattr__(self, name, read_only(getattr(self, name)))
        rounds = tuple((read_only(sources), read_only(targets)) for sources, targets in self.rounds)
        object.__setattr__(self, "rounds", rounds)
        _register_with_jax()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return (
            f"<CompressionPlan: {rows} x {columns}, {self.num_entries} entries, mode {self.mode}, "
            f"{self.num_colors} colors>"
        )

    @property
    def num_colors(self) -> int:
        """The number of products of an evaluation."""
        return self.num_column_colors + self.num_row_colors

    @property
    def num_entries(self) -> int:
        """The number of entries of the pattern."""
        return int(self.indices.shape[0])

    @suggests_options
    def seeds(self, like: Any = None) -> Any:
        """Return the directions of the products, as 0-1 matrices.

        Parameters
        ----------
        like : array, optional
            An array of NumPy, CuPy, JAX or PyTorch, whose library, device and dtype the result gets. The default is
            NumPy and float64.

        Returns
        -------
        array (columns, K) or (rows, K), or a pair of arrays
            Element (j, c) is 1 if column j (or row j, in the mode "row") has color c, else 0. In the mode "both" the
            pair for columns and for rows.

        Notes
        -----
        The result takes one number per column and color. If this is too much memory, make one direction at a time:
        ``(plan.column_colors == c).astype(float)``.
        """
        like = np.empty(0) if like is None else as_array(like, "like")
        library = library_of(like)
        by_columns = None if self.column_colors is None else (self.column_colors, self.num_column_colors)
        by_rows = None if self.row_colors is None else (self.row_colors, self.num_row_colors)
        made = [library.one_hot(*side, like) for side in (by_columns, by_rows) if side is not None]
        return made[0] if len(made) == 1 else tuple(made)

    @suggests_options
    def compress(self, matrix: Any) -> Any:
        """Return the compressed form of a matrix that is known, for tests.

        Parameters
        ----------
        matrix : sparse or dense array or matrix, of the plan's shape
            All entries outside of the pattern must be zero.

        Returns
        -------
        array, or a pair of arrays
            What `recover` takes.

        Raises
        ------
        ValueError
            If the shape is not that of the plan.
        """
        is_scipy = is_sparse(matrix)
        matrix = matrix if is_scipy else as_array(matrix, "matrix")
        if tuple(matrix.shape) != self.shape:
            raise ValueError(f"matrix has shape {tuple(matrix.shape)}, but the plan is for {self.shape}")
        like = np.empty(0, matrix.dtype) if is_scipy else matrix
        if self.mode == "both":
            of_columns, of_rows = self.seeds(like)
            return matrix @ of_columns, of_rows.T @ matrix
        return self.seeds(like).T @ matrix if self.mode == "row" else matrix @ self.seeds(like)

    @suggests_options
    def values(self, compressed: Any) -> Any:
        """Return the values of the pattern's entries, in the order of `indices`.

        Parameters
        ----------
        compressed : array, or a pair of arrays in the mode "both"
            The compressed form: products with the seeds. Arrays of NumPy, CuPy, JAX or PyTorch, of any dtype.

        Returns
        -------
        array (entries,)
            In the library, on the device, and with the dtype of `compressed`.

        Raises
        ------
        ValueError
            If `compressed` does not have the shapes that belong to the plan.
        TypeError
            If `compressed` is a sparse matrix, or is not a pair in the mode "both".

        Notes
        -----
        Works under ``jax.jit``, ``jax.vmap`` and ``jax.grad``. Direct recovery is exact. In recovery by substitution,
        an entry is a sum of products along a tree, so rounding errors of the products can add up; and on a GPU the sums
        may be added in different orders from run to run.
        """
        parts = self._checked(compressed)
        library = library_of(parts[0])
        values = library.flat(parts)[library.indices(self.places, parts[0])]
        for number, (sources, targets) in enumerate(self.rounds):
            addends = values[library.indices(sources, values)]
            values = library.add(values, library.indices(targets, values), addends if number else -addends)
        return values if self.entries is None else values[library.indices(self.entries, values)]

    @suggests_options
    def recover(self, compressed: Any) -> Any:
        """Return the sparse matrix with the given compressed form.

        Parameters
        ----------
        compressed : array, or a pair of arrays in the mode "both"
            As for `values`.

        Returns
        -------
        sparse matrix
            With the entries of the pattern: a csr_array of SciPy, a csr_matrix of CuPy, a BCOO of JAX, or a CSR tensor
            of PyTorch. For ``jax.vmap``, use `values`.

        Raises
        ------
        ValueError, TypeError
            As for `values`.
        """
        return self.matrix(self.values(compressed))

    @suggests_options
    def matrix(self, values: Any) -> Any:
        """Return the sparse matrix with the given values of the pattern's entries.

        Parameters
        ----------
        values : array (entries,)
            In the order of `indices`, as `values` returns them.

        Returns
        -------
        sparse matrix
            As for `recover`.

        Raises
        ------
        ValueError
            If there is not one value per entry.
        """
        values = as_array(values, "values")
        if tuple(values.shape) != (self.num_entries,):
            raise ValueError(f"values has shape {tuple(values.shape)}, but the plan has {self.num_entries} entries")
        return library_of(values).matrix(values, self)

    def _checked(self, compressed: Any) -> list[Any]:
        """Return the parts of a compressed form as arrays of the right shapes."""
        rows, columns = self.shape
        by_columns, by_rows = (rows, self.num_column_colors), (self.num_row_colors, columns)
        if self.mode == "both":
            if not isinstance(compressed, (tuple, list)) or len(compressed) != 2:
                raise TypeError('compressed must be a pair in the mode "both": products of columns, products of rows')
            parts, shapes = list(compressed), [by_columns, by_rows]
        else:
            parts, shapes = [compressed], [by_rows if self.mode == "row" else by_columns]
        for place, part in enumerate(parts):
            if is_sparse(part):
                raise TypeError("compressed is a sparse matrix: pass the products as a dense array")
            parts[place] = as_array(part, "compressed")
        found = [tuple(part.shape) for part in parts]
        if found != shapes:
            given, wanted = (", ".join(map(str, several)) for several in (found, shapes))
            raise ValueError(f"compressed has shape {given}, expected {wanted}")
        return parts


_registered: list[bool] = []


def _register_with_jax() -> None:
    """Register plans as pytrees, once, if JAX is loaded."""
    jax = sys.modules.get("jax")
    if _registered or jax is None or not hasattr(jax, "tree_util"):
        return
    _registered.append(True)

    def flatten(plan: CompressionPlan) -> tuple[Any, Any]:
        return [getattr(plan, name) for name in _ARRAYS], tuple(getattr(plan, name) for name in _STATIC)

    def unflatten(static: Any, leaves: Any) -> CompressionPlan:
        plan = object.__new__(CompressionPlan)
        plan.__dict__.update(zip(_STATIC, static, strict=True))
        plan.__dict__.update(zip(_ARRAYS, leaves, strict=True))
        return plan

    jax.tree_util.register_pytree_node(CompressionPlan, flatten, unflatten)
