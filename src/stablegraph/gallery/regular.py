"""Random regular graphs: each vertex is joined to its images under random permutations, and these to it.

Rule: permutation p maps v to the first number below n among F(v), F(F(v)), .., where F is a Feistel network of four
rounds on an even number of bits: (l, r) becomes (r, l xor hash32(r xor key)), and the halves are exchanged at the end.
The keys are hashes of seed + 4 p + round. With the keys in reverse order F is its own inverse, which gives the vertices
that p maps to v. In the code: `_image`.

Result: for n vertices a random regular graph in the permutation model. Few rows are shorter, because loops and repeated
entries are dropped; their number does not depend on n.

Cost: per entry and pass about 20 hashes. Work memory: 8 bytes for each entry of a million rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Offsets, Vertices, hash32, kernel, rule
from .._core.unknown_options import suggests_options
from .._core.validation import integer, seed_hash
from ..graph import Graph
from .rows import RowRule, WriteRows

_ROUNDS = 4
_ROWS_AT_ONCE = 1 << 20
_MAX_DEGREE = 1 << 16  # a row is sorted by insertion


class _Permutations(NamedTuple):
    """The keys of all rounds of all permutations, and space for the rows of a pass."""

    keys: Int64s
    rows: Int64s


@rule
def _permuted(x, half, keys, first_key, is_inverse):
    """Return the image of x under a Feistel network, or under its inverse."""
    mask = (1 << half) - 1
    left, right = x >> half, x & mask
    for k in range(_ROUNDS):
        key = keys[first_key + (_ROUNDS - 1 - k if is_inverse else k)]
        left, right = right, left ^ (hash32(right ^ key) & mask)
    return right << half | left


@rule
def _image(v, n, half, keys, first_key, is_inverse):
    """Return the image of v under a permutation of n numbers, or under its inverse."""
    x = _permuted(v, half, keys, first_key, is_inverse)
    while x >= n:
        x = _permuted(x, half, keys, first_key, is_inverse)
    return x


@kernel
def _write_neighbors(
    i, first: int, n: int, half: int, permutations: _Permutations, pointers: Offsets, indices: Vertices
):
    """Write a row in ascending order, or its length; see `WriteRows`."""
    v, keys, row = first + i, permutations.keys, permutations.rows
    degree = 2 * (keys.size // _ROUNDS)
    start = i * degree
    end = start
    for k in range(degree):
        u = _image(v, n, half, keys, k // 2 * _ROUNDS, k % 2 == 1)
        place = end
        while place > start and row[place - 1] > u:
            place -= 1
        if u != v and (place == start or row[place - 1] != u):
            for moved in range(end - place):
                row[end - moved] = row[end - moved - 1]
            row[place] = u
            end += 1
    if indices.size:
        for k in range(end - start):
            indices[pointers[v] + k] = row[start + k]
    else:
        pointers[v] = end - start


@suggests_options
def random_regular(n: int, degree: int = 8, seed: int = 0, *, device: str | Sequence[int] = "cpu") -> Graph:
    """Make a graph in which each vertex is joined to its images under random permutations, and to their origins.

    >>> import stablegraph as sg
    >>> sg.gallery.random_regular(1000, 6).facts["max_degree"]
    6

    Parameters
    ----------
    n : int
        Number of vertices.
    degree : int, optional
        Twice the number of permutations, at most 65,536. A few vertices have a smaller degree, because loops and
        repeats are dropped.
    seed : int, optional
        Seed for the hashes that define the permutations; any integer.
    device : str or sequence of int, optional
        Where the graph is made, as in `Graph.to`: "cpu", "cuda", or several GPUs, each of which makes its rows, so that
        the graph may be larger than host memory and the memory of one GPU.

    Returns
    -------
    Graph
        Undirected, without loops or weights, rows sorted.

    Raises
    ------
    ValueError
        If `n` or `degree` is negative, `degree` is odd or too large, or the device does not exist.
    TypeError
        If `n`, `degree` or `seed` is not an integer.
    MemoryError
        If the GPUs have too little memory.

    Notes
    -----
    The same graph on every device: rows are computed from hashes, independently of each other. Work memory: 8 bytes for
    each entry of a million rows, and the length of each row; on each of several GPUs the length of all rows.
    """
    n, degree = integer(n, "n", minimum=0), integer(degree, "degree", minimum=0, maximum=_MAX_DEGREE)
    hashed = seed_hash(seed)
    if degree % 2:
        raise ValueError(f"degree must be even, because each permutation adds two neighbors; got {degree}")
    return permutation_rows(n, degree, hashed).graph(device)


def permutation_rows(n: int, degree: int, hashed_seed: int) -> RowRule:
    """Return the rule for the rows of `random_regular`."""
    half = max(1, (max(n - 1, 0).bit_length() + 1) // 2)
    keys = np.array([hash32((hashed_seed + k) % 2**32) for k in range(degree // 2 * _ROUNDS)], np.int64)

    def on(xp: Any) -> WriteRows:
        permutations = _Permutations(xp.asarray(keys), xp.empty(min(n, _ROWS_AT_ONCE) * degree, np.int64))

        def write(first: int, end: int, pointers: Any, indices: Any) -> None:
            for start in range(first, end, _ROWS_AT_ONCE):
                count = min(_ROWS_AT_ONCE, end - start)
                _write_neighbors(count, start, n, half, permutations, pointers, indices)

        return write

    return RowRule(n, n * degree, on)
