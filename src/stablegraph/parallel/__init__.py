"""The execution of rules and kernels on a device. Only this package uses Numba, threads or CUDA."""

from .arithmetic import count_ones, float32_bits, leading_zeros, wrapping_add, wrapping_multiply
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
from .device import use_target, worker_count
from .giving_way import give_way
from .kernel import Constant, Kernel, Rule, edge_split, edge_splits, kernel, rule
from .prefetching import prefetch
from .random import hash32, hash_seed
from .shares import edge_share, lower_bound, share
from .steps import in_steps
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
    "count_ones",
    "edge_share",
    "edge_split",
    "edge_splits",
    "float32_bits",
    "give_way",
    "hash32",
    "hash_seed",
    "in_steps",
    "kernel",
    "leading_zeros",
    "lower_bound",
    "num_threads",
    "prefetch",
    "rule",
    "set_num_threads",
    "share",
    "show_config",
    "threads",
    "use_target",
    "worker_count",
    "wrapping_add",
    "wrapping_multiply",
]
