"""The command line of the build: see `python -m build_kernels --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
_MAX_JOBS = 16  # each takes about 0.5 GB and 1.5 s of CPU time to start; compiling all forms takes 95 s


def main() -> int:
    """Build the library of compiled kernels in the source tree."""
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        del os.environ[name]  # some of these variables change the code that Numba generates
    sys.path.insert(0, str(ROOT / "src"))
    from stablegraph._core.runtime.jit.targets import TARGETS, host_name

    host = host_name()
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser = argparse.ArgumentParser(prog="python -m build_kernels", description=main.__doc__)
    parser.add_argument("--target", choices=TARGETS, default=host, help=f"the system to build for ({host})")
    parser.add_argument("--old", action="store_true", help="link with zig against an old C library, for a wheel")
    parser.add_argument("--gpu", action="store_true", help="build the archive of GPU code instead; needs no GPU")
    parser.add_argument("--output", type=Path, help="the library's file; among the sources by default")
    parser.add_argument("--jobs", type=int, default=min(available, _MAX_JOBS), help="number of compiling processes")
    chosen = parser.parse_args()
    if chosen.target not in TARGETS:
        parser.error(f"kernels cannot be compiled for {host}, only for {', '.join(TARGETS)}")
    if chosen.target != host and chosen.output is None:
        parser.error(f"--target {chosen.target} needs --output: this machine cannot load that library")
    try:
        if chosen.gpu:
            build_gpu(chosen.output, jobs=chosen.jobs)
        else:
            build(chosen.target, chosen.output, old=chosen.old, jobs=chosen.jobs)
    except (RuntimeError, ValueError, TypeError, OSError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build(target: str, output: Path | None = None, *, old: bool = False, jobs: int = 1) -> None:
    """Build the library of a target, with cached objects where possible."""
    from stablegraph._core.runtime import library
    from stablegraph._core.runtime.jit.targets import TARGETS, host_level, host_name
    from stablegraph._core.runtime.sources import source_hash

    from . import cache
    from .hatch_build import COMPILERS, library_key

    def make() -> bytes:
        from .compile import check_versions, compile_forms

        check_versions(COMPILERS)
        from .forms import all_kernels, forms_of
        from .link import compiler, link, table

        linker = compiler(TARGETS[target], old=old)
        kernels = all_kernels()
        forms = [form for kernel in kernels.values() for form in forms_of(kernel)]
        # A library for this machine has its level of processors, and the lowest one in case it is copied to another.
        levels = list(range(len(TARGETS[target].levels))) if old or target != host_name() else sorted({0, host_level()})
        objects = compile_forms(kernels, forms, target, levels, jobs)
        paths = [path for by_level in objects.values() for path in by_level.values()]
        contents = link(linker, table(kernels, objects, source_hash()), paths, TARGETS[target])
        cache.remove_old(cache.FOLDER / target, ".o", set(paths))
        return contents

    def key() -> str:
        return library_key(target, source_hash(), old=old)

    _build("the library of kernels", key, ".library", make, output or library.PATH)


def build_gpu(output: Path | None = None, *, jobs: int = 1) -> None:
    """Build the archive of GPU code, with cached code where possible."""
    from stablegraph._core.runtime.cuda import gpu_code
    from stablegraph._core.runtime.sources import source_hash

    from .hatch_build import COMPILERS, CUDA_ASSEMBLER, CUDA_COMPILERS

    def make() -> bytes:
        from .compile import check_versions

        check_versions(COMPILERS | CUDA_COMPILERS | CUDA_ASSEMBLER)
        from .gpu import build_archive

        return build_archive(source_hash(gpu=True), jobs)

    def key() -> str:
        return source_hash(gpu=True)

    _build("the archive of GPU code", key, ".zip", make, output or gpu_code.PATH)


def _build(what: str, key: Callable[[], str], suffix: str, make: Callable[[], bytes], output: Path) -> None:
    """Write a file that was built from these sources before, or is built now; one process at a time."""
    from . import cache

    start = time.perf_counter()
    with cache.locked():
        wanted = key()
        known = cache.read(cache.FOLDER, suffix).get(wanted)
        if known is None:
            known = cache.write(cache.FOLDER, wanted, suffix, make())
            cache.remove_old(cache.FOLDER, suffix, [known])
        cache.replace(output, known.read_bytes())
    seconds, megabytes = time.perf_counter() - start, output.stat().st_size / 1e6
    print(f"built {what} in {seconds:.0f} s: {output} ({megabytes:.1f} MB)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
