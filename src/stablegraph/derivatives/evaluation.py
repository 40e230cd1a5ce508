"""Sparse Jacobians and Hessians of functions: one product per color, by JAX, PyTorch or differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from .._core.option_names import DerivativeLibrary, HessianLibrary
from .._core.unknown_options import suggests_options
from .._core.validation import choice, integer
from .api import hessian_coloring, jacobian_coloring
from .array_libraries import as_array, library_of
from .plan import CompressionPlan
from .products import (
    Products,
    hessian_by_jax,
    hessian_by_torch,
    jacobian_by_differences,
    jacobian_by_jax,
    jacobian_by_torch,
    refuse_hessian,
)


class SparseDerivative:
    """A function that returns the sparse Jacobian or Hessian of another function; see `sparse_jacobian`.

    Attributes
    ----------
    plan : CompressionPlan
        The colors, the pattern, and the recovery of the entries.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> square = sg.sparse_jacobian(lambda x: x**2, np.eye(3))
    >>> square.plan.num_colors, square.values(np.array([1.0, 2.0, 3.0])).round(6)
    (1, array([2., 4., 6.]))
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        plan: CompressionPlan,
        products: Mapping[str, Products],
        library: str | None,
        argument: int,
    ) -> None:
        self.plan = plan
        self._fun, self._products, self._library, self._argument = fun, products, library, argument

    def values(self, *arguments: Any, **options: Any) -> Any:
        """Return the values of the pattern's entries, in the order of ``plan.indices``.

        Parameters
        ----------
        *arguments, **options
            Those of the function.

        Returns
        -------
        array (entries,)
            In the library of the argument to which the derivative is. Works under ``jax.jit`` and ``jax.vmap``.

        Raises
        ------
        ValueError
            If the argument or the result of the function does not have the shape that belongs to the pattern.
        TypeError
            If there are too few arguments.
        """
        if len(arguments) <= self._argument:
            raise TypeError(f"the derivative is to argument {self._argument}, but there are only {len(arguments)}")
        before, x, after = arguments[: self._argument], arguments[self._argument], arguments[self._argument + 1 :]
        x, columns = as_array(x, "x"), self.plan.shape[1]
        if tuple(x.shape) != (columns,):
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the pattern has {columns} columns: pass shape ({columns},)"
            )
        products = self._products[self._library or library_of(x).name]
        return products(lambda place: self._fun(*before, place, *after, **options), self.plan, x)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return the sparse matrix; parameters and errors are those of `values`."""
        return self.plan.matrix(self.values(*arguments, **options))

    def dense(self, *arguments: Any, **options: Any) -> Any:
        """Return the matrix as a dense array, for solvers that refuse sparse matrices.

        Parameters
        ----------
        *arguments, **options
            Those of the function.

        Returns
        -------
        array (rows, columns)
            In the library of the argument to which the derivative is.

        Raises
        ------
        ValueError, TypeError
            As for `values`.
        """
        matrix = self(*arguments, **options)
        names = "toarray", "todense", "to_dense"  # of SciPy and CuPy, JAX, PyTorch
        return next(getattr(matrix, name) for name in names if hasattr(matrix, name))()

    def __repr__(self) -> str:
        return f"<SparseDerivative: {self.plan!r}>"


@suggests_options
def sparse_jacobian(
    fun: Callable[..., Any], pattern: Any, *, library: DerivativeLibrary | None = None, argument: int = 0
) -> SparseDerivative:
    """Return a function that computes the sparse Jacobian of `fun`, with one product per color.

    Parameters
    ----------
    fun : callable
        Takes an array (columns,), and possibly other arguments; returns an array (rows,).
    pattern : CompressionPlan, sparse matrix, or dense array, of shape (rows, columns)
        The entries of the Jacobian that may be nonzero, as for `jacobian_coloring`, whose mode is then "column"; or a
        plan. The Jacobian of a gradient is symmetric and may have a plan of `hessian_coloring`.
    library : {"numpy", "cupy", "jax", "torch"}, optional
        How the products are computed: exactly by JAX or PyTorch; by forward differences for NumPy and CuPy. The default
        is the library of the array that is passed. With "jax" or "torch" and an array of NumPy, the array is converted,
        and the result is a matrix of SciPy; so functions of JAX and PyTorch fit into the solvers of SciPy.
    argument : int
        The position of the array among the arguments of `fun`: 0 for the solvers of `scipy.optimize`, 1 for
        `scipy.integrate.solve_ivp`.

    Returns
    -------
    SparseDerivative
        Takes the arguments of `fun` and returns a sparse matrix of the library of the array: csr_array of SciPy (which
        NumPy can convert into a dense array), csr_matrix of CuPy, BCOO of JAX, CSR tensor of PyTorch. Its attribute
        `plan` is the CompressionPlan. Its method `dense` returns a dense array, and `values` only the values of the
        entries, for example under ``jax.vmap``.

    Raises
    ------
    ValueError
        As for `jacobian_coloring`; when called, if the array or the result of `fun` does not match the pattern's shape,
        or a plan needs products with rows and `library` is "numpy" or "cupy".

    Notes
    -----
    JAX and PyTorch: columns in forward mode (``jvp``), rows in reverse mode (``vjp``), all colors together by ``vmap``;
    so memory is that of K evaluations for K colors. All of it works under ``jax.jit``.

    Differences: K + 1 evaluations, one after another. The steps are those of SciPy: the square root of the machine
    epsilon, times the absolute value of the unknown if that is above 1, away from zero; with a symmetric plan, all
    unknowns of a color have the same step. About half of the digits are correct.

    Solvers of SciPy take the result itself as ``jac=`` or ``hess=``; `least_squares` ("trf", "dogbox"), `solve_ivp`
    ("Radau", "BDF") and `minimize` ("trust-constr", "Newton-CG") use that it is sparse. All others, such as `root`,
    convert it into a dense array. Only `least_squares` with "lm" and `minimize` with "dogleg", "trust-ncg",
    "trust-krylov" or "trust-exact" refuse a sparse matrix: pass the method `dense` to them.

    If the pattern lacks an entry, its derivative is silently added to other entries.

    See Also
    --------
    sparse_hessian : For a function with a scalar value.
    jacobian_coloring : The individual steps, for other libraries.

    Examples
    --------
    >>> import numpy as np, scipy.optimize, stablegraph as sg
    >>> def fun(x):  # x[i] and its two neighbors
    ...     return x**2 - np.roll(x, 1) - 0.5 * np.roll(x, -1)
    >>> around = np.eye(99) + np.roll(np.eye(99), 1, axis=0) + np.roll(np.eye(99), -1, axis=0)
    >>> jacobian = sg.sparse_jacobian(fun, around)
    >>> jacobian(np.ones(99)).toarray()[0, [0, 1, 98]].round(6)
    array([ 2. , -0.5, -1. ])
    >>> bool(scipy.optimize.least_squares(fun, np.full(99, 2.0), jacobian).success)
    True
    >>> bool(scipy.optimize.root(fun, np.full(99, 2.0), jac=jacobian).success)
    True
    """
    argument = integer(argument, "argument", minimum=0)
    if library is not None:
        choice(library, "library", get_args(DerivativeLibrary))
    plan = pattern if isinstance(pattern, CompressionPlan) else jacobian_coloring(pattern)
    return SparseDerivative(fun, plan, _JACOBIANS, library, argument)


@suggests_options
def sparse_hessian(
    fun: Callable[..., Any], pattern: Any, *, library: HessianLibrary | None = None, argument: int = 0
) -> SparseDerivative:
    """Return a function that computes the sparse Hessian of `fun`, with one product per color.

    Parameters
    ----------
    fun : callable
        A function of JAX or PyTorch. Takes an array (n,), and possibly other arguments; returns a scalar.
    pattern : CompressionPlan, sparse matrix, or dense array, of shape (n, n)
        The entries of the Hessian that may be nonzero, symmetric, as for `hessian_coloring`, whose mode is then "star";
        or a plan.
    library : {"jax", "torch"}, optional
        As for `sparse_jacobian`.
    argument : int
        The position of the array among the arguments of `fun`.

    Returns
    -------
    SparseDerivative
        As for `sparse_jacobian`.

    Raises
    ------
    ValueError
        As for `hessian_coloring`; when called, if the array does not match the pattern's shape.
    TypeError
        When called with an array of NumPy or CuPy without `library`. If you have the gradient as a function of NumPy,
        use ``sparse_jacobian(gradient, hessian_coloring(pattern))``.

    Notes
    -----
    Forward over reverse mode: the gradient (``grad``) is differentiated in the direction of each color (``jvp``), all
    colors together by ``vmap``. So time and memory are about those of K gradients for K colors. Works under
    ``jax.jit``. The solvers of SciPy that accept the result are listed for `sparse_jacobian`.

    If the pattern lacks an entry, its derivative is silently added to other entries.

    See Also
    --------
    hessian_coloring : The individual steps, for other libraries.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> around = np.eye(99) + np.roll(np.eye(99), 1, axis=0) + np.roll(np.eye(99), -1, axis=0)
    >>> def energy(x):  # of a ring of springs
    ...     return ((x[1:] - x[:-1]) ** 4).sum() + (x[0] - x[-1]) ** 4
    >>> sg.sparse_hessian(energy, around, library="jax")
    <SparseDerivative: <CompressionPlan: 99 x 99, 297 entries, mode star, 3 colors>>
    """
    argument = integer(argument, "argument", minimum=0)
    if library is not None:
        choice(library, "library", get_args(HessianLibrary))
    plan = pattern if isinstance(pattern, CompressionPlan) else hessian_coloring(pattern)
    return SparseDerivative(fun, plan, _HESSIANS, library, argument)


_JACOBIANS: dict[str, Products] = {
    "numpy": jacobian_by_differences,
    "cupy": jacobian_by_differences,
    "jax": jacobian_by_jax,
    "torch": jacobian_by_torch,
}
_HESSIANS: dict[str, Products] = {
    "numpy": refuse_hessian,
    "cupy": refuse_hessian,
    "jax": hessian_by_jax,
    "torch": hessian_by_torch,
}
