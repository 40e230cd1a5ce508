"""The hash of the sources from which the library of compiled kernels is built; it uses the standard library only.

The library contains the hash. In a source tree, a library is used only if its hash equals that of the current sources.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
ROOT = PACKAGE.parents[1]  # the root of a source tree
_DEFINES_KERNELS = re.compile(rb"\b(kernels?|rule|Rule|Constant)\b")
_HASH = re.compile(rb"stablegraph-sources:([0-9a-f]{32})")


def package_files() -> list[tuple[Path, bytes]]:
    """Return the files that define kernels, rules or constants for them: their paths in the package, and contents.

    These are the files that contain one of the words above; a test checks that no file is missing.
    """
    files = ((path.relative_to(PACKAGE), path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py")))
    return [(place, text) for place, text in files if _DEFINES_KERNELS.search(text)]


def source_hash(*, gpu: bool = False) -> str:
    """Return a hash of all sources of the library, or of the archive of GPU code."""
    build = ROOT / "build_kernels"
    paths = sorted([*build.glob("*.py"), *build.glob("*.c")])
    if gpu:
        paths += sorted([*PACKAGE.rglob("*.cu"), *PACKAGE.rglob("*.cuh"), *PACKAGE.rglob("*_cuda.py")])
    others = [(path.relative_to(ROOT), path.read_bytes()) for path in paths]
    digest = hashlib.sha256()
    for place, text in [*package_files(), *others]:
        digest.update(f"{place.as_posix()} {hashlib.sha256(text).hexdigest()}\n".encode())
    return digest.hexdigest()[:32]


def hash_in(path: Path) -> str:
    """Return the hash of sources in a library, without loading it; empty if there is none."""
    try:
        match = _HASH.search(path.read_bytes())
    except OSError:
        return ""
    return match[1].decode() if match else ""
