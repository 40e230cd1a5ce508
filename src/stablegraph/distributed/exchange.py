"""Values of all vertices, of which each partition needs those of its ghosts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .partition import Partition
from .supersteps import Supersteps, tell


def given_values(run: Supersteps, values: Any, name: str, kind: str = "n") -> None:
    """A round after which each partition has the values of its own vertices, and hears those of its ghosts."""
    run.step(_offer, each=run.graph.pieces(values, name, kind))


def _offer(part: Partition, state: Any, inbox: Any, values: Any) -> Any:
    everywhere = part.with_owned(np.asarray(values), 0)
    return everywhere, tell(part, np.ones(part.size, bool), everywhere), None
