"""The registry of smoothers: their names and options.

A smoother is requested by a name, or a pair (name, options). Its function checks the options and returns a function
that makes the smoother of a level.
"""

from __future__ import annotations

from typing import Any, cast

from ..._core.option_names import Smoother
from ..._core.validation import Algorithm, choice, short_repr
from ..cycle import MakeSmoother
from .gauss_seidel import by_clusters, by_points
from .polynomial import chebyshev, jacobi

SMOOTHERS: dict[Smoother, Algorithm] = {
    "chebyshev": Algorithm(chebyshev, ("degree", "lower", "upper")),
    "jacobi": Algorithm(jacobi, ("sweeps", "damping")),
    "gauss_seidel": Algorithm(by_points, ("sweeps",)),
    "cluster_gauss_seidel": Algorithm(by_clusters, ("sweeps",)),
}


def smoother_maker(asked: Any) -> MakeSmoother:
    """Return the function that makes the requested smoother of a level.

    Raise ValueError for an unknown name or option.
    """
    name, options = (asked, {}) if isinstance(asked, str) else _pair(asked)
    smoother = SMOOTHERS[choice(name, "smoother", SMOOTHERS)]
    smoother.reject_unsupported_options(f"smoother {name!r}", options)
    return cast(MakeSmoother, smoother.run(**options))


def _pair(asked: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, (tuple, list)) and len(asked) == 2 and isinstance(asked[1], dict):
        return asked[0], asked[1]
    known = "a name or a pair (name, options), as ('jacobi', {'sweeps': 2})"
    raise ValueError(f"a smoother is {known}; got {short_repr(asked)}")
