"""Sparse Jacobians and Hessians of functions: one product per color, by JAX, PyTorch or differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, get_args

from .._core.option_names import DerivativeLibrary, HessianLibrary
from .._core.runtime.thread_count import warn_user
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice, integer
from .api import hessian_coloring, jacobian_coloring
from .array_libraries import as_array, library_of
from .checking import (
    Along,
    along_by_differences,
    along_by_jax,
    along_by_torch,
    check_product,
    nonfinite,
)
from .plan import CompressionPlan
from .products import (
    Function,
    Products,
    checked_bounds,
    gradient_by_jax,
    gradient_by_torch,
    jacobian_by_differences,
    jacobian_by_jax,
    jacobian_by_torch,
    refuse_gradient,
)


class Library(NamedTuple):
    """How a library computes the gradient, all values of a Jacobian, and the derivative in one direction.

    `bounded` is whether differences stay within bounds; None for exact derivatives.
    """

    gradient: Callable[[Function], Function] | None  # of a function with a scalar value
    products: Products
    along: Callable[[Function, CompressionPlan, Any], Along]
    bounded: bool | None = None


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
        libraries: Mapping[str, Library],
        library: str | None,
        argument: int,
        check: bool,
    ) -> None:
        self.plan = plan
        self._fun, self._libraries, self._library, self._argument = fun, libraries, library, argument
        self._check = check

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
            If the argument or the result of the function does not have the shape that belongs to the pattern, or the
            argument is outside of ``bounds``. With ``check=True``, if the pattern lacks entries, or the derivative is
            NaN or infinite; the message names their rows.
        TypeError
            If there are too few arguments, or a checked call is traced by ``jax.jit``, ``jax.vmap`` or ``jax.grad``.

        Warns
        -----
        RuntimeWarning
            Without ``check``, if differences are NaN or infinite; the message names the rows, and the place of the
            first such entry.
        """
        if len(arguments) <= self._argument:
            raise TypeError(f"the derivative is to argument {self._argument}, but there are only {len(arguments)}")
        before, x, after = arguments[: self._argument], arguments[self._argument], arguments[self._argument + 1 :]
        x, columns = as_array(x, "x"), self.plan.shape[1]
        if tuple(x.shape) != (columns,):
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the pattern has {columns} columns: pass shape ({columns},)"
            )
        library = self._libraries[self._library or library_of(x).name]

        def value(place: Any) -> Any:
            return self._fun(*before, place, *after, **options)

        fun = value if library.gradient is None else library.gradient(value)
        values = library.products(fun, self.plan, x)
        if self._check:
            check_product(fun, self.plan, x, values, library.along, library.bounded)
        elif library.bounded is not None:
            fault = nonfinite(fun, self.plan, x, values, library.bounded)
            if fault:
                warn_user(fault, RuntimeWarning)
        return values

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
    fun: Callable[..., Any],
    pattern: Any,
    *,
    library: DerivativeLibrary | None = None,
    argument: int = 0,
    check: bool = False,
    bounds: Any = None,
) -> SparseDerivative:
    """Return a function that computes the sparse Jacobian of `fun`, with one product per color.

    >>> import numpy as np, stablegraph as sg
    >>> sg.sparse_jacobian(lambda x: x**2, np.eye(3))(np.array([1.0, 2.0, 3.0])).diagonal().round(6)
    array([2., 4., 6.])

    Parameters
    ----------
    fun : callable
        Takes an array (columns,), and possibly other arguments; returns an array (rows,).
    pattern : CompressionPlan, or a pattern of shape (rows, columns)
        The entries of the Jacobian that may be nonzero, as for `jacobian_coloring`, whose mode is then "column"; or a
        plan. The Jacobian of a gradient is symmetric and may have a plan of `hessian_coloring`.
    library : {"numpy", "cupy", "jax", "torch"}, optional
        How the products are computed: exactly by JAX or PyTorch; by forward differences for NumPy and CuPy. The default
        is the library of the array that is passed. With "jax" or "torch" and an array of NumPy, the array is converted,
        and the result is a matrix of SciPy; so functions of JAX and PyTorch fit into the solvers of SciPy.
    argument : int
        The position of the array among the arguments of `fun`: 0 for the solvers of `scipy.optimize`, 1 for
        `scipy.integrate.solve_ivp`.
    check : bool
        Compare the product of each matrix and a random vector with the derivative of `fun` in this direction, and raise
        a ValueError that names the rows if the pattern lacks entries, or if a derivative is NaN or infinite. One more
        product, or three more evaluations.
    bounds : pair (lower, upper) or scipy.optimize.Bounds, optional
        For differences: `fun` is evaluated only within the bounds, as SciPy does for ``jac_sparsity=``. Pass the bounds
        of `least_squares` if `fun` is undefined outside of them. Each side is a number or an array (columns,), which
        may contain infinities.

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
        or a plan needs products with rows and `library` is "numpy" or "cupy"; with `check`, if the pattern lacks
        entries, or a derivative is NaN or infinite. If a lower bound is not below the upper one, the bounds do not have
        one number for each column, or they have no effect: with other plans than those of mode "column", and with
        `library` "jax" or "torch"; when called, if an unknown is outside of its bounds.
    TypeError
        If `bounds` is no pair. When called, with `check`, under ``jax.jit``, ``jax.vmap`` or ``jax.grad``, which have
        no numbers to compare.

    Notes
    -----
    JAX and PyTorch: columns in forward mode (``jvp``), rows in reverse mode (``vjp``), all colors together by ``vmap``;
    so memory is that of K evaluations for K colors. All of it works under ``jax.jit``.

    Differences: K + 1 evaluations, one after another. The steps are those of SciPy: the square root of the machine
    epsilon, times the absolute value of the unknown if that is above 1, away from zero; with a symmetric plan, all
    unknowns of a color have the same step. About half of the digits are correct. With `bounds`, a step that would leave
    them goes in the other direction, or to the farther bound if both are nearer than the step. Differences that are NaN
    or infinite give a RuntimeWarning that names the rows, and `check` raises an error.

    Solvers of SciPy take the result itself as ``jac=`` or ``hess=``. These methods use that it is sparse:
    `least_squares` ("trf", "dogbox"), `solve_ivp` ("Radau", "BDF"), `minimize` ("trust-constr", "Newton-CG"), and
    `NonlinearConstraint` with "trust-constr". These convert it into a dense array: `root`, `fsolve`, `leastsq`,
    `curve_fit`, `solve_ivp` ("LSODA"), `odeint`, `ode`, and constraints of "SLSQP". These refuse a sparse matrix, so
    pass the method `dense`: `least_squares` with "lm", and `minimize` with "dogleg", "trust-ncg", "trust-krylov" or
    "trust-exact". `newton_krylov` takes no Jacobian, but a preconditioner made from it.

    If the pattern lacks an entry, its derivative is added to another entry of the same row (in other modes than
    "column": of any row or column) or is lost. **Nothing detects this without** `check`: use it at least once, at a
    place where all derivatives are finite and nonzero. The random vector is always the same
    (``numpy.random.default_rng(0)``). A row differs if the relative difference is above the square root of the machine
    epsilon for JAX and PyTorch, and above about 1e-5 of the sizes of the terms, the value and the curvature for
    differences, which take steps of about 1e-5; derivatives that are smaller than this cannot be distinguished from
    rounding errors. Functions that are not smooth at the scale of the steps are reported, too. With a plan by rows
    only, columns are compared and named.

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
    >>> sg.sparse_jacobian(fun, np.tril(around), check=True)(np.ones(99))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the pattern lacks entries (or fun is not smooth): the product with a random vector is wrong in rows ...
    """
    argument = integer(argument, "argument", minimum=0)
    if library is not None:
        choice(library, "library", get_args(DerivativeLibrary))
    plan = pattern if isinstance(pattern, CompressionPlan) else jacobian_coloring(pattern)
    libraries = _JACOBIANS
    if bounds is not None:
        pair = checked_bounds(bounds, plan, library)
        products, along = partial(jacobian_by_differences, bounds=pair), partial(along_by_differences, bounds=pair)
        libraries = _JACOBIANS | dict.fromkeys(("numpy", "cupy"), Library(None, products, along, True))
    return SparseDerivative(fun, plan, libraries, library, argument, boolean(check, "check"))


@suggests_options
def sparse_hessian(
    fun: Callable[..., Any],
    pattern: Any,
    *,
    library: HessianLibrary | None = None,
    argument: int = 0,
    check: bool = False,
) -> SparseDerivative:
    """Return a function that computes the sparse Hessian of `fun`, with one product per color.

    >>> import numpy as np, stablegraph as sg
    >>> sg.sparse_hessian(lambda x: (x**3).sum(), np.eye(3), library="jax")
    <SparseDerivative: <CompressionPlan: 3 x 3, 3 entries, mode star, 1 colors>>

    Parameters
    ----------
    fun : callable
        A function of JAX or PyTorch. Takes an array (n,), and possibly other arguments; returns a scalar.
    pattern : CompressionPlan, or a pattern of shape (n, n)
        The entries of the Hessian that may be nonzero, symmetric, as for `hessian_coloring`, whose mode is then "star";
        or a plan.
    library : {"jax", "torch"}, optional
        As for `sparse_jacobian`.
    argument : int
        The position of the array among the arguments of `fun`.
    check : bool
        As for `sparse_jacobian`, with the derivative of the gradient.

    Returns
    -------
    SparseDerivative
        As for `sparse_jacobian`.

    Raises
    ------
    ValueError
        As for `hessian_coloring`; when called, if the array does not match the pattern's shape, or, with `check`, if
        the pattern lacks entries.
    TypeError
        When called with an array of NumPy or CuPy without `library`. If you have the gradient as a function of NumPy,
        use ``sparse_jacobian(gradient, hessian_coloring(pattern))``.

    Notes
    -----
    Forward over reverse mode: the gradient (``grad``) is differentiated in the direction of each color (``jvp``), all
    colors together by ``vmap``. So time and memory are about those of K gradients for K colors. Works under
    ``jax.jit``. The solvers of SciPy that accept the result are listed for `sparse_jacobian`.

    If the pattern lacks an entry, its derivative is added to other entries or lost, which only `check` detects: see
    `sparse_jacobian`.

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
    return SparseDerivative(fun, plan, _HESSIANS, library, argument, boolean(check, "check"))


_JACOBIANS: dict[str, Library] = {
    "numpy": Library(None, jacobian_by_differences, along_by_differences, False),
    "cupy": Library(None, jacobian_by_differences, along_by_differences, False),
    "jax": Library(None, jacobian_by_jax, along_by_jax),
    "torch": Library(None, jacobian_by_torch, along_by_torch),
}
_HESSIANS: dict[str, Library] = {
    "numpy": Library(refuse_gradient, jacobian_by_differences, along_by_differences, False),
    "cupy": Library(refuse_gradient, jacobian_by_differences, along_by_differences, False),
    "jax": Library(gradient_by_jax, jacobian_by_jax, along_by_jax),
    "torch": Library(gradient_by_torch, jacobian_by_torch, along_by_torch),
}
