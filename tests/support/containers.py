"""Containers that can list vertices, ids or values, with the items of a list: those of Python, NumPy, and libraries."""

from __future__ import annotations

import itertools
from array import array
from collections import UserList, deque
from collections.abc import Set
from importlib.util import find_spec

import numpy as np


def typed(make):
    """Return a container's constructor that refuses lists of which the container would change items."""

    def made(items):
        try:
            result = make(items)
        except RuntimeError as error:  # of PyTorch, which does not promote unsigned integers
            raise ValueError(str(error)) from error
        values = result.tolist()
        if list(map(type, values)) != [type(getattr(x, "item", lambda x=x: x)()) for x in items] or values != items:
            raise ValueError("this container cannot store the items")
        return result

    return made


def objects(items):
    return np.fromiter(items, object, len(items))


def item(items):
    (result,) = items
    if result is None or isinstance(result, (list, Set, tuple)):
        raise TypeError("this is no item, but the default or a container")
    return result


def nodes_of_networkx(items):
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(items)
    return graph.nodes


CONTAINERS = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "keys of a dict": lambda items: dict.fromkeys(items).keys(),
    "values of a dict": lambda items: dict(enumerate(items)).values(),
    "generator": lambda items: (item for item in items),
    "iterator": iter,
    "chain": itertools.chain,
    "deque": deque,
    "user's list": UserList,
    "array of objects": objects,
    "array": typed(np.array),
    "array with steps": typed(lambda items: np.repeat(np.array(items), 2)[::2]),
    "array of Python": typed(lambda items: array("q", items)),
    "memory": typed(lambda items: memoryview(array("q", items))),
    "range": lambda items: range(items[0], items[-1] + (items[-1] >= items[0]) or -1, max(1, items[-1] - items[0])),
    "bytearray": lambda items: bytearray(memoryview(typed(lambda items: array("B", items))(items))),
    "array without a dimension": lambda items: typed(np.array)([item(items)]).reshape(()),
    "item": item,
}
if find_spec("networkx"):
    CONTAINERS["nodes of NetworkX"] = nodes_of_networkx
if find_spec("pyarrow"):
    import pyarrow as pa

    def arrow(items):
        result = pa.array(items)
        if any(type(x) not in (int, str, bytes, bool) for x in items) or result.to_pylist() != items:
            raise TypeError
        return result

    CONTAINERS["Arrow"] = arrow
    CONTAINERS["Arrow in chunks"] = lambda items: pa.chunked_array([arrow(items[:1]), arrow(items[1:])])
    CONTAINERS["Arrow with a dictionary"] = lambda items: arrow(items).dictionary_encode()
    CONTAINERS["Arrow's scalar"] = lambda items: arrow(items)[0] if len(items) == 1 else {}[0]
if find_spec("pandas"):
    import pandas as pd

    CONTAINERS["pandas"] = typed(pd.Series)
    CONTAINERS["pandas, objects"] = lambda items: pd.Series(items, dtype=object)
    CONTAINERS["index of pandas"] = typed(pd.Index)
    CONTAINERS["categories of pandas"] = typed(lambda items: pd.Series(items).astype("category"))
    CONTAINERS["pandas with nulls"] = lambda items: pd.array(items, dtype={int: "Int64", bool: "boolean"}[type(*items)])
if find_spec("polars"):
    import polars as pl

    CONTAINERS["polars"] = lambda items: pl.Series(arrow(items).to_pylist())
if find_spec("torch"):
    import torch

    CONTAINERS["torch"] = typed(torch.tensor)


def contained(items):
    """Yield each container that can store the items, and the items in its order."""
    for name, make in CONTAINERS.items():
        try:
            container = make(items)
        except (TypeError, ValueError, OverflowError, KeyError, IndexError, NotImplementedError):
            continue
        in_order = list(container) if isinstance(container, (Set, range)) else items
        if len(in_order) == len(items) or name == "bytearray":
            yield name, container, in_order
