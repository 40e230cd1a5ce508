"""Launching kernels on a GPU: numba-cuda compiles them to PTX, CuPy's driver calls load and launch that.

numba-cuda's own launch takes some 20 microseconds for each array, on the host; most calls would take longer to launch
their kernels than to run them. Here a launch packs its arguments into a buffer, about one microsecond for each array,
and goes to CuPy's current stream. PTX is kept on disk, so that a later process needs no compiler.

What a kernel expects in its buffer is Numba's: a number has its own bytes, aligned to their size; an array has two
pointers that compiled code does not read (whose memory it is, and its Python object), the number of its items, the
bytes of one, where it lies, its shape and its strides. PTX says how wide each of these parameters is, and `_packer`
refuses what is something else.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import struct
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import device
from .sources import source_hash
from .warn_user import warn_user

if TYPE_CHECKING:
    from .declaration import Declaration

_BUFFER_POINTER, _BUFFER_SIZE, _END = 1, 2, 0  # CUDA's CU_LAUNCH_PARAM_...
_MOST_BYTES = 4096  # of all parameters of a kernel
_BLOCK = 256  # threads
_SCALARS = {bool: "?", int: "q", float: "d"}  # Python's types, as `struct` names their width
_WIDTHS = {"8": "bB?", "16": "hH", "32": "iIf", "64": "qQd"}  # of PTX's parameters, in bits

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
    elif count > 0:
        blocks, threads = -(-device.worker_count("cuda", count) // _BLOCK), _BLOCK
        arguments = (count, *arguments)
    else:
        return
    cupy = device.cupy_module()
    place = cupy.cuda.runtime.getDevice()
    key: list[Any] = [kernel, place]
    values: list[Any] = []
    for argument in arguments:
        if type(argument) is cupy.ndarray:
            shape = argument.shape
            key.append((argument.dtype, len(shape), argument.flags.c_contiguous))
            values += (0, 0, argument.size, argument.itemsize, argument.data.ptr, *shape, *argument.strides)
        else:
            key.append(getattr(argument, "dtype", type(argument)))
            values.append(argument)
    known = tuple(key)
    if known not in _loaded:
        _loaded[known] = _load(kernel, known[2:], place)
    handle, packer, _ = _loaded[known]
    own = _parameters
    packer.pack_into(own.buffer, 0, *values)
    own.size.value = packer.size
    stream = cupy.cuda.get_current_stream().ptr
    cupy.cuda.driver.launchKernel(handle, blocks, 1, 1, threads, 1, 1, 0, stream, 0, own.address)


def _load(kernel: Declaration, kinds: tuple[Any, ...], place: int) -> tuple[int, struct.Struct, Any]:
    """A kernel for kinds of arguments, on the current device."""
    cupy = device.cupy_module()
    digits = cupy.cuda.Device(place).compute_capability
    file = _ptx_file(kernel, kinds, (int(digits[:-1]), int(digits[-1])))
    name, widths = _entry(file.read_text())
    packer = _packer(kinds, widths)
    function = cupy.RawModule(path=str(file)).get_function(name)
    return int(function.kernel.ptr), packer, function


def _packer(kinds: tuple[Any, ...], widths: list[str]) -> struct.Struct:
    """What packs arguments of these kinds, for parameters of these bits."""
    form = "".join(map(_form, kinds))
    if len(form) != len(widths) or not all(one in _WIDTHS[width] for one, width in zip(form, widths, strict=True)):
        raise RuntimeError(f"a kernel takes parameters of {widths} bits, but {form} are packed: a newer Numba?")
    return struct.Struct(f"@{form}")


def _form(kind: Any) -> str:
    """How `struct` packs an argument of a kind."""
    if isinstance(kind, tuple):
        return "QQqqQ" + "q" * int(2 * kind[1])
    letter = _SCALARS.get(kind) or np.dtype(kind).char
    return {"l": "q", "L": "Q"}.get(letter, letter)


def _entry(ptx: str) -> tuple[str, list[str]]:
    """The name of the kernel in a PTX text, and the bits of each of its parameters."""
    found = re.search(r"\.visible \.entry (\w+)\(([^)]*)\)", ptx)
    assert found is not None, "PTX without a kernel"
    return found[1], re.findall(r"\.param \.[a-z](\d+) ", found[2])


def _ptx_file(kernel: Declaration, kinds: tuple[Any, ...], capability: tuple[int, int]) -> Path:
    """The file with a kernel's PTX, which is written if it does not exist."""
    from .jit.cuda import compile_to_ptx, numba_type

    module, package = kernel.function.__module__, __name__.partition(".")[0]
    own = module.partition(".")[0] == package
    parts = (kernel.by, _sources() if own else "", kinds, capability, device.cuda_compiler())
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    folder = (_kept_folder() if own else None) or _folder_of_process()
    file = folder / f"{module}.{kernel.__name__}-{digest}.ptx"
    if not file.exists():
        passed = kinds if kernel.by == "single" else kinds[1:]
        text = compile_to_ptx(kernel, tuple(map(numba_type, passed)), capability)
        try:
            _write(file, text)
        except OSError:  # a full disk, or one that cannot be written
            file = _folder_of_process() / file.name
            _write(file, text)
    return file


_sources = cache(source_hash)


@cache
def _kept_folder() -> Path | None:
    """The folder where PTX is kept between processes; None, and a warning, if there is none that only the user writes.

    Code in that folder is executed, so it must belong to this user, and nobody else may write to it.
    """
    stated = os.environ.get("STABLEGRAPH_CACHE_DIR")
    try:
        base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = (Path(stated) if stated else Path(base) / "stablegraph") / "ptx"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
        if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
            raise PermissionError(f"{folder} belongs to another user, or others may write to it")
    except (OSError, RuntimeError) as error:
        warn_user(
            f"GPU code is compiled again in each process, as it cannot be kept: {error}; set STABLEGRAPH_CACHE_DIR to "
            "a folder of yours"
        )
        return None
    return folder


def _write(file: Path, text: str) -> None:
    """Write it under another name first: another process may read it, or write it, too."""
    number, name = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(number, "w") as stream:
        stream.write(text)
    os.replace(name, file)


def _folder_of_process() -> Path:
    """Where PTX lies that cannot be kept."""
    return Path(_temporary().name)


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="stablegraph-")
