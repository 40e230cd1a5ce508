"""The systems for which kernels are compiled, and the levels of their processors.

The levels of x86-64 differ in their vector instructions. On an AMD EPYC with two threads, level v2 takes 1.14 times as
long as v4 for independent sets, 1.07 to 1.10 for colorings, 1.38 for `as_graph` (3.9 on a Kronecker graph) and 1.00 to
1.05 for components, searches, forests and solvers (geometric means over six graphs). `runtime.c` selects the highest
level that the processor supports. Numba does not fuse multiplications and additions, so results are identical on all
levels. LLVM avoids vectors of 512 bits on v4 by default, because early processors ran at a lower frequency with them;
`as_graph` of a Kronecker graph then takes 1.25 times as long.
"""

from __future__ import annotations

import platform
import sys
from typing import Any, NamedTuple


class Target(NamedTuple):
    """A system for which kernels are compiled."""

    triple: str
    levels: tuple[str, ...]  # of processors, in LLVM's names; each one includes the features of the ones before it
    library: str  # the name of the library's file
    zig: str  # the target's name for zig, which links for other systems
    wheel: str  # the platform tag of a wheel

    def machine(self, level: int = 0, *, jit: bool = False) -> Any:
        """Return LLVM's description of a level of the target; `jit` is for code that this process executes."""
        from llvmlite import binding

        model = {"codemodel": "jitdefault", "jit": True} if jit else {"reloc": "pic", "codemodel": "default"}
        cpu, _, features = self.levels[level].partition(" ")
        target = binding.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=cpu, features=features, opt=3, **model)


_X86 = ("x86-64-v2", "x86-64-v3", "x86-64-v4 -prefer-256-bit")
TARGETS = {
    "linux-x86_64": Target(
        "x86_64-unknown-linux-gnu",
        _X86,
        "stablegraph.kernels.so",
        "x86_64-linux-gnu.2.17",
        "manylinux_2_17_x86_64",
    ),
    "linux-aarch64": Target(
        "aarch64-unknown-linux-gnu",
        ("generic",),
        "stablegraph.kernels.so",
        "aarch64-linux-gnu.2.17",
        "manylinux_2_17_aarch64",
    ),
    "macos-arm64": Target(
        "arm64-apple-macosx11.0", ("apple-m1",), "stablegraph.kernels.dylib", "aarch64-macos.11.0", "macosx_11_0_arm64"
    ),
    "windows-x86_64": Target(
        "x86_64-pc-windows-gnu", _X86, "stablegraph.kernels.dll", "x86_64-windows-gnu", "win_amd64"
    ),
}


def host_name() -> str:
    """Return the name of the target that this process runs on."""
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{'arm64' if (system, processor) == ('macos', 'aarch64') else processor}"


HOST = TARGETS.get(host_name())


def host_level() -> int:
    """Return the highest level of processors that this machine supports; 0 is the lowest one of its kind."""
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    third = all(has.get(name) for name in ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"))
    fourth = all(has.get(f"avx512{name}") for name in ("f", "bw", "cd", "dq", "vl"))
    return third + (third and fourth)
