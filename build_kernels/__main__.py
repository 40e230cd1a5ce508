"""The command line of the build: see `python -m build_kernels --help`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "kernels"


def main() -> int:
    """Build the library of kernels in the source tree."""
    sys.path.insert(0, str(ROOT / "src"))
    from stablegraph.parallel.jit.targets import TARGETS, host_name

    parser = argparse.ArgumentParser(prog="python -m build_kernels", description=main.__doc__)
    parser.add_argument("--target", choices=TARGETS, default=host_name(), help="the system to build for")
    parser.add_argument("--old", action="store_true", help="link with zig against an old C library, for a wheel")
    parser.add_argument("--output", type=Path, help="the library's file; beside the sources by default")
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    parser.add_argument("--if-changed", action="store_true", help="do nothing if the library fits the sources")
    chosen = parser.parse_args()
    try:
        build(
            chosen.target,
            chosen.output,
            old=chosen.old,
            jobs=chosen.jobs,
            if_changed=chosen.if_changed,
        )
    except (RuntimeError, ValueError, OSError, ImportError) as error:
        print(f"build_kernels: {error}", file=sys.stderr)
        return 1
    return 0


def build(
    target: str, output: Path | None = None, *, old: bool = False, jobs: int | None = None,
    if_changed: bool = False,
) -> Path:  # fmt: skip
    """Build the library of a target; return its path."""
    from stablegraph.parallel import library
    from stablegraph.parallel.jit.targets import TARGETS

    from .compile import check_versions, compile_forms
    from .forms import all_kernels, forms_of, missing
    from .link import link, table

    start, chosen = time.perf_counter(), TARGETS[target]
    output = output or library.PATH.with_name(chosen.library)
    with _lock():
        source_hash = library.source_hash()
        if if_changed and library.hash_in(output) == source_hash:
            return output
        check_versions()
        kernels = all_kernels()
        if undeclared := missing(kernels):
            print(f"build_kernels: these kernels declare no types: {', '.join(undeclared)}", file=sys.stderr)
        forms = [form for kernel in kernels.values() for form in forms_of(kernel)]
        objects = compile_forms(forms, target, BUILD / target, jobs or 1)
        link(table(kernels, objects, source_hash), list(objects.values()), chosen, output, old=old)
    seconds, size = time.perf_counter() - start, output.stat().st_size / 1e6
    print(
        f"built {len(forms)} forms of {len(kernels)} kernels in {seconds:.0f} s: {output} ({size:.1f} MB)",
        file=sys.stderr,
    )
    return output


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    """One build of a source tree at a time."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as stream:
        try:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        except ImportError:  # on Windows
            pass
        yield


if __name__ == "__main__":
    sys.exit(main())
