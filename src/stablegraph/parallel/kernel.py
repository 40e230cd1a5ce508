"""Rules and kernels: one Python function, run by CPU threads, by CUDA, or by plain Python in a shuffled order.

A *rule* is a plain function on scalars and arrays, called by kernels and other rules. A *kernel* is the body of one
parallel iteration; calling it runs all iterations on the device that holds its arrays::

    @rule
    def outranks(u, v, status):
        return status[u] > status[v] or (status[u] == status[v] and u > v)

    @kernel
    def decide(v, indptr, indices, status):
        ...

    decide(n, indptr, indices, status)          # v = 0 .. n - 1

How a kernel's work is split is said once, where it is defined:

=================  =========================  ==============================================================
``by``             call; body                 split
=================  =========================  ==============================================================
``"items"``        ``k(n, ...)``;             equal numbers of items
                   ``body(i, ...)``
``"edges"``        ``k(n, indptr, ...)``;     equal numbers of vertices + edges, found by search in ``indptr``
                   ``body(v, indptr, ...)``
``"workers"``      ``k(workers, ...)``;       the body splits the work itself. It must end when the workers
                   ``body(w, workers, ...)``  run one after another in any order: it waits only for what another one
                                              has begun to do
``"single"``       ``k(...)``; ``body(...)``  not at all: one thread does everything
=================  =========================  ==============================================================

How many threads are worth waking depends on the work. An item that gets a group with `indptr` counts for a row of
average length, any other one for 1, or for what is stated: ``@kernel(each=4096)``.

A kernel returns nothing; its results are in its arrays. Integer arguments are Python ints. **Indices are never
negative**: compiled code does not check them, and would write somewhere else (the interpreted target refuses them).
Arrays that belong together travel as one argument, a NamedTuple, if the parameter is annotated with its class; it may
be the first of a kernel by edges, and holds `indptr` then::

    class Rows(NamedTuple):
        indptr: Any
        indices: Any

    @kernel(by="edges")
    def count(v, rows: Rows, counts):
        ...

The last members of a group may be numbers which compiled code for the CPU has as constants, so that short loops are
unrolled: those that are annotated as `Constant`. Such a kernel is compiled once for each of their values::

    class Tiles(NamedTuple):
        data: Any
        height: Constant

How it is done: a function is rebuilt with globals of its own for each target, in which every rule is replaced by its
form for that target, so a kernel's file never mentions a target. The loop around a body is generated, with the body as
a global (not a closure), so that compiled code can be cached on disk. Groups are taken apart for the call, which Numba
makes three times as fast with plain arrays, and put together again in compiled code, where that costs nothing.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections import namedtuple
from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import Annotated, Any, ClassVar, get_type_hints

import numpy as np

from . import device
from .compiler import compiled, compiled_part
from .fingerprint import fingerprint, groups_of
from .interpreted import as_seen_by_python
from .launching import launch
from .pool import launch_turn, run_workers, start_threads, usable_threads


class Rule:
    """A function that kernels and other rules call, resolved for each target when it is first needed."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        cpu: Callable[[], Any] | None = None,
        cuda: Callable[[], Any] | None = None,
        inline: bool = True,
    ) -> None:
        self.function = function
        self.inline = inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._factories = {"cpu": cpu, "cuda": cuda}
        self._resolved: dict[str, Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.resolve("python")(*arguments)

    def resolve(self, target: str) -> Any:
        if target not in self._resolved:
            factory = self._factories.get(target)
            self._resolved[target] = factory() if factory else self._compile(target)
        return self._resolved[target]

    @cached_property
    def fingerprint(self) -> str:
        """A number for its code and all that this reaches; how it is compiled for a target is the layer's own."""
        return f"{fingerprint(self.function)} {self.inline}"

    def _compile(self, target: str) -> Any:
        function = _rebuild(self.function, target)
        if target == "python":
            return function
        if target == "cpu":
            return compiled_part(function, inline=self.inline)
        return device.cuda_module().jit(device=True)(function)


def rule(function: Callable[..., Any] | None = None, *, inline: bool = True) -> Any:
    """Make a plain function callable from kernels on every target.

    Its code becomes part of its callers' (`inline`), but for what is rarely reached from a hot loop: that would only
    take registers away there.
    """
    return partial(Rule, inline=inline) if function is None else Rule(function, inline=inline)


def _rebuild(function: Callable[..., Any], target: str) -> types.FunctionType:
    """The same code with globals of its own, in which rules stand in their form for `target`."""
    code = function.__code__
    known = function.__globals__
    own = {"__name__": function.__module__, "__builtins__": known["__builtins__"]}
    for name in code.co_names:
        if name in known:
            value = known[name]
            if isinstance(value, types.FunctionType):
                raise TypeError(f"{function.__qualname__} uses the function {name}: make it a @rule")
            own[name] = value.resolve(target) if isinstance(value, Rule) else value
    rebuilt = types.FunctionType(code, own, function.__name__, function.__defaults__, function.__closure__)
    rebuilt.__qualname__ = function.__qualname__
    return rebuilt


# What one worker does, and the driver that sets all of them to work.
_SHARES = {
    "items": """
def share(worker, workers, count, {arguments}):
    for item in range(count * worker // workers, count * (worker + 1) // workers):
        body(item, {arguments})
""",
    "edges": """
def share(worker, workers, count, {arguments}):
    for item in range(split({indptr}, count, worker, workers), split({indptr}, count, worker + 1, workers)):
        body(item, {arguments})
""",
}
_CPU_DRIVERS = {
    "items": """
def {name}(threads, workers, count, {flat}):
    run(threads, workers, share, (workers, count, {grouped},))
""",
    "workers": """
def {name}(threads, workers, {flat}):
    run(threads, workers, share, (workers, {grouped},))
""",
    "single": """
def {name}({flat}):
    share({grouped})
""",
}
_CPU_DRIVERS["edges"] = _CPU_DRIVERS["items"]

# How a body's parameters begin, and how many of them the layer provides.
_BEGIN = {"items": "i", "edges": "v, indptr, or v and a group that holds indptr", "workers": "w, workers"}
_OWN = {"items": 1, "edges": 1, "workers": 2, "single": 0}

_CUDA_LOOPS = {
    "items": """
def {name}(count, {flat}):
    for item in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(item, {grouped})
""",
    "workers": """
def {name}(count, {flat}):
    for worker in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(worker, count, {grouped})
""",
    "single": """
def {name}({flat}):
    if cuda.grid(1) == 0:
        body({grouped})
""",
}
_CUDA_LOOPS["edges"] = _CUDA_LOOPS["items"]


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


def _members(arguments: Any) -> list[Any]:
    """The arguments, with the members of a group in its place."""
    flat: list[Any] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            flat.extend(argument)
        else:
            flat.append(argument)
    return flat


def _parameters(parameter: str, groups: dict[str, Any]) -> list[str]:
    """The parameters that stand for one in the form without groups."""
    return [f"{parameter}_{field}" for field in groups[parameter]._fields] if parameter in groups else [parameter]


def _grouped(parameter: str, groups: dict[str, Any]) -> str:
    """The expression that makes a parameter of those."""
    members = ", ".join(_parameters(parameter, groups))
    return f"{groups[parameter].__name__}({members})" if parameter in groups else members


# A body with numbers in place of some members of its groups.
_WITH_CONSTANTS = """
def {name}({parameters}):
    body({passed})
"""


Constant = Annotated[int, "known to the compiler"]


@cache
def _constants_of(group: Any) -> tuple[str, ...]:
    """The members of a group that compiled code has as constants: its last ones."""
    kinds = get_type_hints(group, include_extras=True) if group else {}
    constants = tuple(name for name, kind in kinds.items() if kind is Constant)
    assert not constants or group._fields[-len(constants) :] == constants
    return constants


@cache
def _without_constants(group: Any) -> Any:
    """The class of what is left of a group without its constants; None if it has none."""
    constants = _constants_of(group)
    return namedtuple(f"{group.__name__}Rest", group._fields[: -len(constants)]) if constants else None


def _on_host(arguments: tuple[Any, ...]) -> bool:
    """Whether the arrays among them, also in groups, are NumPy's."""
    for argument in arguments:
        if isinstance(argument, np.ndarray) or (isinstance(argument, tuple) and _on_host(argument)):
            return True
    return False


class Kernel:
    """The body of one parallel iteration; see the module's text for how it is called."""

    registry: ClassVar[list[Kernel]] = []

    def __init__(self, function: Callable[..., Any], by: str, each: int = 1, *, register: bool = True) -> None:
        self.function = function
        self.by = by
        self._each = each
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._drivers: dict[str, Any] = {}
        self._groups = groups_of(function)
        self._parameters = inspect.getfullargspec(function).args
        self._arguments = len(self._parameters) - (by == "workers")  # of a call
        with_rows = [i for i, name in enumerate(self._parameters) if "indptr" in self._fields_of(name)]
        self._rows = with_rows[0] if with_rows else None  # which argument tells how long rows are
        self._with_constants: dict[tuple[Any, ...], Kernel] = {}
        self._constant = [
            (self._parameters.index(name) - (by == "workers"), _without_constants(group))
            for name, group in self._groups.items()
            if _without_constants(group)
        ]
        self._check_parameters()
        if register:
            Kernel.registry.append(self)

    def _check_parameters(self) -> None:
        """Refuse a body whose parameters do not begin as its split asks for."""
        first, second = [*self._parameters, "", ""][:2]
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
        """The members of a group; nothing for what is none."""
        return getattr(self._groups.get(parameter), "_fields", ())

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.__name__} by {self.by}>"

    def __call__(self, *arguments: Any) -> None:
        if len(arguments) != self._arguments:
            raise TypeError(f"{self!r} takes {self._arguments} arguments, got {len(arguments)}")
        forced = device.forced_target()
        if forced is not None and forced[0] == "python":
            self._run_python(forced[1].permutation, *arguments)
            return
        if not _on_host(arguments):
            if not any(hasattr(argument, "__cuda_array_interface__") for argument in _members(arguments)):
                raise TypeError(f"{self!r} got no array of NumPy's or CuPy's")
            own = 0 if self.by == "single" else 1
            launch(self, arguments[0] if own else None, tuple(self._flat(arguments[own:])))
            return
        if device.compiler_is_off():
            self._run_python(np.arange, *arguments)
            return
        if self._constant:
            self._call_with_constants(arguments)
            return
        driver = self._driver("cpu")
        flat = self._flat(arguments)
        if self.by == "single":
            driver(*flat)
            return
        leading = () if self.by == "workers" else (device.worker_count("cpu", self._work(arguments)),)
        threads = usable_threads(*(leading or arguments[:1]))
        with launch_turn(threads):
            driver(threads, *leading, *flat)

    def _call_with_constants(self, arguments: tuple[Any, ...]) -> None:
        """Call the form of this kernel that has the constants of these arguments."""
        rest = list(arguments)
        constants: tuple[Any, ...] = ()
        for place, arrays in self._constant:
            group = arguments[place]
            constants += group[len(arrays._fields) :]
            rest[place] = arrays._make(group[: len(arrays._fields)])
        if constants not in self._with_constants:
            self._with_constants[constants] = self._form_with(constants)
        self._with_constants[constants](*rest)

    def _form_with(self, constants: tuple[Any, ...]) -> Kernel:
        """The same with constants."""
        values = iter(constants)
        passed, groups = {name: name for name in self._parameters}, dict(self._groups)
        for name, group in self._groups.items():
            if arrays := _without_constants(group):
                groups[name] = arrays
                members = [f"{name}.{field}" for field in arrays._fields]
                numbers = [repr(next(values)) for _ in _constants_of(group)]
                passed[name] = f"{group.__name__}({', '.join(members + numbers)})"
        parameters, expressions = ", ".join(self._parameters), ", ".join(passed.values())
        text = _WITH_CONSTANTS.format(name=self.__name__, parameters=parameters, passed=expressions)
        classes = {group.__name__: group for group in self._groups.values()}
        function = self._compile_text(text, self.__name__, body=Rule(self.function), **classes)
        function.__annotations__ = groups
        return Kernel(function, self.by, self._each, register=False)

    def _flat(self, arguments: tuple[Any, ...]) -> Any:
        """The arguments with groups taken apart."""
        return _members(arguments) if self._groups else arguments

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
        body = self._driver("python")
        arguments = tuple(as_seen_by_python(argument) for argument in arguments)
        if self.by == "single":
            body(*arguments)
            return
        count, *others = arguments
        leading = (count,) if self.by == "workers" else ()
        for i in order(count).tolist():
            body(i, *leading, *others)

    def _driver(self, kind: str) -> Any:
        """What runs the body on a target: "cpu", "cuda", or the bare body for "python"."""
        if kind not in self._drivers:
            self._drivers[kind] = self._build(kind)
        return self._drivers[kind]

    def _build(self, kind: str) -> Any:
        if kind == "python":
            return _rebuild(self.function, "python")
        if kind == "cuda":
            cuda = device.cuda_module()
            body = cuda.jit(device=True)(_rebuild(self.function, "cuda"))
            return cuda.jit(self._generate(_CUDA_LOOPS[self.by], self.__name__, "cuda", body=body, cuda=cuda))
        from .cache import keep_compiled_code

        function = _rebuild(self.function, "cpu")
        if self.by != "single" or self._groups:
            share = compiled_part(function)
            if self.by in _SHARES:
                loop = self._generate(_SHARES[self.by], "share", "share", body=share, split=edge_split.resolve("cpu"))
                share = compiled_part(loop)
            names = {"share": share}
            if self.by != "single":
                start_threads()
                names["run"] = run_workers()
            function = self._generate(_CPU_DRIVERS[self.by], self.__name__, "cpu", **names)
        return keep_compiled_code(compiled(function), f"{self.by}-{fingerprint(self.function)}")

    def _generate(self, template: str, name: str, kind: str, **names: Any) -> types.FunctionType:
        """Make a function from a template, as if it stood in the kernel's own file, in the kernel's place."""
        passed = self._parameters[_OWN[self.by] :]
        first = passed[0] if passed else ""
        text = template.format(
            name=name,
            arguments=", ".join(passed),
            flat=", ".join(part for parameter in passed for part in _parameters(parameter, self._groups)),
            grouped=", ".join(_grouped(parameter, self._groups) for parameter in passed),
            indptr=f"{first}.indptr" if first in self._groups else "indptr",
        )
        classes = {group.__name__: group for group in self._groups.values()}
        function = self._compile_text(text, name, **classes, **names)
        function.__qualname__ = f"{self.__name__}.{kind}"
        return function

    def _compile_text(self, text: str, name: str, **names: Any) -> types.FunctionType:
        """The function of a text that defines it, with these globals, as if it stood in the kernel's place."""
        place = self.function.__code__  # inspecting the source, as Numba does, finds the kernel's
        code = compile("\n" * (place.co_firstlineno - 1) + text.lstrip(), place.co_filename, "exec")
        namespace = {"__name__": self.function.__module__, "__builtins__": builtins, **names}
        exec(code, namespace)
        function: types.FunctionType = namespace[name]
        return function

    def compiled_signatures(self) -> list[tuple[Any, ...]]:
        """The Numba types of the body's passed arguments, for every form compiled in this process for the CPU."""
        if self._constant:
            return [self._with_numbers(s) for form in self._with_constants.values() for s in form.compiled_signatures()]
        leading = {"single": 0, "workers": 2, "items": 3, "edges": 3}[self.by]
        driver = self._drivers.get("cpu")
        return [] if driver is None else [tuple(signature[leading:]) for signature in driver.signatures]

    def _with_numbers(self, signature: tuple[Any, ...]) -> tuple[Any, ...]:
        """The signature of a form with constants, with the type of integers in their places."""
        from numba import int64

        given, found = iter(signature), []
        for name in self._parameters[_OWN[self.by] :]:
            constants = _constants_of(self._groups.get(name))
            found += [int64 if field in constants else next(given) for field in self._fields_of(name) or ("",)]
        return tuple(found)

    def compile_for_cuda(self, argument_types: tuple[Any, ...], compute_capability: tuple[int, int] = (9, 0)) -> str:
        """Compile to PTX, which needs no GPU: the proof that the body still is CUDA code.

        `argument_types` are the Numba types of the passed arguments, as `compiled_signatures` gives them.
        """
        from .ptx import compile_to_ptx

        driver = self._driver("cuda")
        leading = () if self.by == "single" else (np.int64,)
        return compile_to_ptx(driver.py_func, leading, argument_types, compute_capability)


def kernel(function: Callable[..., Any] | None = None, *, by: str = "items", each: int = 1) -> Any:
    """Make a function the body of a parallel loop, split `by` items, edges, workers, or not at all ("single").

    `each`: how much work an item is, in vertices and entries, beside a row that it may read.
    """
    if by not in ("items", "edges", "workers", "single"):
        raise ValueError(f"by must be 'items', 'edges', 'workers' or 'single', got {by!r}")
    return partial(Kernel, by=by, each=each) if function is None else Kernel(function, by, each)
