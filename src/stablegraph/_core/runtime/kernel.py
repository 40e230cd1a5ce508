"""Rules and kernels: one Python function, run by CPU threads, by CUDA, or by plain Python in a shuffled order.

A *rule* is a plain function on scalars and arrays, called by kernels and other rules. A *kernel* is the body of one
parallel iteration; calling it runs all iterations on the device that holds its arrays::

    @rule
    def outranks(u, v, status):
        return status[u] > status[v] or (status[u] == status[v] and u > v)

    @kernel(by="edges")
    def decide(v, rows: Rows, status: Bytes):
        ...

    decide(n, rows, status)          # v = 0 .. n - 1

``by`` declares how the work is divided:

=================  =========================  ==============================================================
``by``             call; body                 split
=================  =========================  ==============================================================
``"items"``        ``k(n, ...)``;             equal numbers of items
                   ``body(i, ...)``
``"edges"``        ``k(n, indptr, ...)``;     equal numbers of vertices + edges, found by search in ``indptr``
                   ``body(v, indptr, ...)``
``"workers"``      ``k(workers, ...)``;       the body divides the work itself. It must finish even if the workers
                   ``body(w, workers, ...)``  run one after another in any order: it waits only for work that
                                              another worker has begun
``"single"``       ``k(...)``; ``body(...)``  not split: one thread does everything
=================  =========================  ==============================================================

The annotations of the remaining arguments declare their types, for which the kernel is compiled when the package is
built. A number is ``int``, ``float`` or ``bool``. The types of arrays are defined in array_types.py, each with its word
of messages: ``Int64s`` (``int64[]``), ``Float64Table`` with two dimensions (``float64[,]``), ``Bytes`` (``uint8[]``).
Some are variables, and build_kernels/forms.py expands them:

==============  =======  ======================================================================
type            word     values
==============  =======  ======================================================================
``Vertices``    ``V[]``  int32 or int64
``Offsets``     ``O[]``  int32 or int64, not narrower than vertices
``Integers``    ``I[]``  int32 or int64, independent of these
``Numbers``     ``F[]``  float64 or complex128
``ArrayT``      ``T[]``  those that the kernel lists: ``@kernel(T="int32 float64")``; so ``ArrayS``
==============  =======  ======================================================================

``@kernel(V="int32", O="int32")`` fixes a variable. If the annotations do not fit on the line of ``def``, ``types=``
lists the words of the parameters without annotations in order: ``types="V[] int64[] bool"``. (Words for all parameters,
members of groups included, replace all annotations.) A call with other types raises a TypeError. Arrays that are not
C-contiguous, not aligned or not in native byte order are copied for the call, which takes time.

The number of threads depends on the amount of work. If a kernel takes a group with `indptr`, an item counts as a row of
average length; otherwise as 1, or as the number in ``@kernel(each=4096)``.

A kernel returns nothing; its results are in its arrays. Integer arguments are Python ints. **Indices are never
negative**: compiled code does not check them and would write to a wrong address (the Python target raises an error).
Arrays that belong together are passed as one argument, a NamedTuple, if the parameter is annotated with its class. It
may be the first argument of a kernel by edges, and must then contain `indptr`. Its members have the types::

    class Rows(NamedTuple):
        indptr: Offsets
        indices: Vertices

    @kernel(by="edges")
    def count(v, rows: Rows, counts: Int64s):
        ...

The last members of a group may be constants in compiled code, so that short loops are unrolled. They are annotated as
`Constant`, and ``constants="1,1 3,3"`` lists their values. These forms exist for the first type of each variable and
32-bit indices. An additional, slower form is used for all other values and types::

    class Tiles(NamedTuple):
        data: Numbers
        height: Constant

How it works: for each target a function is rebuilt with new globals, in which every rule is replaced by its form for
that target, so that a kernel's module never mentions a target. For the CPU, the loop around the body is generated and
compiled when the package is built (build_kernels, jit/), and `library` launches it.

In plain Python, an integer that is read from an array becomes a Python int: compiled code computes in 64 bits for every
array type, while NumPy scalars would overflow in their own type. (Sets of 64 bits remain NumPy's, so that their
complement is not a negative number.) A negative index raises an error: compiled code does not count from the end
(jit/pipeline.py), so no kernel may rely on that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..unknown_options import UnsupportedOnCards
from . import device, library
from .declaration import Declaration, flattened
from .thread_count import in_block, threads_by_default


class _Array(np.ndarray):
    """A view of an array with these semantics."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(_checked_index(index))
        return value.item() if isinstance(value, np.integer) and not isinstance(value, np.uint64) else value

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index if type(index) is int and index >= 0 else _checked_index(index), value)


class _Integers(_Array):
    """Such a view of integers that become Python's: one of them is read without a NumPy scalar, in a fifth of the time.

    Tests read tens of millions of them.
    """

    def __getitem__(self, index: Any) -> Any:
        return self.item(index) if type(index) is int and index >= 0 and self.ndim == 1 else super().__getitem__(index)


def _checked_index(index: Any) -> Any:
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, slice) and part < 0:
            raise IndexError(f"a kernel read or wrote at the negative index {index}")
    return index


def checked_view(argument: Any) -> Any:
    """Return a kernel's argument with each array, also in groups, as a view of a class above."""
    if type(argument) is np.ndarray:
        integers = argument.dtype.kind in "iu" and argument.dtype != np.uint64
        return argument.view(_Integers if integers else _Array)
    if isinstance(argument, tuple):
        parts = [checked_view(part) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument


_WORTH_A_THREAD = 16384  # entries or vertices; waking a thread takes microseconds, and longer on busy machines


def worker_count(place: str, work: int) -> int:
    """Return the number of workers that a kernel should get for this much work (roughly, entries or vertices).

    At most the number of threads, or of resident threads on a GPU. Small work gets few workers, which is also faster.
    """
    if ":" in place:
        raise UnsupportedOnCards
    if device.forced.workers is not None:
        return device.forced.workers
    if place == "cpu":
        return min(in_block.get() or threads_by_default(), 1 + work // _WORTH_A_THREAD)
    return max(1, min(device.resident_threads(), work))


class Kernel(Declaration):
    """The body of one parallel iteration; the module's docstring explains calls."""

    registry: ClassVar[list[Kernel]] = []

    def __init__(self, *declared: Any) -> None:
        super().__init__(*declared)
        self._launchers: dict[tuple[int, ...], Any] = {}
        Kernel.registry.append(self)

    def __call__(self, *arguments: Any) -> None:
        if len(arguments) != self._count:
            raise TypeError(f"{self!r} takes {self._count} arguments, got {len(arguments)}")
        if device.forced.target == "python":
            self._run_python(device.forced.random.permutation, *arguments)
            return
        if not _on_host(arguments):
            self._launch_cuda(arguments)
            return
        if device.PLAIN_PYTHON:
            self._run_python(np.arange, *arguments)
            return
        constants: tuple[int, ...] = ()
        for position, first in self._constant:
            constants += arguments[position][first:]
        launch = self._launchers.get(constants) or self._find_launcher(constants)
        if self.by == "single":
            passed = (1, 1, *arguments)
        elif self.by == "workers":
            passed = (min(in_block.get() or threads_by_default(), arguments[0]), *arguments)
        else:
            workers = worker_count("cpu", self._work(arguments))
            passed = (min(in_block.get() or threads_by_default(), workers), workers, *arguments)
        if launch(*passed) is None or (constants and self._find_launcher(())(*passed) is None):
            return
        with library.plain_copies(passed) as plain:
            if self._find_launcher(())(*plain) is not None:
                raise library.no_form(self, plain[2 if self.by in ("workers", "single") else 3 :])

    def _find_launcher(self, constants: tuple[int, ...]) -> Any:
        """Return the function that runs this kernel with constants; undeclared values use the general form."""
        if constants not in self._launchers:
            self._launchers[constants] = library.launcher(self, constants if constants in self.constants else ())
        return self._launchers[constants]

    def _launch_cuda(self, arguments: tuple[Any, ...]) -> None:
        from .launching import launch

        if not any(hasattr(argument, "__cuda_array_interface__") for argument in flattened(arguments)):
            raise TypeError(f"{self!r} expected at least one NumPy or CuPy array")
        if self.by == "single":
            launch(self, None, 1, tuple(flattened(arguments)))
        elif arguments[0] > 0:
            launch(self, arguments[0], worker_count("cuda", arguments[0]), tuple(flattened(arguments[1:])))

    def _work(self, arguments: tuple[Any, ...]) -> int:
        """Return an estimate of the work: the number of vertices and entries."""
        count: int = arguments[0]
        if self.by == "edges":
            return count + int(getattr(arguments[1], "indptr", arguments[1])[-1])
        if self._rows is None:
            return count * self._each
        indptr = arguments[self._rows].indptr
        row: int = (indptr[-1] - indptr[0]).item() // max(1, indptr.size - 1)
        return count * (self._each + row)

    def _run_python(self, order: Callable[[int], Any], *arguments: Any) -> None:
        """Run one iteration after another, in the order that `order` returns for their number."""
        arguments = checked_view(arguments)
        if self.by == "single":
            self.python(*arguments)
            return
        count, *others = arguments
        leading = (count,) if self.by == "workers" else ()
        for i in order(count).tolist():
            self.python(i, *leading, *others)


def _on_host(arguments: tuple[Any, ...]) -> bool:
    """Return whether the arrays among the arguments, also in groups, are NumPy arrays."""
    for argument in arguments:
        if isinstance(argument, np.ndarray) or (isinstance(argument, tuple) and _on_host(argument)):
            return True
    return False


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    by: str = "items",
    types: str | None = None,
    each: int = 1,
    constants: str = "",
    **variables: str,
) -> Any:
    """Make a function the body of a parallel loop; the module's docstring describes all parameters."""
    if by not in ("items", "edges", "workers", "single"):
        raise ValueError(f"by must be 'items', 'edges', 'workers' or 'single', got {by!r}")
    if function is None:
        return lambda body: Kernel(body, by, each, types, constants, variables)
    return Kernel(function, by, each)
