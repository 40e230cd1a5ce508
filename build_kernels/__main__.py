"""The command line of the build: see `python -m build_kernels --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Build the library of compiled kernels in the source tree."""
    sys.path.insert(0, str(ROOT / "src"))
    from stablegraph.parallel.jit.targets import TARGETS, host_name

    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser = argparse.ArgumentParser(prog="python -m build_kernels", description=main.__doc__)
    parser.add_argument("--target", choices=TARGETS, default=host_name(), help="the system to build for")
    parser.add_argument("--old", action="store_true", help="link with zig against an old C library, for a wheel")
    parser.add_argument("--output", type=Path, help="the library's file; beside the sources by default")
    parser.add_argument("--jobs", type=int, default=available, help="processes that compile at the same time")
    chosen = parser.parse_args()
    try:
        build(chosen.target, chosen.output, old=chosen.old, jobs=chosen.jobs)
    except (RuntimeError, ValueError, TypeError, OSError, ImportError) as error:
        print(f"build_kernels: {error}", file=sys.stderr)
        return 1
    return 0


def build(target: str, output: Path | None = None, *, old: bool = False, jobs: int = 1) -> None:
    """Build the library of a target, from objects that were built before where possible."""
    from stablegraph.parallel import library
    from stablegraph.parallel.jit.targets import TARGETS
    from stablegraph.parallel.sources import source_hash

    from . import cache
    from .compile import check_versions, compile_forms
    from .forms import all_kernels, forms_of
    from .hatch_build import library_key
    from .link import link, table

    start = time.perf_counter()
    output = output or library.PATH.with_name(TARGETS[target].library)
    with cache.locked():
        key = library_key(target, source_hash(), old=old)
        known = cache.read(cache.FOLDER, ".library").get(key)
        if known is None:
            check_versions()
            kernels = all_kernels()
            forms = [form for kernel in kernels.values() for form in forms_of(kernel)]
            objects = compile_forms(kernels, forms, target, jobs)
            contents = link(table(kernels, objects, source_hash()), list(objects.values()), TARGETS[target], old=old)
            known = cache.write(cache.FOLDER, key, ".library", contents)
        contents = known.read_bytes()
        cache.replace(output, contents)
    seconds = time.perf_counter() - start
    print(f"built the library of kernels in {seconds:.0f} s: {output} ({len(contents) / 1e6:.1f} MB)", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
