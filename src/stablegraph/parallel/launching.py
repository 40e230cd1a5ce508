"""Launching kernels on a GPU: the archive of GPU code has their PTX, CuPy's driver calls load and launch it.

Numba's own launch takes some 20 microseconds for each array, on the host; most calls would take longer to launch
their kernels than to run them. Here a launch packs its arguments into a buffer, about one microsecond for each array,
and goes to CuPy's current stream.

What a kernel expects in its buffer is Numba's: a number has its own bytes, aligned to their size; an array has two
pointers that compiled code does not read (whose memory it is, and its Python object), the number of its items, the
bytes of one, where it lies, its shape and its strides. PTX says how wide each of these parameters is, and `_packer`
refuses what is something else.
"""

from __future__ import annotations

import ctypes
import re
import struct
import threading
from typing import Any

from . import device, gpu_code, library
from .declaration import Declaration, word_of

_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 0  # CUDA's CU_LAUNCH_PARAM_...
_MOST_BYTES = 4096  # of all parameters of a kernel
_BLOCK = 256  # threads
_NUMBERS = {"bool": "?", "int": "q", "float": "d"}  # the words of declared types, as `struct` names their width
_WIDTHS = {"?": "8", "q": "64", "Q": "64", "d": "64"}  # of PTX's parameters, in bits

_loaded: dict[tuple[Any, ...], tuple[int, struct.Struct, Any]] = {}  # handle, packer, and the module, which must live


class _Parameters(threading.local):
    """Where each Python thread packs the arguments of its launches: the driver copies them before a launch returns."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(_MOST_BYTES)
        self.size = ctypes.c_size_t(0)
        addresses = (_BUFFER_POINTER, ctypes.addressof(self.buffer), _BUFFER_SIZE, ctypes.addressof(self.size), _END)
        self.extra = (ctypes.c_void_p * len(addresses))(*addresses)
        self.address = ctypes.addressof(self.extra)


_parameters = _Parameters()


def launch(kernel: Declaration, count: int | None, arguments: tuple[Any, ...]) -> None:
    """Run a kernel's body for 0 .. count - 1 on the current device, or once if `count` is None."""
    if count is None:
        blocks, threads = 1, 1
        values: list[Any] = []
    elif count > 0:
        blocks, threads = -(-device.worker_count("cuda", count) // _BLOCK), _BLOCK
        values = [count]
    else:
        return
    cupy = device.cupy_module()
    place = cupy.cuda.runtime.getDevice()
    key: list[Any] = [kernel, place]
    for argument in arguments:
        if type(argument) is cupy.ndarray:
            if not argument.flags.c_contiguous:
                _launch_with_copies(kernel, count, arguments)
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
    own = _parameters
    packer.pack_into(own.buffer, 0, *values)
    own.size.value = packer.size
    stream = cupy.cuda.get_current_stream().ptr
    cupy.cuda.driver.launchKernel(handle, blocks, 1, 1, threads, 1, 1, 0, stream, 0, own.address)


def _launch_with_copies(kernel: Declaration, count: int | None, arguments: tuple[Any, ...]) -> None:
    """Launch it for contiguous copies of arrays that are not, and copy what it wrote back."""
    cupy = device.cupy_module()
    plain = tuple(cupy.ascontiguousarray(a) if type(a) is cupy.ndarray else a for a in arguments)
    launch(kernel, count, plain)
    for given, copy in zip(arguments, plain, strict=True):
        if copy is not given:
            given[...] = copy


def _load(kernel: Declaration, arguments: tuple[Any, ...], place: int) -> tuple[int, struct.Struct, Any]:
    """A kernel for the types of its arguments, on the current device."""
    words = tuple(map(word_of, arguments))
    text = _ptx(kernel, words, arguments, place)
    name, widths = _entry(text.decode())
    packer = _packer(words if kernel.by == "single" else ("int", *words), widths)
    module = device.cupy_module().cuda.function.Module()
    module.load(text)
    function = module.get_function(name)
    return int(function.ptr), packer, (module, function)


def _ptx(kernel: Declaration, words: tuple[str, ...], arguments: tuple[Any, ...], place: int) -> bytes:
    """The PTX of a kernel: from the archive, or compiled now for kernels outside the package."""
    own = kernel.function.__module__.partition(".")[0] == __name__.partition(".")[0]
    if not own or library.wants_jit():
        from .jit.cuda import compile_to_ptx

        return compile_to_ptx(kernel, words, int(device.cupy_module().cuda.Device(place).compute_capability)).encode()
    text = gpu_code.code(member_name(kernel.name, words))
    if text is not None:
        return text
    raise library.no_form(kernel, arguments) if gpu_code.opened() else RuntimeError(gpu_code.CURE)


def member_name(kernel: str, words: tuple[str, ...]) -> str:
    """Return the name of a kernel's PTX in the archive of GPU code."""
    return f"{kernel} {' '.join(words)}"


def _packer(words: tuple[str, ...], widths: list[str]) -> struct.Struct:
    """What packs arguments of these types, for parameters of these bits."""
    form = "".join(_NUMBERS.get(word) or "QQqqQ" + "qq" * word.partition("[")[2].count(",") + "qq" for word in words)
    if [_WIDTHS[letter] for letter in form] != widths:
        raise RuntimeError(f"a kernel takes parameters of {widths} bits, but {form} are packed")
    return struct.Struct(f"@{form}")


def _entry(ptx: str) -> tuple[str, list[str]]:
    """The name of the kernel in a PTX text, and the bits of each of its parameters."""
    found = re.search(r"\.visible \.entry (\w+)\(([^)]*)\)", ptx)
    assert found is not None, "PTX without a kernel"
    return found[1], re.findall(r"\.param \.[a-z](\d+) ", found[2])
