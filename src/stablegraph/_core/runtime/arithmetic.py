"""Operations that differ between compilers and processors: bits, wrapping integers, vectors, prefetching, yielding.

jit/intrinsics.py contains their compiled forms for the CPU.

Also stateless random numbers: a hash of the purpose of each number, such as a vertex and a round. The bits are the same
on every target, for every order of execution and every dtype of the user's arrays, because the arithmetic uses 64-bit
integers with explicit masks. A seed is hashed before it is added to anything; otherwise, nearby seeds would give the
same numbers, shifted along the vertices. The hash of 0 is 0, so that seed 0 reproduces the fingerprints in the papers.
"""

from __future__ import annotations

from functools import lru_cache
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


def _float64_bits(x):
    return np.float64(x).view(np.int64)


def _cuda_float64_bits() -> Any:
    cuda = cuda_module()
    return cuda.jit(device=True)(lambda x: cuda.libdevice.double_as_longlong(x))


# The same for a float64, as an int64.
float64_bits = Rule(_float64_bits, cuda=_cuda_float64_bits)


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


def _prefetch(array, index):
    pass


# Starts loading the cache line of ``array[index]`` (for a matrix: of a row) without waiting. Any index is allowed, also
# past the end. Other targets ignore it; a GPU hides the latency by running other threads.
prefetch = Rule(_prefetch)


def _yield_thread():
    pass


# Lets another thread run on the processor, if one is ready. Otherwise it takes a few tenths of a microsecond, in which
# the awaited thread can make progress. Other targets ignore it, since their threads do not wait for each other.
yield_thread = Rule(_yield_thread)


def _add_two(target, to, factor, source, start):
    for lane in range(2):
        target[to + lane] += factor * source[start + lane]


def _add_four(target, to, factor, source, start):
    for lane in range(4):
        target[to + lane] += factor * source[start + lane]


add_two, add_four = Rule(_add_two), Rule(_add_four)


@rule
def add_scaled(target, to, factor, source, start, count):
    """Set ``target[to + c] += factor * source[start + c]`` for c = 0 .. count - 1, which should be a constant."""
    fours = count - count % 4
    for c in range(0, fours, 4):
        add_four(target, to + c, factor, source, start + c)
    for c in range(fours, count - count % 2, 2):
        add_two(target, to + c, factor, source, start + c)
    for c in range(count - count % 2, count):
        target[to + c] += factor * source[start + c]


_MULTIPLIER = 0x45D9F3B
_INVERSE = pow(_MULTIPLIER, -1, 1 << 32)
_LOW_32 = 0xFFFFFFFF


@rule
def hash32(x):
    """Return 32 well-mixed bits for a non-negative integer below 2**32 (the hash of ECL-MIS and ECL-GC)."""
    x = int(x) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    x = (((x >> 16) ^ x) * _MULTIPLIER) & _LOW_32
    return (x >> 16) ^ x


@rule
def unhash32(hashed):
    """Return the non-negative integer below 2**32 with this `hash32`."""
    x = int(hashed)
    x = (((x >> 16) ^ x) * _INVERSE) & _LOW_32
    x = (((x >> 16) ^ x) * _INVERSE) & _LOW_32
    return (x >> 16) ^ x


@lru_cache(maxsize=256)
def hash_seed(seed: int) -> int:
    """Return 32 bits that depend on all bits of an integer of any size and sign; hash32(seed) for 0 to 2**32 - 1."""
    hashed = 0
    for low in reversed(range(0, seed.bit_length() + 32, 32)):  # includes a word for the sign
        hashed = hash32(hashed ^ (seed >> low & _LOW_32))
    return hashed
