"""Vectors of solvers on a GPU; vectors.cu says how, vectors.py what."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..._core.runtime.cuda_source import CudaSource, report
from ..._core.runtime.device import array_module, place_of

SOURCE = CudaSource(__file__, "vectors.cu", also=("sums.cuh",))
_PART = 2048  # elements at least
_MAX_PARTS = 1024
_MAX_NUMBERS = 3  # that are added up at once


class Sums:
    """What sums over vectors of one length need: how many parts there are, and memory for them."""

    def __init__(self, n: int, xp: Any) -> None:
        parts = max(1, min(_MAX_PARTS, n // _PART))
        self.threads = parts * SOURCE.block
        self.arguments = n, parts, xp.empty(_MAX_NUMBERS * parts), xp.zeros(1, np.uint32)


def dot(x: Any, y: Any) -> float:
    """The inner product x . y."""
    return _sum("dot", x, x, y)


def axpy_residual(alpha: float, p: Any, q: Any, x: Any, r: Any) -> float:
    """A step of a descent: x += alpha p, r -= alpha q; returns the new r . r."""
    return _sum("axpy_residual", x, bits_of(alpha), p, q, x, r)


def axpy(alpha: float, p: Any, x: Any) -> None:
    """Set x += alpha p."""
    SOURCE.compiled()("axpy", int(x.size), int(x.size), bits_of(alpha), p, x)


def xpby(z: Any, beta: float, p: Any) -> None:
    """The next direction of a descent: p = z + beta p."""
    SOURCE.compiled()("xpby", int(p.size), int(p.size), z, bits_of(beta), p)


def _sum(name: str, like: Any, *arguments: Any) -> float:
    sums = Sums(int(like.size), array_module(place_of(like)))
    SOURCE.compiled()(name, sums.threads, *sums.arguments, *arguments, report.blank())
    return _number(report.read()[0])


def bits_of(number: float) -> int:
    """The bits of a number, as a kernel takes them."""
    (bits,) = struct.unpack("q", struct.pack("d", number))
    return int(bits)


def _number(bits: int) -> float:
    (number,) = struct.unpack("d", struct.pack("q", bits))
    return float(number)
