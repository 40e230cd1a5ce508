"""The execution of rules and kernels on a device. Only this package uses Numba, threads or CUDA."""

from .arithmetic import (
    count_ones,
    float32_bits,
    float64_bits,
    hash32,
    hash_seed,
    leading_zeros,
    prefetch,
    unhash32,
    wrapping_add,
    wrapping_multiply,
    yield_thread,
)
from .array_types import (
    Array,
    ArrayS,
    ArrayT,
    Bools,
    BoolTable,
    Bytes,
    ByteTable,
    Complex128s,
    Constant,
    Float32s,
    Float32Table,
    Float64s,
    Float64Table,
    Int32s,
    Int32Table,
    Int64s,
    Int64Table,
    Integers,
    IntegerTable,
    Numbers,
    NumberTable,
    Offsets,
    OffsetTable,
    UInt16s,
    UInt32s,
    UInt64s,
    UInt64Table,
    VertexTable,
    Vertices,
)
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
from .cuda.source import CudaSource, report
from .declaration import Rows, Rule, annotations_of, edge_split, plugged, rule
from .device import array_module, by_device, device_of, place_of, use_target, with_gpu_form
from .kernel import Kernel, kernel, worker_count
from .partitioning import chunk_bounds, chunked, edge_chunk_bounds, edge_splits, lower_bound
from .thread_count import num_threads, set_num_threads, threads
