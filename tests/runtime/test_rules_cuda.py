"""The rules that exist in Python and in CUDA C++ (hashes, keys, orders, union by smaller root) give equal values.

The CUDA copies are compiled for the host. Values are compared for all small arguments, for all arguments next to a
power of two, and for random ones; orders are compared for all pairs of vertices.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.csr.facts import first_hash, second_hash
from stablegraph._core.engines import union
from stablegraph._core.runtime import CudaSource, hash32
from stablegraph.coloring.cuda.jones_plassmann import comparison
from stablegraph.coloring.order import visiting_order
from stablegraph.forest.weights import key_of
from stablegraph.independent_set.distance.round_keys import draw_key, drawn_source, key_source
from stablegraph.independent_set.greedy.order import NAMED_ORDERS, make_order
from stablegraph.independent_set.rules import outranks
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
PACKAGE = Path(sg.__file__).parent
DRAW = np.random.default_rng(5)


def near_powers_of_two(bits):
    """Return non-negative integers below 2**bits: all small ones, those next to powers of two, and random ones."""
    powers = [2**k + step for k in range(bits + 1) for step in (-2, -1, 0, 1)]
    some = [*range(1 << 12), *powers, *(int(x) for x in DRAW.integers(0, 2**bits, 4000, np.uint64))]
    return np.array(sorted({x for x in some if 0 <= x < 2**bits}), np.uint64)


HUBS = sg.as_graph(np.array([[0, v] for v in range(1, 40)] + [[v, v + 1] for v in range(1, 90)]), symmetrize=True)


@pytest.fixture
def compiled(tmp_path):
    """Return a function that compiles a kernel `evaluate` behind some files of the package, for the host."""

    def compile_kernel(files, text, **macros):
        (tmp_path / "evaluate.cu").write_text(f"KERNEL(1) evaluate{text}")
        source = CudaSource(str(tmp_path / "x.py"), "evaluate.cu", also=tuple(str(PACKAGE / file) for file in files))
        CudaSource.registry.remove(source)
        with emulated_cuda():
            program = source.compiled(**macros)
            return lambda n, *arguments: program("evaluate", n, n, *arguments)

    return compile_kernel


def test_hashes(compiled):
    run = compiled(
        ["_core/csr/cuda/hashes.cuh"],
        """(i64 n, const u64* x, u64* values) {
        EACH(i, n) {
            values[3 * i] = hash32(x[i]);
            values[3 * i + 1] = first_hash(x[i]);
            values[3 * i + 2] = second_hash(first_hash(x[i]));
        }
    }""",
    )
    x = near_powers_of_two(63)
    values = np.empty((x.size, 3), np.uint64)
    run(x.size, x, values)
    firsts = [first_hash(v) for v in x.tolist()]
    assert values[:, 0].tolist() == [hash32(v) for v in x.tolist()]
    assert values[:, 1].tolist() == firsts
    assert values[:, 2].tolist() == [second_hash(first) for first in firsts]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_keys_of_weights(compiled, dtype):
    wide = np.dtype(dtype).itemsize == 8
    run = compiled(
        ["forest/cuda/keys.cuh"],
        """(i64 n, const BITS* bits, i64 flip, i64 bias, i64 smallest, u64* keys) {
        Weights weights = {bits, flip, bias, smallest};
        EACH(e, n) keys[e] = key_at(e, weights);
    }""",
        BITS=np.dtype(np.int64 if wide else np.int32),
    )
    bits = np.concatenate([x := near_powers_of_two(63 if wide else 31).astype(np.int64), -x - 1])
    flip = 0 if np.dtype(dtype).kind == "i" else 2 ** (63 if wide else 31) - 1
    for bias, smallest in ((0, 0), (-1, -7)):
        keys = np.empty(bits.size, np.uint64)
        run(bits.size, bits.astype(np.int64 if wide else np.int32), flip, bias, smallest, keys)
        assert keys.tolist() == [(key_of(b, flip, bias) - smallest) % 2**64 for b in bits.tolist()]


@pytest.mark.parametrize(("priority", "n"), [("random", 2**20), ("random", 2**33), ("degree", 2**20)])
def test_round_keys(compiled, priority, n):
    vertices = near_powers_of_two(n.bit_length() - 1).astype(np.int64)
    degrees = np.resize(np.r_[np.arange(5000), 2 ** np.arange(31)], vertices.size).astype(np.int32)
    source = drawn_source(n, degrees if priority == "degree" else degrees[:0], priority, hash32(3))
    kind = np.dtype(np.uint32 if source.dtype == np.uint32 else np.int64)
    run = compiled(
        ["independent_set/cuda/round_keys.cuh"],
        """(
            i64 n, const i64* names, i64 hashed_round, i64 bits, i64 kept, const offset* degrees, key* drawn) {
        EACH(i, n) {
            RoundKeys keys = {hashed_round, bits, kept, degrees ? degrees + i - names[i] : 0};
            drawn[i] = draw_key(names[i], keys, 0);
        }
    }""",
        KEY="u32" if kind == np.uint32 else "u64",
    )
    for number in (0, 1, 2**31):
        keys, drawn = source.keys(number), np.empty(vertices.size, kind)
        of_degrees = keys.degrees if keys.degrees.size else 0
        run(vertices.size, vertices, int(keys.hashed_round), keys.bits, keys.hash_mask, of_degrees, drawn)
        assert drawn.tolist() == [draw_key(i, v, keys) for i, v in enumerate(vertices.tolist())]
    assert key_source(HUBS, "degree", 0).keys(1).degrees.size == HUBS.num_vertices


@pytest.mark.parametrize("priority", [*NAMED_ORDERS, "values"])
@pytest.mark.parametrize("seed", [0, 2**32 - 1])
def test_orders_of_sets(compiled, priority, seed):
    run = compiled(
        ["independent_set/cuda/order.cuh"],
        """(
            i64 n, i64 seed, const offset* degree_ptr, i64 less, const u64* values, u8* ahead) {
        Order order = {seed, degree_ptr, less, values};
        EACH(i, n * n) ahead[i] = outranks(i / n, i % n, order);
    }""",
        BY=NAMED_ORDERS.get(priority, 5),
    )
    n = HUBS.num_vertices
    order = make_order(HUBS, np.arange(n) % 7 if priority == "values" else priority, seed)
    ahead = np.empty((n, n), np.uint8)
    run(n, seed, order.degree_ptr, int(order.offset), order.values if order.values.size else 0, ahead)
    assert (ahead == [[outranks(u, v, order) for v in range(n)] for u in range(n)]).all()


@pytest.mark.parametrize("ties", ["id", "hash"])
@pytest.mark.parametrize(
    "order", ["natural", "largest_first", "largest_log_first", "random", "smallest_last", "values"]
)
def test_orders_of_colorings(compiled, order, ties):
    run = compiled(
        ["coloring/cuda/order.cuh"],
        """(i64 n, i64 by, i64 hashed, i64 seed, const offset* degree_ptr, i64 less,
            const u64* numbers, const int* fixed, u8* ahead) {
        Order order = {by, hashed, seed, degree_ptr, less, numbers, fixed};
        EACH(i, n * n) ahead[i] = is_ahead(i / n, i % n, key_of(i % n, order), order);
    }""",
    )
    n = HUBS.num_vertices
    chosen, ahead = np.arange(n) % 7 if order == "values" else order, np.empty((n, n), np.uint8)
    run(n, *comparison(HUBS, chosen, ties, None, hash32(9)), ahead)
    place = np.empty(n, int)
    place[visiting_order(HUBS, chosen, ties, hash32(9))] = np.arange(n)
    distinct = ~np.eye(n, dtype=bool)
    assert (ahead.astype(bool) == (place[:, None] < place))[distinct].all()


def test_union_by_the_smaller_root(compiled):
    run = compiled(
        ["_core/runtime/cuda/union_find.cuh"],
        """(i64 n, i64 edges, const int* u, const int* v, int* parent) {
        if (thread_id() == 0) for (i64 e = 0; e < edges; e++) unite(u[e], v[e], parent);
        EACH(i, n) if (thread_id() == 0) for (i64 w = 0; w < n; w++) parent[w] = find((int)w, parent);
    }""",
    )
    for n, edges in ((2, 1), (30, 20), (200, 300)):
        for _ in range(10):
            u, v = DRAW.integers(0, n, (2, edges)).astype(np.int32)
            parent, expected = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
            run(n, edges, u, v, parent)
            for a, b in zip(u, v, strict=True):
                union.unite(a, b, expected)
            assert parent.tolist() == [union.find(w, expected) for w in range(n)]
