"""Alignment of the arrays that a worker receives: Dask may store an array of a message at any address."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..graph import Graph


def aligned(value: Any) -> Any:
    """Return a value whose arrays are aligned, as kernels require: the same object, or a copy if one is not.

    It looks into tuples, lists, dictionaries and dataclasses. Graphs align their arrays when they are unpickled.
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if isinstance(value, (tuple, list)):
        members = list(value)
    elif isinstance(value, dict):
        members = list(value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, (Graph, type)):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        members = [getattr(value, name) for name in names]
    else:
        return value
    copies = [aligned(member) for member in members]
    if all(copy is member for copy, member in zip(copies, members, strict=True)):
        return value
    if isinstance(value, dict):
        return dict(zip(value, copies, strict=True))
    if isinstance(value, (tuple, list)):
        return type(value)(*copies) if hasattr(value, "_fields") else type(value)(copies)
    return dataclasses.replace(value, **dict(zip(names, copies, strict=True)))
