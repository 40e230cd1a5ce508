"""Tests that need a GPU: streams, threads, memory that is too small, grids of other sizes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.csr.arrays import Pattern
from stablegraph._core.csr.patterns import product_pattern
from stablegraph._core.runtime import use_target

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def graph():
    return gallery.uniform_random(2**15, 4, seed=0).to("cuda")


def answers(graph, seed):
    """Return some answers, on the host."""
    mask = sg.maximal_independent_set(graph, seed=seed)
    colors = sg.vertex_coloring(graph, ties="hash", reduce="none", seed=seed)
    _, labels = sg.connected_components(graph)
    distance, parent = sg.breadth_first_search(graph, seed)
    return [part.get() for part in (mask, colors, labels, distance, parent)]


def test_threads_with_a_stream_each_do_not_disturb_each_other(graph):
    import cupy

    expected = [answers(graph, seed) for seed in range(3)]
    cupy.cuda.Device().synchronize()
    wrong = []

    def work(seed):
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(10):
                if any((a != b).any() for a, b in zip(answers(graph, seed), expected[seed], strict=True)):
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_that_is_too_small():
    import cupy

    graph = gallery.grid((1000, 1000)).to("cuda")
    expected, pool = answers(graph, 0), cupy.get_default_memory_pool()
    pool.free_all_blocks()
    used = pool.used_bytes()
    pool.set_limit(size=used + 1000)
    try:
        with pytest.raises(MemoryError, match=r"(?s)allocating [\d,]+ bytes.*graph\.to\(\"cpu\"\)"):
            sg.maximal_independent_set(graph, 2)
    finally:
        pool.set_limit(size=0)
    assert pool.used_bytes() == used
    for result, before in zip(answers(graph, 0), expected, strict=True):
        np.testing.assert_array_equal(result, before)


@pytest.mark.parametrize("threads", [1, 256, 1000, 50_000])
def test_grids_of_other_sizes(graph, threads):
    expected = answers(graph, 1)
    with use_target("cuda", workers=threads):
        for result, before in zip(answers(graph, 1), expected, strict=True):
            np.testing.assert_array_equal(result, before)


def test_odd_components_are_never_taken_for_bipartite_ones():
    """Trees of a union-find structure are deep, and many threads flatten them at once."""
    graph = gallery.grid((50, 50))
    expected = sg.vertex_coloring(graph, distance=2, order="largest_first")
    on_gpu = graph.to("cuda")
    for _ in range(50):
        np.testing.assert_array_equal(sg.vertex_coloring(on_gpu, distance=2, order="largest_first").get(), expected)


@pytest.mark.parametrize("name", ["grid", "elasticity", "floating"])
@pytest.mark.parametrize("cycle", ["V", "F"])
def test_multigrid_is_that_of_the_cpu(name, cycle):
    """The hierarchy and its bits are the same when recorded and replayed, by threads, and after a copy."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    if name == "grid":
        A, modes = gallery.laplacian((40, 40, 41)), None
    else:
        A, modes = gallery.elasticity_3d((9, 8, 8), clamped=name == "elasticity")
    options = {"nullspace": modes} if name == "floating" else {}
    b = A @ np.random.default_rng(0).standard_normal(A.shape[0])  # consistent, also if A is singular
    on_cpu = sg.smoothed_aggregation(A, modes, **options)
    history, history_there = [], []
    expected = on_cpu.solve(b, residuals=history, cycle=cycle)
    on_gpu = sg.smoothed_aggregation(csr_matrix(A), modes, **options)
    for level, level_there in zip(on_cpu.levels, on_gpu.levels, strict=True):
        assert (level.labels is None) or (level_there.labels.get() == level.labels).all()
        np.testing.assert_array_equal(level_there.A.get().indices, level.A.indices)
    right = cupy.asarray(b)
    x = on_gpu.solve(right, residuals=history_there, cycle=cycle)
    assert abs(len(history) - len(history_there)) <= 1
    np.testing.assert_allclose(x.get(), expected, rtol=1e-5, atol=1e-6 * abs(expected).max())
    others = [on_gpu.solve(right, cycle=cycle) for _ in range(3)]
    others.append(pickle.loads(pickle.dumps(on_gpu)).solve(right, cycle=cycle))

    def work():
        with cupy.cuda.Stream(non_blocking=True) as stream:
            others.append(on_gpu.solve(right, cycle=cycle))
            stream.synchronize()

    cupy.cuda.Device().synchronize()
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(others) == 7
    assert all((other == x).all() for other in others)
    on_gpu.update(csr_matrix(2 * A))
    twice = 2 * on_gpu.solve(right, cycle=cycle).get()
    np.testing.assert_allclose(twice, x.get(), rtol=1e-5, atol=1e-6 * abs(expected).max())


def test_a_new_thread_may_begin_with_memory_that_is_reused():
    """CuPy gives a thread no context when it reuses memory, and the driver launches nothing without one."""
    import cupy

    graph = gallery.uniform_random(5000, 4).to("cuda")
    expected, answers = sg.maximal_independent_set(graph), []
    cupy.cuda.Device().synchronize()
    thread = threading.Thread(target=lambda: answers.append(sg.maximal_independent_set(graph)))
    thread.start()
    thread.join()
    assert (answers[0] == expected).all()


@pytest.mark.parametrize("smoother", ["jacobi", "gauss_seidel", "cluster_gauss_seidel"])
@pytest.mark.parametrize("name", ["grid", "elasticity"])
def test_smoothers_of_multigrid_are_those_of_the_cpu(smoother, name):
    """The number of iterations differs by at most one; Gauss-Seidel has the same colors and always the same bits."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    A, modes = (gallery.laplacian((50, 50, 41)), None) if name == "grid" else gallery.elasticity_3d((9, 8, 8))
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    on_cpu = sg.smoothed_aggregation(A, modes, smoother=smoother)
    on_gpu = sg.smoothed_aggregation(csr_matrix(A), modes, smoother=smoother)
    history, history_there = [], []
    expected = on_cpu.solve(b, residuals=history)
    x = on_gpu.solve(cupy.asarray(b), residuals=history_there)
    assert abs(len(history) - len(history_there)) <= 1
    np.testing.assert_allclose(x.get(), expected, rtol=1e-5, atol=1e-6 * abs(expected).max())
    assert all((on_gpu.solve(cupy.asarray(b)) == x).all() for _ in range(3))
    if smoother != "jacobi":
        for one, other in zip(on_cpu._cycle.smoothers, on_gpu._cycle.smoothers, strict=True):
            order, order_there = one._order, other._order
            assert order.offsets == order_there.offsets
            np.testing.assert_array_equal(order_there.rows.get(), order.rows)


def test_multigrid_as_a_preconditioner_for_cupy():
    import cupy
    from cupyx.scipy.sparse import csr_matrix
    from cupyx.scipy.sparse.linalg import cg

    A = csr_matrix(gallery.laplacian((60, 60)))
    M = sg.smoothed_aggregation(A).aspreconditioner()
    x, info = cg(A, cupy.ones(3600), M=M, maxiter=30)  # to 1e-5, in all versions
    assert info == 0
    np.testing.assert_allclose((A @ x).get(), 1, atol=1e-2)
    b = cupy.arange(3600.0)
    assert (pickle.loads(pickle.dumps(M)) @ b == M @ b).all()


def test_what_multigrid_says_on_a_gpu():
    """The call that a message advises solves the system."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    A = gallery.laplacian((40, 40))
    lopsided = A.copy()
    lopsided[3, 4] = -2.0
    for matrix in (-A, lopsided):
        given = {"A": csr_matrix(matrix), "b": cupy.ones(1600)}
        with pytest.raises(ValueError, match=r"use stablegraph\.solve\(A\.get\(\), b\.get\(\)\)$") as refused:
            sg.smoothed_aggregation(given["A"]).solve(given["b"])
        x = eval(str(refused.value).rpartition("use ")[2], {"stablegraph": sg}, given)
        np.testing.assert_allclose(matrix @ x, 1, atol=1e-6)


def test_a_product_for_which_memory_is_too_small():
    import cupy

    rows = Pattern(cupy.arange(20_001, dtype=np.int32), cupy.zeros(20_000, np.int32))
    row = Pattern(cupy.asarray([0, 3000], np.int32), cupy.arange(3000, dtype=np.int32))
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 100_000_000)
    try:
        with pytest.raises(
            MemoryError, match=r"of the GPU is short: 60,000,000 entries, .* a test.*or matrix\.get\(\)"
        ):
            product_pattern(rows, row, 3000, purpose="a test")
    finally:
        pool.set_limit(size=0)


@pytest.mark.parametrize("strength", [None, 0.1])
def test_multigrid_with_hubs_and_weak_connections(strength):
    """These cases use kernels of the CPU, compiled for CUDA."""
    from cupyx.scipy.sparse import csr_matrix

    rim = np.arange(1, 3000)
    u, v = np.r_[0 * rim, rim], np.r_[rim, np.roll(rim, 1)]
    wheel = sg.from_edges(u, v, np.r_[np.full(rim.size, 0.01), np.ones(rim.size)], symmetrize=True).to_scipy()
    A = sp.csr_array(sp.diags_array(wheel.sum(axis=1) + 0.1) - wheel)
    on_cpu = sg.smoothed_aggregation(A, strength=strength)
    on_gpu = sg.smoothed_aggregation(csr_matrix(A), strength=strength)
    for level, level_there in zip(on_cpu.levels, on_gpu.levels, strict=True):
        assert (level.labels is None) or (level_there.labels.get() == level.labels).all()
    b = np.ones(3000)
    np.testing.assert_allclose(on_gpu.solve(b).get(), on_cpu.solve(b), rtol=1e-5)


def test_duplicates_of_many_edges_are_dropped():
    """One assembler repeated the last words of each tile of 8,192 words, which made rows too long."""
    import cupy

    u, v = np.random.default_rng(0).integers(0, 4096, (2, 65_536)).astype(np.int32)
    here = sg.from_edges(u, v, symmetrize=True, drop_loops=True)
    assert sg.from_edges(cupy.asarray(u), cupy.asarray(v), symmetrize=True, drop_loops=True).to("cpu") == here


@pytest.mark.parametrize("copies", [2, 20])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", "uint64", "float16", "float32", "complex64"])
def test_sums_of_weights_are_those_of_a_cpu(dtype, copies):
    """Up to eight weights of an edge are summed on the GPU, more in host memory."""
    import cupy

    u, v = np.arange(900) % (900 // copies), np.arange(900) % (900 // copies) + 1
    weights = (np.arange(900) % 100).astype(dtype)
    on_cpu = sg.from_edges(u, v, weights, symmetrize="sum")
    on_gpu = sg.from_edges(*map(cupy.asarray, (u, v, weights)), symmetrize="sum")
    assert on_gpu.weights.dtype == on_cpu.weights.dtype
    assert on_gpu.to("cpu") == on_cpu
    if dtype in ("int64", "uint64", "float16", "float32", "complex64"):
        weights[:] = np.iinfo(dtype).max if dtype.endswith("64") and dtype[0] in "iu" else np.finfo(dtype).max
        with pytest.raises(ValueError, match=r"weights of entry \(0, 1\)") as result:
            sg.from_edges(*map(cupy.asarray, (u, v, weights)), symmetrize="sum")
        with pytest.raises(ValueError, match=r"weights of entry \(0, 1\)") as expected:
            sg.from_edges(u, v, weights, symmetrize="sum")
        assert str(result.value) == str(expected.value)


def test_nothing_is_compiled(tmp_path):
    """All functions run in a process in which CuPy cannot compile, with empty caches."""
    environment = os.environ | {"CUPY_CACHE_DIR": str(tmp_path / "cupy"), "CUDA_CACHE_PATH": str(tmp_path / "cuda")}
    command = [sys.executable, "-m", "tests.first_gpu_calls", "--blocked"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout + done.stderr


def counts_of_set(graph, **options):
    """Return the statistics of a set that do not depend on time."""
    info = sg.maximal_independent_set(graph, return_info=True, **options)[1]
    return [info["edges"], *info["undecided"]]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_several_gpus_some_of_which_may_be_simulated(graph, count):
    import cupy

    host, weights = graph.to("cpu"), np.arange(graph.num_vertices) % 9
    calls = [
        *(lambda g, p=priority: sg.maximal_independent_set(g, priority=p) for priority in ("degree", "ecl", "random")),
        lambda g: sg.maximal_independent_set(g, weights=weights),
        sg.connected_components,
        lambda g: sg.breadth_first_search(g, 7),
        lambda g: sg.maximal_independent_set(g, 2, weights=weights, include=[5]),
        lambda g: sg.aggregate(g, algorithm="kokkos")[1],
        lambda g: sg.aggregate(g, return_roots=True),
        *(lambda g, s=one: counts_of_set(g, synchronous=s) for one in (False, True)),
        lambda g: sg.vertex_coloring(g, order="smallest_last", reduce="none"),
        sg.weighted_matching,
        lambda g: g.degrees,
    ]
    with use_target("cuda", cards=count):
        for source in (host, graph):
            spread = source.to("cuda:all")
            assert spread.device == "cuda:" + ",".join(map(str, range(count)))
            assert spread == host
            assert spread.to("cuda").to("cpu") == host
        for call in calls:
            expected, result = call(host), call(spread)
            pairs = zip(expected, result, strict=True) if isinstance(expected, tuple) else [(expected, result)]
            for wanted, found in pairs:
                np.testing.assert_array_equal(found.get() if hasattr(found, "get") else found, wanted)
        for make in (gallery.random_regular, gallery.grid):
            made = make(5000, device="cuda:all")
            assert made == make(5000) == make(5000, device="cuda").to("cpu")
            assert made.parts == make(5000).to("cuda:all").parts
        mask = sg.maximal_independent_set(spread)
        assert sg.is_maximal_independent_set(spread, mask)
        assert mask.device.id == cupy.cuda.runtime.getDevice() == 0


def test_small_graphs_stay_on_one_gpu(graph):
    assert graph.to("cuda:all") is graph
    with pytest.raises(ValueError, match="device names GPU 99, but this machine has"):
        graph.to([0, 99])
