"""Exchange of vertex values: each partition receives the values of its ghosts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .messages import apply_ghost_updates, pack_boundary_updates
from .partition import Partition
from .supersteps import Supersteps


def scatter_values(run: Supersteps, values: Any, name: str, kind: str = "n") -> None:
    """Run a round in which each partition receives the values of its own vertices, and sends those of its boundary."""
    nowhere = run.step(_offer, each=run.graph.pieces(values, name, kind))
    for v in nowhere:
        if v is not None:
            raise ValueError(f"{name} is NaN at vertex {v}, which has no place in an order")


def _offer(part: Partition, state: Any, inbox: Any, values: Any) -> Any:
    values = np.asarray(values)
    everywhere = part.with_owned(values, 0)
    nowhere = None
    if values.dtype.kind == "f" and np.isnan(values).any():
        nowhere = part.start + int(np.isnan(values).argmax())
    return everywhere, pack_boundary_updates(part, np.ones(part.size, bool), everywhere), nowhere


def with_ghost_values(part: Partition, values: Any, inbox: Any) -> Any:
    """Return a copy of the values with those of ghosts from their owners' messages."""
    values = values.copy()
    apply_ghost_updates(part, inbox, values)
    return values
