"""Sets of vertices in files and on the command line.

A set is written as text (one line a vertex: 1 for a member, 0 for another), as .npy (a bool array) or as .npz (that
array, the names of the vertices, and how the set was made). It is read from each of these, whatever the file is called,
and from a .npy array of vertex numbers. Files may be compressed (.gz, .bz2, .xz).
"""

from __future__ import annotations

import io
import json
import sys
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from .io.npz import plain_names
from .io.source import format_suffix, load, opened
from .io.target import compressed, replacing

Mask = npt.NDArray[np.bool_]


def fingerprint(mask: Mask) -> str:
    """The fingerprint of a set: equal for equal sets."""
    return f"{zlib.crc32(mask.tobytes()):08x}"


def write_set(file: str, mask: Mask, about: dict[str, Any], nodes: Any) -> None:
    """Write text, .npy or .npz (mask, node names and how the set was made), as the name says; "-" gets text."""
    if file == "-":
        _write_text(sys.stdout.buffer, mask)
        sys.stdout.buffer.flush()
        return
    suffix = format_suffix(file)
    with replacing(file) as whole, compressed(whole, file) as output:
        if suffix == ".npy":
            np.save(output, mask, allow_pickle=False)
        elif suffix == ".npz":
            arrays: dict[str, Any] = {"mask": mask, "about": np.array(json.dumps(about))}
            if nodes is not None:
                arrays["nodes"] = plain_names(nodes)
            np.savez_compressed(output, **arrays)
        else:
            _write_text(output, mask)


def _write_text(output: Any, mask: Mask) -> None:
    lines = np.full(2 * mask.size, ord("\n"), np.uint8)
    lines[::2] = mask.astype(np.uint8) + ord("0")
    output.write(lines.tobytes())


def read_set(file: str, n: int) -> npt.NDArray[Any]:
    """What `write_set` wrote, or a .npy array of vertex numbers: a mask of all `n` vertices, or numbers."""
    with opened(file, None) as (name, raw):
        data = bytes(load(name, raw).data)
    if data.startswith(b"\x93NUMPY") or data.startswith(b"PK\x03\x04"):
        try:
            loaded = np.load(io.BytesIO(data), allow_pickle=False)
            found: npt.NDArray[Any] = loaded if isinstance(loaded, np.ndarray) else loaded["mask"]
        except KeyError:
            raise ValueError(f"{name}: there is no array 'mask' in this .npz file") from None
        except Exception as error:
            raise ValueError(f"{name}: the file is damaged or holds no plain array ({error})") from None
        return _checked_set(name, found, n)
    return _parse_set(name, data, n)


def _parse_set(name: str, data: bytes, n: int) -> Mask:
    text = data.replace(b"\r\n", b"\n").rstrip()
    characters = np.frombuffer(text + b"\n" if text else b"", np.uint8)
    members, ends = characters[::2], characters[1::2]
    if characters.size != 2 * n or np.any(ends != ord("\n")) or np.any((members | 1) != ord("1")):
        raise _wrong_set(name, text, n)
    mask: Mask = members == ord("1")
    return mask


def _wrong_set(name: str, text: bytes, n: int) -> ValueError:
    lines = text.split(b"\n") if text else []
    for number, line in enumerate(lines, 1):
        if line not in (b"0", b"1"):
            shown = line[:20].decode("utf-8", "replace")
            return ValueError(f"{name}, line {number}: expected 0 or 1 (one line for each vertex), got {shown!r}")
    return ValueError(f"{name}: a set of {len(lines):,} vertices, but the graph has {n:,}")


def _checked_set(name: str, found: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    if found.ndim != 1:
        raise ValueError(f"{name}: expected one row of numbers, got an array of shape {found.shape}")
    if found.dtype == bool:
        if found.size != n:
            raise ValueError(f"{name}: a set of {found.size:,} vertices, but the graph has {n:,}")
        return found
    if not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"{name}: expected true/false or vertex numbers, got an array of {found.dtype}")
    if found.size == n > 2 and found.max() <= 1 and found.min() >= 0:  # a mask that was stored as 0 and 1
        mask: Mask = found != 0
        return mask
    if found.size and (found.min() < 0 or found.max() >= n):
        worst = int(found.min() if found.min() < 0 else found.max())
        raise ValueError(f"{name}: vertex {worst} is not one of the graph's {n:,} vertices, numbered from 0")
    return found


def vertices_from(text: str | None, option: str, n: int) -> npt.NDArray[Any] | None:
    """Vertices named on the command line: "3,7,10-12", or "@FILE" with a set as `verify` reads it."""
    if text is None:
        return None
    if text.startswith("@"):
        return read_set(text[1:], n)
    vertices: list[int] = []
    for part in filter(None, text.replace(" ", "").split(",")):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{option}: expected vertex numbers such as 3,7,10-12 or @FILE, got {part!r}")
        low, high = int(first), int(last or first)
        if not low <= high < n:
            raise ValueError(f"{option}: {part} is not among the graph's {n:,} vertices, numbered from 0")
        vertices.extend(range(low, high + 1))
    return np.unique(np.array(vertices, np.int64))
