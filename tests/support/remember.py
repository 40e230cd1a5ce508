"""Results of slow oracles, computed once and shared by all cases with equal arguments."""

from __future__ import annotations

import functools
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

_MAX_RESULTS = 400


def remember(oracle: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the latest results of an oracle, by the contents of its arguments; callers must not change the results."""
    results: OrderedDict[Any, Any] = OrderedDict()

    @functools.wraps(oracle)
    def call(*arguments: Any, **options: Any) -> Any:
        key = _key((arguments, options))
        if key in results:
            results.move_to_end(key)
        else:
            results[key] = _read_only(oracle(*arguments, **options))
            if len(results) > _MAX_RESULTS:
                results.popitem(last=False)
        return results[key]

    return call


def _key(value: Any) -> Any:
    if hasattr(value, "indptr"):  # a Graph, or a graph of the fuzzer
        return ("graph", value.directed, _key([value.indptr, value.indices, value.weights]))
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, zlib.crc32(np.ascontiguousarray(value).tobytes()))
    if isinstance(value, dict):
        return ("dict", *((name, _key(value[name])) for name in sorted(value)))
    if isinstance(value, list | tuple | range):
        return ("sequence", *map(_key, value))
    if isinstance(value, set | frozenset):
        return ("set", frozenset(value))
    assert value is None or isinstance(value, str | int | float | np.generic), f"{value!r} is no argument of an oracle"
    return (type(value).__name__, value)


def _read_only(result: Any) -> Any:
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    return result
