"""Vectors of solvers: sums and updates that are bit for bit the same on any number of threads.

A floating-point sum depends on the order of its terms, and BLAS orders them by the number of threads. Here a sum is
made of blocks of 4096 elements, in each of which eight partial sums run side by side (a processor adds them at once),
and then of the blocks, pairwise. Threads share the blocks; nothing depends on how. An update that is followed by a sum
goes through memory once: a block is summed while it still is in the cache.

Vectors are float64 or complex128, and contiguous. In an inner product the first vector is conjugated. Kernels are
compiled for complex numbers when these come. Each call goes once through its vectors; work memory: 16 bytes a block.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._core.runtime import chunk_bounds, kernel, rule, worker_count
from ..._core.runtime.cuda_source import by_device


def _cuda():
    from . import vectors_cuda

    return vectors_cuda


Vector = npt.NDArray[np.float64] | npt.NDArray[np.complex128]

BLOCK = 4096


def blocks_of(n: int) -> int:
    """How many blocks a vector has."""
    return -(-n // BLOCK)


@rule
def sum_of_products(start, end, x, y):
    """Return the sum of x[i] * y[i] over a range, in an order that depends only on the range."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = end - (end - start) % 8
    for i in range(start, whole, 8):
        s0 += x[i] * y[i]
        s1 += x[i + 1] * y[i + 1]
        s2 += x[i + 2] * y[i + 2]
        s3 += x[i + 3] * y[i + 3]
        s4 += x[i + 4] * y[i + 4]
        s5 += x[i + 5] * y[i + 5]
        s6 += x[i + 6] * y[i + 6]
        s7 += x[i + 7] * y[i + 7]
    for i in range(whole, end):
        s0 += x[i] * y[i]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@rule
def dot_of_block(start, end, x, y):
    """Return the inner product over a range, in an order that depends only on the range."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = end - (end - start) % 8
    for i in range(start, whole, 8):
        s0 += x[i].conjugate() * y[i]
        s1 += x[i + 1].conjugate() * y[i + 1]
        s2 += x[i + 2].conjugate() * y[i + 2]
        s3 += x[i + 3].conjugate() * y[i + 3]
        s4 += x[i + 4].conjugate() * y[i + 4]
        s5 += x[i + 5].conjugate() * y[i + 5]
        s6 += x[i + 6].conjugate() * y[i + 6]
        s7 += x[i + 7].conjugate() * y[i + 7]
    for i in range(whole, end):
        s0 += x[i].conjugate() * y[i]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@kernel(by="workers", types="T[] T[] T[]", T="float64 complex128")
def dot_blocks(worker, workers, x, y, sums):
    """The inner product of each block."""
    first_block, end_block = chunk_bounds(sums.size, worker, workers)
    for block in range(first_block, end_block):
        sums[block] = dot_of_block(block * BLOCK, min(x.size, (block + 1) * BLOCK), x, y)


@kernel(by="workers", types="float T[] T[] T[] T[] T[]", T="float64 complex128")
def take_step(worker, workers, alpha, p, q, x, r, sums):
    """X = x + alpha p and r = r - alpha q, and r . r of each block."""
    first_block, end_block = chunk_bounds(sums.size, worker, workers)
    for block in range(first_block, end_block):
        start, end = block * BLOCK, min(x.size, (block + 1) * BLOCK)
        for i in range(start, end):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
        sums[block] = dot_of_block(start, end, r, r)


@kernel(types="T[] float T[]", T="float64 complex128")
def scale_and_add(i, z, beta, p):
    """P = z + beta p."""
    p[i] = z[i] + beta * p[i]


@kernel(types="T[] T[] T[]", T="float64 complex128")
def add_scaled(i, alpha, p, x):
    """X = x + alpha[0] p."""
    x[i] += alpha[0] * p[i]


def _inner(x: Vector, y: Vector) -> Any:
    sums = np.empty(blocks_of(x.size), x.dtype)
    dot_blocks(worker_count("cpu", x.size), x, y, sums)
    return sums.sum()


@by_device(cuda=lambda: _cuda().dot)
def dot(x: Vector, y: Vector) -> float:
    """The real part of the inner product x . y; all of it if y is a Hermitian matrix times x."""
    return float(_inner(x, y).real)


def inner(x: Vector, y: Vector) -> Any:
    """The inner product x . y, complex for complex vectors."""
    return _inner(x, y) if x.dtype.kind == "c" else dot(x, y)


def norm(x: Vector) -> float:
    """The Euclidean norm of x."""
    return math.sqrt(dot(x, x))


@by_device(cuda=lambda: _cuda().axpy)
def axpy(alpha: Any, p: Vector, x: Vector) -> None:
    """Set x += alpha p."""
    add_scaled(x.size, np.array([alpha], x.dtype), p, x)


@by_device(cuda=lambda: _cuda().axpy_residual)
def axpy_residual(alpha: float, p: Vector, q: Vector, x: Vector, r: Vector) -> float:
    """A step of a descent: x += alpha p, r -= alpha q; returns the new r . r."""
    sums = np.empty(blocks_of(x.size), x.dtype)
    take_step(worker_count("cpu", x.size), alpha, p, q, x, r, sums)
    return float(sums.sum().real)


@by_device(cuda=lambda: _cuda().xpby)
def xpby(z: Vector, beta: float, p: Vector) -> None:
    """The next direction of a descent: p = z + beta p."""
    scale_and_add(p.size, z, beta, p)
