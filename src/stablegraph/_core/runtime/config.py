"""The configuration of this installation: versions, threads, compiled code, CUDA."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..unknown_options import suggests_options
from . import device
from .cuda import gpu_code
from .library import PATH, wants_jit
from .thread_count import num_threads, thread_limit

CUPY = ("cupy-cuda12x", "cupy-cuda13x", "cupy")  # the packages that contain it


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _compiled_code() -> str:
    if device.PLAIN_PYTHON:
        return "not used: STABLEGRAPH_TARGET=python"
    if wants_jit():
        return "compiled by Numba when called: STABLEGRAPH_JIT=1"
    return str(PATH) if PATH.exists() else "none; kernels are compiled by Numba when called"


def configuration() -> dict[str, Any]:
    """Return the facts that `show_config` prints, as a dictionary of plain values."""
    from ..._version import __version__

    return {
        "stablegraph": __version__,
        "python": platform.python_version(),
        "numpy": version_of("numpy"),
        "scipy": version_of("scipy"),
        "platform": f"{platform.system()} {platform.machine()}",
        "threads": num_threads(),
        "thread limit": thread_limit(),
        "compiled code": _compiled_code(),
        "gpu code": str(gpu_code.PATH) if gpu_code.PATH.exists() else "none",
        "cupy": next(filter(None, map(version_of, CUPY)), "none"),
        "gpu": "available" if gpu_code.cuda_available() else "none",
    }


@suggests_options
def show_config() -> None:
    """Print the configuration of this installation: versions, threads, compiled code, CUDA.

    >>> import stablegraph as sg
    >>> sg.show_config()
    stablegraph ...
    """
    facts = configuration()
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
