"""The checks of arguments, each once: what a caller hands in is made what the functions work with, or refused.

A message is one sentence: the parameter of the function that was called, what it must be, and what it got. Types that
do not fit are a TypeError, values a ValueError. An array must come through whole: what NumPy would drop without a word
is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from .parallel import hash_seed
from .parallel.device import array_module
from .unknown_options import nearest
from .vertex_names import are_names

Name = TypeVar("Name", bound=str)

_LONGEST = 200  # characters of a value in a message

# One value


def shown(value: Any) -> str:
    """A value as a message shows it, in one line that is not too long: an array by its shape."""
    if getattr(value, "ndim", 0):
        return f"an array of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def integer(value: Any, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """An integer between two bounds, which belong to the range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")
    return int(value)


def number(
    value: Any, name: str, *, least: float | None = None, above: float | None = None, below: float | None = None
) -> float:
    """A real number: at least `least`, or more than `above`, and less than `below`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    x = float(value)
    inside = (least is None or x >= least) and (above is None or x > above) and (below is None or x < below)
    if not inside:  # as NaN is
        limits = {"at least": least, "above": above, "below": below}
        wanted = " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if limit is not None)
        raise ValueError(f"{name} must be {wanted}, got {x:g}")
    return x


def boolean(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def optional_boolean(value: Any, name: str) -> bool | None:
    """Return True, False or None."""
    return None if value is None else boolean(value, name)


def choice(value: Any, name: str, known: Iterable[Name], *, where: str = "", otherwise: str = "") -> Name:
    """One of some names; `otherwise` says what else the argument may be, and `where` when these are the names."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    near = nearest(value, names) if isinstance(value, str) else None
    meant = f": did you mean {near!r}?" if near else ""
    raise ValueError(f"{name} must be one of {', '.join(names)}{otherwise}{where}; got {shown(value)}{meant}")


def hashed_seed(seed: Any) -> int:
    """The hash of a seed, an integer: what algorithms add to ids and rounds."""
    return hash_seed(integer(seed, "seed"))


# Algorithms and their options


@dataclass(frozen=True)
class Algorithm:
    """What runs, and the options that it has of those that its public function has."""

    run: Callable[..., Any]
    options: tuple[str, ...] = ()

    def refuse_others(self, what: str, given: Iterable[str], *, where: str = "", common: tuple[str, ...] = ()) -> None:
        """Refuse given options that it does not have; `what` names it, and `common` are options that all have."""
        for name in given:
            if name not in self.options:
                has = ", ".join((*self.options, *common)) or "none"
                raise ValueError(f"{what} has no option {name}{where}; it has {has}")


# Arrays


def is_sparse(values: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy's, whose type says little of what they all have."""
    return bool(sp.issparse(values))


def unmasked(values: Any, name: str) -> Any:
    """The same, if it is no masked array with something masked; `name` is the argument's."""
    if np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(
            f"{name} is a masked array without a value at [{place}]: leave such places out, or fill them with "
            ".filled(value)"
        )
    return values


def one_array(values: Any, name: str) -> Any:
    """The same, if it is not the whole result of a function that returns several, and nothing is masked."""
    if isinstance(values, tuple):
        arrays = [place for place, part in enumerate(values) if getattr(part, "ndim", 0)]
        if arrays:
            which = f", the {('first', 'second')[arrays[0]]} of them" if len(arrays) == 1 and arrays[0] < 2 else ""
            raise TypeError(f"{name} is a tuple of {len(values)} results: pass one array alone{which}")
    return unmasked(values, name)


def on_gpu(values: Any) -> bool:
    """Whether an array, or what makes one, lives on a GPU."""
    return hasattr(values, "__cuda_array_interface__")


def host_array(values: Any, name: str) -> np.ndarray:
    """A NumPy array, from anything that is an array or makes one, on a GPU or not."""
    values = one_array(values, name)
    if on_gpu(values):
        values = array_module("cuda").asarray(values).get()
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be one array, but its parts have different lengths") from None


def ranking(value: Any, name: str, known: Iterable[str], n: int, *, otherwise: str) -> str | np.ndarray:
    """An order of n vertices: by one of the names that are known, or by a real number for each, in host memory."""
    if isinstance(value, str):
        return choice(value, name, known, otherwise=otherwise)
    values = host_array(value, name)
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be one of {', '.join(known)}, or an array of real numbers; got dtype {values.dtype}"
        )
    if values.shape != (n,):
        raise ValueError(f"{name} must have one number for each of the {n} vertices, got shape {values.shape}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{name} is NaN at vertex {int(np.isnan(values).argmax())}, which has no place in an order")
    return values


def vertices_of(graph: Any, vertices: Any, name: str) -> np.ndarray:
    """Vertices of a graph in the order given, as int64 in host memory: from a mask, their numbers, or their names."""
    array = np.atleast_1d(host_array(vertices, name))
    if array.dtype.kind in "USO" and array.size and (graph.nodes is not None or not are_names(array)):
        array = np.atleast_1d(graph.index(vertices))
    return distinct_vertices(array, name, graph.num_vertices)


def distinct_vertices(vertices: Any, name: str, n: int) -> np.ndarray:
    """Vertices out of n in the order given, as int64 in host memory, from a bool mask or from their numbers."""
    array = host_array(vertices, name)
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"{name} is a mask of shape {array.shape}, but there are {n} vertices: pass shape ({n},)")
        return np.flatnonzero(array)
    if array.dtype.kind in "USO" and array.size:
        raise TypeError(
            f"{name} must be numbers of vertices or a mask of bool, got {array.dtype}: the vertices of this graph have "
            "no names"
        )
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise TypeError(
            f"{name} must be numbers of vertices or a mask of bool, got {array.dtype} of shape {array.shape}"
        )
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise ValueError(f"{name} names vertex {array[outside.argmax()]}, but there are {n} vertices, numbered from 0")
    array = array.astype(np.int64, copy=False)
    numbers = np.arange(array.size)
    last_place = np.empty(n, np.int64)
    last_place[array] = numbers
    again = last_place[array] != numbers
    if again.any():
        v = array[again.argmax()]
        raise ValueError(
            f"{name} names vertex {v} {np.count_nonzero(array == v)} times; an array of integers is read as vertices: "
            "turn a mask of zeros and ones into booleans with .astype(bool)"
        )
    return array


def distinct_vertices_on(device: str, vertices: Any, name: str, n: int) -> Any:
    """The same on a device; those of an array on a GPU stay there."""
    xp = array_module(device)
    if device == "cuda" and on_gpu(vertices):
        array = xp.asarray(vertices)
        if array.dtype == bool and array.shape == (n,):
            return xp.flatnonzero(array)
        if array.ndim == 1 and array.dtype.kind in "iu" and not ((array < 0) | (array >= n)).any():
            array, places, last_place = array.astype(np.int64), xp.arange(array.size), xp.empty(n, np.int64)
            last_place[array] = places
            if not (last_place[array] != places).any():
                return array
    return xp.asarray(distinct_vertices(vertices, name, n))
