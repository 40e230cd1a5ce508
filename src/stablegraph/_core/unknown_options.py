"""Messages for unknown options and values: the closest known one, or the one that replaces another library's.

Python raises a TypeError for a keyword that a function does not have. The decorators of public functions replace its
message by the one of `refuse_unknown`. A call is not inspected: its keywords are compared with the signature only after
a TypeError. A function with an unknown keyword never starts, so errors raised inside a function pass through unchanged.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_NUMBER_OF_COLORS = "use colors= for a given number of colors; color_bounds gives its limits"
_BOTH_RETURNED = "distances and parents are always returned"

# The replacements of other libraries' options, by function.
_REPLACEMENTS = {
    "vertex_coloring": {
        "strategy": "use order=, for example order='saturation' for DSATUR",
        "method": "use order=, for example order='saturation' for DSATUR, or algorithm=",
        "interchange": "use reduce='quick' or reduce='thorough' to save colors by exchanges",
        "equitable": "use balance=True, or colors= for a given number of colors",
        "precoloring": "use fixed=",
        "weights": "use sizes= with capacity=",
        "seats": "use rooms=, a dict of the seats of each room",
        "lists": "use allowed=",
        "k": _NUMBER_OF_COLORS,
        "num_colors": _NUMBER_OF_COLORS,
        "n_colors": _NUMBER_OF_COLORS,
        "max_colors": _NUMBER_OF_COLORS,
    },
    "maximal_independent_set": {
        "k": "use distance=, for example distance=2",
        "nodes": "use include=",
        "weight": "use weights=",
    },
    "large_independent_set": {
        "nodes": "use include=",
        "weight": "use weights=",
        "priority": "all orders lead to the same search; choose another seed=, or more rounds=",
        "time_limit": "use rounds=",
    },
    "communities": {
        "resolution_parameter": "use resolution=",
        "gamma": "use resolution=",
        "n_iterations": "use iterations=; None repeats until nothing changes, like -1",
        "max_iter": "use iterations=",
        "initial_membership": "use start=",
        "partition": "use start=",
        "is_membership_fixed": "use fixed= together with start=",
        "max_comm_size": "use max_size=",
        "objective_function": "use objective='modularity' or 'cpm'",
        "partition_type": "use objective='modularity' or 'cpm'",
        "flavor": "use algorithm='leiden' or 'louvain'",
        "threshold": "use iterations=; an iteration ends when no vertex moves",
        "max_level": "pass return_info=True; info['levels'] has all levels",
        "beta": "the random choice of refinement has no parameter; choose another seed=",
        "theta": "the random choice of refinement has no parameter; choose another seed=",
    },
    "connected_components": {
        "connection": "directions do not matter; use strongly_connected_components for connection='strong'",
        "mode": "directions do not matter; use strongly_connected_components for mode='strong'",
        "return_labels": "the count and the labels are always returned",
    },
    "schedule": {
        "seats": "use rooms=, a dict of the seats of each room",
        "slots": "use colors=, the number of rounds",
        "rounds": "use colors=, the number of rounds",
    },
    "breadth_first_search": {
        "depth_limit": "use max_distance=",
        "max_depth": "use max_distance=",
        "cutoff": "use max_distance=",
        "i_start": "use sources=",
        "start": "use sources=",
        "root": "use sources=",
        "return_predecessors": _BOTH_RETURNED,
        "return_parent": _BOTH_RETURNED,
    },
    "minimum_spanning_forest": {"overwrite": "the input is never changed"},
    "aggregate": {"theta": "use strength="},
    "smoothed_aggregation": {
        "theta": "use strength=",
        "omega": "use damping=",
        "presmoother": "use smoother=, which smooths before and after",
        "postsmoother": "use smoother=, which smooths before and after",
        "max_coarse": "use coarse_size=",
        "near_nullspace": "use B=",
    },
    "gauss_seidel": {"iterations": "use sweeps=", "sweep": "use symmetric=True or symmetric=False"},
    "solve": {
        "rtol": "use tol=, which is relative to the norm of b",
        "atol": "tol is relative to the norm of b, so pass tol=atol / numpy.linalg.norm(b)",
        "callback": "use progress=, which is called with the number and the residual of each iteration",
    },
    "as_graph": {"create_using": "use directed=True or directed=False", "edge_attr": "use weights=True"},
    "from_edges": {
        "num_vertices": "use n=",
        "num_nodes": "use n=",
        "shape": "use n=",
        "names": "use nodes=",
        "merge": "use symmetrize='min', 'max' or 'sum'",
        "create_using": "use directed=True",
    },
    "from_table": {
        "src": "use source=",
        "dst": "use target=",
        "edge_attr": "use weight=",
        "create_using": "use directed=True",
    },
    "read_graph": {
        "create_using": "use directed=True",
        "delimiter": "separators are detected; read other tables with pandas and pass them to from_table",
        "sep": "separators are detected; read other tables with pandas and pass them to from_table",
    },
}

# Options of other libraries with the same meaning as an option of this package, in every function that has it.
SYNONYMS = {
    "random_state": "seed",
    "random_seed": "seed",
    "rng": "seed",
    "method": "algorithm",
    "strategy": "order",
    "k": "distance",
    "verbose": "progress",
    "callback": "progress",
    "node_labels": "names",
    "with_labels": "names",
    "pos": "positions",
}
_DEVICE = "the device is that of the graph; move it with graph.to('cuda') or graph.to('cpu')"
_THREADS = "use set_num_threads(n), or threads(n) in a with statement"
_WEIGHTS = (
    "weights are stored in the graph; pass them to from_edges(u, v, weights) or as_graph((indptr, indices, weights))"
)
_GENERAL = {
    "device": _DEVICE,
    "gpu": _DEVICE,
    "backend": _DEVICE,
    "threads": _THREADS,
    "num_threads": _THREADS,
    "n_threads": _THREADS,
    "n_jobs": _THREADS,
    "workers": _THREADS,
    "weight": _WEIGHTS,
    "weights": _WEIGHTS,
    "directed": "the graph stores its direction; pass as_graph(obj, directed=True)",
}


# Values of other libraries, such as NetworkX's strategies, and the corresponding names.
_VALUES = {
    "gpu": "cuda",
    "dsatur": "saturation",
    "saturation_largest_first": "saturation",
    "random_sequential": "random",
    "sequential": "natural",
    "greedy": "priority",
    "luby": "mis",
    "jones_plassmann": "priority",
    "afforest": "union",
    "kruskal": "filter_kruskal",
    "standard": "mis2",
    "plus": "sum",
}


class UnsupportedOnCards(NotImplementedError):
    """A function needs the arrays of a graph in one place, but the graph is on several GPUs."""

    def __init__(self, name: str = "this function") -> None:
        super().__init__(
            f"{name} does not support a graph on several GPUs; graph.to('cuda') moves it to one GPU, graph.to('cpu') "
            "to host memory"
        )


_WIDTH = 72  # of a signature in `help`, which the name precedes
_calls = threading.local()  # `running`: whether a public function runs in this thread


def _released(answer: Any) -> Any:
    """Return an answer in which the package's own arrays are replaced by CuPy's."""
    if not isinstance(answer, tuple):
        return answer.as_plain_array() if hasattr(answer, "as_plain_array") else answer
    are_arrays = [hasattr(part, "as_plain_array") for part in answer]
    if True not in are_arrays:
        return answer
    parts = tuple(part.as_plain_array() if one else part for part, one in zip(answer, are_arrays, strict=True))
    return type(answer)(*parts) if hasattr(answer, "_fields") else parts


def call_public(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function; an answer to the user has CuPy's arrays, one to another public function the package's own."""
    is_inner = getattr(_calls, "running", False)
    _calls.running = True
    try:
        answer = function(*arguments, **options)
    except TypeError:
        refuse_unknown(function, options)
        raise
    except UnsupportedOnCards:
        if is_inner:
            raise
        raise UnsupportedOnCards(function.__name__) from None
    finally:
        _calls.running = is_inner
    return answer if is_inner else _released(answer)


class _Text(str):
    """An annotation without quotes in `help`."""

    __slots__ = ()
    __repr__ = str.__str__


class _Signature(inspect.Signature):
    """A signature with one line per parameter if it is long."""

    def __str__(self) -> str:
        line, parts = super().__str__(), ["("]
        for parameter in self.parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
                parts.append("*,")
            parts.append(f"{parameter},")
        return line if len(line) <= _WIDTH else "\n    ".join(parts) + f"\n) -> {self.return_annotation}"


def with_readable_signature(call: Callable[..., Any], function: Function) -> Function:
    """Return the call of a public function with the signature of the function, readable in `help`."""
    signature = inspect.signature(function)
    parameters = [
        p if p.annotation is p.empty else p.replace(annotation=_Text(p.annotation))
        for p in signature.parameters.values()
    ]
    readable = _Signature(parameters, return_annotation=_Text(signature.return_annotation))
    call.__signature__ = readable  # type: ignore[attr-defined]
    return cast(Function, call)


def suggests_options(function: Function) -> Function:
    """Make a function suggest options when it is called with a keyword that it does not have."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        return call_public(function, arguments, options)

    return with_readable_signature(call, function)


def refuse_unknown(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Raise a TypeError for the first option that is not in the signature of a function."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for option in options:
        if option not in parameters:
            name = function.__name__
            if name == "__init__":
                name = function.__qualname__.split(".")[-2]
            known = [parameter for parameter in parameters if parameter != "self"]
            raise TypeError(f"{name} has no option {option!r}{_suggestion(function, name, option, known)}") from None


def _suggestion(function: Callable[..., Any], name: str, option: str, known: list[str]) -> str:
    """Return the end of the message for a function with the given parameters.

    Functions of the same name in several modules may have different parameters; those in csgraph have SciPy's.
    """
    replacement = None if function.__module__.endswith(".csgraph") else _REPLACEMENTS.get(name, {}).get(option)
    if replacement and not set(re.findall(r"use (\w+)=", replacement)) <= set(known):
        replacement = None
    if replacement is None and SYNONYMS.get(option) in known:
        replacement = f"use {SYNONYMS[option]}="
    if replacement is not None:
        return f"; {replacement}"
    near = nearest(option, known)
    if near is not None:
        return f": did you mean {near!r}?"
    general = _GENERAL.get(option) if "graph" in known else None
    return f"; {general or ('its parameters are ' + ', '.join(known) if known else 'it has no parameters')}"


def nearest(value: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant: the equivalent of another library's word, or the closest name."""
    word, known = value.lower().replace("-", "_"), list(names)
    if _VALUES.get(word) in known:
        return _VALUES[word]
    near = difflib.get_close_matches(word, known, 1)
    return near[0] if near else None
