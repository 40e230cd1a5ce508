"""The result of `large_independent_set`, and the exception that Ctrl-C raises with the best set so far."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import Any, NoReturn

import numpy as np

from .._core.texts import facts_as_html
from .._core.typing import Mask


@dataclass(frozen=True, eq=False)
class IndependentSet:
    """A large independent set, with an upper bound on the size of any such set; or with weights a heavy one.

    NumPy and all functions that accept a mask use the object like its mask: ``numpy.flatnonzero(result)`` gives the
    vertices, and ``values[result]`` selects their values. ``len(result)`` is the number of vertices, `size`.

    Attributes
    ----------
    mask : bool (n,)
        True for the vertices of the set.
    size : int
        The number of vertices in the set.
    upper_bound : int or float
        No independent set of the graph (that contains the included vertices) has more vertices; with weights, none is
        heavier. A float for float weights, rounded up.
    rounds : int
        The number of rounds of local search that were run: fewer than requested if the search was stopped or reached
        the bound.
    weight : int or float, optional
        With weights, the sum of the weights of the set: an exact int for integers, for floats the float nearest to the
        exact sum.

    Examples
    --------
    >>> import stablegraph as sg
    >>> result = sg.large_independent_set(sg.gallery.grid((3, 3)))
    >>> result.size, result.upper_bound, result.optimal
    (5, 5, True)
    >>> import numpy as np
    >>> np.flatnonzero(result)
    array([0, 2, 4, 6, 8])
    >>> np.arange(9.0)[result], np.asarray(result, int)
    (array([0., 2., 4., 6., 8.]), array([1, 0, 1, 0, 1, 0, 1, 0, 1]))
    """

    mask: Mask
    size: int
    upper_bound: int | float
    rounds: int
    weight: int | float | None = None
    _proved: InitVar[bool] = False  # for floats: whether no set is heavier; sums that differ can be equal as floats

    def __post_init__(self, _proved: bool) -> None:
        vars(self)["_proved"] = _proved

    @property
    def optimal(self) -> bool:
        """Return whether it is proved, in exact arithmetic, that no independent set is larger; with weights, heavier.

        The bound is then the size or the weight; for floats, the smallest float that is not below the exact weight.
        """
        if isinstance(self.weight, float):
            return bool(vars(self)["_proved"])
        return self.upper_bound == (self.size if self.weight is None else self.weight)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.mask, dtype, copy=copy)  # type: ignore[arg-type]

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.mask.__cuda_array_interface__  # type: ignore[attr-defined]  # a NumPy array has none

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "an IndependentSet is not iterable, as it could mean its vertices or its mask: take "
            "numpy.flatnonzero(result), or result.mask"
        )

    def __repr__(self) -> str:
        if self.weight is not None:
            proof = "no set is heavier" if self.optimal else f"no set weighs more than {self.upper_bound}"
            return f"<IndependentSet of {self.size} vertices of weight {self.weight}; {proof}>"
        if self.optimal:
            return f"<IndependentSet of {self.size} vertices, a maximum one>"
        return f"<IndependentSet of {self.size} vertices; no set has more than {self.upper_bound}>"

    def _repr_html_(self) -> str:
        n = len(self.mask)
        kind = "maximum" if self.weight is None else "heaviest"
        bound = f"the same: a {kind} set" if self.optimal else f"{self.upper_bound:,}"
        share = f" of {n:,} vertices ({self.size / n:.1%})" if n else ""
        weight = {} if self.weight is None else {"weight": f"{self.weight:,}"}
        facts = {
            "size": f"{self.size:,}{share}",
            **weight,
            "upper bound": bound,
            "rounds of search": f"{self.rounds:,}",
        }
        return facts_as_html("Independent set", facts)


class SearchInterrupted(KeyboardInterrupt):
    """Raised by Ctrl-C during the local search. `best` is the best set so far."""

    def __init__(self, best: IndependentSet) -> None:
        super().__init__()
        self.best = best
