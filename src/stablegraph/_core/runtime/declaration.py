"""The declaration of kernels and rules: functions, the division of work, types and groups, independent of a target.

kernel.py, which adds the launch, explains how they are written. The compilers (jit/) need only this file.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from . import device
from .array_types import Constant, Offsets, Vertices, word_of_type


class Rule:
    """A function that kernels and other rules call, with a form for each target."""

    def __init__(self, function: Callable[..., Any], *, cuda: Callable[[], Any] | None = None, inline: bool = True):
        self.function = function
        self.inline = inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._make_cuda = cuda

    def __call__(self, *arguments: Any) -> Any:
        return self.python(*arguments)

    @cached_property
    def python(self) -> Any:
        """The form that plain Python code calls."""
        return rebuilt(self.function, lambda rule: rule.python)

    @cached_property
    def cuda(self) -> Any:
        """The form that CUDA kernels call."""
        if self._make_cuda is not None:
            return self._make_cuda()
        return device.cuda_module().jit(device=True)(rebuilt(self.function, lambda rule: rule.cuda))


def rule(function: Callable[..., Any] | None = None, *, inline: bool = True) -> Any:
    """Make a plain function callable from kernels on every target.

    Its code is inlined into its callers, except with ``inline=False``. Use this for code that a hot loop rarely
    reaches, so that it does not occupy registers of the loop.
    """
    return partial(Rule, inline=inline) if function is None else Rule(function, inline=inline)


def rebuilt(function: Callable[..., Any], form: Callable[[Rule], Any]) -> types.FunctionType:
    """Return the same code with new globals, in which each rule is replaced by one of its forms."""
    code = function.__code__
    known = function.__globals__
    namespace = {"__name__": function.__module__, "__builtins__": known["__builtins__"]}
    for name in code.co_names:
        if name in known:
            value = known[name]
            if isinstance(value, types.FunctionType):
                raise TypeError(f"{function.__qualname__} uses the function {name}: make it a @rule")
            namespace[name] = form(value) if isinstance(value, Rule) else value
    copy = types.FunctionType(code, namespace, function.__name__, function.__defaults__, function.__closure__)
    copy.__qualname__ = function.__qualname__
    return copy


def plugged(body: Callable[..., Any], name: str, **values: Any) -> types.FunctionType:
    """Return the body of an engine's kernel for one problem: with the problem's rules and groups as these globals.

    `name` is the kernel's name with its module, those of the problem. Compiled code is the same as if the body were
    written in that module.
    """
    module, _, short = name.rpartition(".")
    copy = types.FunctionType(body.__code__, {**body.__globals__, "__name__": module, **values}, short)
    copy.__annotations__, copy.__qualname__, copy.__doc__ = body.__annotations__, short, body.__doc__
    return copy


@rule
def edge_split(indptr, n, worker, workers):
    """Return the first vertex of a worker's share if vertices + edges are split evenly; n for `worker` = `workers`.

    Vertices are counted, too, so that a share cannot consist of very many isolated vertices.
    """
    if worker >= workers:
        return n
    base = indptr[0]
    wanted = (indptr[n] - base + n) * worker // workers
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if indptr[middle] - base + middle < wanted:
            low = middle + 1
        else:
            high = middle
    return low


class Rows(NamedTuple):
    """The rows of a graph or a matrix in CSR form, as one argument of kernels."""

    indptr: Offsets  # (n + 1,): the start of each row in `indices`
    indices: Vertices  # (number of entries,): the columns of the entries, row after row


@cache
def types_of(group: Any) -> dict[str, Any]:
    """Return the annotations of the members of a group by name."""
    known = vars(sys.modules.get(group.__module__, builtins))
    return {name: _named(kind, known) for name, kind in group.__annotations__.items()}


@cache
def constants_of(group: Any) -> tuple[str, ...]:
    """Return the names of the members of a group that are constants in compiled code: its last members."""
    constants = tuple(name for name, kind in types_of(group).items() if kind is Constant) if group else ()
    assert not constants or group._fields[-len(constants) :] == constants
    return constants


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of the parameters of a function that are names of types, by parameter."""
    return {name: _named(kind, function.__globals__) for name, kind in function.__annotations__.items()}


def _named(kind: Any, known: Mapping[str, Any]) -> Any:
    """Return the type that an annotation names, in its module or in Python; None for the text of another expression.

    `typing.get_type_hints` evaluates every expression, which takes longer than all else in the import of a kernel.
    """
    name = getattr(kind, "__forward_arg__", kind)
    return (known.get(name) or getattr(builtins, name, None)) if isinstance(name, str) else kind


def groups_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters annotated with a NamedTuple, with its class: groups that are passed as one argument."""
    return {name: kind for name, kind in annotations_of(function).items() if hasattr(kind, "_fields")}


def flattened(arguments: Any) -> list[Any]:
    """Return the arguments with each group replaced by its members."""
    flat: list[Any] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            flat.extend(argument)
        else:
            flat.append(argument)
    return flat


def word_of(value: Any) -> str:
    """Return the word for the type of an argument, as used in the `types` of a kernel."""
    if getattr(value, "ndim", 0):
        return f"{value.dtype.name}[{',' * (value.ndim - 1)}]"
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    return "int" if isinstance(value, (int, np.integer)) else "float"


# The required first parameters of a body, and the number of them that the launch provides.
_BEGIN = {"items": "i", "edges": "v, indptr, or v and a group that holds indptr", "workers": "w, workers"}
_PROVIDED = {"items": 1, "edges": 1, "workers": 2, "single": 0}


class Declaration:
    """The body of one parallel iteration, and its declared properties."""

    def __init__(
        self,
        function: Callable[..., Any],
        by: str,
        each: int = 1,
        types: str | None = None,
        constants: str = "",
        variables: dict[str, str] | None = None,
    ) -> None:
        self.function = function
        self.by = by
        self._types, self.variables = types, variables or {}
        self.constants = tuple(tuple(map(int, values.split(","))) for values in constants.split())
        self.name = f"{function.__module__}.{function.__name__}"
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.groups = groups_of(function)
        self._each = each
        parameters = [*function.__code__.co_varnames[: function.__code__.co_argcount]]
        self._check_parameters(parameters)
        self.parameters = parameters[_PROVIDED[by] :]  # the arguments of a call, except for a count
        self._count = len(parameters) - (by == "workers")  # the number of arguments of a call
        with_rows = [i for i, name in enumerate(parameters) if "indptr" in self._fields_of(name)]
        self._rows = with_rows[0] if with_rows else None  # the position of the argument with the lengths of rows
        # For each group with constants: its position in a call, and the index of its first constant.
        self._constant = [
            (parameters.index(name) - (by == "workers"), len(group._fields) - len(constants_of(group)))
            for name, group in self.groups.items()
            if constants_of(group)
        ]

    def _check_parameters(self, parameters: list[str]) -> None:
        """Raise TypeError if the first parameters of a body are not those that its division of work requires."""
        first, second = [*parameters, "", ""][:2]
        fits = {
            "items": first != "",
            "edges": second == "indptr" or "indptr" in self._fields_of(second),
            "workers": second == "workers",
            "single": True,
        }
        if not fits[self.by]:
            name, begin = self.function.__qualname__, _BEGIN[self.by]
            raise TypeError(f"the parameters of a kernel by {self.by} begin with {begin}: {name}")

    def _fields_of(self, parameter: str) -> tuple[str, ...]:
        """Return the members of a group, or () for any other parameter."""
        return getattr(self.groups.get(parameter), "_fields", ())

    def __repr__(self) -> str:
        return f"<kernel {self.name} by {self.by}>"

    @cached_property
    def declared(self) -> str | None:
        """The words of the types of all arguments, members of groups included; None if one of them has no type.

        They are those of annotations, and the words in `types` are those of the other arguments, or of all.
        """
        kinds = annotations_of(self.function)
        words: list[str | None] = []
        for name in self.parameters:
            group = self.groups.get(name)
            words += map(word_of_type, [kinds.get(name)] if group is None else types_of(group).values())
        missing = words.count(None)
        if self._types is None and missing:
            return None
        listed = (self._types or "").split()
        if len(listed) == len(words):
            return self._types
        if len(listed) != missing:
            raise ValueError(f"{self!r} declares {len(listed)} types for {missing} arguments")
        others = iter(listed)
        return " ".join(next(others) if word is None else word for word in words)

    @cached_property
    def python(self) -> Any:
        """The body that the Python target runs."""
        return rebuilt(self.function, lambda rule: rule.python)
