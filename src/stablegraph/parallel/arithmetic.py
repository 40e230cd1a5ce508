"""Arithmetic on bits that compilers see differently: integers that wrap, sets of bits, and the bits of a float."""

from __future__ import annotations

from typing import Any

import numpy as np

from .declaration import Rule, rule
from .device import cuda_module

MASK_63 = 0x7FFF_FFFF_FFFF_FFFF


def unsigned_multiply(a, b):  # type: ignore[no-untyped-def]
    """The form of `wrapping_multiply` for compilers: they call overflow of signed numbers undefined."""
    return np.int64((np.uint64(a) * np.uint64(b)) & np.uint64(MASK_63))


def unsigned_add(a, b):  # type: ignore[no-untyped-def]
    """The form of `wrapping_add` for compilers. The highest bit may be set; it is never used."""
    return np.int64(np.uint64(a) + np.uint64(b))


# Modulo 2**63, so that results fit in signed numbers.
wrapping_multiply = Rule(lambda a, b: (a * b) & MASK_63, cuda=lambda: cuda_module().jit(device=True)(unsigned_multiply))
wrapping_add = Rule(lambda a, b: (a + b) & MASK_63, cuda=lambda: cuda_module().jit(device=True)(unsigned_add))


def _float32_bits(x):  # type: ignore[no-untyped-def]
    return np.float32(x).view(np.int32)  # without the conversion the compiler does not see the type of x


def _cuda_float32_bits() -> Any:
    cuda = cuda_module()
    return cuda.jit(device=True)(lambda x: cuda.libdevice.float_as_int(x))


# The bits of a float32 as an int32; of two positive numbers the larger has the larger bits. (Not every compiler for
# CUDA knows the view of a scalar.)
float32_bits = Rule(_float32_bits, cuda=_cuda_float32_bits)


def _leading_zeros(x):  # type: ignore[no-untyped-def]
    return 64 - int(x).bit_length()


def _cuda_leading_zeros() -> Any:
    cuda = cuda_module()
    return cuda.jit(device=True)(lambda x: np.int64(cuda.clz(np.int64(x))))


# How many of a number's 64 bits stand above its highest one: the first member of a set that counts from the top.
leading_zeros = Rule(_leading_zeros, cuda=_cuda_leading_zeros)


@rule
def count_ones(x):
    """How many bits of a number below 2**32 are set."""
    x -= (x >> 1) & 0x5555_5555
    x = (x & 0x3333_3333) + ((x >> 2) & 0x3333_3333)
    x = (x + (x >> 4)) & 0x0F0F_0F0F
    return (x * 0x0101_0101 >> 24) & 0xFF
