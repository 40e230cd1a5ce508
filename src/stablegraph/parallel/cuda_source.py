"""CUDA C++ for algorithms whose GPU form differs from the CPU's: a `.cu` file beside the Python file that drives it.

The archive of GPU code has a source compiled for all index types and its usual macros. For others, and without an
archive, CuPy compiles it by NVRTC when it is first needed, and keeps the machine code on disk. Kernels take pointers
and 64-bit integers, run on CuPy's current stream, and get as many blocks as their work asks for, at most those that the
device holds at once::

    SOURCE = CudaSource(__file__, "rounds.cu")

    def independent_set(graph, ...):
        program = SOURCE.for_graph(graph)
        program("settle", n, graph.indptr, graph.indices, state)      # n threads, if there is room for so many

Kernels of a `cooperative` source may wait for each other (`grid_barrier`): all their blocks run at once, or none.

How the two forms meet: `by_device` makes one function of them. Tests run sources without a GPU, in a form that the
host's compiler makes (tests/support/emulated_cuda.py), by `use_target("emulated")`.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import struct
import threading
from collections.abc import Callable
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from . import device, gpu_code

Function = TypeVar("Function", bound=Callable[..., Any])

BLOCK = 256  # threads, unless a source says otherwise
_TYPES = {np.dtype(np.int32): "int", np.dtype(np.int64): "long long"}
_REPORTED = 8  # numbers
_MOST_ARGUMENTS = 32  # of a kernel
_CURE = 'The CPU may have enough: graph.to("cpu"), or matrix.get().'
_COMMON = Path(__file__).with_name("common.cuh")
_PACKAGE = Path(__file__).parents[1]
STANDARD = "-std=c++17"


class CudaSource:
    """A `.cu` file beside a Python file, and its compiled forms."""

    registry: ClassVar[list[CudaSource]] = []

    def __init__(
        self,
        beside: str,
        name: str,
        *,
        also: tuple[str, ...] = (),
        block: int = BLOCK,
        cooperative: bool = False,
        variants: tuple[dict[str, Any], ...] = ({},),
    ) -> None:
        """The file `name` beside the Python file `beside`, behind common.cuh and the files `also`.

        `variants` are the macros, beside the index types, that the archive of GPU code serves, and tests compile.
        """
        self.files = [_COMMON, *(Path(beside).parent / other for other in (*also, name))]
        self.block, self.cooperative, self.variants = block, cooperative, variants
        self._programs: dict[Any, Any] = {}
        CudaSource.registry.append(self)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.files[-1]

    @cached_property
    def text(self) -> str:
        """The whole source; messages of compilers name its files."""
        return "\n".join(f'#line 1 "{file.name}"\n{file.read_text()}' for file in self.files)

    def for_graph(self, graph: Any, **macros: Any) -> Any:
        """The program for a graph's index types, on the current device, with further macros."""
        return self.compiled(VERTEX=graph.indices.dtype, OFFSET=graph.indptr.dtype, **macros)

    def compiled(self, **macros: Any) -> Any:
        """The program with these macros; a dtype stands for its C type."""
        emulated = device.is_emulated()
        place = -1 if emulated else device.cupy_module().cuda.runtime.getDevice()
        key = (place, *sorted(macros.items()))
        if key not in self._programs:
            self._programs[key] = (_EMULATORS[-1] if emulated else _OnDevice)(self, self.defined(macros))
        return self._programs[key]

    def defined(self, macros: dict[str, Any]) -> dict[str, str]:
        """All macros, as C knows them."""
        given = {"BLOCK": self.block, "VERTEX": np.dtype(np.int32), "OFFSET": np.dtype(np.int32)} | macros
        return {name: _TYPES.get(value) or str(value) for name, value in given.items()}

    def member_name(self, macros: dict[str, str]) -> str:
        """Return the name of its code for all macros in the archive of GPU code."""
        place = os.path.relpath(self.path, _PACKAGE).replace(os.sep, "/")
        return " ".join([place, *(f"{name}={macros[name]}" for name in sorted(macros))])


_EMULATORS: list[Callable[[CudaSource, dict[str, str]], Any]] = []  # what runs a source without a GPU, set by tests


class _Words(threading.local):
    """Where each Python thread puts the arguments of its launches: 64 bits each; the driver copies them at once."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(8 * _MOST_ARGUMENTS)
        first = ctypes.addressof(self.buffer)
        self.pointers = (ctypes.c_void_p * _MOST_ARGUMENTS)(*range(first, first + 8 * _MOST_ARGUMENTS, 8))
        self.address = ctypes.addressof(self.pointers)


_words = _Words()
_packers = [struct.Struct(f"{count}q") for count in range(_MOST_ARGUMENTS + 1)]


class _OnDevice:
    """A source compiled for the current device; calls launch its kernels.

    CuPy's own launch looks at each argument, which may be of any kind; those here are pointers and integers, which are
    packed at once.
    """

    def __init__(self, source: CudaSource, macros: dict[str, str]) -> None:
        cupy = device.cupy_module()
        code = gpu_code.code(source.member_name(macros))
        if code is not None:
            self._module = cupy.cuda.function.Module()
            self._module.load(code)
        else:
            options = (STANDARD, *(f"-D{name}={value}" for name, value in macros.items()))
            self._module = cupy.RawModule(
                code=source.text, options=options, enable_cooperative_groups=source.cooperative
            )
        self._block, self._cooperative = source.block, source.cooperative
        self._multiprocessors = cupy.cuda.Device().attributes["MultiProcessorCount"]
        self._driver, self._stream = cupy.cuda.driver, cupy.cuda.get_current_stream
        self._kernels: dict[str, tuple[int, int, Any]] = {}

    def __call__(self, name: str, threads: int, *arguments: Any) -> None:
        """Launch a kernel with so many threads, but at most as many as the device holds at once, and at least one."""
        handle, most, _ = self._kernels.get(name) or self._find(name)
        blocks, block, own = wanted_blocks(threads, self._block, most), self._block, _words
        values = [argument if type(argument) is int else argument.data.ptr for argument in arguments]
        _packers[len(values)].pack_into(own.buffer, 0, *values)
        stream = self._stream().ptr
        if self._cooperative:
            self._driver.launchCooperativeKernel(handle, blocks, 1, 1, block, 1, 1, 0, stream, own.address)
        else:
            self._driver.launchKernel(handle, blocks, 1, 1, block, 1, 1, 0, stream, own.address, 0)

    def _find(self, name: str) -> tuple[int, int, Any]:
        function = self._module.get_function(name)
        handle = int(getattr(function, "kernel", function).ptr)
        resident = self._driver.occupancyMaxActiveBlocksPerMultiprocessor(handle, self._block, 0)
        self._kernels[name] = handle, self._multiprocessors * resident, function
        return self._kernels[name]


def wanted_blocks(threads: int, block: int, most: int) -> int:
    """How many blocks run so many threads, `most` at once; `use_target` may ask for fewer."""
    forced = device.forced_target()
    if forced is not None and forced[2] is not None:
        threads = min(threads, forced[2])
    return max(1, min(most, -(-threads // block)))


class Report(threading.local):
    """A few 64-bit numbers that kernels write and the host reads, without a copy: host memory that a GPU reaches too.

    ``report.blank()`` is a kernel's argument, all zero; ``report.read()`` waits for the current stream. Each Python
    thread has numbers of its own, and reads them before it gives them to the next kernel.
    """

    def __init__(self) -> None:
        self._numbers: np.ndarray | None = None
        self._memory: Any = None

    def blank(self) -> Any:
        """Where the numbers are, for a kernel: zeros."""
        if device.is_emulated():
            self._numbers, self._memory = np.zeros(_REPORTED, np.int64), None
            return self._numbers
        if self._memory is None:
            self._memory = device.cupy_module().cuda.alloc_pinned_memory(8 * _REPORTED)
            self._numbers = np.frombuffer(self._memory, np.int64, _REPORTED)
        assert self._numbers is not None
        self._numbers[:] = 0
        return self._memory.ptr

    def read(self) -> list[int]:
        """The numbers, when all that was launched on the current stream is done."""
        assert self._numbers is not None, "a report that no kernel got"
        if self._memory is not None:
            device.wait_for("cuda")
        numbers: list[int] = self._numbers.tolist()
        return numbers


report = Report()


def _place(arguments: tuple[Any, ...]) -> str:
    """Where the first of them lives that lives somewhere."""
    for argument in arguments:
        try:
            place = getattr(argument, "device", None)
        except NotImplementedError:  # of CuPy's sparse matrices
            place = argument.data.device
        if place is not None:
            return place if isinstance(place, str) else "cuda"  # an array of CuPy's says on which one
    return "cpu"


def by_device(general: Function, module: str, package: str) -> Function:
    """One function of two: `general`, and that of the same name in `module` for graphs on a GPU.

    The first argument that lives somewhere, a graph or an array of it, decides. `module` is relative to `package`, and
    imported when it is first needed. A GPU form may hand over to the general one, which runs there as well, for options
    that it does not have.
    """

    @cache
    def form() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(importlib.import_module(module, package), general.__name__)
        return found

    @wraps(general)
    def either(*arguments: Any, **options: Any) -> Any:
        if not device.has_gpu_forms(_place(arguments)):
            return general(*arguments, **options)
        try:
            return form()(*arguments, **options)
        except MemoryError as error:  # CuPy's, or ours, which say how much was asked for
            if _CURE in str(error):
                raise
            raise MemoryError(f"{str(error).rstrip('.')}. {_CURE}") from error

    return cast(Function, either)
