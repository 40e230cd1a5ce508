"""The last step of construction: partitions are checked, linked to each other, and become a DistributedGraph."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._core.texts import in_units
from .._core.validation import integer
from .graph import DistributedGraph, Facts
from .numbering import numbering_bytes, owners_of
from .partition import Partition, introduction, link, sum_directions
from .tasks import run_alone, run_to_disk, submit_each
from .workers import do_not_fit, gather, placements, room_of, survive_lost_workers, workers_of

_PER_WORKER = 2  # partitions, by default
_BYTES_AN_ENTRY = 41  # while a partition is built, in addition to the memory for numbering its columns
_KEPT_AN_ENTRY, _KEPT_A_VERTEX = 4, 12  # bytes of a partition; its vertices include ghosts


def client_of(client: Any | None) -> Any:
    """Return the given client, or the one that was created last; its scheduler survives the loss of all workers."""
    if client is None:
        from distributed import default_client

        try:
            client = default_client()
        except ValueError:
            raise ValueError(
                "there is no cluster: make a client first, distributed.Client(dashboard_address='127.0.0.1:0') for "
                "processes on this machine, or distributed.Client(address)"
            ) from None
    survive_lost_workers(client)
    return client


def partition_count(client: Any, partitions: int | None) -> int:
    """Return the number of partitions."""
    if partitions is None:
        return max(1, _PER_WORKER * len(workers_of(client)))
    return integer(partitions, "partitions", minimum=1)


def check_room(client: Any, n: int, entries: list[int]) -> None:
    """Raise MemoryError if a partition does not fit into a worker, before any is built."""
    limit = room_of(client)
    if limit is None or not entries:
        return
    k = int(np.argmax(entries))
    marks = numbering_bytes(n, entries[k])
    needed = _BYTES_AN_ENTRY * entries[k] + marks
    if needed > limit:
        room = limit - marks if 2 * marks < limit else limit // 3  # smaller partitions have fewer columns to number
        raise MemoryError(
            f"partition {k} would take {in_units(needed)} of a worker while it is made, and a task may use "
            f"{in_units(limit)}: pass partitions={-(-len(entries) * _BYTES_AN_ENTRY * entries[k] // room)}, or more"
        )


def loose_fit(client: Any, n: int, entries: list[int]) -> bool:
    """Return whether partitions that are not yet linked, and the data that they are made from, fit into memory."""
    sizes = [_KEPT_AN_ENTRY * m + _KEPT_A_VERTEX * (n // max(len(entries), 1) + min(n, m)) for m in entries]
    return not (entries and do_not_fit(client, sizes))


def linked(
    client: Any,
    loose: list[Any],
    bounds: Any,
    weight_type: Any | None,
    *,
    source_name: str | None = None,
    nodes: list[Any] | None = None,
    directed: bool = False,
) -> DistributedGraph:
    """Link partitions to each other, and return their graph.

    If `source_name` is not None, check that the pattern is symmetric; it names the function for the error message.
    """
    each = partial(submit_each, client, placements=placements(client, len(loose)))
    facts: list[Facts] = gather(client, each(_facts, [loose], bounds, source_name is not None))
    if sum(fact.asymmetry for fact in facts) % 2**63:
        _name_culprit(client, loose, source_name, bounds)
    introductions = each(introduction, [loose])
    near = [list(fact.neighbors) for fact in facts]
    run = run_to_disk if do_not_fit(client, [fact.nbytes for fact in facts]) else run_alone
    parts = each(_link, [loose, near, [[introductions[q] for q in names] for names in near]], bounds, run=run)
    return DistributedGraph(client, parts, bounds, facts, weight_type, nodes, directed)


def _link(part: Partition, names: list[int], introductions: list[Any], bounds: Any) -> Partition:
    return link(part, bounds, dict(zip(names, introductions, strict=True)))


def _facts(part: Partition, bounds: Any, check: bool) -> Facts:
    degrees = part.degrees[part.owned]
    spread = (int(degrees.min()), int(degrees.max()), int(degrees.sum(dtype=np.int64))) if degrees.size else (0, 0, 0)
    return Facts(
        part.stop - part.start,
        part.graph.num_entries,
        tuple(k for k in owners_of(part.ids, bounds) if k != part.number),
        spread,
        part.nbytes,
        sum_directions(part) if check else 0,
    )


def _name_culprit(client: Any, loose: list[Any], source_name: str | None, bounds: Any) -> None:
    """Raise ValueError with the first entry that has no partner."""
    # The entries of a partition in the columns of another one must be in the other one, transposed. Compare all pairs
    # of partitions, because entries without partners may also be between partitions that are neighbors in only one
    # direction.
    count = len(loose)
    pieces = [submit_each(client, _columns_in, [loose], bounds[q : q + 2]) for q in range(count)]
    for pair in gather(client, submit_each(client, _first_alone, [loose, pieces])):
        if pair is not None:
            u, v = pair
            raise ValueError(
                f"entry ({u}, {v}) has no partner ({v}, {u}); pass symmetrize=True to {source_name} "
                "(or directed=True, where arcs are meant)"
            )


def _columns_in(part: Partition, ends: Any) -> tuple[Any, Any]:
    """Return the entries of a partition whose columns are in a range."""
    rows, columns = part.ids[part.graph._rows()], part.ids[part.graph.indices]
    inside = (columns >= ends[0]) & (columns < ends[1])
    return rows[inside], columns[inside]


def _first_alone(part: Partition, pieces: list[Any]) -> tuple[int, int] | None:
    """Return the first entry of a partition whose partner is not among the entries in `pieces`, or None."""
    n = max(part.num_vertices, 1)
    rows, columns = part.ids[part.graph._rows()].astype(np.int64), part.ids[part.graph.indices].astype(np.int64)
    partners = np.concatenate([v.astype(np.int64) * n + u for u, v in pieces])
    alone = np.flatnonzero(~np.isin(rows * n + columns, partners))
    if not alone.size:
        return None
    e = alone[0]  # rows are sorted
    return int(rows[e]), int(columns[e])
