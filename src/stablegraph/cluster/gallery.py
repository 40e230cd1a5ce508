"""Graphs of the gallery, generated on the workers: the same, entry by entry, as those of `stablegraph.gallery`.

`stablegraph.gallery` draws all random numbers from one stream; the workers draw pieces of this stream. If the position
of each number in the stream is known, the pieces are drawn in parallel. If it is not known, because integers outside
their range are drawn again, the pieces are drawn in turn, each from the generator state after the previous one.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.unknown_options import suggests_options
from .._core.validation import integer
from ..gallery.grids import checked_shape
from ..gallery.random import checked_chances, checked_scale, generator
from .building import linked, of_blocks
from .graph import DistributedGraph
from .partition import Partition, of_entries
from .progress_line import shows_progress
from .tasks import run_alone, run_to_disk, submit, submit_each
from .workers import client_of, do_not_fit, partition_count, placements

_DRAWS = 1 << 22  # numbers per block; each takes about 40 bytes while the block is drawn and sorted by owner


@suggests_options
@shows_progress
def grid(shape: int | tuple[int, ...], partitions: int | None = None, *, client: Any = None) -> DistributedGraph:
    """Generate `stablegraph.gallery.grid`, without periods or diagonals, in partitions of slices along the first axis.

    Parameters
    ----------
    shape : int or tuple of ints
        Points along each axis.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph

    Raises
    ------
    ValueError
        If there is no axis, an extent is negative, or there is no cluster.
    TypeError
        If an extent is not an integer.

    Examples
    --------
    >>> from stablegraph import distributed
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     print(distributed.grid((4, 4), partitions=2))
    <DistributedGraph: 16 vertices, 24 edges, undirected, degrees 2 to 4, unweighted, 2 partitions, 520 bytes>
    """
    shape = checked_shape(shape)
    client = client_of(client)
    count = partition_count(client, partitions)
    slices = np.arange(count + 1, dtype=np.int64) * shape[0] // count
    bounds = slices * int(np.prod(shape[1:], dtype=np.int64))
    loose = submit_each(client, _grid_rows, [range(count)], bounds, shape, placements=placements(client, count))
    return linked(client, loose, bounds, None)


def _grid_rows(k: int, bounds: Any, shape: tuple[int, ...]) -> Partition:
    points = np.arange(bounds[k], bounds[k + 1])
    rows, columns = [points[:0]], [points[:0]]
    stride = 1
    for size in reversed(shape):
        place = points // stride % size
        for step, inside in ((-stride, place > 0), (stride, place < size - 1)):
            rows.append(points[inside])
            columns.append(points[inside] + step)
        stride *= size
    return of_entries(k, bounds, [(np.concatenate(rows), np.concatenate(columns), None)], True, True)


@suggests_options
@shows_progress
def uniform_random(
    n: int, picks: int = 4, seed: int = 0, partitions: int | None = None, *, client: Any = None
) -> DistributedGraph:
    """Generate `stablegraph.gallery.uniform_random` in partitions.

    Parameters
    ----------
    n, picks, seed
        As for `stablegraph.gallery.uniform_random`.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph

    Raises
    ------
    ValueError
        If `n`, `picks` or `seed` is negative, or there is no cluster.
    TypeError
        If one of these is not an integer.

    Notes
    -----
    The blocks are drawn in turn (about 3 ns per number); all other work is parallel.

    Examples
    --------
    >>> from stablegraph import distributed, gallery
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = distributed.uniform_random(100, seed=1, partitions=2)
    ...     print(graph.to_graph() == gallery.uniform_random(100, seed=1))
    True
    """
    n, picks = integer(n, "n", minimum=0), integer(picks, "picks", minimum=0)
    blocks, state = [], generator(seed).bit_generator.state
    client = client_of(client)
    rows = max(1, _DRAWS // max(picks, 1))
    starts = range(0, max(n, 1), rows)
    places = placements(client, len(starts))
    size = 2 * rows * picks * np.dtype(index_type(n)).itemsize
    run = run_to_disk if do_not_fit(client, [size] * len(starts)) else run_alone
    for start, place in zip(starts, places, strict=True):
        drawn = submit(client, _picks, start, min(start + rows, n), n, picks, state, placement=place)
        state = client.submit(itemgetter(1), drawn, pure=False, **place)
        blocks.append(submit(client, itemgetter(0), drawn, placement=place, run=run))
    return of_blocks(client, blocks, n, symmetrize=True, drop_loops=True, partitions=partitions, places=places)


def _picks(start: int, stop: int, n: int, picks: int, state: Any) -> tuple[Any, Any]:
    """Draw a block of edges; return it and the state of the generator after it."""
    rng = np.random.default_rng()
    rng.bit_generator.state = state
    kind = index_type(n)
    picked: Any = rng.integers(0, max(n, 1), (max(stop - start, 0), picks)).ravel().astype(kind)
    return (np.repeat(np.arange(start, max(stop, start), dtype=kind), picks), picked, None), rng.bit_generator.state


@suggests_options
@shows_progress
def rmat(
    scale: int,
    edges_per_vertex: int = 8,
    a: float = 0.45,
    b: float = 0.22,
    c: float = 0.22,
    seed: int = 0,
    partitions: int | None = None,
    *,
    client: Any = None,
) -> DistributedGraph:
    """Generate `stablegraph.gallery.rmat` in partitions.

    Parameters
    ----------
    scale, edges_per_vertex, a, b, c, seed
        As for `stablegraph.gallery.rmat`.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph

    Raises
    ------
    ValueError, TypeError
        As for `stablegraph.gallery.rmat`, or if there is no cluster.

    Notes
    -----
    R-MAT renames the vertices by a permutation, which every worker that draws edges must hold: 8 bytes per vertex of
    the graph while it makes a block.

    Examples
    --------
    >>> from stablegraph import distributed, gallery
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     print(distributed.rmat(7, seed=1, partitions=2).to_graph() == gallery.rmat(7, seed=1))
    True
    """
    scale, edges = checked_scale(scale, edges_per_vertex)
    chances = checked_chances(a, b, c)
    client, seed = client_of(client), integer(seed, "seed", minimum=0)
    names = submit(client, _names, scale, edges, seed)
    starts, settings = range(0, max(edges, 1), _DRAWS), (edges, scale, chances, seed, names)
    ends = [min(start + _DRAWS, edges) for start in starts]
    places = placements(client, len(starts))
    blocks = submit_each(client, _quadrants, [starts, ends], *settings, placements=places)
    return of_blocks(client, blocks, 1 << scale, symmetrize=True, drop_loops=True, partitions=partitions)


def _names(scale: int, edges: int, seed: int) -> Any:
    """Return the permutation, which is drawn after all edges."""
    generator = np.random.PCG64(seed).advance(scale * edges)
    return np.random.Generator(generator).permutation(1 << scale).astype(np.int32 if scale < 31 else np.int64)


def _quadrants(
    start: int, stop: int, edges: int, scale: int, chances: tuple[float, ...], seed: int, names: Any
) -> tuple[Any, Any, None]:
    """Draw the edges from `start` to `stop` - 1: each bit of the ids from a separate section of the stream."""
    a, b, c = chances
    u, v = np.zeros(stop - start, names.dtype), np.zeros(stop - start, names.dtype)
    for bit in range(scale):
        draw = np.random.Generator(np.random.PCG64(seed).advance(bit * edges + start)).random(stop - start)
        lower = draw >= a + b
        right = (draw >= a) ^ lower ^ (draw >= a + b + c)
        u = 2 * u + lower
        v = 2 * v + right
    return names[u], names[v], None
