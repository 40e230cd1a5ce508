"""Smoothers by name: what there is, with which options.

A smoother is asked for by a name, or a pair (name, options). Its options are the keyword arguments of its function,
which checks them and returns what makes the smoother of a level.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .chebyshev import chebyshev
from .cycle import MakeSmoother
from .jacobi import jacobi
from .relaxation import by_clusters, by_points

SMOOTHERS: dict[str, Callable[..., MakeSmoother]] = {
    "chebyshev": chebyshev,
    "jacobi": jacobi,
    "gauss-seidel": by_points,
    "cluster-gauss-seidel": by_clusters,
}


def smoother_maker(asked: Any) -> MakeSmoother:
    """What makes the asked smoother of a level; ValueError for a name or an option that there is not."""
    name, options = (asked, {}) if isinstance(asked, str) else _pair(asked)
    if name not in SMOOTHERS:
        raise ValueError(f"smoother must be one of {', '.join(SMOOTHERS)}; got {name!r}")
    known = list(inspect.signature(SMOOTHERS[name]).parameters)
    strange = [option for option in options if option not in known]
    if strange:
        raise ValueError(f"smoother {name!r} has no option {strange[0]!r}; it has {', '.join(known)}")
    return SMOOTHERS[name](**options)


def _pair(asked: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, (tuple, list)) and len(asked) == 2 and isinstance(asked[1], dict):
        return asked[0], asked[1]
    raise ValueError(f"a smoother is a name or a pair (name, options), as ('jacobi', {{'sweeps': 2}}); got {asked!r}")
