"""Rules and kernels: one Python function, run by CPU threads, by CUDA, or by plain Python in a shuffled order.

A *rule* is a plain function on scalars and arrays, called by kernels and other rules. A *kernel* is the body of one
parallel iteration; calling it runs all iterations on the device that holds its arrays::

    @rule
    def outranks(u, v, status):
        return status[u] > status[v] or (status[u] == status[v] and u > v)

    @kernel(by="edges", types="O[] V[] uint8[]")
    def decide(v, indptr, indices, status):
        ...

    decide(n, indptr, indices, status)          # v = 0 .. n - 1

``by`` declares how the work is split:

=================  =========================  ==============================================================
``by``             call; body                 split
=================  =========================  ==============================================================
``"items"``        ``k(n, ...)``;             equal numbers of items
                   ``body(i, ...)``
``"edges"``        ``k(n, indptr, ...)``;     equal numbers of vertices + edges, found by search in ``indptr``
                   ``body(v, indptr, ...)``
``"workers"``      ``k(workers, ...)``;       the body splits the work itself. It must finish when the workers
                   ``body(w, workers, ...)``  run one after another in any order: it waits only for work that
                                              another worker has begun
``"single"``       ``k(...)``; ``body(...)``  not split: one thread does everything
=================  =========================  ==============================================================

``types`` declares the types of the remaining arguments, for which the kernel is compiled when the package is built: a
word for each, in order. A number is ``int``, ``float`` or ``bool``. An array is the type of its elements and ``[]``, or
``[,]`` for two dimensions. ``V`` stands for the type of vertices (int32 or int64) and ``O``
for the type of offsets; build_kernels/forms.py lists their combinations. Another capital letter is a type variable, and
a keyword lists its values: ``types="T[] T[]", T="int32 float64"``. A call with other types raises a TypeError. Arrays
that are not C-contiguous, not aligned or not in native byte order are copied for the call, which takes time.

The number of threads depends on the amount of work. An item that gets a group with `indptr` counts as a row of average
length, any other item as 1, or as the number in ``@kernel(each=4096)``.

A kernel returns nothing; its results are in its arrays. Integer arguments are Python ints. **Indices are never
negative**: compiled code does not check them and would write to a wrong place (the Python target refuses them).
Arrays that belong together travel as one argument, a NamedTuple, if the parameter is annotated with its class; it may
be the first argument of a kernel by edges, and then holds `indptr`. ``types`` has a word for each of its members::

    class Rows(NamedTuple):
        indptr: Any
        indices: Any

    @kernel(by="edges", types="O[] V[] int64[]")
    def count(v, rows: Rows, counts):
        ...

The last members of a group may be numbers that compiled code has as constants, so that short loops are unrolled: those
that are annotated as `Constant`. ``constants="1,1 3,3"`` lists their values; such forms exist for the first type of
each variable and 32-bit indices. One more form, slower, serves all other values and types::

    class Tiles(NamedTuple):
        data: Any
        height: Constant

How it works: for each target a function is rebuilt with globals of its own, in which every rule is replaced by its form
for that target, so a kernel's file never mentions a target. For the CPU, the loop around the body is generated and
compiled when the package is built (build_kernels, jit/), and `library` launches it.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import Annotated, Any, ClassVar, get_type_hints

import numpy as np

from . import device, library
from .interpreted import as_seen_by_python
from .thread_count import num_threads


class Rule:
    """A function that kernels and other rules call, in a form for each target."""

    def __init__(self, function: Callable[..., Any], *, cuda: Callable[[], Any] | None = None, inline: bool = True):
        self.function = function
        self.inline = inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._make_cuda = cuda

    def __call__(self, *arguments: Any) -> Any:
        return self.python(*arguments)

    @cached_property
    def python(self) -> Any:
        """The form that plain Python calls."""
        return rebuilt(self.function, lambda rule: rule.python)

    @cached_property
    def cuda(self) -> Any:
        """The form that CUDA kernels call."""
        if self._make_cuda is not None:
            return self._make_cuda()
        return device.cuda_module().jit(device=True)(rebuilt(self.function, lambda rule: rule.cuda))


def rule(function: Callable[..., Any] | None = None, *, inline: bool = True) -> Any:
    """Make a plain function callable from kernels on every target.

    Its code is inlined into its callers, except with ``inline=False``: code that a hot loop rarely reaches would only
    occupy registers there.
    """
    return partial(Rule, inline=inline) if function is None else Rule(function, inline=inline)


def rebuilt(function: Callable[..., Any], form: Callable[[Rule], Any]) -> types.FunctionType:
    """Return the same code with globals of its own, in which each rule is replaced by one of its forms."""
    code = function.__code__
    known = function.__globals__
    own = {"__name__": function.__module__, "__builtins__": known["__builtins__"]}
    for name in code.co_names:
        if name in known:
            value = known[name]
            if isinstance(value, types.FunctionType):
                raise TypeError(f"{function.__qualname__} uses the function {name}: make it a @rule")
            own[name] = form(value) if isinstance(value, Rule) else value
    copy = types.FunctionType(code, own, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__ = function.__qualname__
    return copy


@rule
def edge_split(indptr, n, worker, workers):
    """The first vertex of a worker's share when vertices + edges are split evenly (`n` for the worker after the last).

    Counting the vertices too keeps a share of many isolated vertices from being endless.
    """
    if worker >= workers:
        return n
    base = indptr[0]
    wanted = (indptr[n] - base + n) * worker // workers
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if indptr[middle] - base + middle < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def edge_splits(indptr: Any, workers: int) -> list[int]:
    """On the host: where each worker's share begins when vertices + edges are split evenly, and where the last ends."""
    seen = as_seen_by_python(indptr)  # in 64 bits, whatever its type is
    return [edge_split(seen, indptr.size - 1, worker, workers) for worker in range(workers + 1)]


Constant = Annotated[int, "known to the compiler"]


@cache
def constants_of(group: Any) -> tuple[str, ...]:
    """Return the names of the members of a group that compiled code has as constants: its last ones."""
    kinds = get_type_hints(group, include_extras=True) if group else {}
    constants = tuple(name for name, kind in kinds.items() if kind is Constant)
    assert not constants or group._fields[-len(constants) :] == constants
    return constants


def groups_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters that are annotated with a NamedTuple, and its class: groups that travel as one argument."""
    groups = {}
    for name, annotation in function.__annotations__.items():
        if isinstance(annotation, str):
            annotation = function.__globals__.get(annotation)
        if hasattr(annotation, "_fields"):
            groups[name] = annotation
    return groups


def flattened(arguments: Any) -> list[Any]:
    """Return the arguments with the members of groups in their place."""
    flat: list[Any] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            flat.extend(argument)
        else:
            flat.append(argument)
    return flat


# How a body's parameters begin, and how many of them the layer provides.
_BEGIN = {"items": "i", "edges": "v, indptr, or v and a group that holds indptr", "workers": "w, workers"}
_PROVIDED = {"items": 1, "edges": 1, "workers": 2, "single": 0}


class Kernel:
    """The body of one parallel iteration; see the module's text for how it is called."""

    registry: ClassVar[list[Kernel]] = []

    def __init__(
        self,
        function: Callable[..., Any],
        by: str,
        each: int = 1,
        types: str | None = None,
        constants: str = "",
        variables: dict[str, str] | None = None,
    ) -> None:
        self.function = function
        self.by = by
        self.declared, self.variables = types, variables or {}
        self.constants = tuple(tuple(map(int, values.split(","))) for values in constants.split())
        self.name = f"{function.__module__}.{function.__name__}"
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.groups = groups_of(function)
        self._each = each
        parameters = inspect.getfullargspec(function).args
        self._check_parameters(parameters)
        self.parameters = parameters[_PROVIDED[by] :]  # those that a call passes, apart from a count
        self._count = len(parameters) - (by == "workers")  # of the arguments of a call
        with_rows = [i for i, name in enumerate(parameters) if "indptr" in self._fields_of(name)]
        self._rows = with_rows[0] if with_rows else None  # the position of the argument that tells how long rows are
        # For each group with constants: its position in a call, and where its constants begin.
        self._constant = [
            (parameters.index(name) - (by == "workers"), len(group._fields) - len(constants_of(group)))
            for name, group in self.groups.items()
            if constants_of(group)
        ]
        self._launchers: dict[tuple[int, ...], Any] = {}
        self._cuda: Any = None
        Kernel.registry.append(self)

    def _check_parameters(self, parameters: list[str]) -> None:
        """Refuse a body whose parameters do not begin as its split requires."""
        first, second = [*parameters, "", ""][:2]
        fits = {
            "items": first != "",
            "edges": second == "indptr" or "indptr" in self._fields_of(second),
            "workers": second == "workers",
            "single": True,
        }
        if not fits[self.by]:
            name, begin = self.function.__qualname__, _BEGIN[self.by]
            raise TypeError(f"the parameters of a kernel by {self.by} begin with {begin}: {name}")

    def _fields_of(self, parameter: str) -> tuple[str, ...]:
        """The members of a group; empty for any other parameter."""
        return getattr(self.groups.get(parameter), "_fields", ())

    def __repr__(self) -> str:
        return f"<kernel {self.name} by {self.by}>"

    def __call__(self, *arguments: Any) -> None:
        if len(arguments) != self._count:
            raise TypeError(f"{self!r} takes {self._count} arguments, got {len(arguments)}")
        forced = device.forced_target()
        if forced is not None and forced[0] == "python":
            self._run_python(forced[1].permutation, *arguments)
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
            passed = (min(num_threads(), arguments[0]), *arguments)
        else:
            workers = device.worker_count("cpu", self._work(arguments))
            passed = (min(num_threads(), workers), workers, *arguments)
        if launch(*passed) is None or (constants and self._find_launcher(())(*passed) is None):
            return
        with library.plain_copies(passed) as plain:
            if self._find_launcher(())(*plain) is not None:
                raise library.no_form(self, plain)

    def _find_launcher(self, constants: tuple[int, ...]) -> Any:
        """The function that runs this kernel with constants; values that are not declared are arguments of one form."""
        if constants not in self._launchers:
            self._launchers[constants] = library.launcher(self, constants if constants in self.constants else ())
        return self._launchers[constants]

    def _launch_cuda(self, arguments: tuple[Any, ...]) -> None:
        from .launching import launch

        if not any(hasattr(argument, "__cuda_array_interface__") for argument in flattened(arguments)):
            raise TypeError(f"{self!r} expected at least one NumPy or CuPy array")
        leading = 0 if self.by == "single" else 1
        launch(self, arguments[0] if leading else None, tuple(flattened(arguments[leading:])))

    def _work(self, arguments: tuple[Any, ...]) -> int:
        """Roughly how much there is to do: vertices and entries."""
        count: int = arguments[0]
        if self.by == "edges":
            return count + int(getattr(arguments[1], "indptr", arguments[1])[-1])
        if self._rows is None:
            return count * self._each
        indptr = arguments[self._rows].indptr
        row: int = (indptr[-1] - indptr[0]).item() // max(1, indptr.size - 1)
        return count * (self._each + row)

    def _run_python(self, order: Callable[[int], Any], *arguments: Any) -> None:
        """One iteration after another, in the order of the positions that `order` gives for their number."""
        arguments = tuple(as_seen_by_python(argument) for argument in arguments)
        if self.by == "single":
            self.python(*arguments)
            return
        count, *others = arguments
        leading = (count,) if self.by == "workers" else ()
        for i in order(count).tolist():
            self.python(i, *leading, *others)

    @cached_property
    def python(self) -> Any:
        """The body that plain Python runs."""
        return rebuilt(self.function, lambda rule: rule.python)


def _on_host(arguments: tuple[Any, ...]) -> bool:
    """Whether the arrays among them, also in groups, are NumPy arrays."""
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
    """Make a function the body of a parallel loop; the module's text describes all parameters."""
    if by not in ("items", "edges", "workers", "single"):
        raise ValueError(f"by must be 'items', 'edges', 'workers' or 'single', got {by!r}")
    if function is None:
        return lambda body: Kernel(body, by, each, types, constants, variables)
    return Kernel(function, by, each)
