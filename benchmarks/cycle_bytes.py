"""The bytes that a V-cycle of a hierarchy on a GPU must move: a lower bound of its time.

Each step reads its inputs once and writes its outputs once. A matrix that is needed again is read again, since it does
not fit into a cache. With n unknowns on a level and m on the next one, values of w bytes, A, P and R for the bytes of
the matrices, and s steps of a polynomial smoother:

    first step, from zero     3 w n            b and D^-1 read; x, which is also the direction p, written
    s - 1 and s more steps    A + 4 w n        x, b, D^-1 read, x written; p is read except in a first step, and written
                                               except in a last one
    residual                  A + 3 w n
    restriction, correction   R + P + 3 w n + 2 w m
    coarsest level            w n n + 2 w n    the inverse

A sweep of Gauss-Seidel is a pass through A and 4 w n: x is read and written, b and D^-1 are read.
"""

from __future__ import annotations

from typing import Any


def bytes_of_matrix(matrix: Any) -> int:
    """Return the bytes of the values, of the block columns, and of the row starts."""
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def bytes_of_v_cycle(levels: list[Any], smoothers: list[Any]) -> int:
    """Return the bytes of a cycle with these levels and smoothers; the coarsest level has no smoother."""
    total = 0
    for level, coarser, smoother in zip(levels, levels[1:], smoothers, strict=False):
        width = level.inverse_diagonal.dtype.itemsize
        matrix, vector = bytes_of_matrix(level.A), level.A.shape[0] * width
        steps = getattr(smoother, "steps", None)
        if steps is None:
            total += 2 * smoother.sweeps * (matrix + 4 * vector)
        else:
            s = len(steps)
            total += 3 * vector + (2 * s - 1) * (matrix + 4 * vector)
            total += 2 * (s - 1) * vector + max(0, 2 * s - 3) * vector  # p, read and written
        total += matrix + 3 * vector
        total += bytes_of_matrix(level.R) + bytes_of_matrix(level.P) + 3 * vector + 2 * coarser.A.shape[0] * width
    n, width = levels[-1].A.shape[0], levels[-1].inverse_diagonal.dtype.itemsize
    return total + width * n * (n + 2)
