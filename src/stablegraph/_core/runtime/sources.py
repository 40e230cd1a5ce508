"""The hash of the sources from which the library of compiled kernels is built; it uses the standard library only.

The library contains the hash. In a source tree, a library is used only if its hash equals that of the current sources.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
ROOT = PACKAGE.parents[1]  # the root of a source tree
_DEFINES_KERNELS = re.compile(rb"\b(kernels?|rule|Rule|Constant|in_turn|in_pieces|in_queue|without_levels)\b")
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
        paths += sorted([*PACKAGE.rglob("*.cu"), *PACKAGE.rglob("*.cuh"), *PACKAGE.rglob("cuda/*.py")])
    others = [(path.relative_to(ROOT), path.read_bytes()) for path in paths]
    digest = hashlib.sha256()
    for place, text in [*package_files(), *others]:
        digest.update(f"{place.as_posix()} {hashlib.sha256(text).hexdigest()}\n".encode())
    return digest.hexdigest()[:32]


def hash_in(path: Path) -> str:
    """Return the hash of sources in a library, without loading it; empty if it has none, or is damaged."""
    try:
        return checked_hash(path)
    except (OSError, ValueError):
        return ""


def checked_hash(path: Path) -> str:
    """Return the hash of sources in a library, without loading it; raise ValueError for a damaged or another file.

    The system would end the process when it reads a part of the library that is missing, so the file must be as long as
    its headers state. Only the parts that may contain the hash are read. Tools such as strip change sections and
    headers, but neither the loaded parts nor the hash.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size

        def read(start: int, length: int) -> bytes:
            if start + length > size:
                raise ValueError(f"it has {size:,} bytes, but its headers state at least {start + length:,}")
            file.seek(start)
            return file.read(length)

        try:
            parts, end = _loaded_parts(read)
        except struct.error:
            raise ValueError("its headers are damaged") from None
        read(max([end, *(start + length for start, length, _ in parts)]), 0)
        for start, length, _ in sorted(parts, key=lambda part: part[2]):  # the hash is rarely in executable parts
            if match := _HASH.search(read(start, length)):
                return match[1].decode()
    raise ValueError("it does not contain the kernels of stablegraph")


def _loaded_parts(read: Callable[[int, int], bytes]) -> tuple[list[tuple[int, int, bool]], int]:
    """Return start, length and executability of each part of a library that is loaded, and the end of its headers."""
    head = read(0, 64)
    if head.startswith(b"\x7fELF\x02\x01"):  # 64 bits, little-endian
        programs, sections = struct.unpack_from("<QQ", head, 32)
        program_size, program_count, section_size, section_count = struct.unpack_from("<HHHH", head, 54)
        table = read(programs, program_size * program_count)
        rows = [struct.unpack_from("<II Q 16x Q", table, k * program_size) for k in range(program_count)]
        parts = [(start, length, bool(flags & 1)) for kind, flags, start, length in rows if kind == 1]  # PT_LOAD
        return parts, sections + section_size * section_count if sections else 0
    if head.startswith(b"\xcf\xfa\xed\xfe"):  # Mach-O
        count, length = struct.unpack_from("<II", head, 16)
        commands, parts, place = read(32, length), [], 0
        for _ in range(count):
            kind, step = struct.unpack_from("<II", commands, place)
            if kind == 0x19:  # LC_SEGMENT_64
                parts.append((*struct.unpack_from("<QQ", commands, place + 40), False))
            place += max(step, 8)
        return parts, 0
    if head.startswith(b"MZ"):  # Windows
        (start,) = struct.unpack_from("<I", head, 60)
        count, optional = struct.unpack("<2x H 12x H 2x", read(start + 4, 20))
        table = read(start + 24 + optional, 40 * count)
        rows = [struct.unpack_from("<II", table, 40 * k + 16) for k in range(count)]
        return [(start, length, False) for length, start in rows], 0
    raise ValueError("it is no library of a known format")
