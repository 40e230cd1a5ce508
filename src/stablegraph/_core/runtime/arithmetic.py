"""Bit arithmetic that differs between compilers: wrapping integers, sets of bits, and the bits of a float."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declaration import Rule, rule
from .device import cuda_module

MASK_63 = 0x7FFF_FFFF_FFFF_FFFF


def unsigned_multiply(a, b):
    """Multiply for `wrapping_multiply` in compiled code, where overflow of signed numbers would be undefined."""
    return np.int64((np.uint64(a) * np.uint64(b)) & np.uint64(MASK_63))


def unsigned_add(a, b):
    """Add for `wrapping_add` in compiled code. The highest bit of the result may be set; it is never used."""
    return np.int64(np.uint64(a) + np.uint64(b))


# Modulo 2**63, so that results fit in signed numbers.
wrapping_multiply = Rule(lambda a, b: (a * b) & MASK_63, cuda=lambda: cuda_module().jit(device=True)(unsigned_multiply))
wrapping_add = Rule(lambda a, b: (a + b) & MASK_63, cuda=lambda: cuda_module().jit(device=True)(unsigned_add))


def _float32_bits(x):
    return np.float32(x).view(np.int32)  # without the conversion the compiler does not infer the type of x


def _cuda_float32_bits() -> Any:
    cuda = cuda_module()
    return cuda.jit(device=True)(lambda x: cuda.libdevice.float_as_int(x))


# The bits of a float32 as an int32; of two positive numbers the larger one has the larger bits. (Not every compiler for
# CUDA supports the view of a scalar.)
float32_bits = Rule(_float32_bits, cuda=_cuda_float32_bits)


def _leading_zeros(x):
    return 64 - int(x).bit_length()


def _cuda_leading_zeros() -> Any:
    cuda = cuda_module()
    return cuda.jit(device=True)(lambda x: np.int64(cuda.clz(np.int64(x))))


# The number of zero bits above the highest set bit of a 64-bit number: the first member of a set counted from the top.
leading_zeros = Rule(_leading_zeros, cuda=_cuda_leading_zeros)


@rule
def count_ones(x):
    """Count the set bits of a number below 2**32."""
    x -= (x >> 1) & 0x5555_5555
    x = (x & 0x3333_3333) + ((x >> 2) & 0x3333_3333)
    x = (x + (x >> 4)) & 0x0F0F_0F0F
    return (x * 0x0101_0101 >> 24) & 0xFF
