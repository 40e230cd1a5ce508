"""A cache of objects and libraries, in the folder `build` of the source tree.

A file name consists of a key, which identifies all inputs of the file, and a checksum of its contents. If the checksum
of a damaged file does not match its name, the file is built again. Files are first written under temporary names, so
that no process reads a partial one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "build" / "kernels"


def key_of(*parts: Any) -> str:
    """Return the key of something that is made from these parts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:32]


def read(folder: Path, suffix: str) -> dict[str, Path]:
    """Return the undamaged files of a folder, by key."""
    files = {}
    for path in folder.glob(f"*{suffix}"):
        key, _, checksum = path.name.removesuffix(suffix).rpartition("-")
        if checksum == _checksum(path.read_bytes()):
            files[key] = path
    return files


def write(folder: Path, key: str, suffix: str, contents: bytes) -> Path:
    """Store contents under a key, and return the path of the file."""
    path = folder / f"{key}-{_checksum(contents)}{suffix}"
    replace(path, contents)
    return path


def replace(path: Path, contents: bytes) -> None:
    """Replace a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(number, "wb") as stream:
        stream.write(contents)
    os.chmod(name, 0o644)
    os.replace(name, path)


def remove_old(folder: Path, suffix: str, used: Collection[Path]) -> None:
    """Remove unused files that are older than a week, so that the folder does not grow without limit."""
    for path in folder.glob(f"*{suffix}"):
        if path not in used and path.stat().st_mtime < time.time() - 7 * 86400:
            path.unlink()


def _checksum(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()[:16]


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Lock the source tree, so that one process at a time builds in it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as stream:
        with contextlib.suppress(ImportError):  # Windows has no fcntl
            import fcntl

            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another process that builds kernels; it holds {stream.name}", flush=True)
                fcntl.flock(stream, fcntl.LOCK_EX)
        yield
