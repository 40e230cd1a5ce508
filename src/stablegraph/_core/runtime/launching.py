"""Launching kernels on a GPU: CuPy's driver calls load and launch code from the archive of GPU code.

Numba's own launch takes about 20 microseconds per array on the host, so that most calls would take longer to launch
their kernels than to run them. This launch packs its arguments into a buffer, which takes about one microsecond per
array, and uses CuPy's current stream.

The layout of the buffer is Numba's. A number has its own bytes, aligned to their size. An array has two pointers that
compiled code does not read (the owner of its memory and its Python object), the number of items, the bytes per item,
the data pointer, its shape and its strides. The PTX declares the width of each of these parameters; `_packer` raises an
error if they do not match. Machine code is made from PTX and is loaded without this test, which takes milliseconds.
"""

from __future__ import annotations

import ctypes
import re
import struct
import threading
from typing import Any

from . import device, library
from .cuda import gpu_code
from .declaration import Declaration, word_of

_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 0  # CUDA's CU_LAUNCH_PARAM_...
_MAX_BYTES = 4096  # maximum size of all parameters of a kernel
_BLOCK = 256  # threads
_NUMBERS = {"bool": "?", "int": "q", "float": "d"}  # the words of declared types, with their format in `struct`
_ELF = b"\x7fELF"  # begins machine code
_WIDTHS = {"?": "8", "q": "64", "Q": "64", "d": "64"}  # of PTX parameters, in bits

_loaded: dict[tuple[Any, ...], tuple[int, struct.Struct, Any]] = {}  # handle, packer, and the module to keep it loaded


class _Parameters(threading.local):
    """A buffer per Python thread for the arguments of launches; the driver copies them before a launch returns."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(_MAX_BYTES)
        self.size = ctypes.c_size_t(0)
        addresses = (_BUFFER_POINTER, ctypes.addressof(self.buffer), _BUFFER_SIZE, ctypes.addressof(self.size), _END)
        self.extra = (ctypes.c_void_p * len(addresses))(*addresses)
        self.address = ctypes.addressof(self.extra)


_parameters = _Parameters()


def launch(kernel: Declaration, count: int | None, workers: int, arguments: tuple[Any, ...]) -> None:
    """Run a kernel's body on the current device: for 0 .. count - 1 on `workers` threads, or once without a count."""
    blocks, threads = (1, 1) if count is None else (-(-workers // _BLOCK), _BLOCK)
    values: list[Any] = [] if count is None else [count]
    cupy = device.cupy_module()
    place = device.current_gpu()
    key: list[Any] = [kernel, place]
    for argument in arguments:
        if isinstance(argument, cupy.ndarray):
            if not argument.flags.c_contiguous:
                _launch_with_copies(kernel, count, workers, arguments)
                return
            shape = argument.shape
            key.append((argument.dtype, len(shape)))
            values += (0, 0, argument.size, argument.itemsize, argument.data.ptr, *shape, *argument.strides)
        else:
            key.append(getattr(argument, "dtype", type(argument)))
            values.append(argument)
    known = tuple(key)
    if known not in _loaded:
        _loaded[known] = _load(kernel, arguments, place)
    handle, packer, _ = _loaded[known]
    parameters = _parameters
    packer.pack_into(parameters.buffer, 0, *values)
    parameters.size.value = packer.size
    stream = cupy.cuda.get_current_stream().ptr
    cupy.cuda.driver.launchKernel(handle, blocks, 1, 1, threads, 1, 1, 0, stream, 0, parameters.address)


def _launch_with_copies(kernel: Declaration, count: int | None, workers: int, arguments: tuple[Any, ...]) -> None:
    """Launch a kernel with contiguous copies of its arrays, and copy the results back."""
    cupy = device.cupy_module()
    plain = tuple(cupy.ascontiguousarray(a) if isinstance(a, cupy.ndarray) else a for a in arguments)
    launch(kernel, count, workers, plain)
    for original, copy in zip(arguments, plain, strict=True):
        if copy is not original:
            original[...] = copy


def _load(kernel: Declaration, arguments: tuple[Any, ...], place: int) -> tuple[int, struct.Struct, Any]:
    """Load a kernel for the types of its arguments on the current device."""
    words = tuple(map(word_of, arguments))
    code = _code(kernel, words, arguments, place)
    name, widths = _entry_point(code)
    packer = _packer(words if kernel.by == "single" else ("int", *words), widths)
    module = device.cupy_module().cuda.function.Module()
    module.load(code)
    function = module.get_function(name)
    return int(function.ptr), packer, (module, function)


def _code(kernel: Declaration, words: tuple[str, ...], arguments: tuple[Any, ...], place: int) -> bytes:
    """Return machine code or PTX of a kernel, from the archive or, for kernels outside the package, compiled now."""
    in_package = kernel.function.__module__.partition(".")[0] == __name__.partition(".")[0]
    if not in_package or library.wants_jit():
        from .jit.cuda import compile_to_ptx

        return compile_to_ptx(kernel, words, int(device.cupy_module().cuda.Device(place).compute_capability)).encode()
    code = gpu_code.code(member_name(kernel.name, words))
    if code is not None:
        return code
    raise library.no_form(kernel, arguments) if gpu_code.opened() else RuntimeError(gpu_code.CURE)


def member_name(kernel: str, words: tuple[str, ...]) -> str:
    """Return the name of a kernel's PTX in the archive of GPU code."""
    return f"{kernel} {' '.join(words)}"


def _packer(words: tuple[str, ...], widths: list[str] | None) -> struct.Struct:
    """Return the packer for arguments of these types; raise an error if the parameters have other widths in bits."""
    form = "".join(_NUMBERS.get(word) or "QQqqQ" + "qq" * word.partition("[")[2].count(",") + "qq" for word in words)
    if widths is not None and [_WIDTHS[letter] for letter in form] != widths:
        raise RuntimeError(f"a kernel takes parameters of {widths} bits, but {form} are packed")
    return struct.Struct(f"@{form}")


def _entry_point(code: bytes) -> tuple[str, list[str] | None]:
    """Return the name of the kernel in its code, and the width of each parameter in bits if the code is PTX."""
    if code.startswith(_ELF):
        match = re.search(rb"\.nv\.constant0\.(\w+)", code)  # the section of its parameters
    else:
        match = re.search(rb"\.visible \.entry (\w+)\(([^)]*)\)", code)
    assert match is not None, "code without a kernel"
    widths = re.findall(r"\.param \.[a-z](\d+) ", match[2].decode()) if match.re.groups == 2 else None
    return match[1].decode(), widths
