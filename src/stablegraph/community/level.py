"""One level of the hierarchy, and the communities of its vertices: the arrays that all steps share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from .._core.runtime import Int32s, Int64s, Offsets, Vertices, num_threads, rule
from .._core.runtime.cuda.source import by_device
from .._core.runtime.device import device_of

Function = TypeVar("Function", bound=Callable[..., Any])

ALONE = 1 << 16  # vertices and entries that one thread handles although there are more threads
ALONE_ON_ONE = 1 << 24  # the same if there is only one thread: bounds the latency of Ctrl-C


class Level(NamedTuple):
    """A graph with integer weights: symmetric, without loops and repeated entries. Rows need not be sorted."""

    indptr: Offsets  # (n + 1,)
    indices: Vertices  # (entries,)
    weights: Int64s  # (entries,), positive; empty if all are 1
    mass: Int64s  # (n,): weighted degrees with loops, or numbers of vertices of the graph
    sizes: Int64s  # (n,): numbers of vertices of the graph; empty if communities may have any size

    @property
    def device(self) -> str:
        """The device on which the arrays are stored."""
        return device_of(self.mass)


class Communities(NamedTuple):
    """The community of each vertex. Its name is a vertex, not necessarily one of its own."""

    label: Int32s  # (n,)
    total: Int64s  # (n,): the mass of each community; 0 for a name that is not used
    used: Int64s  # (n,): the size of each community; empty if communities may have any size


class Terms(NamedTuple):
    """The numbers in the objective."""

    scale: float  # rules.py
    limit: int  # the maximum size of a community; 0: any size
    crowds: int  # whether the masses of vertices that move together can exceed what their links are worth


@rule
def weight_of(e, weights):
    """Return the weight of entry e."""
    return weights[e] if weights.size else 1


def by_level(cuda: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that combines a function of a level with its form for GPUs, as `by_device` does.

    Communities with a maximum size have only one form.
    """

    def combine(general: Function) -> Function:
        both = by_device(general, cuda)

        @wraps(general)
        def either(level: Level, *arguments: Any) -> Any:
            return (general if level.sizes.size else both)(level, *arguments)

        return cast(Function, either)

    return combine


def for_one_thread(level: Level, count: int) -> bool:
    """Return whether one thread handles this many vertices of a level in one call: the same result, in less time."""
    n = int(level.mass.size)
    work = count * (n + int(level.indices.size)) // max(n, 1)
    return work < (ALONE if num_threads() > 1 else ALONE_ON_ONE)
