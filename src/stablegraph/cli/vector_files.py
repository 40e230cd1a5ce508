"""Right-hand sides in files: .npy, .npz with one array, Matrix Market arrays, and text with one number per line."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from ..io.source import load, opened

Vector = npt.NDArray[Any]


def read_vector(file: str, n: int) -> Vector:
    """Read the n numbers in a file."""
    with opened(file, None) as (name, raw):
        data = bytes(load(name, raw).data)
    if data.startswith((b"\x93NUMPY", b"PK\x03\x04")):
        values = _array(name, data)
    elif data.startswith(b"%%MatrixMarket"):
        values = _matrix_market(name, data)
    else:
        values = _numbers(name, data.decode("utf-8", "replace").splitlines(), 1)
    if values.shape not in ((n,), (n, 1)):
        raise ValueError(f"{name}: {' x '.join(map(str, values.shape))} numbers, but A has {n:,} rows")
    return values.ravel()


def _array(name: str, data: bytes) -> Vector:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        arrays = [array for array in loaded.files if array not in ("about", "nodes")]
        if len(arrays) == 1:
            return np.asarray(loaded[arrays[0]])
    except Exception as error:
        raise ValueError(f"{name}: the file is damaged or holds no plain array ({error})") from None
    raise ValueError(f"{name}: expected one array in this .npz file, found {', '.join(arrays) or 'none'}")


def _matrix_market(name: str, data: bytes) -> Vector:
    banner, *rest = data.decode("utf-8", "replace").splitlines()
    words = banner.lower().split()
    if words[1:3] != ["matrix", "array"] or words[3:4] == ["complex"] or words[4:] != ["general"]:
        raise ValueError(f"{name}, line 1: a right-hand side is a general real array, got {banner!r}")
    skipped = next((i for i, line in enumerate(rest) if line.strip() and not line.startswith("%")), len(rest))
    size = rest[skipped].split() if skipped < len(rest) else []
    if len(size) != 2 or size[1] != "1" or not size[0].isdecimal():
        raise ValueError(f"{name}, line {skipped + 2}: expected the size of one column, such as 100 1")
    values = _numbers(name, rest[skipped + 1 :], skipped + 3)
    if values.size != int(size[0]):
        raise ValueError(f"{name}: {values.size:,} numbers, but its size line says {size[0]}")
    return values


def _numbers(name: str, lines: list[str], first: int) -> Vector:
    """Parse one number per line; empty lines and lines that begin with # or % are ignored."""
    values = []
    for number, line in enumerate(lines, first):
        text = line.strip()
        if text and text[0] not in "#%":
            try:
                values.append(float(text))
            except ValueError:
                raise ValueError(f"{name}, line {number}: expected a number, got {text[:20]!r}") from None
    return np.array(values, np.float64)
