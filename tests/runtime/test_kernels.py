"""The parallel layer: one rule gives one answer, on every target, in every split, in every kind of process."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import (
    atomic_add,
    atomic_and,
    atomic_compare_and_swap,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_store,
    device,
    edge_split,
    edge_splits,
    hash32,
    kernel,
    num_threads,
    rule,
    set_num_threads,
    show_config,
    unhash32,
    use_target,
    worker_count,
)
from stablegraph._core.runtime.cuda import gpu_code
from stablegraph._core.runtime.thread_count import thread_limit
from tests.support.cases import each
from tests.support.processes import run_python

INTEGERS = (np.int32, np.uint32, np.int64, np.uint64)
HASHES = [0, 0x31251BA7, 0x66A79298, 0xDFB6D245, 0xCD4F2531]
pytestmark = pytest.mark.jit  # the kernels of this file are compiled when they are called
needs_cuda_compiler = pytest.mark.skipif(
    not gpu_code.can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'"
)


@pytest.fixture(autouse=True)
def _same_threads_after():
    before = num_threads()
    yield
    set_num_threads(before)


# The computation of the processes below: a checksum over a grid's set and a sum made on threads.
GRID = """
import zlib
import numpy as np
import stablegraph as sg
from stablegraph._core.runtime.declaration import Rows
from stablegraph.gallery.reference_kernels import sum_indices_by_rows

def grid(side=60):
    v = np.arange(side * side).reshape(side, side)
    u = np.concatenate([v[:, :-1].ravel(), v[:-1].ravel()])
    w = np.concatenate([v[:, 1:].ravel(), v[1:].ravel()])
    return sg.from_edges(u, w, n=side * side, symmetrize=True)

def answer(graph, seed=0):
    totals = np.zeros(5, np.int64)
    # This one runs on threads, however small the graph.
    sum_indices_by_rows(5, graph.num_vertices, Rows(graph.indptr, graph.indices), totals)
    crc = zlib.crc32(totals.tobytes())
    return zlib.crc32(np.packbits(sg.maximal_independent_set(graph, seed=seed)).tobytes(), crc)
"""


def grid_answer(side: int = 60) -> int:
    space: dict = {}
    exec(GRID, space)
    return space["answer"](space["grid"](side))


# Kernels of every split, and the atomics


@rule
def twice(x):
    return 2 * x


@rule
def twice_plus(x, y):
    return twice(x) + y


@kernel
def by_items(i, offset, result):
    result[i] = twice_plus(i, offset)


@kernel(by="edges")
def by_edges(v, indptr, indices, sums):
    total = 0
    for e in range(indptr[v], indptr[v + 1]):
        total += twice(indices[e])
    sums[v] = total


@kernel(by="workers")
def by_workers(worker, workers, n, visits):
    for i in range(worker, n, workers):
        visits[i] += worker + 1


@kernel(by="single")
def by_nobody_else(values, running):
    total = 0
    for i in range(values.shape[0]):
        total += values[i]
        running[i] = total


@kernel
def count_atomically(i, adds, lows, highs, ands, ors):
    atomic_add(adds, i % 5, 1)
    atomic_min(lows, i % 5, i)
    atomic_max(highs, i % 5, i)
    atomic_and(ands, i % 5, i)
    atomic_or(ors, i % 5, i)


@kernel
def add_by_compare_and_swap(i, cells):
    done = False
    while not done:
        seen = atomic_load(cells, 0)
        done = atomic_compare_and_swap(cells, 0, seen, seen + 1) == seen


@kernel
def store_and_return(i, cells, before):
    atomic_store(cells, i, 7)
    before[i] = atomic_add(cells, i, 3)


@kernel
def hash_all(i, values, result):
    result[i] = hash32(values[i])


def ways_to_run():
    """Yield 1, 2 and 3 threads (as far as permitted), many workers, and two shuffles of the python target."""
    for threads in (1, 2, 3):
        if threads <= thread_limit():
            yield f"{threads} threads", threads, None
    yield "seventeen workers", 1, ("cpu", {"workers": 17})
    yield "python", 1, ("python", {"seed": 1})
    yield "python, another order", 1, ("python", {"seed": 2, "workers": 5})


each_way = pytest.mark.parametrize(("threads", "target"), [pytest.param(t, f, id=i) for i, t, f in ways_to_run()])


class running:
    """Run a block with a number of threads and optionally on a forced target."""

    def __init__(self, threads, target):
        self.threads, self.forced = threads, use_target(target[0], **target[1]) if target else None

    def __enter__(self):
        set_num_threads(self.threads)
        if self.forced:
            self.forced.__enter__()

    def __exit__(self, *error):
        if self.forced:
            self.forced.__exit__(*error)


@each_way
def test_every_split_does_all_of_its_work_once(threads, target):
    n = 40_003  # enough for several threads
    indptr = np.concatenate([[0], np.cumsum(np.arange(n) % 7)]).astype(np.int32)
    indices = (np.arange(indptr[-1]) % n).astype(np.int32)
    with running(threads, target):
        result = np.zeros(n, np.int64)
        by_items(n, 5, result)
        assert np.array_equal(result, 2 * np.arange(n) + 5)

        sums = np.full(n, -1, np.int64)
        by_edges(n, indptr, indices, sums)
        expected = [2 * int(indices[a:b].sum()) for a, b in itertools.pairwise(indptr)]
        assert sums.tolist() == expected

        workers = worker_count("cpu", 10**9)
        visits = np.zeros(n, np.int64)
        by_workers(workers, n, visits)
        assert np.array_equal(visits, np.arange(n) % workers + 1)

        running_sum = np.zeros(n, np.int64)
        by_nobody_else(np.arange(n), running_sum)
        assert np.array_equal(running_sum, np.cumsum(np.arange(n)))


@each_way
def test_no_items_is_no_work(threads, target):
    with running(threads, target):
        by_items(0, 5, np.zeros(0, np.int64))
        by_edges(0, np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))


@each_way
def test_more_workers_than_threads_end(threads, target):
    with running(threads, target):
        visits = np.zeros(1000, np.int64)
        by_workers(300, 1000, visits)
        assert np.array_equal(visits, np.arange(1000) % 300 + 1)


def test_python_target_shuffles():
    order = []
    shared = np.zeros(1, np.int64)

    @kernel
    def remember(i, cell):
        order.append(i)

    with use_target("python", seed=3):
        remember(50, shared)
    assert sorted(order) == list(range(50))
    assert order != list(range(50))


def test_forced_targets_nest_and_end():
    with use_target("cpu", workers=9):
        with use_target("python", workers=4):
            assert worker_count("cpu", 10**9) == 4
        assert worker_count("cpu", 10**9) == 9
    assert worker_count("cpu", 10**9) == num_threads()


def test_little_work_gets_few_workers():
    assert [worker_count("cpu", work) for work in (0, 1, 10_000)] == [1, 1, 1]
    assert worker_count("cpu", 100_000) == min(num_threads(), 7)


def test_unknown_target_and_split_are_refused():
    with pytest.raises(ValueError, match="'cpu', 'python'"), use_target("gpu"):
        pass
    with pytest.raises(ValueError, match="'items', 'edges', 'workers' or 'single'"):
        kernel(by="rows")


def test_cuda_without_cuda_is_an_error_with_the_cure():
    if gpu_code.cuda_available():
        pytest.skip("there is a GPU here")
    done = run_python(
        """
        import sys
        sys.modules["cupy"] = None
        import stablegraph as sg
        try:
            sg.gallery.grid((3, 3)).to("cuda")
        except RuntimeError as error:
            print(error)
        """
    )
    assert "stablegraph[cuda12]" in done.stdout


def test_a_gpu_that_is_not_there_is_not_called_an_old_driver_alone(monkeypatch):
    """CuPy raises these errors on a machine without a GPU."""

    def count():
        raise RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is insufficient")

    runtime = SimpleNamespace(getDeviceCount=count)
    monkeypatch.setattr(device, "cupy_module", lambda: SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    graph = sg.gallery.grid((3, 3))
    with pytest.raises(RuntimeError, match=r"no GPU answers it \(cudaError.*stablegraph doctor"):
        graph.to("cuda")


# Splitting by edges


@st.composite
def row_starts(draw):
    degrees = draw(st.lists(st.integers(0, 9) | st.integers(0, 500), max_size=60))
    first = draw(st.integers(0, 50))
    return np.concatenate([[first], first + np.cumsum(degrees, dtype=np.int64)]).astype(np.int64)


@given(row_starts(), st.integers(1, 70))
def test_edge_split_covers_everything_once_and_evenly(indptr, workers):
    n = indptr.size - 1
    cuts = [edge_split(indptr, n, w, workers) for w in range(workers + 1)]
    assert cuts[0] == 0
    assert cuts[-1] == n
    assert cuts == sorted(cuts)
    cost = indptr - indptr[0] + np.arange(n + 1)
    heaviest = int(np.diff(cost).max(initial=0))
    shares = np.diff(cost[cuts])
    assert shares.max() <= cost[-1] // workers + 1 + heaviest


def test_edge_split_is_the_same_compiled():
    @kernel(by="workers")
    def cut(worker, workers, n, indptr, cuts):
        cuts[worker] = edge_split(indptr, n, worker, workers)

    degrees = np.random.default_rng(5).integers(0, 40, 500)
    for kind in (np.int32, np.int64):
        indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(kind)
        compiled, plain = np.zeros(13, np.int64), np.zeros(13, np.int64)
        cut(13, 500, indptr, compiled)
        with use_target("python"):
            cut(13, 500, indptr, plain)
        assert np.array_equal(compiled, plain)


def test_edge_split_with_more_than_32_bits_of_entries():
    n = 1000
    indptr = np.arange(n + 1) * (1 << 36)
    cuts = [edge_split(indptr, n, w, 4) for w in range(5)]
    assert cuts == [0, 250, 500, 750, 1000]


def test_edge_splits_are_computed_in_64_bits():
    assert edge_splits(np.array([0, 2**30, 2**31 - 3], np.int32), 4).tolist() == [0, 1, 1, 2, 2]


# Atomics


@each_way
@each(kind=INTEGERS)
def test_atomics_lose_nothing(kind, threads, target):
    n = 300 if target and target[0] == "python" else 30_000
    everything = np.iinfo(kind).max
    adds, highs, ors = (np.zeros(5, kind) for _ in range(3))
    lows, ands = (np.full(5, everything, kind) for _ in range(2))
    with running(threads, target):
        count_atomically(n, adds, lows, highs, ands, ors)
    for cell in range(5):
        members = np.arange(cell, n, 5).astype(kind)
        assert adds[cell] == members.size
        assert lows[cell] == cell
        assert highs[cell] == members[-1]
        assert ands[cell] == np.bitwise_and.reduce(members)
        assert ors[cell] == np.bitwise_or.reduce(members)


@pytest.mark.parametrize("kind", (np.int32, np.int64))
def test_minimum_and_maximum_know_the_sign(kind):
    lows, highs = np.zeros(5, kind), np.full(5, -9, kind)
    ends = np.array([-3], kind)

    @kernel
    def extremes(i, ends, lows, highs):
        atomic_min(lows, 0, ends[0])
        atomic_max(highs, 0, ends[0])

    extremes(1, ends, lows, highs)
    assert (lows[0], highs[0]) == (-3, -3)


@pytest.mark.parametrize("kind", (np.uint32, np.uint64))
def test_minimum_and_maximum_of_unsigned_numbers_above_the_signed_range(kind):
    big = np.array([np.iinfo(kind).max], kind)
    lows, highs = big.copy(), np.zeros(1, kind)
    ones = np.ones(1, kind)

    @kernel
    def extremes(i, big, ones, lows, highs):
        atomic_min(lows, 0, ones[0])
        atomic_max(highs, 0, big[0])

    extremes(1, big, ones, lows, highs)
    assert (lows[0], highs[0]) == (1, big[0])


@each_way
@each(kind=INTEGERS)
def test_compare_and_swap_counts_exactly(kind, threads, target):
    n = 200 if target and target[0] == "python" else 20_000
    cells = np.zeros(2, kind)
    with running(threads, target):
        add_by_compare_and_swap(n, cells)
    assert cells.tolist() == [n, 0]


@each_way
@each(kind=INTEGERS)
def test_atomics_return_what_stood_there(kind, threads, target):
    cells, before = np.zeros(50, kind), np.zeros(50, kind)
    with running(threads, target):
        store_and_return(50, cells, before)
    assert np.array_equal(before, np.full(50, 7))
    assert np.array_equal(cells, np.full(50, 10))


# Hashes


@each_way
@each(kind=INTEGERS)
def test_hash_values_of_the_papers(kind, threads, target):
    result = np.zeros(5, np.int64)
    with running(threads, target):
        hash_all(5, np.arange(5, dtype=kind), result)
    assert result.tolist() == HASHES


def test_hash_is_the_same_on_all_targets_for_large_numbers():
    values = np.array([0, 1, 2**31 - 1, 2**31, 2**32 - 1], np.int64)
    compiled, plain = np.zeros(5, np.int64), np.zeros(5, np.int64)
    hash_all(5, values, compiled)
    with use_target("python"):
        hash_all(5, values, plain)
    assert np.array_equal(compiled, plain)
    assert compiled.min() >= 0
    assert compiled.max() < 2**32


# CUDA, compiled only


@needs_cuda_compiler
@pytest.mark.parametrize(
    ("tested", "arguments"),
    [
        (by_items, "int int64[]"),
        (by_edges, "int32[] int32[] int64[]"),
        (by_workers, "int int64[]"),
        (by_nobody_else, "int64[] int64[]"),
        *[(count_atomically, f"{k}[] {k}[] {k}[] {k}[] {k}[]") for k in ("int32", "uint32", "int64", "uint64")],
        *[(add_by_compare_and_swap, f"{k}[]") for k in ("int32", "uint32", "int64", "uint64")],
        *[(store_and_return, f"{k}[] {k}[]") for k in ("int32", "uint32", "int64", "uint64")],
        *[(hash_all, f"{k}[] int64[]") for k in ("int32", "uint32", "int64", "uint64")],
    ],
    ids=lambda value: value.__name__ if hasattr(value, "function") else value,
)
def test_every_split_and_every_atomic_compiles_for_cuda(tested, arguments):
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    ptx = compile_to_ptx(tested, tuple(arguments.split()), 90)
    assert ".entry" in ptx
    assert ".target sm_90" in ptx


@pytest.mark.gpu
def test_every_split_and_every_atomic_on_the_gpu():
    import cupy

    n = 100_000
    result = cupy.zeros(n, cupy.int64)
    by_items(n, 5, result)
    assert bool((result == 2 * cupy.arange(n) + 5).all())

    indptr = cupy.arange(0, 3 * n + 1, 3, dtype=cupy.int32)
    indices = cupy.arange(3 * n, dtype=cupy.int32) % n
    sums = cupy.zeros(n, cupy.int64)
    by_edges(n, indptr, indices, sums)
    assert bool((sums == 2 * indices.reshape(n, 3).sum(axis=1)).all())

    visits = cupy.zeros(n, cupy.int64)
    by_workers(777, n, visits)
    assert bool((visits == cupy.arange(n) % 777 + 1).all())

    running_sum = cupy.zeros(100, cupy.int64)
    by_nobody_else(cupy.arange(100), running_sum)
    assert bool((running_sum == cupy.cumsum(cupy.arange(100))).all())

    hashes = cupy.zeros(5, cupy.int64)
    hash_all(5, cupy.arange(5), hashes)
    assert hashes.tolist() == HASHES

    for kind in INTEGERS:
        ends = np.iinfo(kind).max
        on_cpu = [
            np.zeros(5, kind),
            np.full(5, ends, kind),
            np.zeros(5, kind),
            np.full(5, ends, kind),
            np.zeros(5, kind),
        ]
        on_gpu = [cupy.asarray(cells) for cells in on_cpu]
        count_atomically(n, *on_cpu)
        count_atomically(n, *on_gpu)
        for expected, cells in zip(on_cpu, on_gpu, strict=True):
            assert np.array_equal(expected, cupy.asnumpy(cells))
        counter = cupy.zeros(2, kind)
        add_by_compare_and_swap(5_000, counter)
        assert counter.tolist() == [5_000, 0]
        cells, before = cupy.zeros(50, kind), cupy.zeros(50, kind)
        store_and_return(50, cells, before)
        assert before.tolist() == [7] * 50
        assert cells.tolist() == [10] * 50


# Settings


def test_show_config_says_what_this_runs_with(capsys):
    import stablegraph

    show_config()
    facts = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    assert facts["stablegraph"].strip() == stablegraph.__version__
    assert facts["numpy"].strip() == np.__version__
    assert facts["threads"].strip() == str(num_threads())
    for name in ("python", "compiled code", "gpu code", "gpu"):
        assert facts[name].strip()


def test_kernels_run_in_python_if_the_environment_says_so():
    program = GRID + "print(answer(grid(12)), sg.connected_components(grid(5))[0])"
    assert run_python(program, STABLEGRAPH_TARGET="python").stdout.split() == [str(grid_answer(12)), "1"]
    config = run_python("import stablegraph; stablegraph.show_config()", STABLEGRAPH_TARGET="python").stdout
    assert "compiled code  not used: STABLEGRAPH_TARGET=python" in config


# The library and the development back end


def test_the_library_and_the_back_end_give_the_same_bits():
    program = GRID + "import sys; print(answer(grid(12)), 'numba' in sys.modules)"
    assert run_python(program).stdout.split() == [str(grid_answer(12)), "False"]
    assert run_python(program, STABLEGRAPH_JIT="1").stdout.split() == [str(grid_answer(12)), "True"]


def test_without_numba_other_kernels_name_the_cure(monkeypatch):
    @kernel
    def fill(i, cells):
        cells[i] = 1

    monkeypatch.setitem(sys.modules, "stablegraph._core.runtime.jit", None)
    with pytest.raises(RuntimeError, match=r"fill by items> is not compiled, and .* pip install 'stablegraph\[jit\]'"):
        fill(3, np.zeros(3, np.int64))


def test_types_without_a_form_are_named():
    from stablegraph._core.runtime.primitives import count_true

    message = r"no form for 'int float64\[\] int64\[\]'; it declares 'int T\[\] int64\[\]', T='bool uint8'"
    with pytest.raises(TypeError, match=message):
        count_true(1, 3, np.zeros(3), np.zeros(1, np.int64))


def test_arrays_that_compiled_code_cannot_read_are_copied_and_written_back():
    from stablegraph._core.runtime.primitives import count_true

    mask = np.arange(40) % 3 == 0
    apart = np.zeros(80, bool)[::2]
    apart[:] = mask
    shifted = np.zeros(17, np.uint8)[1:].view(">i8")  # neither aligned nor in native byte order
    count_true(2, 40, apart, shifted)
    expected = np.zeros(2, np.int64)
    count_true(2, 40, mask, expected)
    assert shifted.tolist() == expected.tolist() == [7, 7]


# Python threads, forks, interrupts

EIGHT_THREADS = (
    GRID
    + """
import threading
graph = grid()
answers = []
start = threading.Barrier(8)
def work(seed):
    start.wait()
    answers.extend((seed, answer(graph, seed)) for _ in range(5))
threads = [threading.Thread(target=work, args=(seed % 4,)) for seed in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
expected = {(seed, answer(graph, seed)) for seed in range(4)}
assert len(answers) == 40 and set(answers) == expected, answers
print("right")
"""
)


def test_eight_python_threads_at_once():
    assert run_python(EIGHT_THREADS).stdout.split() == ["right"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_pool_that_forks_after_a_parallel_call():
    program = (
        GRID
        + """
import multiprocessing
graph = grid()
expected = [answer(graph, seed) for seed in range(4)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    results = pool.starmap(answer, [(graph, seed) for seed in range(4)])
assert results == expected, (results, expected)
assert answer(graph, 3) == expected[3]
print("equal")
"""
    )
    assert run_python(program).stdout.split() == ["equal"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process here")
def test_interrupt_ends_long_work():
    program = (
        GRID
        + """
graph = grid(500)
answer(graph)
print("begun", flush=True)
while True:
    answer(graph)
"""
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline().strip() == "begun"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)  # generous: only a hang takes that long
    finally:
        process.kill()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in error


def test_equal_over_processes_and_threads():
    program = GRID + "print(answer(grid()))"
    answers = {
        run_python(program, STABLEGRAPH_MAX_THREADS="4", STABLEGRAPH_NUM_THREADS=threads).stdout.strip()
        for threads in ("1", "2", "4")
    }
    assert answers == {str(grid_answer())}


def test_unhash32_is_the_inverse_of_hash32():
    for value in (0, 1, 2, 12345, 2**31, 2**32 - 1):
        assert unhash32(hash32(value)) == value
