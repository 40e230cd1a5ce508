"""The machines that kernels are compiled for: one level of processors for each system.

Higher levels were no faster: with x86-64-v3 and v4 independent sets, components, colorings, searches and multigrid took
the same time as with v2, within the noise of 8 %. Numba does not fuse multiplications and additions, so all levels
give the same bits.
"""

from __future__ import annotations

import platform
import sys
from typing import Any, NamedTuple


class Target(NamedTuple):
    """A system and a level of its processors."""

    triple: str
    processor: str
    features: str
    library: str  # the name of the library's file
    zig: str  # the target's name for zig, which links for other systems
    wheel: str  # the platform tag of a wheel

    def machine(self, *, jit: bool = False) -> Any:
        """Return LLVM's description of the target; of this machine for code that is run at once."""
        from llvmlite import binding

        model = {"codemodel": "jitdefault", "jit": True} if jit else {"reloc": "pic", "codemodel": "default"}
        return binding.Target.from_triple(self.triple).create_target_machine(
            cpu=self.processor, features=self.features, opt=3, **model
        )


TARGETS = {
    "linux-x86_64": Target(
        "x86_64-unknown-linux-gnu",
        "x86-64-v2",
        "",
        "stablegraph.kernels.so",
        "x86_64-linux-gnu.2.17",
        "manylinux_2_17_x86_64",
    ),
    "linux-aarch64": Target(
        "aarch64-unknown-linux-gnu",
        "generic",
        "",
        "stablegraph.kernels.so",
        "aarch64-linux-gnu.2.17",
        "manylinux_2_17_aarch64",
    ),
    "macos-arm64": Target(
        "arm64-apple-macosx11.0", "apple-m1", "", "stablegraph.kernels.dylib", "aarch64-macos.11.0", "macosx_11_0_arm64"
    ),
    "windows-x86_64": Target(
        "x86_64-pc-windows-gnu", "x86-64-v2", "", "stablegraph.kernels.dll", "x86_64-windows-gnu", "win_amd64"
    ),
}


def host_name() -> str:
    """Return the name of the target that this process runs on."""
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{'arm64' if (system, processor) == ('macos', 'aarch64') else processor}"


HOST = TARGETS.get(host_name())
