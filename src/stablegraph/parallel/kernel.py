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
                   ``body(w, workers, ...)``  run one after another in any order: never wait for another one
``"single"``       ``k(...)``; ``body(...)``  not at all: one thread does everything
=================  =========================  ==============================================================

A kernel returns nothing; its results are in its arrays. Integer arguments are Python ints.

How it is done: a function is rebuilt with globals of its own for each target, in which every rule is replaced by its
form for that target, so a kernel's file never mentions a target. The loop around a body is generated, with the body as
a global (not a closure), so that compiled code can be cached on disk.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
import types
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from . import device

# Kernels allocate nothing, so Numba need not count references to arrays (atomically, at each call of a rule).
_CPU_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
# Of Numba's parallel transformations only prange is wanted; the others cost compile time.
_PARALLEL = {
    "prange": True,
    "comprehension": False,
    "reduction": False,
    "inplace_binop": False,
    "setitem": False,
    "numpy": False,
    "stencil": False,
    "fusion": False,
}


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

    def _compile(self, target: str) -> Any:
        function = _rebuild(self.function, target)
        if target == "python":
            return function
        if target == "cpu":
            from numba import njit

            return njit(**{**_CPU_OPTIONS, "forceinline": self.inline})(function)
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
            own[name] = value.resolve(target) if isinstance(value, Rule) else value
    rebuilt = types.FunctionType(code, own, function.__name__, function.__defaults__, function.__closure__)
    rebuilt.__qualname__ = function.__qualname__
    return rebuilt


_CPU_LOOPS = {
    "items": """
def {name}(count, workers, {arguments}):
    for worker in {loop}(workers):
        for item in range(count * worker // workers, count * (worker + 1) // workers):
            body(item, {arguments})
""",
    "edges": """
def {name}(count, workers, {arguments}):
    for worker in {loop}(workers):
        for item in range(split(indptr, count, worker, workers), split(indptr, count, worker + 1, workers)):
            body(item, {arguments})
""",
    "workers": """
def {name}(count, workers, {arguments}):
    for worker in {loop}(workers):
        body(worker, workers, {arguments})
""",
}

_CUDA_LOOPS = {
    "items": """
def {name}(count, {arguments}):
    for item in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(item, {arguments})
""",
    "workers": """
def {name}(count, {arguments}):
    for worker in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(worker, count, {arguments})
""",
    "single": """
def {name}({arguments}):
    if cuda.grid(1) == 0:
        body({arguments})
""",
}
_CUDA_LOOPS["edges"] = _CUDA_LOOPS["items"]
_CUDA_BLOCK = 256


@rule
def edge_split(indptr, n, worker, workers):
    """The first vertex of a worker's share when vertices + edges are split evenly (`n` for the worker after the last).

    Counting the vertices too keeps a share of many isolated vertices from being endless.
    """
    if worker >= workers:
        return n
    base = int(indptr[0])
    wanted = (int(indptr[n]) - base + n) * worker // workers
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if int(indptr[middle]) - base + middle < wanted:
            low = middle + 1
        else:
            high = middle
    return low


class Kernel:
    """The body of one parallel iteration; see the module's text for how it is called."""

    registry: ClassVar[list[Kernel]] = []

    def __init__(self, function: Callable[..., Any], by: str) -> None:
        self.function = function
        self.by = by
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._drivers: dict[str, Any] = {}
        Kernel.registry.append(self)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.__name__} by {self.by}>"

    def __call__(self, *arguments: Any) -> None:
        forced = device.forced_target()
        if forced is not None and forced[0] == "python":
            self._run_python(forced[1], *arguments)
            return
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                break
        else:
            self._run_cuda(*arguments)
            return
        if self.by == "single":
            self._driver("single")(*arguments)
        elif self.by == "workers":
            _launch(self, arguments[0], arguments)
        else:
            _launch(self, device.worker_count("cpu"), arguments)

    def _run_python(self, random: np.random.Generator, *arguments: Any) -> None:
        body = self._driver("python")
        if self.by == "single":
            body(*arguments)
            return
        count, *others = arguments
        leading = (count,) if self.by == "workers" else ()
        for i in random.permutation(count).tolist():
            body(i, *leading, *others)

    def _run_cuda(self, *arguments: Any) -> None:
        driver = self._driver("cuda")
        if self.by == "single":
            driver[1, 1](*arguments)
        elif arguments[0] > 0:
            resident = device.worker_count("cuda") // _CUDA_BLOCK
            blocks = max(1, min(-(-arguments[0] // _CUDA_BLOCK), resident))
            driver[blocks, _CUDA_BLOCK](*arguments)

    def _driver(self, kind: str) -> Any:
        """The compiled loop around the body: "parallel", "serial", "single", "cuda", or the bare "python" body."""
        if kind not in self._drivers:
            self._drivers[kind] = self._build(kind)
        return self._drivers[kind]

    def _build(self, kind: str) -> Any:
        if kind == "python":
            return _rebuild(self.function, "python")
        if kind == "cuda":
            cuda = device.cuda_module()
            body = cuda.jit(device=True)(_rebuild(self.function, "cuda"))
            return cuda.jit(self._loop(_CUDA_LOOPS[self.by], "cuda", body=body, cuda=cuda))
        from numba import njit, prange

        from .cache import keep_compiled_code

        if kind == "single":
            return keep_compiled_code(njit(**_CPU_OPTIONS)(_rebuild(self.function, "cpu")))
        names = {"body": njit(**_CPU_OPTIONS)(_rebuild(self.function, "cpu")), "split": edge_split.resolve("cpu")}
        if kind == "serial":
            loop = self._loop(_CPU_LOOPS[self.by], "serial", loop="range", **names)
            return keep_compiled_code(njit(**_CPU_OPTIONS)(loop))
        loop = self._loop(_CPU_LOOPS[self.by], "parallel", loop="prange", prange=prange, **names)
        return keep_compiled_code(njit(parallel=_PARALLEL, **_CPU_OPTIONS)(loop))

    def _loop(self, template: str, kind: str, loop: str = "", **names: Any) -> types.FunctionType:
        """Generate the loop's function, as if it stood in the kernel's own file."""
        parameters = list(inspect.signature(self.function).parameters)
        passed = parameters[{"items": 1, "edges": 1, "workers": 2, "single": 0}[self.by] :]
        text = template.format(name=self.__name__, arguments=", ".join(passed), loop=loop)
        code = compile(text, self.function.__code__.co_filename, "exec")
        namespace = {"__name__": self.function.__module__, **names}
        exec(code, namespace)
        function: types.FunctionType = namespace[self.__name__]
        function.__qualname__ = f"{self.__name__}.{kind}"
        return function

    def compiled_signatures(self) -> list[tuple[Any, ...]]:
        """The Numba types of the body's passed arguments, for every form compiled in this process for the CPU."""
        found = []
        for kind, driver in self._drivers.items():
            if kind in ("parallel", "serial", "single"):
                leading = 0 if kind == "single" else 2
                found += [tuple(signature[leading:]) for signature in driver.signatures]
        return list(dict.fromkeys(found))

    def compile_for_cuda(self, argument_types: tuple[Any, ...], compute_capability: tuple[int, int] = (9, 0)) -> str:
        """Compile to PTX, which needs no GPU: the proof that the body still is CUDA code.

        `argument_types` are the Numba types of the passed arguments, as `compiled_signatures` gives them.
        """
        from .ptx import compile_to_ptx

        driver = self._driver("cuda")
        leading = () if self.by == "single" else (np.int64,)
        return compile_to_ptx(driver.py_func, leading, argument_types, compute_capability)


def kernel(function: Callable[..., Any] | None = None, *, by: str = "items") -> Any:
    """Make a function the body of a parallel loop, split `by` items, edges, workers, or not at all ("single")."""
    if by not in ("items", "edges", "workers", "single"):
        raise ValueError(f"by must be 'items', 'edges', 'workers' or 'single', got {by!r}")
    return partial(Kernel, by=by) if function is None else Kernel(function, by)


# Launching on CPU threads. Three things are minded here and nowhere else:
# * Numba's workqueue layer aborts the process when two Python threads launch at once, so a lock is held until the layer
#   is known to be another one;
# * after a fork, GNU OpenMP would make Numba abort the child, so a child of a process that had started Numba's threads
#   runs drivers compiled without threads;
# * the number of threads is a setting of the calling Python thread in Numba; it is put back after the launch.
_launch_lock = threading.Lock()
_layer_needs_lock = True
_forked = False


def _launch(kernel: Kernel, workers: int, arguments: tuple[Any, ...]) -> None:
    count, *others = arguments
    if _forked:
        kernel._driver("serial")(count, workers, *others)
    elif _layer_needs_lock:
        with _launch_lock:
            _launch_threads(kernel, workers, count, others)
            _learn_layer()
    else:
        _launch_threads(kernel, workers, count, others)


def _launch_threads(kernel: Kernel, workers: int, count: int, others: list[Any]) -> None:
    import numba

    driver = kernel._driver("parallel")
    threads, before = device.num_threads(), numba.get_num_threads()
    if threads == before:
        driver(count, workers, *others)
        return
    numba.set_num_threads(threads)
    try:
        driver(count, workers, *others)
    finally:
        numba.set_num_threads(before)


def _learn_layer() -> None:
    global _layer_needs_lock
    _layer_needs_lock = threading_layer() in (None, "workqueue")


def threading_layer() -> str | None:
    """Numba's threading layer, or None before the first parallel launch."""
    if "numba" not in sys.modules:
        return None
    import numba

    try:
        return str(numba.threading_layer())
    except ValueError:
        return None


def _after_fork_in_child() -> None:
    global _forked, _launch_lock
    _launch_lock = threading.Lock()
    pool = sys.modules.get("numba.np.ufunc.parallel")
    _forked = _forked or bool(getattr(pool, "_is_initialized", False))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
