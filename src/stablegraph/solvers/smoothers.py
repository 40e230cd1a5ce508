"""Smoothers by name: what there is, with which options.

A smoother is asked for by a name, or a pair (name, options). Its maker gets a level's matrix, the largest eigenvalue
of D^-1 A, the inverse diagonal and the labels of the aggregates; its options are the maker's keyword arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from . import chebyshev, jacobi, relaxation
from .cycle import Smoother

_MAKERS: dict[str, Callable[..., Smoother]] = {
    "chebyshev": chebyshev.make,
    "jacobi": jacobi.make,
    "gauss-seidel": relaxation.make,
    "cluster-gauss-seidel": relaxation.make_clustered,
}


Maker = Callable[[Any], Smoother]


def smoother_maker(asked: Any) -> Maker:
    """What makes the asked smoother for a level; ValueError for a name or an option that there is not."""
    name, options = (asked, {}) if isinstance(asked, str) else _pair(asked)
    if name not in _MAKERS:
        raise ValueError(f"smoother must be one of {', '.join(_MAKERS)}; got {name!r}")
    make = _MAKERS[name]
    known = [p.name for p in inspect.signature(make).parameters.values() if p.kind is p.KEYWORD_ONLY]
    strange = [option for option in options if option not in known]
    if strange:
        raise ValueError(f"smoother {name!r} has no option {strange[0]!r}; it has {', '.join(known)}")
    return partial(_made, make, dict(options))


def _pair(asked: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, (tuple, list)) and len(asked) == 2 and isinstance(asked[1], dict):
        return asked[0], asked[1]
    raise ValueError(f"a smoother is a name or a pair (name, options), as ('jacobi', {{'sweeps': 2}}); got {asked!r}")


def _made(make: Callable[..., Smoother], options: dict[str, Any], level: Any) -> Smoother:
    return make(level.A, level.rho, level.inverse_diagonal, level.labels, **options)


def update_smoother(smoother: Smoother, level: Any) -> Smoother:
    """The same smoother for new values of its level's matrix."""
    smoother.update(level.A, level.rho, level.inverse_diagonal)
    return smoother
