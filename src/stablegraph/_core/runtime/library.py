"""The library of compiled kernels, which is loaded when the first kernel is called.

It is built when the package is installed (build_kernels) and is stored next to this file. It needs neither Numba nor
the headers of Python or NumPy: `runtime.c` reads NumPy's array structure directly, and its layout is checked against a
known array when the library is loaded. Each kernel becomes a built-in function ``launch(threads, workers,
*arguments)``. It returns None, or itself if no form of the kernel fits the types of the arguments.

The library contains a hash of the sources that it was built from. In a source tree, if the hash differs from that of
the current sources, the library is rebuilt, or an error names the command. A wheel has a file with the hash, and a
library with another hash is an error. A damaged library is an error before it is loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..environment import setting
from .declaration import Declaration, flattened, word_of
from .sources import ROOT, checked_hash, hash_in, source_hash

# No Python module has a name with a dot, so the library cannot be imported by mistake.
_NAMES = {"darwin": "stablegraph.kernels.dylib", "win32": "stablegraph.kernels.dll"}
PATH = Path(__file__).with_name(_NAMES.get(sys.platform, "stablegraph.kernels.so"))
STAMP = PATH.with_name("stablegraph.kernels.txt")  # the hash of the library of a wheel
REINSTALL = "pip install --force-reinstall stablegraph"
_FASTCALL = 0x80  # METH_FASTCALL
_HINT = "STABLEGRAPH_JIT=1 compiles kernels when they are called (pip install 'stablegraph[jit]')"
_lock = threading.RLock()


def launcher(kernel: Declaration, constants: tuple[int, ...]) -> Callable[..., Any]:
    """Return the function that runs a kernel: from the library, or compiled now for kernels outside the package."""
    in_package = kernel.function.__module__.partition(".")[0] == __name__.partition(".")[0]
    if in_package and not wants_jit() and (library := current()) is not None:
        address = kernels_in(library).get(" ".join([kernel.name, *map(str, constants)]))
        if address is None:
            raise TypeError(f"{kernel!r} declares no types, so it is not in the library; add types=, or: {_HINT}")
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.argtypes, make.restype = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p], ctypes.py_object
        return make(ctypes.addressof(library.method), address, None)  # type: ignore[no-any-return]
    try:
        from .jit import backend
    except ImportError as error:
        raise RuntimeError(
            f"{kernel!r} is not compiled, and compiling it needs Numba ({error}): pip install 'stablegraph[jit]'"
        ) from None
    pool = loaded() if wants_jit() else current()
    return backend.launcher(kernel, constants, pool)


def wants_jit() -> bool:
    """Return whether all kernels, also those of the package, are compiled when they are called."""
    return setting("STABLEGRAPH_JIT") == "1"


@contextlib.contextmanager
def plain_copies(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Replace arrays that compiled code cannot read by copies, and copy the results to all writable originals."""
    replaced: list[tuple[Any, Any]] = []

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            members = [plain(member) for member in value]
            return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
        if not isinstance(value, np.ndarray):
            return value
        array = value.view(np.ndarray)
        if not (array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative):
            array = np.array(array, array.dtype.newbyteorder("="), order="C")
            if value.flags.writeable:
                replaced.append((value, array))
        return array

    yield tuple(plain(argument) for argument in arguments)
    for value, array in replaced:
        value[...] = array


def no_form(kernel: Declaration, arguments: Sequence[Any]) -> TypeError:
    """Return the error for arguments (without a count of items) that no form of a kernel accepts."""
    words = " ".join(map(word_of, flattened(arguments)))
    declared = f"{kernel.declared!r}" + "".join(f", {name}={types!r}" for name, types in kernel.variables.items())
    return TypeError(
        f"{kernel!r} has no form for {words!r}; it declares {declared}; convert the arrays before the call, "
        f"or declare the types. {_HINT}"
    )


# ---- Loading


@cache
def current() -> Any:
    """Return the library, built from the current sources; None if this is a pure package without one."""
    with _lock:
        if is_source_tree() and hash_in(PATH) != source_hash():
            build(lambda: hash_in(PATH) == source_hash())
        return loaded()


@cache
def loaded() -> Any:
    """Return the library without comparing it with the sources of a source tree, or None if there is no file."""
    if not PATH.exists():
        return None
    try:
        built_from = checked_hash(PATH)
        if not is_source_tree() and STAMP.exists() and built_from != STAMP.read_text().strip():
            raise ValueError("it is that of another version")
        library = started(PATH)
    except (OSError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split()).replace(f"{PATH}: ", "")
        raise ImportError(f"{PATH}: the compiled kernels cannot be loaded ({reason}); run: {REINSTALL}") from None
    _check_layout(library)
    if limit := setting("STABLEGRAPH_CPU_LEVEL"):  # for tests: 0 is the lowest level of processors in the library
        library.sg_limit_level(int(limit))
    return library


def started(path: Path) -> Any:
    """Load a library, and pass it the functions of Python that it calls; `method` describes its launch function."""
    library: Any = ctypes.CDLL(str(path))
    library.sg_kernel.restype = library.sg_method.restype = ctypes.c_void_p
    library.sg_run.restype = None
    functions = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in _FUNCTIONS)
    library.sg_start(ctypes.byref(_PythonFunctions(object.__basicsize__, id(np.ndarray), id(None), *functions)))
    library.method = _Method(b"launch", library.sg_method(), _FASTCALL, None)
    return library


def is_source_tree() -> bool:
    """Return whether this package is in a source tree; an installed package is not compared with sources."""
    return (ROOT / "build_kernels" / "__main__.py").is_file()


def build(fits: Callable[[], bool], *options: str) -> None:
    """Build the library of a source tree, or with "--gpu" its archive of GPU code."""
    command = [sys.executable, "-m", "build_kernels", *options]
    shown = " ".join(["python", *command[1:]])
    print(
        f"stablegraph: the compiled kernels do not fit the sources; building them ({shown})",
        file=sys.stderr,
        flush=True,
    )
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=2, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode or not fits():
        reason = done.stderr.strip() or "the sources have changed in the meantime"
        raise RuntimeError(f"the compiled kernels do not fit the sources, and were not built: {reason}\n{_HINT}")


def _check_layout(library: Any) -> None:
    """Raise ImportError if this version of NumPy has a different array structure."""
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    seen = (ctypes.c_int64 * 8)()
    known = library.sg_describe(ctypes.c_void_p(id(array)), seen)
    if not known or list(seen[:5]) != [_INT32, 2, array.ctypes.data, *array.shape]:
        raise ImportError(f"the compiled kernels do not know the arrays of NumPy {np.__version__}; update stablegraph")


@cache
def kernels_in(library: Any) -> dict[str, int]:
    """Return the address of each kernel's row in the library's table, by name."""
    rows: dict[str, int] = {}
    while address := library.sg_kernel(len(rows)):
        rows[ctypes.c_char_p.from_address(address).value.decode()] = address  # type: ignore[union-attr]
    return rows


def kernel_names() -> set[str]:
    """Return the names of the kernels in the library, including their constants."""
    return set(kernels_in(current()))


# ---- The Python functions and objects that the library uses


_FUNCTIONS = (
    "PyLong_AsLongLong",
    "PyFloat_AsDouble",
    "PyObject_IsTrue",
    "PyErr_Occurred",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "Py_IncRef",
    "PyErr_Clear",
    "PyTuple_Size",
    "PyTuple_GetItem",
)
_INT32 = 0x14


class _PythonFunctions(ctypes.Structure):
    _fields_ = (
        ("header", ctypes.c_ssize_t),
        *((name, ctypes.c_void_p) for name in ("array_class", "none", *_FUNCTIONS)),
    )


class _Method(ctypes.Structure):
    """The C structure PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )
