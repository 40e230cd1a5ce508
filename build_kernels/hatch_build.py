"""The build hook for hatchling: it adds the library of compiled kernels to wheels and editable installs.

STABLEGRAPH_BUILD selects the result. "native", the default, is the library for this machine. "none" is a package
without a library, which needs the extra `jit`. A target of _core/runtime/jit/targets.py is a wheel for that system,
which runs with old C libraries. With STABLEGRAPH_BUILD_CUDA=1 the archive of GPU code is built, too. The hook requests
compilers only for files that are not in the cache.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # the file is also imported by the build itself, which needs no hatchling
    BuildHookInterface = object  # type: ignore[assignment,misc]

# Exact versions, so that a new release of a compiler cannot change the result or break the build.
COMPILERS = {"numba": "0.68.1", "llvmlite": "0.50.0"}
ZIG = {"ziglang": "0.17.1"}
CUDA_COMPILERS = {
    "numba-cuda": "0.30.4",
    "cuda-bindings": "12.9.10",
    "nvidia-cuda-nvcc-cu12": "12.0.140",
    "nvidia-cuda-nvrtc-cu12": "12.0.140",
}
CUDA_ASSEMBLER = {"nvidia-nvjitlink-cu12": "12.9.86"}  # machine code from PTX, see gpu.assemble
NUMPY_OF_CUDA = "2.4.*"  # numba-cuda imports numpy.row_stack, which was removed in NumPy 2.5
WITHOUT = (
    "STABLEGRAPH_BUILD=none (an environment variable) installs the package without compiled kernels; with the extra "
    "jit, Numba then compiles each kernel when it is called"
)
MUSL = (
    "This Python uses the C library musl (as on Alpine Linux), for which Numba has no release, so the kernels cannot "
    "be compiled. Use a Python for glibc, such as the container image python:3.13-slim."
)
_HERE = Path(__file__).parent
_RUNTIME = _HERE.parent / "src" / "stablegraph" / "_core" / "runtime"
_GPU_ARCHIVE = "stablegraph.gpu.zip"  # as in _core/runtime/cuda/gpu_code.py


def system_compiler() -> list[str] | None:
    """Return the command of the system's C compiler; None if there is no working one, and on Windows.

    Libraries for Windows are always linked by zig.
    """
    if sys.platform == "win32":
        return None
    program = "#include <pthread.h>\n#include <stdatomic.h>\n"
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        command = name.split()
        if command and shutil.which(command[0]):
            with tempfile.TemporaryDirectory() as folder:
                tried = [*command, "-shared", "-fPIC", "-x", "c", "-", "-o", str(Path(folder, "library"))]
                done = subprocess.run(tried, input=program, capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode == 0:
                return command
    return None


def library_key(target: str, source_hash: str, *, old: bool) -> str:
    """Return the key under which a library is cached; the hash contains the versions of the compilers."""
    return f"{target}{'-old' if old else ''}-{source_hash}"


class KernelLibrary(BuildHookInterface):
    """The build hook."""

    def dependencies(self) -> list[str]:
        """Return the requirements of the build in addition to hatchling."""
        target, old = self._wanted()
        pins: dict[str, str] = {}
        if target is not None and _known(library_key(target, _source_hash(), old=old), ".library") is None:
            pins |= COMPILERS if system_compiler() and not old else COMPILERS | ZIG
        if self._wants_gpu() and _known(_source_hash(gpu=True), ".zip") is None:
            pins |= COMPILERS | CUDA_COMPILERS | CUDA_ASSEMBLER | {"numpy": NUMPY_OF_CUDA}
        if not pins:
            return []
        # The modules that define kernels import the run-time dependencies of the package.
        return [*(f"{name}=={version}" for name, version in pins.items()), *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library, and add it to the files of the package."""
        target, old = self._wanted()
        places = {} if version == "editable" else build_data["force_include"]
        if target is not None:
            system = _module(_RUNTIME / "jit" / "targets.py").TARGETS[target]
            build_data["pure_python"] = False
            native = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{system.wheel if old else native}"
            key = library_key(target, _source_hash(), old=old)
            options = ["--target", target, *(["--old"] if old else [])]
            self._add(system.library, _known(key, ".library"), options, places, version)
            stamp = Path(self.root, "build", "kernels", "wheels", "stablegraph.kernels.txt")
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(_source_hash())
            places[str(stamp)] = f"stablegraph/_core/runtime/{stamp.name}"
        if self._wants_gpu():
            self._add(_GPU_ARCHIVE, _known(_source_hash(gpu=True), ".zip"), ["--gpu"], places, version)

    def _add(self, name: str, known: Path | None, options: list[str], places: dict[str, str], version: str) -> None:
        """Build a file or copy it from the cache: next to the sources, or for a wheel to a build folder."""
        output = _RUNTIME / name
        if version != "editable":
            output = Path(self.root, "build", "kernels", "wheels", "_".join(options).replace("--", ""), name)
            places[str(output)] = f"stablegraph/_core/runtime/{name}"
        if known is not None:
            _module(_HERE / "cache.py").replace(output, known.read_bytes())
            return
        command = [sys.executable, "-m", "build_kernels", *options, "--output", str(output)]
        done = subprocess.run(command, cwd=self.root, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
        if done.returncode:
            reason = done.stderr.strip() or f"the compiler ended with exit code {done.returncode}"
            self.app.abort(f"The kernels of stablegraph could not be compiled. {reason}\n{WITHOUT}.")

    def _wants_gpu(self) -> bool:
        try:
            stated = _module(_RUNTIME.parent / "environment.py").setting("STABLEGRAPH_BUILD_CUDA")
        except ValueError as error:
            self.app.abort(f"{error}.")
        return bool(stated == "1")

    def _wanted(self) -> tuple[str | None, bool]:
        """Return the target, None for a package without a library, and whether to link against an old C library."""
        targets = _module(_RUNTIME / "jit" / "targets.py")
        wanted = os.environ.get("STABLEGRAPH_BUILD") or "native"
        if wanted == "none":
            return None, False
        if wanted == "native":
            if "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")):
                self.app.abort(MUSL)
            if targets.host_name() not in targets.TARGETS:
                self.app.abort(f"The kernels of stablegraph cannot be compiled for {targets.host_name()}.\n{WITHOUT}.")
            return targets.host_name(), False
        if wanted not in targets.TARGETS:
            known = ", ".join(targets.TARGETS)
            self.app.abort(f"STABLEGRAPH_BUILD must be native, none or one of {known}, got {wanted!r}.")
        return wanted, True


def _known(key: str, suffix: str) -> Path | None:
    """Return the cached file with a key, or None."""
    cache = _module(_HERE / "cache.py")
    return cache.read(cache.FOLDER, suffix).get(key)  # type: ignore[no-any-return]


def _source_hash(*, gpu: bool = False) -> str:
    return str(_module(_RUNTIME / "sources.py").source_hash(gpu=gpu))


def _module(path: Path) -> ModuleType:
    """Load a module of this project that uses only the standard library, without importing its package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
