"""The build hook for hatchling: it puts the library of compiled kernels into wheels and editable installs.

STABLEGRAPH_BUILD says what is built: nothing or "native", the library for this machine; "none", a package without a
library, which needs the extra `jit`; or a target of parallel/jit/targets.py, a wheel for that system that runs with old
C libraries. Numba is requested only if the library of these sources was not built before.
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

# Exact versions, so that a new release cannot change what is built, or break the build.
COMPILERS = {"numba": "0.68.1", "llvmlite": "0.50.0"}
ZIG = {"ziglang": "0.17.1"}
WITHOUT = (
    "STABLEGRAPH_BUILD=none (an environment variable) installs the package without compiled kernels; with the extra "
    "jit, Numba then compiles each kernel when it is called"
)
_HERE = Path(__file__).parent
_PARALLEL = _HERE.parent / "src" / "stablegraph" / "parallel"


def system_compiler() -> list[str] | None:
    """Return the command of the system's C compiler; None if there is none that works, and on Windows.

    The libraries for Windows have been linked by zig only.
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
    """Return the name under which a library is kept between builds; the hash contains the versions of the compilers."""
    return f"{target}{'-old' if old else ''}-{source_hash}"


class KernelLibrary(BuildHookInterface):
    """The hook."""

    def dependencies(self) -> list[str]:
        """Return what building needs beyond hatchling."""
        target, old = self._wanted()
        if target is None or _known(target, old) is not None:
            return []
        pins = COMPILERS if system_compiler() and not old else COMPILERS | ZIG
        # The files that define kernels import what the package needs at run time.
        return [*(f"{name}=={version}" for name, version in pins.items()), *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library, and add it to what is packed."""
        target, old = self._wanted()
        if target is None:
            return
        system = _module(_PARALLEL / "jit" / "targets.py").TARGETS[target]
        output = _PARALLEL / system.library
        if version != "editable":
            output = Path(self.root, "build", "kernels", "wheels", f"{target}{'-old' if old else ''}", system.library)
            build_data["force_include"][str(output)] = f"stablegraph/parallel/{system.library}"
        build_data["pure_python"] = False
        native = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{system.wheel if old else native}"
        known = _known(target, old)
        if known is None:
            self._build(target, old, output)
        else:
            _module(_HERE / "cache.py").replace(output, known.read_bytes())

    def _build(self, target: str, old: bool, output: Path) -> None:
        command = [sys.executable, "-m", "build_kernels", "--target", target, "--output", str(output)]
        command += ["--old"] if old else []
        done = subprocess.run(command, cwd=self.root, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
        if done.returncode:
            reason = done.stderr.strip() or f"the compiler ended with exit code {done.returncode}"
            self.app.abort(f"The kernels of stablegraph could not be compiled. {reason}\n{WITHOUT}.")

    def _wanted(self) -> tuple[str | None, bool]:
        """The target, or None for a package without a library, and whether it is linked against an old C library."""
        targets = _module(_PARALLEL / "jit" / "targets.py")
        wanted = os.environ.get("STABLEGRAPH_BUILD") or "native"
        if wanted == "none":
            return None, False
        if wanted == "native":
            if targets.host_name() not in targets.TARGETS:
                self.app.abort(f"The kernels of stablegraph cannot be compiled for {targets.host_name()}.\n{WITHOUT}.")
            return targets.host_name(), False
        if wanted not in targets.TARGETS:
            known = ", ".join(targets.TARGETS)
            self.app.abort(f"STABLEGRAPH_BUILD must be native, none or one of {known}, got {wanted!r}.")
        return wanted, True


def _known(target: str, old: bool) -> Path | None:
    """The library of these sources, if it was built before."""
    cache, sources = _module(_HERE / "cache.py"), _module(_PARALLEL / "sources.py")
    key = library_key(target, sources.source_hash(), old=old)
    return cache.read(cache.FOLDER, ".library").get(key)  # type: ignore[no-any-return]


def _module(path: Path) -> ModuleType:
    """A module of this project that needs only the standard library, without its package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
