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
    fence,
)
from .config import show_config
from .cuda_source import CudaSource, by_device, report
from .declaration import Constant, Rows, Rule, edge_split, rule
from .device import array_module, device_of, place_of, use_target
from .kernel import Kernel, kernel, worker_count
from .partitioning import chunk_bounds, chunked, edge_chunk_bounds, edge_splits, lower_bound
from .random import hash32, hash_seed
from .thread_count import num_threads, set_num_threads, threads
