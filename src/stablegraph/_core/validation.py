"""Validation of arguments: each function converts an argument to the form that algorithms use, or raises an error.

A message is one sentence: the name of the parameter, the expected value, and the received value. A wrong type raises
TypeError, a wrong value ValueError. Masked elements, which NumPy would ignore silently, are an error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, MappingView, Sequence, Set
from contextlib import suppress
from numbers import Integral, Number, Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy

from .runtime import array_module, hash_seed
from .runtime.cuda.cards import PREFIX
from .runtime.device import detached, of_package
from .texts import short_repr
from .unknown_options import nearest
from .vertex_names import are_names, is_name, number_of, python_objects, refuse_mapping, refuse_other_order, shown_name

Name = TypeVar("Name", bound=str)

_BOOLS = {bool, np.bool_}
ON_CARDS = " for a graph on several GPUs (graph.to('cuda') moves it to one)"
IN_PARTITIONS = " for a graph in partitions"  # the end of messages about values and options that only other graphs have


class PartitionedGraph:
    """Base class of graphs in partitions, by which public functions recognize them without importing Dask."""

    directed: bool
    num_vertices: int

    def _with_progress(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of this graph that shows its progress; or the function itself."""
        return function


# One value


def integer(value: Any, name: str, *, minimum: int | None = None, maximum: int | None = None) -> int:
    """Return an integer; raise an error if it is below `minimum` or above `maximum`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {short_repr(value)}")
    if minimum is not None and value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {short_repr(int(value))}")
    if maximum is not None and value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {short_repr(int(value))}")
    return int(value)


def number(
    value: Any, name: str, *, minimum: float | None = None, above: float | None = None, below: float | None = None
) -> float:
    """Return a real number that is at least `minimum`, greater than `above`, and less than `below`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {short_repr(value)}")
    try:
        x = float(value)
    except OverflowError:  # an integer or a fraction beyond the range of floats
        x = -np.inf if value < 0 else np.inf
    inside = (minimum is None or x >= minimum) and (above is None or x > above) and (below is None or x < below)
    if not inside:  # also for NaN
        limits = {"at least": minimum, "above": above, "below": below}
        wanted = " and ".join(f"{word} {limit:g}" for word, limit in limits.items() if limit is not None)
        received = f"{x:g}" if math.isnan(x) or x == value else short_repr(value)
        raise ValueError(f"{name} must be {wanted}, got {received}")
    return x


def boolean(value: Any, name: str) -> bool:
    """Return True or False; raise TypeError for anything that is not a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {short_repr(value)}")
    return bool(value)


def optional_boolean(value: Any, name: str) -> bool | None:
    """Return True, False or None."""
    return None if value is None else boolean(value, name)


def choice(value: Any, name: str, known: Iterable[Name], *, where: str = "", otherwise: str = "") -> Name:
    """Return a value that is one of the known names; raise ValueError for any other value.

    `otherwise` and `where` are added to the message: the other values that the argument may have, and the condition
    under which these names apply.
    """
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    near = nearest(value, names) if isinstance(value, str) else None
    hint = f": did you mean {near!r}?" if near else ""
    raise ValueError(f"{name} must be one of {', '.join(names)}{otherwise}{where}; got {short_repr(value)}{hint}")


def one_device(device: Any) -> str | None:
    """Return the "cpu" or "cuda" that an argument names, or None if it names GPUs by number."""
    if isinstance(device, list | tuple | range) or (isinstance(device, str) and device.startswith(PREFIX)):
        return None
    return choice(device, "device", ("cpu", "cuda"), otherwise=', "cuda:0,1", "cuda:all", or a list of numbers')


def seed_hash(seed: Any) -> int:
    """Return the hash of an integer seed, which algorithms add to ids and rounds."""
    return hash_seed(integer(seed, "seed"))


# Algorithms and their options


class Algorithm(NamedTuple):
    """A function that implements an algorithm, and the options of the public function that it supports."""

    run: Callable[..., Any]
    options: tuple[str, ...] = ()

    def reject_unsupported_options(
        self, what: str, passed: Iterable[str], *, where: str = "", common: tuple[str, ...] = ()
    ) -> None:
        """Raise ValueError for the first option that the algorithm does not support.

        `what` names the algorithm in the message, and `common` lists the options that all algorithms support.
        """
        for name in passed:
            if name not in self.options:
                has = ", ".join((*self.options, *common)) or "none"
                raise ValueError(f"{what} has no option {name}{where}; it has {has}")


def select_algorithm(
    table: Mapping[Name, Algorithm],
    name: Any,
    options: Mapping[str, Any],
    *,
    where: str = "",
    common: tuple[str, ...] = (),
) -> Algorithm:
    """Return an algorithm by its name; raise ValueError for an unknown name, or an option that it does not support.

    `options` are values that the user passed, or None; the other arguments are as in `reject_unsupported_options`.
    """
    algorithm = table[choice(name, "algorithm", table, where=where)]
    for option, value in options.items():
        if value is not None:
            algorithm.reject_unsupported_options(f"algorithm {name!r}", [option], where=where, common=common)
    return algorithm


# Arrays


def is_sparse(values: Any) -> bool:
    """Return whether an object is sparse in SciPy; `issparse` would hide its attributes from type checkers.

    SciPy imports its submodules when they are used. Without sparse objects, `scipy.sparse` is not needed.
    """
    return "scipy.sparse" in sys.modules and bool(scipy.sparse.issparse(values))


def unmasked(values: Any, name: str) -> Any:
    """Return the values; raise ValueError if some of them are masked. `name` is the name of the argument."""
    if np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(
            f"{name} is a masked array without a value at [{place}]: leave such places out, or fill them with "
            ".filled(value)"
        )
    return values


def listed(values: Any, name: str, *, ordered: bool = True) -> Any:
    """Return the items of a view, an iterator or a set as a list: NumPy would read the container as one object.

    Anything else is returned unchanged. A set is refused if the items must be `ordered`.
    """
    is_set = _is_set(values)
    if is_set and ordered:
        raise TypeError(f"{name} must be in order, but a {type(values).__name__} has no order: pass a list or an array")
    has_items = isinstance(values, Iterable) and not hasattr(values, "__array__")
    return list(values) if is_set or (has_items and not hasattr(values, "__getitem__")) else values


def _is_set(values: Any) -> bool:
    """Return whether a container has no order; views of dictionaries have one."""
    return isinstance(values, Set) and not isinstance(values, MappingView)


def exact_array(values: Any, name: str) -> np.ndarray:
    """Return a NumPy array; numbers in lists and arrays of objects get a type that stores them without rounding.

    Integers that fit no type remain objects; NumPy would turn some of them into floating-point numbers. Raise
    ValueError if a list also contains other numbers, so that the integers must be rounded.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be one array, but its parts have different lengths") from None
    if array.dtype.kind == "O":
        if are_names(array):
            return array
        values, array = array.tolist(), np.asarray(array.tolist())
    if array.dtype.kind != "f" or hasattr(values, "dtype"):
        return array
    first = values
    while isinstance(first, Sequence) and first:
        first = first[0]
    if not (isinstance(first, Integral) or (np.abs(array) > 2.0**53).any()):
        return array
    objects = np.asarray(values, object)
    integers: list[Any] = [x for x in objects.flat if isinstance(x, Integral)]
    if len(integers) == objects.size:
        is_unsigned = min(integers) >= 0 and max(integers) < 2**64
        return np.array(objects.tolist(), np.uint64 if is_unsigned else object)
    for x in integers:
        if int(array.dtype.type(x)) != x:
            raise ValueError(f"{name} must be all integers or all floats: {array.dtype} would round the integer {x}")
    return array


def single_array(values: Any, name: str) -> Any:
    """Return one array, or what converts to one.

    Raise an error for masked arrays, sets, and tuples of arrays such as a function's results.
    """
    values = listed(values, name)
    if isinstance(values, Mapping) and name.isidentifier():
        raise TypeError(
            f"{name} must be in the order of the vertices, got a mapping: pass [{name}[v] for v in graph.nodes], or in "
            "range(len(graph)) if vertices have no names"
        )
    if isinstance(values, tuple):
        arrays = [place for place, part in enumerate(values) if getattr(part, "ndim", 0)]
        if arrays:
            which = f", the {('first', 'second')[arrays[0]]} of them" if len(arrays) == 1 and arrays[0] < 2 else ""
            raise TypeError(f"{name} is a tuple of {len(values)} results: pass one array{which}")
    return of_package(unmasked(values, name))


def on_gpu(values: Any) -> bool:
    """Return whether an array, or an object that converts to one, is stored on a GPU."""
    return hasattr(values, "__cuda_array_interface__")


def host_array(values: Any, name: str) -> np.ndarray:
    """Return a NumPy array from anything that is an array or converts to one, on the CPU or on a GPU."""
    values = detached(single_array(values, name))
    if on_gpu(values):
        values = array_module("cuda").asarray(values).get()
    array = exact_array(values, name)
    if array.dtype == object and array.size and all(isinstance(x, Integral) for x in array.flat):
        largest = int(max(array.flat, key=abs))
        raise ValueError(f"{name} must be numbers of at most 64 bits, got {short_repr(largest)}")
    return array


def distance_limit(max_distance: Any, n: int) -> int:
    """Return the checked distance at which a search of n vertices ends; None means that it has no limit."""
    return n if max_distance is None else integer(max_distance, "max_distance", minimum=0)


def refuse_dict_in_partitions(values: Any, name: str, graph: Any) -> None:
    """Raise TypeError for a dict by vertex if the graph is in partitions."""
    if isinstance(values, Mapping) and isinstance(graph, PartitionedGraph):
        raise TypeError(
            f"{name}= is not supported{IN_PARTITIONS} as a dict: pass an array in the order of the vertices"
        )


def is_spread(values: Any, graph: Any) -> bool:
    """Return whether values are a Dask array, which stays on the workers of a graph in partitions."""
    return isinstance(graph, PartitionedGraph) and hasattr(values, "to_delayed")


def array_on(device: str, values: Any, name: str) -> Any:
    """Return an array on a device from anything that is an array or converts to one; a GPU's array stays on the GPU."""
    xp = array_module(device)
    values = detached(single_array(values, name))
    return xp.asarray(values if device.startswith("cuda") and on_gpu(values) else host_array(values, name))


def column(values: Any, name: str, *, ordered: bool = True) -> np.ndarray:
    """Return the items of any container, or a single item, as an array: of objects if some items are not numbers.

    An item means the same in every container, so NumPy must not convert items to a common type: it makes two texts of a
    number and a text, two numbers of a bool and a number, and rows of a matrix of tuples.
    """
    values, is_set = listed(detached(values), name, ordered=ordered), _is_set(values)
    refuse_mapping(values, name)
    if isinstance(values, (str, bytes)) or hasattr(values, "as_py"):  # Arrow's scalars
        values = [python_objects(values)]
    elif isinstance(values, Sequence) and not isinstance(values, memoryview):
        values = single_array(values, name)
    else:
        are_objects = getattr(getattr(values, "dtype", None), "kind", None) == "O"
        array = np.atleast_1d(np.asarray(single_array(values, name)) if are_objects else host_array(values, name))
        if array.ndim > 1 or array.dtype.kind not in "OSUT":
            return array
        objects = python_objects(values)  # texts in NumPy's own arrays lose zeros at their ends
        values = objects if isinstance(objects, list) else python_objects(array)
    if ordered and len(values) and type(values[0]) is int:  # without a list of types, which takes as long as an array
        with suppress(ValueError):
            array = np.asarray(values)
            if array.ndim == 1 and array.dtype.kind in "iu":
                return array
    kinds = set(map(type, values))
    if any(kind is list or (hasattr(kind, "__array__") and not issubclass(kind, np.generic)) for kind in kinds):
        return np.atleast_1d(host_array(values, name))  # rows of a matrix, or arrays without a dimension
    if not all(issubclass(kind, (Number, np.bool_)) for kind in kinds):
        return np.fromiter(values, object, len(values))
    if not ordered and not kinds.isdisjoint(_BOOLS) and (is_set or not kinds <= _BOOLS):
        raise TypeError(f"{name} contains {'bools in a set, which has no order' if is_set else 'numbers and bools'}")
    return host_array(values, name)


def vertices_of(graph: Any, vertices: Any, name: str) -> np.ndarray:
    """Return vertices of a graph as int64 in host memory, in the given order: from a mask, numbers or names."""
    array = column(vertices, name, ordered=False)
    if array.dtype == bool:
        refuse_other_order(vertices, name, graph, f"{name}.index[{name}]")
    if array.dtype == object and not isinstance(graph, PartitionedGraph) and graph.nodes is not None:
        numbers, last = graph._numbers_by_name(), graph.num_vertices - 1
        is_one = not all(isinstance(x, Number) for x in array) and is_name(vertices, numbers)
        array = np.array(
            [
                integer(x, f"a number in {name}", minimum=0, maximum=last)
                if isinstance(x, Number)
                else number_of(x, numbers)
                for x in ([vertices] if is_one else array)
            ]
        )
    return distinct_vertices(array, name, graph.num_vertices)


def vertices_on(graph: Any, vertices: Any, name: str) -> Any:
    """Compute `vertices_of` on the device of the graph; vertices in a GPU array are not copied to the host."""
    if graph.device.startswith("cuda") and on_gpu(vertices):
        return distinct_vertices_on("cuda", vertices, name, graph.num_vertices)
    return graph.xp.asarray(vertices_of(graph, vertices, name))


def members_of(graph: Any, vertices: Any, name: str) -> Any:
    """Return vertices of a graph in partitions: ascending numbers, or a mask that is a Dask array; or None."""
    if vertices is None:
        return None
    if not is_spread(vertices, graph):
        return np.sort(vertices_of(graph, vertices, name))
    if vertices.dtype != bool:
        raise TypeError(f"{name} must be a mask of bool if it is a Dask array, got dtype {vertices.dtype}")
    return _checked_mask(vertices, name, graph.num_vertices)


def ascending_members(graph: Any, vertices: Any, name: str) -> Any:
    """Return the result of `members_of`; raise ValueError if numbers are not in ascending order."""
    if is_spread(vertices, graph):
        return members_of(graph, vertices, name)
    numbers = vertices_of(graph, vertices, name)
    if (np.diff(numbers) < 0).any():
        raise ValueError(f"{name} must be ascending{IN_PARTITIONS}: sort them, or pass a mask of bool")
    return numbers


def _checked_mask(mask: Any, name: str, n: int) -> Any:
    if mask.shape != (n,):
        raise ValueError(f"{name} is a mask of shape {mask.shape}, but there are {n} vertices: pass shape ({n},)")
    return mask


def distinct_vertices(vertices: Any, name: str, n: int) -> np.ndarray:
    """Return vertices below n as int64 in host memory, in the given order: from a bool mask or from numbers."""
    array = column(vertices, name, ordered=False)
    if array.dtype == bool:
        return np.flatnonzero(_checked_mask(array, name, n))
    if array.dtype == object and array.size:
        others = [x for x in array if not isinstance(x, Integral)]
        if not others:
            raise ValueError(f"{name} names vertex {max(array, key=abs)}, but there are {n} vertices, numbered from 0")
        why = "" if isinstance(others[0], Number) else ": the vertices of this graph can be passed only by number"
        raise TypeError(f"{name} must be numbers of vertices or a mask of bool, got {shown_name(others[0])}{why}")
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
    is_repeated = last_place[array] != numbers
    if is_repeated.any():
        v = array[is_repeated.argmax()]
        raise ValueError(
            f"{name} names vertex {v} {np.count_nonzero(array == v)} times; an array of integers is read as vertices: "
            "turn a mask of zeros and ones into booleans with .astype(bool)"
        )
    return array


def distinct_vertices_on(device: str, vertices: Any, name: str, n: int) -> Any:
    """Compute `distinct_vertices` on a device; vertices in a GPU array are not copied to the host."""
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
