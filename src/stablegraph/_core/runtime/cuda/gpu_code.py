"""The archive of compiled GPU code: a zip file in this folder, with members for each kernel and each CUDA source.

It is built with the package if STABLEGRAPH_BUILD_CUDA=1 is set (build_kernels/gpu.py), as for the wheels of a release.
Members are PTX, which the driver translates for its GPU and caches. The translation takes 0.05 to 0.1 s for a kernel
and 0.1 to 1 s for a CUDA source; the archive therefore also has machine code for frequent types and GPUs. Without the
archive the CPU part works, kernels on a GPU raise an error that names the remedy, and CuPy compiles CUDA sources
(source.py).

In a source tree the archive contains a hash of the sources that it was built from. If the hash differs from that of the
current sources, the archive is not used, and is rebuilt if the compilers are installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import threading
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .. import device, library, sources
from ..device import can_compile

PATH = Path(__file__).parents[1] / "stablegraph.gpu.zip"
OLDEST = 70  # minimum compute capability for the PTX: the first with independent progress of threads
MACHINE_CODE = (80, 90)  # compute capabilities; the code runs on all with the same first digit
CURE = (
    "the kernels for GPUs are not in this installation; wheels of releases have them; in a source tree set "
    "STABLEGRAPH_BUILD_CUDA=1 (an environment variable) and run: pip install ."
)
_lock = threading.Lock()


def code(name: str) -> bytes | None:
    """Return machine code for the current device, or PTX; None if there is no such member."""
    archive = opened()
    if archive is not None:
        major = device.cupy_module().cuda.Device().compute_capability[:-1]
        for member in (machine_code(name, 10 * int(major)), name):
            with contextlib.suppress(KeyError), _readable():
                return archive.read(member)
    return None


def machine_code(name: str, capability: int) -> str:
    """Return the name of a member that contains machine code."""
    return f"{name} sm_{capability}"


def opened() -> zipfile.ZipFile | None:
    """Return the archive, built from the current sources; None if there is none."""
    with _lock:
        return _opened()


@cache
def _opened() -> zipfile.ZipFile | None:
    if library.is_source_tree() and hash_in(PATH) != sources.source_hash(gpu=True):
        if not can_compile():
            return None
        library.build(lambda: hash_in(PATH) == sources.source_hash(gpu=True), "--gpu")
    with _readable():
        return zipfile.ZipFile(PATH) if PATH.exists() else None


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Raise ImportError with a remedy for a damaged archive."""
    try:
        yield
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise ImportError(f"{PATH}: the GPU code cannot be read ({reason}); run: {library.REINSTALL}") from None


def cuda_available() -> bool:
    """Return whether kernels can run on a GPU: CuPy, a device, and compiled GPU code or a compiler for it."""
    if importlib.util.find_spec("cupy") is None or not (PATH.exists() or can_compile()):
        return False
    try:
        return int(device.cupy_module().cuda.runtime.getDeviceCount()) > 0
    except Exception:  # CuPy raises its own exceptions for a missing driver or device
        return False


def hash_in(path: Path) -> str:
    """Return the hash of sources in an archive; empty if there is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.comment.decode()
    except (OSError, zipfile.BadZipFile):
        return ""
