"""What this installation runs with: versions, threads, threading layer, cache, CUDA."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from . import device
from .cache import cache_folder
from .threads import threading_layer


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def configuration() -> dict[str, Any]:
    """The facts that `show_config` prints, as a dictionary of plain values."""
    from .._version import __version__

    kept = str(cache_folder() or "not kept: no folder can be written")
    return {
        "stablegraph": __version__,
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "scipy": _version("scipy"),
        "numba": _version("numba"),
        "platform": f"{platform.system()} {platform.machine()}",
        "threads": device.num_threads(),
        "thread limit": device.thread_limit(),
        "threading layer": threading_layer() or "chosen at the first parallel call",
        "compiled code": "none: NUMBA_DISABLE_JIT is set" if device.compiler_is_off() else kept,
        "cuda compiler": device.cuda_package() or "none",
        "cupy": _version("cupy-cuda12x") or _version("cupy-cuda13x") or _version("cupy") or "none",
        "gpu": "available" if device.cuda_available() else "none",
    }


def show_config() -> None:
    """Print what this installation runs with: versions, threads, threading layer, cache folder, CUDA.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.show_config()
    stablegraph ...
    """
    facts = configuration()
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
