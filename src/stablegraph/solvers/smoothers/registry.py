"""The registry of smoothers: what there is by name, with which options.

A smoother is asked for by a name, or a pair (name, options). Its function checks the options and returns what makes the
smoother of a level.
"""

from __future__ import annotations

from typing import Any, cast

from ..._arguments import Algorithm, choice, shown
from ...names import Smoother
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
    """What makes the asked smoother of a level; ValueError for a name or an option that there is not."""
    name, options = (asked, {}) if isinstance(asked, str) else _pair(asked)
    smoother = SMOOTHERS[choice(name, "smoother", SMOOTHERS)]
    smoother.refuse_others(f"smoother {name!r}", options)
    return cast(MakeSmoother, smoother.run(**options))


def _pair(asked: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, (tuple, list)) and len(asked) == 2 and isinstance(asked[1], dict):
        return asked[0], asked[1]
    known = "a name or a pair (name, options), as ('jacobi', {'sweeps': 2})"
    raise ValueError(f"a smoother is {known}; got {shown(asked)}")
