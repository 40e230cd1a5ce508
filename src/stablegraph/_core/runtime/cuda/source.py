"""CUDA C++ sources of algorithms whose GPU form differs from their CPU form: a `.cu` file and the module that runs it.

The archive of GPU code contains each source compiled for all index types and its usual macros. For other macros, and
without an archive, CuPy compiles the source with NVRTC on first use and caches the machine code on disk. Kernels take
pointers and 64-bit integers and run on CuPy's current stream. The number of blocks follows from the work; it is at most
the number that can be resident on the device::

    SOURCE = CudaSource(__file__, "rounds.cu")

    def independent_set(graph, ...):
        program = SOURCE.for_graph(graph)
        program("settle", n, graph.indptr, graph.indices, state)      # n threads, or fewer if they do not fit

Kernels of a `cooperative` source may wait for each other (`grid_barrier`): either all their blocks run at once, or the
launch fails.

`by_device` (device.py) combines the two forms of an algorithm to one function. Tests run the sources without a GPU:
with `use_target("emulated")` they are compiled by the host's compiler (tests/support/emulated_cuda.py).
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .. import device
from . import gpu_code

BLOCK = 256  # threads, by default
_TYPES = {np.dtype(np.int32): "int", np.dtype(np.int64): "long long"}
_REPORTED = 8  # numbers in a report
_MAX_ARGUMENTS = 32  # of a kernel
_COMMON = Path(__file__).with_name("common.cuh")
_PACKAGE = Path(__file__).parents[3]
STANDARD = "-std=c++17"


class CudaSource:
    """A `.cu` file in the folder of a Python file, and its compiled forms."""

    registry: ClassVar[list[CudaSource]] = []

    def __init__(
        self,
        module_file: str,
        name: str,
        *,
        also: tuple[str, ...] = (),
        block: int = BLOCK,
        cooperative: bool = False,
        variants: tuple[dict[str, Any], ...] = ({},),
    ) -> None:
        """Register the file `name` in the folder of `module_file`, a Python file; common.cuh and `also` come before it.

        `variants` are the macros, in addition to the index types, for which the archive of GPU code has the source, and
        which tests compile.
        """
        self.files = [_COMMON, *(Path(module_file).parent / other for other in (*also, name))]
        self.block, self.cooperative, self.variants = block, cooperative, variants
        self._programs: dict[Any, Any] = {}
        CudaSource.registry.append(self)

    @property
    def path(self) -> Path:
        """The path of the `.cu` file."""
        return self.files[-1]

    @cached_property
    def text(self) -> str:
        """The whole source, with line directives so that compiler messages name the right file."""
        return "\n".join(f'#line 1 "{file.name}"\n{file.read_text()}' for file in self.files)

    def for_graph(self, graph: Any, **macros: Any) -> Any:
        """Return the program for a graph's index types and further macros, on the current device."""
        return self.compiled(VERTEX=graph.indices.dtype, OFFSET=graph.indptr.dtype, **macros)

    def compiled(self, **macros: Any) -> Any:
        """Return the program with these macros; a dtype is replaced by its C type."""
        emulated = device.is_emulated()
        place = -1 if emulated else device.current_gpu()
        key = (place, *macros.items())
        if key not in self._programs:
            self._programs[key] = (_EMULATORS[-1] if emulated else _OnDevice)(self, self.defined(macros))
        return self._programs[key]

    def defined(self, macros: dict[str, Any]) -> dict[str, str]:
        """Return all macros with their values in C."""
        given = {"BLOCK": self.block, "VERTEX": np.dtype(np.int32), "OFFSET": np.dtype(np.int32)} | macros
        return {name: _TYPES.get(value) or str(value) for name, value in given.items()}

    def member_name(self, macros: dict[str, str]) -> str:
        """Return the name of the compiled code for these macros in the archive of GPU code."""
        place = os.path.relpath(self.path, _PACKAGE).replace(os.sep, "/")
        return " ".join([place, *(f"{name}={macros[name]}" for name in sorted(macros))])


_EMULATORS: list[Callable[[CudaSource, dict[str, str]], Any]] = []  # run a source without a GPU; set by tests


class _Words(threading.local):
    """A buffer per Python thread for the arguments of launches, 64 bits each; the driver copies them immediately."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(8 * _MAX_ARGUMENTS)
        first = ctypes.addressof(self.buffer)
        self.pointers = (ctypes.c_void_p * _MAX_ARGUMENTS)(*range(first, first + 8 * _MAX_ARGUMENTS, 8))
        self.address = ctypes.addressof(self.pointers)


_words = _Words()
_packers = [struct.Struct(f"{count}q") for count in range(_MAX_ARGUMENTS + 1)]


class _OnDevice:
    """A source compiled for the current device; calls launch its kernels.

    CuPy's own launch inspects each argument, which may have any type. These arguments are pointers and integers, which
    are packed in one step.
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
        """Launch a kernel with `threads` threads, or with all threads that the device can hold if these are fewer."""
        handle, resident, _ = self._kernels.get(name) or self._find(name)
        blocks, block, words = wanted_blocks(threads, self._block, resident), self._block, _words
        values = [argument if type(argument) is int else argument.data.ptr for argument in arguments]
        _packers[len(values)].pack_into(words.buffer, 0, *values)
        stream = self._stream().ptr
        if self._cooperative:
            self._driver.launchCooperativeKernel(handle, blocks, 1, 1, block, 1, 1, 0, stream, words.address)
        else:
            self._driver.launchKernel(handle, blocks, 1, 1, block, 1, 1, 0, stream, words.address, 0)

    def _find(self, name: str) -> tuple[int, int, Any]:
        function = self._module.get_function(name)
        handle = int(getattr(function, "kernel", function).ptr)
        resident = self._driver.occupancyMaxActiveBlocksPerMultiprocessor(handle, self._block, 0)
        self._kernels[name] = handle, self._multiprocessors * resident, function
        return self._kernels[name]


def wanted_blocks(threads: int, block: int, resident: int) -> int:
    """Return the number of blocks for `threads` threads, at most `resident`; `use_target` may limit the threads."""
    if device.forced.workers is not None:
        threads = min(threads, device.forced.workers)
    return max(1, min(resident, -(-threads // block)))


class Report(threading.local):
    """A few 64-bit numbers that kernels write and the host reads, in host memory that the GPU can access directly.

    ``report.blank()`` returns the zeroed numbers as an argument for a kernel; ``report.read()`` waits for the current
    stream and returns them. Each Python thread has its own numbers, and reads them before it passes them to the next
    kernel.
    """

    def __init__(self) -> None:
        self._numbers: np.ndarray | None = None
        self._memory: Any = None

    def blank(self) -> Any:
        """Set the numbers to zero, and return them as an argument for a kernel."""
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
        """Return the numbers after all work on the current stream has finished."""
        assert self._numbers is not None, "a report that no kernel got"
        if self._memory is not None:
            device.wait_for("cuda")
        numbers: list[int] = self._numbers.tolist()
        return numbers


report = Report()


LANES = (1, 4, 8, 16, 32)


def lanes_for(wanted: float, choices: tuple[int, ...] = LANES) -> int:
    """Return the smallest choice that is at least `wanted`, or the largest choice if none is.

    Examples
    --------
    >>> lanes_for(0.3), lanes_for(4.1), lanes_for(1000.0)
    (1, 8, 32)
    """
    return next((lanes for lanes in choices if wanted <= lanes), choices[-1])
