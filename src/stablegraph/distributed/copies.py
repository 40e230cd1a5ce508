"""Values copied from and to some of a partition's vertices, by all threads: its boundary, and its ghosts.

Compiled code copies words of 1, 4 and 8 bytes, whatever they stand for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import kernel


@kernel
def _take(i, places, values, result):
    """One value."""
    result[i] = values[places[i]]


@kernel
def _take_where(i, places, mask, values, target):
    """One value, where the mask holds."""
    if mask[places[i]]:
        target[i] = values[places[i]]


def _as_words(array: Any) -> Any:
    return array.view(f"u{array.dtype.itemsize}")


def at(places: Any, values: Any) -> Any:
    """The values at some places."""
    result = np.empty(places.size, values.dtype)
    _take(places.size, places, _as_words(values), _as_words(result))
    return result


def copy_where(places: Any, mask: Any, values: Any, target: Any) -> None:
    """The same as ``target[:] = values[places]``, but only where ``mask[places]`` holds."""
    _take_where(places.size, places, mask, _as_words(values.astype(target.dtype, copy=False)), _as_words(target))
