"""The symmetry test: it rejects every unsymmetric pattern."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.csr.facts import first_hash, scan_facts, second_hash
from tests.graph.matrices import dense


def structured():
    """Yield unsymmetric patterns that a weak hash could accept."""
    n = 60
    eye = np.eye(n, dtype=bool)
    yield "directed cycle", np.roll(eye, 1, axis=1)
    for offsets in [(1, 2, -3), (1, 5, 6, -2, -3, -7), (3,), (1, -2)]:
        yield f"circulant {offsets}", np.any([np.roll(eye, k, axis=1) for k in offsets], axis=0)
    random = np.random.default_rng(5)
    for _ in range(5):
        yield "permutation", eye[random.permutation(n)]
    block = random.random((n // 2, n // 2)) < 0.2
    zero = np.zeros_like(block)
    yield "block and not its transpose", np.block([[zero, block], [block, zero]])
    yield "one side of a block", np.block([[zero, block], [zero, zero]])
    shift = np.zeros((n, n), bool)
    shift[0, 1:] = shift[1:, -1] = True
    yield "star out, star in", shift
    twice = np.zeros((n, n), bool)
    twice[np.arange(n // 2), 2 * np.arange(n // 2)] = True
    yield "v to 2 v", twice
    for u, v in [(0, 1), (1, 0), (0, n - 1), (n - 1, 0)]:
        one = np.zeros((n, n), bool)
        one[u, v] = True
        yield f"only {u, v}", one


def test_no_single_arc_is_taken_for_symmetric():
    first = [first_hash(v) for v in range(300)]
    second = [second_hash(x) for x in first]
    for u in range(300):
        assert all((first[u] * second[v] - second[u] * first[v]) % 2**40 for v in range(u))


@pytest.mark.parametrize(("name", "pattern"), list(structured()))
def test_structured_unsymmetric_patterns_are_refused(name, pattern):
    assert not np.array_equal(pattern, pattern.T)
    culprit = tuple(np.argwhere(pattern & ~pattern.T)[0].tolist())
    with pytest.raises(ValueError) as caught:
        sg.as_graph(pattern)
    assert f"entry {culprit} has no partner {culprit[::-1]}" in str(caught.value)
    assert not sg.as_graph(pattern, directed=True).is_symmetric
    assert np.array_equal(dense(sg.as_graph(pattern, symmetrize=True)), pattern | pattern.T)


def test_the_sums_are_those_of_the_definition():
    random = np.random.default_rng(0)
    for _ in range(200):
        n = int(random.integers(1, 12))
        pattern = random.random((n, n)) < random.random()
        matrix = sp.csr_array(pattern)
        census = scan_facts(matrix.indptr, matrix.indices, "cpu")
        first = [first_hash(v) for v in range(n)]
        second = [second_hash(x) for x in first]
        entries = np.argwhere(pattern).tolist()
        assert census.forward == sum(first[u] * second[v] for u, v in entries) % 2**63
        assert census.backward == sum(second[u] * first[v] for u, v in entries) % 2**63
        assert (census.forward == census.backward) == np.array_equal(pattern, pattern.T)
