"""The build hook for hatchling: it puts the library of compiled kernels into wheels and editable installs.

STABLEGRAPH_BUILD says what is built: nothing or "native", the library for this machine; "none", a package without a
library, which needs the extra `jit`; or a target of build_kernels, a wheel for that system that runs with old C
libraries. Numba is requested only if the library of these sources was not built before.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # the file is also imported by the build itself, which needs no hatchling
    BuildHookInterface = object  # type: ignore[assignment,misc]

COMPILERS = {"numba": "0.68.1", "llvmlite": "0.50.0"}  # exactly, so that a new release cannot change what is built
_WHEELS = {
    "linux-x86_64": ("stablegraph.kernels.so", "py3-none-manylinux_2_17_x86_64"),
    "linux-aarch64": ("stablegraph.kernels.so", "py3-none-manylinux_2_17_aarch64"),
    "macos-arm64": ("stablegraph.kernels.dylib", "py3-none-macosx_11_0_arm64"),
    "windows-x86_64": ("stablegraph.kernels.dll", "py3-none-win_amd64"),
}
_HERE = Path(__file__).parent


def system_compiler() -> str | None:
    """Return the C compiler of the system, if there is one."""
    names = (os.environ.get("CC", ""), "cc", "gcc", "clang")
    return next((name for name in names if name and shutil.which(name.split()[0])), None)


def library_key(target: str, source_hash: str, *, old: bool) -> str:
    """Return the name under which a library is kept between builds."""
    versions = "-".join(COMPILERS.values())
    return f"{target}{'-old' if old else ''}-{versions}-{source_hash}"


class KernelLibrary(BuildHookInterface):
    """The hook."""

    def dependencies(self) -> list[str]:
        """Return what building needs beyond hatchling."""
        target, old = _wanted()
        if target is None or _is_known(target, old):
            return []
        needed = [f"{name}=={version}" for name, version in COMPILERS.items()]
        needed += ["numpy>=2.1", "scipy>=1.15"]  # which files that define kernels import
        return needed if system_compiler() and not old else [*needed, "ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library, and add it to what is packed."""
        target, old = _wanted()
        if target is None:
            return
        name, tag = _WHEELS.get(target, ("stablegraph.kernels.so", ""))
        if version == "editable":
            output = Path(self.root, "src", "stablegraph", "parallel", name)
        else:
            output = Path(self.root, "build", "kernels", "wheel", name)
            build_data["force_include"][str(output)] = f"stablegraph/parallel/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = tag if old else f"py3-none-{_platform_tag()}"
        known = _is_known(target, old)
        if known is not None:
            _module("cache", _HERE / "cache.py").replace(output, known.read_bytes())
            return
        command = [sys.executable, "-m", "build_kernels", "--output", str(output), "--target", target]
        if subprocess.run([*command, *(["--old"] if old else [])], cwd=self.root, check=False).returncode:  # noqa: S603
            raise RuntimeError(
                "the kernels could not be compiled; the message above says what is missing. STABLEGRAPH_BUILD=none "
                "installs the package without compiled kernels; it then needs the extra jit: "
                "STABLEGRAPH_BUILD=none pip install 'stablegraph[jit]'"
            )


def _wanted() -> tuple[str | None, bool]:
    """The target, or None for a package without a library, and whether it is linked against an old C library."""
    wanted = os.environ.get("STABLEGRAPH_BUILD", "native")
    if wanted == "none":
        return None, False
    if wanted in ("", "native"):
        return _host(), False
    if wanted not in _WHEELS:
        raise ValueError(f"STABLEGRAPH_BUILD must be native, none or one of {', '.join(_WHEELS)}, got {wanted!r}")
    return wanted, True


def _host() -> str:
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    processor = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{'aarch64' if (system, processor) == ('linux', 'arm64') else processor}"


def _platform_tag() -> str:
    import sysconfig

    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _is_known(target: str, old: bool) -> Path | None:
    """The library of these sources, if it was built before."""
    sources = _module("sources", _HERE.parent / "src" / "stablegraph" / "parallel" / "sources.py")
    cache = _module("cache", _HERE / "cache.py")
    known: Path | None = cache.read(cache.FOLDER, ".library").get(library_key(target, sources.source_hash(), old=old))
    return known


def _module(name: str, path: Path) -> ModuleType:
    """A module of this project that needs only the standard library, without its package."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
