"""Checks of arguments that several functions have."""

from __future__ import annotations

from typing import Any

import numpy as np

from .parallel import hash_seed


def hashed_seed(seed: Any) -> int:
    """The hash of a seed, an integer: what algorithms add to ids and rounds."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be an integer, got {seed!r}")
    return hash_seed(int(seed))
