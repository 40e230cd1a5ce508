"""Devices and targets: where arrays are stored, where kernels run, and which devices this machine has.

Three targets run the same kernels: ``cpu`` (threads on NumPy arrays), ``cuda`` (on CuPy arrays) and ``python`` (plain
Python; for tests, selected with `use_target`). The arrays determine the target; only `use_target` and the environment
variable STABLEGRAPH_TARGET=python override it. The latter replaces ``cpu`` by ``python`` for debuggers and coverage.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np

from ..unknown_options import UnsupportedOnCards

Function = TypeVar("Function", bound=Callable[..., Any])

_CURE = 'The CPU may have enough: graph.to("cpu"), or matrix.get().'
_TARGETS = ("cpu", "python", "cuda", "emulated")
PLAIN_PYTHON = os.environ.get("STABLEGRAPH_TARGET", "") == "python"


class _Forced(threading.local):
    """The arguments of the active `use_target` of a Python thread; None outside of such blocks."""

    target: str | None = None
    random: Any = None
    workers: int | None = None
    cards: int | None = None


forced = _Forced()


@contextlib.contextmanager
def use_target(target: str, *, seed: int = 0, workers: int | None = None, cards: int | None = None) -> Iterator[None]:
    """Run the kernels of this thread on the given target, wherever their arrays are; for tests.

    Parameters
    ----------
    target : {"cpu", "python", "cuda", "emulated"}
        "python" runs every iteration as plain Python, one after another in a shuffled order; "cuda" changes only the
        number of workers; "emulated" selects the GPU forms, whose sources are compiled by the host's compiler.
    seed : int
        Seed for the shuffles of the `python` target.
    workers : int, optional
        For kernels that are split by workers or by edges: the number of workers, instead of the number of threads. For
        kernels in CUDA sources: the maximum number of threads.
    cards : int, optional
        The number of GPUs that ``graph.to("cuda:0,1")`` distinguishes, whatever the size of the graph. GPUs beyond the
        existing ones are simulated by these.
    """
    if target not in _TARGETS:
        raise ValueError(f"target must be one of {', '.join(map(repr, _TARGETS))}, got {target!r}")
    before = vars(forced).copy()
    vars(forced).update(target=target, random=np.random.default_rng(seed), workers=workers, cards=cards)
    try:
        yield
    finally:
        vars(forced).clear()
        vars(forced).update(before)


def has_gpu_forms(device: str) -> bool:
    """Return whether algorithms use their GPU forms, if they have any, for arrays on a device."""
    return device == "cuda" or forced.target == "emulated"


def is_emulated() -> bool:
    """Return whether the host runs the CUDA sources, in tests."""
    return forced.target == "emulated"


def device_of(array: Any) -> str:
    """Return the device of an array: "cpu" for a NumPy array, "cuda" for a CuPy array."""
    if type(array) is np.ndarray:
        return "cpu"
    if is_of_package(array) or hasattr(array, "__cuda_array_interface__"):  # the latter takes microseconds
        return "cuda"
    if isinstance(array, np.ndarray):
        return "cpu"
    raise TypeError(f"expected a NumPy or CuPy array, got {type(array).__name__}")


def detached(array: Any) -> Any:
    """Return the values of a tensor without its gradient; anything else unchanged."""
    return array.detach() if getattr(array, "requires_grad", False) is True else array


def place_of(values: Any) -> str:
    """Return the device of an array or of an object that converts to one: "cuda" if CuPy can access it, else "cpu"."""
    return "cuda" if is_of_package(values) or hasattr(values, "__cuda_array_interface__") else "cpu"


def array_module(device: str) -> Any:
    """Return NumPy for "cpu", and a module like CuPy that compiles nothing for "cuda" (cuda/elements.py)."""
    return np if device == "cpu" or (":" in device and is_emulated()) else _device_functions()


@cache
def _device_functions() -> Any:
    return importlib.import_module(f"{__package__}.cuda.functions").MODULE


def empty_array(device: str, dtype: Any) -> Any:
    """Return an array without elements; it is made once, because CuPy takes as long for it as for a launch."""
    return _empty_on(-1 if device == "cpu" else current_gpu(), dtype)


@cache
def _empty_on(place: int, dtype: Any) -> Any:
    return array_module("cpu" if place < 0 else "cuda").empty(0, dtype)


def plain(array: Any) -> Any:
    """Return an array of cuda/elements.py as one of CuPy's own class; anything else unchanged."""
    return array.as_plain_array() if is_of_package(array) else array


def of_package(array: Any) -> Any:
    """Return a CuPy array as one of cuda/elements.py, with the same memory; anything else unchanged."""
    if type(array).__module__ != "cupy" or is_of_package(array) or not hasattr(array, "__cuda_array_interface__"):
        return array
    return array_module("cuda").asarray(array)


def is_of_package(array: Any) -> bool:
    """Return whether an array is one of cuda/elements.py."""
    return hasattr(array, "as_plain_array")


class _Thread(threading.local):
    has_context = False


_thread = _Thread()


def current_gpu() -> int:
    """Return the number of the current GPU, and let this Python thread launch on it.

    The driver launches nothing for a thread without a context. CuPy makes one in most of its calls, but not when it
    reuses memory.
    """
    runtime = cupy_module().cuda.runtime
    if not _thread.has_context:
        runtime.free(0)  # frees nothing
        _thread.has_context = True
    return int(runtime.getDevice())


def wait_for(device: str) -> None:
    """Wait until all work launched on a device has finished, before a time is measured."""
    if device == "cuda":
        cupy_module().cuda.get_current_stream().synchronize()


def resident_threads() -> int:
    """Return the number of threads that can be resident on the current GPU."""
    return _resident_on(current_gpu())


@cache
def _resident_on(place: int) -> int:
    known = cupy_module().cuda.Device(place).attributes
    return int(known["MultiProcessorCount"]) * int(known["MaxThreadsPerMultiProcessor"])


_NO_CUDA = (
    "install the extra that fits your driver: pip install 'stablegraph[cuda12]', or 'stablegraph[cuda13]' from version "
    "580 on"
)


def can_compile() -> bool:
    """Return whether numba-cuda is installed; the build and GPU kernels outside the package need it."""
    return importlib.util.find_spec("numba_cuda") is not None


def cuda_module() -> Any:
    """Return ``numba.cuda`` of numba-cuda, which compiles kernels to PTX when the package is built."""
    if not can_compile():
        raise RuntimeError("compiling kernels for a GPU needs the extra 'ptx': pip install 'stablegraph[ptx]'")
    return importlib.import_module("numba.cuda")


@cache
def cupy_module() -> Any:
    """Return CuPy; raise an error that says how to install it if it is missing."""
    try:
        return importlib.import_module("cupy")
    except ImportError:
        raise RuntimeError(f"CUDA was asked for, but CuPy is not installed; {_NO_CUDA}") from None


def gpu_module() -> Any:
    """Return CuPy if it can use a GPU; raise a clear error otherwise, since CuPy's own mentions an outdated driver."""
    cupy = cupy_module()
    try:
        cupy.cuda.runtime.getDeviceCount()
    except RuntimeError as error:
        raise RuntimeError(
            f"CUDA was asked for, and CuPy is installed, but no GPU answers it ({error}); `nvidia-smi` and "
            "`stablegraph doctor` show the details"
        ) from None
    return cupy


def _place(arguments: tuple[Any, ...]) -> str:
    """Return the device of the first argument that has one."""
    for argument in arguments:
        try:
            place = getattr(argument, "device", None)
        except NotImplementedError:  # of CuPy's sparse matrices
            place = argument.data.device
        if place is not None:
            return place if isinstance(place, str) else "cuda"  # CuPy arrays have a device object
    return "cpu"


def by_device(cpu: Function, cuda: Callable[..., Any], cards: Callable[..., Any] | None = None) -> Function:
    """Combine a function with its form for graphs on a GPU, and with one for graphs on several GPUs.

    The device of the first argument that has one, a graph or one of its arrays, selects the form. The form for a GPU
    may call the other one, which also works on a GPU, for options that it does not support.
    """

    @wraps(cpu)
    def either(*arguments: Any, **options: Any) -> Any:
        place = _place(arguments)
        if place == "cpu" and forced.target != "emulated":
            return cpu(*arguments, **options)
        form = cards if ":" in place else cuda
        if form is None:
            raise UnsupportedOnCards
        try:
            return form(*arguments, **options)
        except MemoryError as error:  # raised by CuPy or this package; its message has the size that was requested
            if _CURE in str(error):
                raise
            raise MemoryError(f"{str(error).rstrip('.')}. {_CURE}") from error

    return cast(Function, either)


def with_gpu_form(cuda: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that combines a function with its form for a GPU by `by_device`."""
    return lambda cpu: by_device(cpu, cuda)
