"""The execution of rules and kernels on a device. Only this package uses Numba, threads or CUDA."""

from .arithmetic import count_ones, float32_bits, leading_zeros, prefetch, wrapping_add, wrapping_multiply, yield_thread
from .atomics import (
    atomic_add,
    atomic_and,
    atomic_compare_and_swap,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_store,
)
from .config import show_config
from .declaration import Constant, Rule, edge_split, rule
from .device import use_target
from .kernel import Kernel, kernel, worker_count
from .partitioning import chunk_bounds, chunked, edge_chunk_bounds, edge_splits, lower_bound
from .random import hash32, hash_seed
from .thread_count import num_threads, set_num_threads, threads

__all__ = [
    "Constant",
    "Kernel",
    "Rule",
    "atomic_add",
    "atomic_and",
    "atomic_compare_and_swap",
    "atomic_load",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_store",
    "chunk_bounds",
    "chunked",
    "count_ones",
    "edge_chunk_bounds",
    "edge_split",
    "edge_splits",
    "float32_bits",
    "hash32",
    "hash_seed",
    "kernel",
    "leading_zeros",
    "lower_bound",
    "num_threads",
    "prefetch",
    "rule",
    "set_num_threads",
    "show_config",
    "threads",
    "use_target",
    "worker_count",
    "wrapping_add",
    "wrapping_multiply",
    "yield_thread",
]
